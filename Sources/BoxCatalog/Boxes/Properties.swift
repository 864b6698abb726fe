import ISOBMFF
import MP4Bytes

/// Properties of files, tracks and audio that are not in the sample tables.
let propertiesBoxes: StaticText = """
  box pdin "Progressive Download Information Box" in file, "ISO/IEC 14496-12:2022, 8.1.3"
    version 0
    entries[]
      rate  uint(32)
      initial_delay  uint(32)

  box ainf "Asset Information Box" in moov, "Common File Format, 2.2.4"
    version 0
    profile_version  uint(32) hex
    APID  string

  box kind "Track Kind Box" in udta, "ISO/IEC 14496-12:2022, 8.10.4"
    version 0
    schemeURI  string
    value  string

  box cprt "Copyright Box" in udta, "ISO/IEC 14496-12:2022, 8.10.2"
    version 0
    language  uint(16) language
    notice  string

  box tsel "Track Selection Box" in udta, "ISO/IEC 14496-12:2022, 8.10.3"
    version 0
    switch_group  int(32)
    attribute_list[]  code

  box stri "Sub Track Information Box" in strk, "ISO/IEC 14496-12:2022, 8.14.4"
    version 0
    switch_group  int(16)
    alternate_group  int(16)
    sub_track_ID  uint(32)
    attribute_list[]  code

  box stsg "Sub Track Sample Group Box" in strd, "ISO/IEC 14496-12:2022, 8.14.6"
    version 0
    grouping_type  code
    item_count  uint(16)
    group_description_index[item_count]  uint(32)

  box msrc "Multi-source Presentation Track Group" in trgr, "ISO/IEC 14496-12:2022, 8.3.4"
  box cstg "Complete Subset Track Group" in trgr, "ISO/IEC 14496-15:2022, 4.5"
  box alte "Alternative Extraction Source Track Group" in trgr, "ISO/IEC 14496-15:2022, 10"
  box snut "Same NAL Unit Types Track Group" in trgr, "ISO/IEC 14496-15:2022, 11"
    version 0
    track_group_id  uint(32)

  box ster "Stereo Video Track Group" in trgr, "ISO/IEC 14496-12:2022, 8.3.4.4"
    version 0
    track_group_id  uint(32)
    left_view_flag  uint(1)
    reserved  bits(31)

  box trep "Track Extension Properties Box" in mvex, "ISO/IEC 14496-12:2022, 8.8.15"
    version 0
    track_ID  uint(32)
    boxes

  box assp "Alternative Startup Sequence Properties Box" in trep, mvex, "ISO/IEC 14496-12:2022, 8.8.16"
    version 0 to 1
    when version == 0
      min_initial_alt_startup_offset  int(32)
    otherwise when version == 1
      num_entries  uint(32)
      entries[num_entries]
        grouping_type_parameter  uint(32)
        min_initial_alt_startup_offset  int(32)

  box leva "Level Assignment Box" in mvex, "ISO/IEC 14496-12:2022, 8.8.13"
    version 0
    level_count  uint(8)
    levels[level_count]
      track_ID  uint(32)
      padding_flag  uint(1)
      assignment_type  uint(7) values 0 sample group; 1 sample group with parameter; 2 track; 3 track or its \
  dependencies; 4 sub track
      when assignment_type <= 1
        grouping_type  code
      when assignment_type == 1
        grouping_type_parameter  uint(32)
      when assignment_type == 4
        sub_track_ID  uint(32)

  box stsh "Shadow Sync Sample Box" in stbl, "ISO/IEC 14496-12:2022, 8.6.3"
    version 0
    entry_count  uint(32)
    entries[entry_count]
      shadowed_sample_number  uint(32)
      sync_sample_number  uint(32)

  box stvi "Stereo Video Box" in schi, "ISO/IEC 14496-12:2022, 8.15.4.2"
    version 0
    reserved  bits(30)
    single_view_allowed  uint(2) flags 0x1 right view; 0x2 left view
    stereo_scheme  uint(32) values 1 frame packing SEI message; 2 user data of MPEG-2; 3 ISO/IEC 23000-11
    length  uint(32)
    stereo_indication_type  bytes(8 * length)
    boxes

  box btrt "Bit Rate Box" in <visual>, <audio>, "ISO/IEC 14496-12:2022, 8.5.2.2"
    bufferSizeDB  uint(32)
    maxBitrate  uint(32)
    avgBitrate  uint(32)

  box fiel "Field Handling Box" in <visual>, "QuickTime File Format"
    field_count  uint(8) values 1 progressive; 2 interlaced
    field_ordering  uint(8) values 0 unknown; 1 top first, fields stored separately; 6 bottom first, fields stored \
  separately; 9 top first, lines interleaved; 14 bottom first, lines interleaved

  box mdcv "Mastering Display Colour Volume Box" in <visual>, ipco, "ISO/IEC 14496-12:2022, 12.1.7"
    display_primaries[3]
      display_primaries_x  uint(16)
      display_primaries_y  uint(16)
    white_point_x  uint(16)
    white_point_y  uint(16)
    max_display_mastering_luminance  uint(32)
    min_display_mastering_luminance  uint(32)

  box clli "Content Light Level Box" in <visual>, ipco, "ISO/IEC 14496-12:2022, 12.1.6"
    max_content_light_level  uint(16)
    max_pic_average_light_level  uint(16)

  box silb "Scheme Identifier Box" in evte, "ISO/IEC 23001-18:2022, 7.3"
    version 0
    number_of_schemes  uint(32)
    schemes[number_of_schemes]
      scheme_id_uri  string
      value  string
      reserved  bits(7)
      atleast_once_flag  uint(1)
    reserved  bits(7)
    other_schemes_flag  uint(1)

  box 'urn ' "Data Entry Urn Box" in dref, "ISO/IEC 14496-12:2022, 8.7.2"
    version 0
    flags 0x1 same-file-media
    name  string when remaining > 0
    location  string when remaining > 0

  box titl "Title" in udta, "3GPP TS 26.244, 8.2"
  box dscp "Description" in udta, "3GPP TS 26.244, 8.2"
  box perf "Performer" in udta, "3GPP TS 26.244, 8.2"
  box auth "Author" in udta, "3GPP TS 26.244, 8.2"
  box gnre "Genre" in udta, "3GPP TS 26.244, 8.2"
  box coll "Collection Name" in udta, "3GPP TS 26.244, 8.2"
    version 0
    language  uint(16) language
    value  unicode

  box albm "Album Title" in udta, "3GPP TS 26.244, 8.9"
    version 0
    language  uint(16) language
    AlbumTitle  string
    TrackNumber  uint(8) when remaining > 0

  box rtng "Rating" in udta, "3GPP TS 26.244, 8.5"
    version 0
    RatingEntity  code
    RatingCriteria  code
    language  uint(16) language
    RatingInfo  unicode

  box clsf "Classification" in udta, "3GPP TS 26.244, 8.6"
    version 0
    ClassificationEntity  code
    ClassificationTable  uint(16)
    language  uint(16) language
    ClassificationInfo  unicode

  box loci "Location Information" in udta, "3GPP TS 26.244, 8.8"
    version 0
    language  uint(16) language
    Name  unicode
    Role  uint(8) values 0 shooting; 1 real; 2 fictional
    Longitude  int(32) fixed(16)
    Latitude  int(32) fixed(16)
    Altitude  int(32) fixed(16)
    Astronomical_body  string
    Additional_notes  string

  values loudness_systems 0 unknown; 1 EBU R128; 2 BS.1770; 3 BS.1770 with preprocessing; 4 user; 5 expert or panel
  values reliability 0 unknown; 1 unverified; 2 not to exceed ceiling; 3 measured

  box tlou "Track Loudness Info" in ludt, "ISO/IEC 14496-12:2022, 12.2.7"
  box alou "Album Loudness Info" in ludt, "ISO/IEC 14496-12:2022, 12.2.7"
    version 0 to 1
    when version > 0
      reserved  bits(2)
      loudness_base_count  uint(6)
    loudness[version == 0 ? 1 : loudness_base_count]
      when version > 0
        reserved  bits(2)
        EQ_set_ID  uint(6)
      reserved  bits(3)
      downmix_ID  uint(7)
      DRC_set_ID  uint(6)
      bs_sample_peak_level  uint(12)
      bs_true_peak_level  uint(12)
      measurement_system_for_TP  uint(4) values <loudness_systems>
      reliability_for_TP  uint(4) values <reliability>
      measurement_count  uint(8)
      measurements[measurement_count]
        method_definition  uint(8) values 0 unknown; 1 program; 2 anchor; 3 maximum of range; 4 maximum momentary; \
  5 maximum short-term; 6 range; 7 mixing level; 8 room type; 9 short-term
        method_value  uint(8)
        measurement_system  uint(4) values <loudness_systems>
        reliability  uint(4) values <reliability>

  box strk "Sub Track Box" in udta, "ISO/IEC 14496-12:2022, 8.14.3"
  box strd "Sub Track Definition Box" in strk, "ISO/IEC 14496-12:2022, 8.14.5"
  box trgr "Track Group Box" in trak, "ISO/IEC 14496-12:2022, 8.3.4"
  box ludt "Loudness Box" in udta, "ISO/IEC 14496-12:2022, 12.2.7"
    boxes
  """
