import ISOBMFF
import MP4Bytes

/// Boxes of vendors of cameras, players and software.
let vendorsBoxes: StaticText = """
  box uuid d08a4f18-10f3-4a82-b6c8-32d8aba183d3 "Protection System Specific Header Box" in moov, "Protected \
  Interoperable File Format 1.1, 5.3.1"
    version 0
    SystemID  bytes(128)
    DataSize  uint(32)
    Data  bytes(8 * DataSize)

  box uuid a5d40b30-e814-11dd-ba2f-0800200c9a66 "LiveServerManifestBox" in file, "MS-SSTR, 2.2.7.2"
    version 0
    manifest  text

  box bfdb "Embedded File Description Box" in jumb, "ISO/IEC 19566-5:2023, B.3"
    TOGGLE  uint(8) hex
    MEDIA_TYPE  string
    when TOGGLE has 1
      FILE_NAME  string

  box json "JSON Content Box" in jumb, "ISO/IEC 19566-5:2023, B.4"
  box uuid be7acfcb-97a9-42e8-9c71-999491e3afac "XMP Metadata" in file, moov, "XMP Specification, part 3, 1.2.4"
  box uuid ffcc8263-f855-4a93-8814-587a02521fdd "Spherical Video Metadata" in trak, "Spherical Video RFC"
  box XMP_ "XMP Metadata" in udta, "XMP Specification, part 3, 1.2.6"
    document  text

  box CNCV "Canon Compressor Version" in uuid, "Canon CR3"
    version  text

  box CCTP "Canon Track Properties" in uuid, "Canon CR3"
    unknown  uint(32)
    kind  uint(32)
    entry_count  uint(32)
    boxes

  box CCDT "Canon Track Description" in CCTP, "Canon CR3"
    image_type  uint(64) hex
    dual_pixel  uint(32)
    track_index  uint(32)

  box THMB "Canon Thumbnail" in uuid, "Canon CR3"
    version 0
    width  uint(16)
    height  uint(16)
    jpeg_size  uint(32)
    unknown  uint(32) hex
    jpeg  bytes

  box CMP1 "Canon Compression" in CRAW, "Canon CR3"
    unknown  uint(16) hex
    header_size  uint(16)
    version  uint(16) hex
    subversion  uint(16)
    width  uint(32)
    height  uint(32)
    tile_width  uint(32)
    tile_height  uint(32)
    bits_per_value  uint(8)
    plane_count  uint(4)
    cfa_layout  uint(4) values 0 RGGB; 1 GRBG; 2 GBRG; 3 BGGR
    encoding_type  uint(4)
    image_levels  uint(4)
    has_tile_columns  uint(1)
    has_tile_rows  uint(1)
    reserved  bits(6)
    media_header_size  uint(32)
    more  bytes

  box CDI1 "Canon Image Description" in CRAW, "Canon CR3"
    version 0
    boxes

  box IAD1 "Canon Image Areas" in CDI1, "Canon CR3"
    version 0
    width  uint(16)
    height  uint(16)
    unknown_1  uint(16)
    image_type  uint(16) values 0 small; 2 whole
    unknown_2  uint(16)
    unknown_3  uint(16)
    areas[]
      left  uint(16)
      top  uint(16)
      right  uint(16)
      bottom  uint(16)

  box FPRF "File Global Profile" in uuid, "Sony PROF"
    version 0
    values[2]  uint(32)

  box uuid 55534d54-21d2-4fce-bb88-695cfac9c740 "Sony User Metadata" in moov, trak, "Sony USMT"
    boxes

  box MTDT "Sony Metadata" in uuid, "Sony USMT"
    entry_count  uint(16)
    entries[entry_count]
      size  uint(16) must be 10 or more
      type  uint(32)
      language  uint(16) language
      encoding  uint(16)
      data  bytes(8 * (size - 10))

  box APRF "Audio Profile" in uuid, "Sony PROF"
    version 0
    track_ID  uint(32)
    codec  code
    codec_information  uint(32) hex
    attributes  uint(32) hex
    average_bit_rate  uint(32)
    max_bit_rate  uint(32)
    sample_rate  uint(32)
    channel_count  uint(32)

  box VPRF "Video Profile" in uuid, "Sony PROF"
    version 0
    track_ID  uint(32)
    codec  code
    codec_information  uint(32) hex
    attributes  uint(32) hex
    average_bit_rate  uint(32)
    max_bit_rate  uint(32)
    average_frame_rate  uint(32) fixed(16)
    max_frame_rate  uint(32) fixed(16)
    width  uint(16)
    height  uint(16)
    pixel_width  uint(16)
    pixel_height  uint(16)

  box uuid 6d1d9b05-42d5-44e6-80e2-141daff757b2 "TfxdBox" in traf, "MS-SSTR, 2.2.4.4"
    version 0 to 1
    fragment_absolute_time  uint(version == 1 ? 64 : 32)
    fragment_duration  uint(version == 1 ? 64 : 32)

  box uuid d4807ef2-ca39-4695-8e54-26cb9e46a79f "TfrfBox" in traf, "MS-SSTR, 2.2.4.5"
    version 0 to 1
    fragment_count  uint(8)
    fragments[fragment_count]
      fragment_absolute_time  uint(version == 1 ? 64 : 32)
      fragment_duration  uint(version == 1 ? 64 : 32)

  box CTMD "Canon Timed Metadata Sample Entry" in stsd, "Canon CR3"
    reserved  bits(32)
    reserved  bits(16)
    data_reference_index  uint(16) initially 1
    record_count  uint(32)
    records[record_count]
      record_type  uint(32) values 1 time; 4 focal length; 5 exposure; 7 Exif; 8 Exif; 9 Exif
      record_size  uint(32)

  box jumd "JUMBF Description Box" in jumb, "ISO/IEC 19566-5:2023, A.3"
    TYPE  bytes(128)
    TOGGLES  uint(8) flags 0x1 requestable; 0x2 label; 0x4 ID; 0x8 signature; 0x10 private
    LABEL  string when TOGGLES has 2
    ID  uint(32) when TOGGLES has 4
    SIGNATURE  bytes(256) when TOGGLES has 8
    PRIVATE  bytes when TOGGLES has 16

  box jumb "JUMBF Superbox" in uuid, jumb, "ISO/IEC 19566-5:2023, A.2"
    boxes

  box cbor "CBOR Content Box" in jumb, "ISO/IEC 19566-5:2023, B.5"
  box bidb "Embedded File Content Box" in jumb, "ISO/IEC 19566-5:2023, B.3"
  box jp2c "Codestream Content Box" in jumb, "ISO/IEC 19566-5:2023, B.1"
  box c2sh "Salt Hash Box" in jumb, "C2PA Technical Specification 2.1, 8.4.2"
    bytes

  box CMT2 "Exif: exposure" in uuid, "Canon CR3"
  box CMT3 "Exif: notes of the maker" in uuid, "Canon CR3"
  box JPEG "Mark of a picture as JPEG" in CRAW, "Canon CR3"
    bytes

  box GPMF "GoPro Metadata" in udta, "GoPro User Data"
  box CAME "GoPro Serial Number" in udta, "GoPro User Data"
  box FIRM "GoPro Firmware Version" in udta, "GoPro User Data"
  box LENS "GoPro Lens Serial Number" in udta, "GoPro User Data"
  box SETT "GoPro Settings" in udta, "GoPro User Data"
  box MUID "GoPro Media Unique ID" in udta, "GoPro User Data"
  box GUMI "GoPro Global Unique Media ID" in udta, "GoPro User Data"
  box BCID "GoPro Broadcast ID" in udta, "GoPro User Data"
  box GUSI "GoPro Unique Source ID" in udta, "GoPro User Data"
  box HMMT "GoPro Highlights" in udta, "GoPro User Data"
  box AMBA "Ambarella Settings" in udta, "Ambarella User Data"
    bytes

  box junk "Free Space" in file, "QuickTime File Format"
    bytes
  """
