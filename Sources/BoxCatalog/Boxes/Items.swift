import ISOBMFF
import MP4Bytes

/// Metadata items, images as items, and their properties.
let itemsBoxes: StaticText = """
  box pitm "Primary Item Box" in meta, "ISO/IEC 14496-12:2022, 8.11.4"
    version 0 to 1
    item_ID  uint(version > 0 ? 32 : 16)

  box 'xml ' "XML Box" in meta, "ISO/IEC 14496-12:2022, 8.11.2"
    version 0
    xml  string

  box bxml "Binary XML Box" in meta, "ISO/IEC 14496-12:2022, 8.11.2"
    version 0
    data  bytes

  box ispe "Image Spatial Extents" in ipco, "ISO/IEC 23008-12:2022, 6.5.3"
    version 0
    image_width  uint(32)
    image_height  uint(32)

  box pixi "Pixel Information" in ipco, "ISO/IEC 23008-12:2022, 6.5.6"
    version 0
    num_channels  uint(8)
    bits_per_channel[num_channels]  uint(8)

  box rloc "Relative Location" in ipco, "ISO/IEC 23008-12:2022, 6.5.7"
    version 0
    horizontal_offset  uint(32)
    vertical_offset  uint(32)

  box iscl "Image Scaling" in ipco, "ISO/IEC 23008-12:2022, 6.5.13"
    version 0
    target_width_numerator  uint(16)
    target_width_denominator  uint(16)
    target_height_numerator  uint(16)
    target_height_denominator  uint(16)

  box lsel "Layer Selection" in ipco, "ISO/IEC 23008-12:2022, 6.5.11"
    layer_id  uint(16)

  box tols "Target Output Layer Set" in ipco, "ISO/IEC 23008-12:2022, B.2.3.4"
    version 0
    target_ols_idx  uint(16)

  box mskC "Mask Configuration" in ipco, "ISO/IEC 23008-12:2022, 6.10.2"
    version 0
    bits_per_pixel  uint(8)

  box jpgC "JPEG Configuration Box" in ipco, "ISO/IEC 23008-12:2022, H.2.2"
    JPEGprefix  bytes

  box crtt "Creation Time" in ipco, "ISO/IEC 23008-12:2022, 6.5.18"
    version 0
    creation_time  uint(64)

  box mdft "Modification Time" in ipco, "ISO/IEC 23008-12:2022, 6.5.19"
    version 0
    modification_time  uint(64)

  box udes "User Description" in ipco, "ISO/IEC 23008-12:2022, 6.5.20"
    version 0
    lang  string
    name  string
    description  string
    tags  string

  box altt "Accessibility Text" in ipco, "ISO/IEC 23008-12:2022, 6.5.21"
    version 0
    alt_text  string
    alt_lang  string

  box rref "Required Reference Types" in ipco, "ISO/IEC 23008-12:2022, 6.5.17"
    version 0
    reference_type_count  uint(8)
    reference_type[reference_type_count]  code

  box aebr "Auto Exposure Information" in ipco, "ISO/IEC 23008-12:2022, 6.8.6.2"
    version 0
    exposure_step  int(8) initially 1
    exposure_numerator  int(8)

  box wbbr "White Balance Information" in ipco, "ISO/IEC 23008-12:2022, 6.8.6.3"
    version 0
    blue_amber  uint(16)
    green_magenta  int(8)

  box fobr "Focus Information" in ipco, "ISO/IEC 23008-12:2022, 6.8.6.4"
    version 0
    focus_distance_numerator  uint(16)
    focus_distance_denominator  uint(16)

  box afbr "Flash Exposure Information" in ipco, "ISO/IEC 23008-12:2022, 6.8.6.5"
    version 0
    flash_exposure_numerator  int(8)
    flash_exposure_denominator  int(8)

  box dobr "Depth of Field Information" in ipco, "ISO/IEC 23008-12:2022, 6.8.6.6"
    version 0
    f_stop_numerator  int(8)
    f_stop_denominator  int(8)

  box pano "Panorama Information" in ipco, "ISO/IEC 23008-12:2022, 6.8.8"
    version 0
    frame_number  uint(16)

  box a1op "Operating Point Selector" in ipco, "AV1 Image File Format, 2.3.2.1"
    op_index  uint(8)

  box reve "Reference Viewing Environment" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5.39"
    version 0
    surround_luminance  uint(32)
    surround_light_x  uint(16)
    surround_light_y  uint(16)
    periphery_luminance  uint(32)
    periphery_light_x  uint(16)
    periphery_light_y  uint(16)

  box ndwt "Nominal Diffuse White Luminance" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5.40"
    version 0
    diffuse_white_luminance  uint(32)

  box iaux "Item Auxiliary Information Box" in ipco, "ISO/IEC 23001-7:2023, 8.5"
    version 0
    aux_info_type  code
    aux_info_type_parameter  uint(32)

  box jxlp "JPEG XL Partial Codestream Box" in file, "ISO/IEC 18181-2:2024, 9.9"
    is_last  uint(1)
    index  uint(31)
    codestream  bytes

  box brob "Brotli-Compressed Box" in file, "ISO/IEC 18181-2:2024, 9.4"
    type  code
    data  bytes

  box Exif "Exif Box" in file, "ISO/IEC 18181-2:2024, 9.6"
    tiff_header_offset  uint(32)
    payload  bytes

  box 'JXL ' "JPEG XL Signature Box" in file, "ISO/IEC 18181-2:2024, 9.1"
  box 'jP  ' "JPEG 2000 Signature Box" in file, "ISO/IEC 15444-1, I.5.1"
    signature  uint(32) hex

  box jxll "JPEG XL Level Box" in file, "ISO/IEC 18181-2:2024, 9.3"
    level  uint(8)

  box cdef "Channel Definition Box" in j2kH, "ISO/IEC 15444-1:2019, I.5.3.6"
    channel_count  uint(16)
    channels[channel_count]
      channel_index  uint(16)
      channel_type  uint(16) values 0 colour; 1 opacity; 2 premultiplied opacity; 65535 unspecified
      channel_association  uint(16)

  box vqmC "Quality Metrics Configuration Box" in vqme, "ISO/IEC 23001-10:2020, 4.2"
    version 0
    field_size_bytes  uint(8)
    metric_count  uint(8)
    metric_code[metric_count]  code

  box rotn "Rotation Box" in povd, ipco, "ISO/IEC 23090-2:2023, 7.6.4"
    version 0
    rotation_yaw  int(32) fixed(16)
    rotation_pitch  int(32) fixed(16)
    rotation_roll  int(32) fixed(16)

  box prfr "Projection Format Box" in povd, ipco, "ISO/IEC 23090-2:2023, 7.6.2"
    version 0
    reserved  bits(3)
    projection_type  uint(5) values 0 equirectangular; 1 cubemap

  box cmpd "Component Definition Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 5.1.2"
    component_count  uint(32)
    components[component_count]
      component_type  uint(16) values 0 monochrome; 1 luma; 2 Cb; 3 Cr; 4 red; 5 green; 6 blue; 7 alpha; 8 depth; \
  9 disparity; 10 palette; 11 filter array; 12 padded; 13 cyan; 14 magenta; 15 yellow; 16 key
      when component_type >= 0x8000
        component_type_uri  string

  box uncC "Uncompressed Frame Configuration Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 5.2.1"
    version 0 to 1
    profile  code
    when version == 0
      component_count  uint(32)
      components[component_count]
        component_index  uint(16)
        component_bit_depth_minus_one  uint(8)
        component_format  uint(8) values 0 unsigned; 1 floating point; 2 complex; 3 signed
        component_align_size  uint(8)
      sampling_type  uint(8) values 0 none; 1 4:2:2; 2 4:2:0; 3 4:1:1
      interleave_type  uint(8) values 0 component; 1 pixel; 2 mixed; 3 row; 4 tile component; 5 multi-Y
      block_size  uint(8)
      components_little_endian  uint(1)
      block_pad_lsb  uint(1)
      block_little_endian  uint(1)
      block_reversed  uint(1)
      pad_unknown  uint(1)
      reserved  bits(3)
      pixel_size  uint(32)
      row_align_size  uint(32)
      tile_align_size  uint(32)
      num_tile_cols_minus_one  uint(32)
      num_tile_rows_minus_one  uint(32)

  box cmpC "Compression Configuration Box" in uncv, ipco, "ISO/IEC 23001-17:2024/Amd 2, 5.2.7"
    version 0
    compression_type  code
    compressed_unit_type  uint(8) values 0 whole item; 1 image; 2 tile; 3 row; 4 pixel

  box sbpm "Sensor Bad Pixels Map Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1.7"
    version 0
    component_count  uint(32)
    component_index[component_count]  uint(32)
    correction_applied  uint(1)
    reserved  bits(7)
    num_bad_rows  uint(32)
    num_bad_cols  uint(32)
    num_bad_pixels  uint(32)
    bad_row[num_bad_rows]  uint(32)
    bad_column[num_bad_cols]  uint(32)
    bad_pixels[num_bad_pixels]
      bad_pixel_row  uint(32)
      bad_pixel_column  uint(32)

  box cloc "Chroma Location Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1.4"
    version 0
    chroma_location  uint(8)

  box taic "TAI Clock Info Box" in uncv, ipco, "ISO/IEC 23001-17:2024/Amd 1, 8.1.2"
    version 0
    time_uncertainty  uint(64)
    clock_resolution  uint(32)
    clock_drift_rate  int(32)
    clock_type  uint(2)
    reserved  bits(6)

  box itai "TAI Timestamp" in ipco, "ISO/IEC 23001-17:2024/Amd 1, 8.2.2"
    version 0
    TAI_timestamp  uint(64)
    synchronization_state  uint(1)
    timestamp_generation_failure  uint(1)
    timestamp_is_modified  uint(1)
    reserved  bits(5)

  box cpal "Component Palette Configuration Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1.2"
    version 0
    components_count  uint(16)
    components[components_count]
      component_index  uint(16)
      component_bit_depth_minus_one  uint(8)
      component_format  uint(8) values 0 unsigned; 1 floating point; 2 complex; 3 signed
    values_count  uint(32)
    component_value  bytes

  box ID32 "ID3v2 Box" in meta, "Carriage of ID3 in MP4, 2.1"
    version 0
    language  uint(16) language
    ID3v2_data  bytes

  box yrrc "Recording Year" in udta, "3GPP TS 26.244, 8.10"
    version 0
    RecordingYear  uint(16)

  box chpl "Chapter List Box" in udta, "Nero Digital"
    version 0 to 1
    when version > 0
      unknown  uint(32)
    chapter_count  uint(8)
    chapters[chapter_count]
      start  uint(64)
      title  counted

  box cmex "Camera Extrinsic Matrix" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5.37"
    version 0 to 1
    pos_x  int(32) when flags has 0x1
    pos_y  int(32) when flags has 0x2
    pos_z  int(32) when flags has 0x4
    when flags has 0x8
      when version == 0
        when flags has 0x10
          quat_x  int(32) fixed(30)
          quat_y  int(32) fixed(30)
          quat_z  int(32) fixed(30)
        otherwise
          quat_x  int(16) fixed(14)
          quat_y  int(16) fixed(14)
          quat_z  int(16) fixed(14)
      otherwise
        viewpoint_gcs_yaw  int(32)
        viewpoint_gcs_pitch  int(32)
        viewpoint_gcs_roll  int(32)
    world_coordinate_system_id  uint(32) when flags has 0x20

  box cclv "Content Colour Volume Box" in <visual>, ipco, "ISO/IEC 14496-12:2022, 12.1.8"
    reserved  bits(2)
    ccv_primaries_present_flag  uint(1)
    ccv_min_luminance_value_present_flag  uint(1)
    ccv_max_luminance_value_present_flag  uint(1)
    ccv_avg_luminance_value_present_flag  uint(1)
    reserved  bits(2)
    when ccv_primaries_present_flag
      ccv_primaries[3]
        ccv_primaries_x  int(32)
        ccv_primaries_y  int(32)
    ccv_min_luminance_value  uint(32) when ccv_min_luminance_value_present_flag
    ccv_max_luminance_value  uint(32) when ccv_max_luminance_value_present_flag
    ccv_avg_luminance_value  uint(32) when ccv_avg_luminance_value_present_flag

  box cpat "Component Pattern Definition Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1.3"
    version 0
    pattern_width  uint(16)
    pattern_height  uint(16)
    pattern[pattern_width * pattern_height]
      component_index  uint(32)
      component_gain  float(32)

  box splz "Polarization Pattern Definition Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1.5"
    version 0
    component_count  uint(32)
    component_index[component_count]  uint(32)
    pattern_width  uint(16)
    pattern_height  uint(16)
    polarization_angle[pattern_width * pattern_height]  float(32)

  box snuc "Sensor Non-Uniformity Correction Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1.6"
    version 0
    component_count  uint(32)
    component_index[component_count]  uint(32)
    nuc_is_applied  uint(1)
    reserved  bits(7)
    image_width  uint(32)
    image_height  uint(32)
    nuc_gain[image_width * image_height]  float(32)
    nuc_offset[image_width * image_height]  float(32)

  box kywd "Keywords" in udta, "3GPP TS 26.244, 8.7"
    version 0
    language  uint(16) language
    KeywordCnt  uint(8)
    keywords[KeywordCnt]
      KeywordSize  uint(8)
      KeywordInfo  string(8 * KeywordSize)

  box altr "Entity Group: alternatives" in grpl, "ISO/IEC 14496-12:2022, 8.15.3"
  box ster "Entity Group: stereo pair" in grpl, "ISO/IEC 23008-12:2022, 6.8.5"
  box eqiv "Entity Group: equivalent" in grpl, "ISO/IEC 23008-12:2022, 6.8.2"
  box brst "Entity Group: burst" in grpl, "ISO/IEC 23008-12:2022, 6.8.7"
  box tsyn "Entity Group: captured at the same time" in grpl, "ISO/IEC 23008-12:2022, 6.8.3"
  box iaug "Entity Group: picture with sound" in grpl, "ISO/IEC 23008-12:2022, 6.8.4"
  box albc "Entity Group: album" in grpl, "ISO/IEC 23008-12:2022, 6.8.9"
  box favc "Entity Group: favourites" in grpl, "ISO/IEC 23008-12:2022, 6.8.9"
  box aebr "Entity Group: series of exposures" in grpl, "ISO/IEC 23008-12:2022, 6.8.6.2"
  box wbbr "Entity Group: series of white balances" in grpl, "ISO/IEC 23008-12:2022, 6.8.6.3"
  box fobr "Entity Group: series of focus distances" in grpl, "ISO/IEC 23008-12:2022, 6.8.6.4"
  box afbr "Entity Group: series of flash exposures" in grpl, "ISO/IEC 23008-12:2022, 6.8.6.5"
  box dobr "Entity Group: series of apertures" in grpl, "ISO/IEC 23008-12:2022, 6.8.6.6"
  box pano "Entity Group: panorama" in grpl, "ISO/IEC 23008-12:2022, 6.8.8"
  box slid "Entity Group: slide show" in grpl, "ISO/IEC 23008-12:2022/Amd 1, 6.8.10"
  box prgr "Entity Group: progressive rendering" in grpl, "ISO/IEC 23008-12:2022/Amd 1, 6.8.11"
  box opeg "Entity Group: operating points" in grpl, "ISO/IEC 14496-15:2022, 11"
  box vvcb "Entity Group: stream of VVC" in grpl, "ISO/IEC 14496-15:2022, 11"
  box pymd "Entity Group: pyramid of sizes" in grpl, "ISO/IEC 23008-12:2022/Amd 1, 6.8.12"
    version 0
    group_id  uint(32)
    num_entities_in_group  uint(32)
    entity_id[num_entities_in_group]  uint(32)
    data  bytes when remaining > 0

  box irot "Image Rotation" in ipco, "ISO/IEC 23008-12:2022, 6.5.10"
    reserved  bits(6)
    angle  uint(2) values 0 0 degrees; 1 90 degrees anticlockwise; 2 180 degrees; 3 270 degrees anticlockwise

  box imir "Image Mirroring" in ipco, "ISO/IEC 23008-12:2022, 6.5.12"
    reserved  bits(7)
    axis  uint(1) values 0 vertical; 1 horizontal

  box mean "Meaning Box" in ----, "iTunes Metadata Format"
  box name "Name Box" in ----, "iTunes Metadata Format"
    version 0
    value  text

  box auxC "Auxiliary Type" in ipco, "ISO/IEC 23008-12:2022, 6.5.8"
    version 0
    aux_type  string
    aux_subtype  bytes when remaining > 0

  box cmin "Camera Intrinsic Matrix" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5.36"
    version 0
    focal_length_x  int(32) fixed(flags >> 8 & 31)
    principal_point_x  int(32) fixed(flags >> 8 & 31)
    principal_point_y  int(32) fixed(flags >> 8 & 31)
    when flags has 0x1
      focal_length_y  int(32) fixed(flags >> 8 & 31)
      skew_factor  int(32) fixed(flags >> 16 & 31)

  box a1lx "Layered Image Indexing" in ipco, "AV1 Image File Format, 2.3.2.3"
    reserved  bits(7)
    large_size  uint(1)
    layer_size[3]  uint(large_size ? 32 : 16)

  box ienc "Item Encryption Box" in ipco, "ISO/IEC 23001-7:2023, 8.4"
    version 0 to 1
    reserved  bits(8)
    when version == 0
      reserved  bits(8)
    otherwise
      crypt_byte_block  uint(4)
      skip_byte_block  uint(4)
    num_keys  uint(8)
    keys[num_keys]
      Per_Sample_IV_Size  uint(8)
      KID  bytes(128)
      when Per_Sample_IV_Size == 0
        constant_IV_size  uint(8)
        constant_IV  bytes(8 * constant_IV_size)

  box icef "Generically Compressed Units Box" in ipco, "ISO/IEC 23001-17:2024/Amd 2, 5.2.8"
    version 0
    unit_offset_code  uint(3) must be 0 to 4 values 0 none; 1 16 bits; 2 24 bits; 3 32 bits; 4 64 bits
    unit_size_code  uint(3) initially 3 must be 0 to 4 values 0 8 bits; 1 16 bits; 2 24 bits; 3 32 bits; 4 64 bits
    reserved  bits(2)
    num_compressed_units  uint(32)
    units[num_compressed_units]
      unit_offset  uint(unit_offset_code == 4 ? 64 : 8 + 8 * unit_offset_code) when unit_offset_code
      unit_size  uint(unit_size_code == 4 ? 64 : 8 + 8 * unit_size_code)

  box jp2h "JP2 Header Box" in file, mjp2, "ISO/IEC 15444-1, I.5.3"
  box 'res ' "Resolution Box" in jp2h, "ISO/IEC 15444-1, I.5.3.7"
  box j2kH "JPEG 2000 Header Box" in ipco, "ISO/IEC 15444-16:2021, 6.5"
  box povd "Projected Omnidirectional Video Box" in schi, "ISO/IEC 23090-2:2023, 7.6.1"
    boxes

  box jxlc "JPEG XL Codestream Box" in file, "ISO/IEC 18181-2:2024, 9.8"
  box jxli "JPEG XL Frame Index Box" in file, "ISO/IEC 18181-2:2024, 9.10"
  box jbrd "JPEG Bitstream Reconstruction Data Box" in file, "ISO/IEC 18181-2:2024, 9.7"
  box clev "Component Reference Level Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1"
  box fpac "Frame Packing Information Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1"
  box fpck "Frame Packing Information Box" in uncv, ipco, "ISO/IEC DIS 23001-17, 6.1"
  box disi "Disparity Information Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1"
  box depi "Depth Mapping Information Box" in uncv, ipco, "ISO/IEC 23001-17:2024, 6.1"
  box ilcp "Field Interlace Property" in ipco, "ISO/IEC 23001-17:2024, 6.1"
    bytes
  """
