import Bytes
import ISOBMFF

/// The properties that the samples of a group share, as described in `sgpd`.
let sampleGroups: StaticText = """
  group tele "Temporal Level Group", "ISO/IEC 14496-12:2022"
    level_independently_decodable  uint(1)
    reserved  bits(7)

  group 'sap ' "Stream Access Point Group", "ISO/IEC 14496-12:2022"
    dependent_flag  uint(1)
    reserved  bits(3)
    SAP_type  uint(4) values 0 unknown; 1 closed GOP, decoded in order of display; 2 closed GOP; 3 open GOP; 4 \
  gradual refresh

  group alst "Alternative Startup Group", "ISO/IEC 14496-12:2022"
    roll_count  uint(16)
    first_output_sample  uint(16)
    sample_offset[roll_count]  uint(32)
    rates[]
      num_output_samples  uint(16)
      num_total_samples  uint(16)

  group rash "Rate Share Group", "ISO/IEC 14496-12:2022"
    operation_point_count  uint(16)
    operation_points[operation_point_count]
      available_bitrate  uint(32) when operation_point_count > 1
      target_rate_share  uint(16)
    maximum_bitrate  uint(32)
    minimum_bitrate  uint(32)
    discard_priority  uint(8)

  group drap "Dependent Random Access Point Group", "ISO/IEC 14496-12:2022"
    DRAP_type  uint(3)
    reserved  bits(29)

  group pasr "Pixel Aspect Ratio Group", "ISO/IEC 14496-12:2022"
    hSpacing  uint(32)
    vSpacing  uint(32)

  group casg "Clean Aperture Group", "ISO/IEC 14496-12:2022"
    cleanApertureWidthN  uint(32)
    cleanApertureWidthD  uint(32)
    cleanApertureHeightN  uint(32)
    cleanApertureHeightD  uint(32)
    horizOffN  int(32)
    horizOffD  uint(32)
    vertOffN  int(32)
    vertOffD  uint(32)

  group stmi "Sample to Metadata Item Group", "ISO/IEC 14496-12:2022"
    meta_box_handler_type  code
    num_items  uint(32)
    item_id[num_items]  uint(32)

  group aebr "Auto Exposure Bracketing Group", "ISO/IEC 23008-12:2022"
    exposure_step  int(8)
    exposure_numerator  int(8)

  group wbbr "White Balance Bracketing Group", "ISO/IEC 23008-12:2022"
    blue_amber  uint(16)
    green_magenta  int(8)

  group fobr "Focus Bracketing Group", "ISO/IEC 23008-12:2022"
    focus_distance_numerator  uint(16)
    focus_distance_denominator  uint(16)

  group afbr "Flash Exposure Bracketing Group", "ISO/IEC 23008-12:2022"
    flash_exposure_numerator  int(8)
    flash_exposure_denominator  int(8)

  group dobr "Depth of Field Bracketing Group", "ISO/IEC 23008-12:2022"
    f_stop_numerator  int(8)
    f_stop_denominator  int(8)

  group pano "Panorama Group", "ISO/IEC 23008-12:2022"
    frame_number  uint(16)

  group eqiv "Visual Equivalence Group", "ISO/IEC 23008-12:2022"
    time_offset  int(16)
    timescale_multiplier  uint(16)

  group refs "Direct Reference Samples Group", "ISO/IEC 23008-12:2022"
    sample_id  uint(32)
    num_direct_reference_samples  uint(8)
    direct_reference_sample_id[num_direct_reference_samples]  uint(32)

  group av1f "AV1 Forward Key Frame Group", "AV1 in ISOBMFF 1.2.0"
    fwd_distance  uint(8)

  group av1M "AV1 Metadata Group", "AV1 in ISOBMFF 1.2.0"
    metadata_type  uint(8) values 1 light level; 2 mastering display; 3 scalability; 4 T.35; 5 timecode
    metadata_specific_parameters  uint(24) hex
  """

/// Groups of AVC, HEVC and VVC pictures.
let layerGroups: StaticText = """
  values nalUnitTypes 0 TRAIL_N; 1 TRAIL_R; 2 TSA_N; 3 TSA_R; 4 STSA_N; 5 STSA_R; 6 RADL_N; 7 RADL_R; 8 RASL_N; 9 \
  RASL_R; 16 BLA_W_LP; 17 BLA_W_RADL; 18 BLA_N_LP; 19 IDR_W_RADL; 20 IDR_N_LP; 21 CRA; 32 VPS; 33 SPS; 34 PPS; 35 \
  AUD; 36 EOS; 37 EOB; 38 FD; 39 prefix SEI; 40 suffix SEI

  group sync "Sync Sample Group", "ISO/IEC 14496-15:2022"
    reserved  bits(2)
    NAL_unit_type  uint(6) values <nalUnitTypes>

  group lbli "External Base Layer Group", "ISO/IEC 14496-15:2022"
    reserved  bits(1) = 1
    bl_irap_pic_flag  uint(1)
    bl_irap_nal_unit_type  uint(6)
    sample_offset  int(8)

  group opth "Operating Point Decode Time Hint Group", "ISO/IEC 14496-15:2022"
    delta_time  int(32)

  group scnm "Scalable NAL Unit Map Group", "ISO/IEC 14496-15:2022"
    reserved  bits(8)
    NALU_count  uint(8)
    groupID[NALU_count]  uint(8)

  group avll "AVC Layer Group", "ISO/IEC 14496-15:2022"
    layerNumber  uint(8)
    reserved  bits(7)
    accurateStatisticsFlag  uint(1)
    avgBitRate  uint(16)
    avgFrameRate  uint(16)

  group avss "AVC Subsequence Group", "ISO/IEC 14496-15:2022"
    subSequenceIdentifier  uint(16)
    layerNumber  uint(8)
    durationFlag  uint(1)
    avgRateFlag  uint(1)
    reserved  bits(6)
    duration  uint(32) when durationFlag
    when avgRateFlag
      reserved  bits(7)
      accurateStatisticsFlag  uint(1)
      avgBitRate  uint(16)
      avgFrameRate  uint(16)
    numReferences  uint(8)
    references[numReferences]
      subSeqDirectionFlag  uint(8)
      layerNumber  uint(8)
      subSequenceIdentifier  uint(16)

  group dtrt "Decode Retiming Group", "ISO/IEC 14496-15:2022"
    tierCount  uint(8)
    tiers[tierCount]
      tierID  uint(16)
      delta  int(16)

  group scif "Scalable Group", "ISO/IEC 14496-15:2022"
    groupID  uint(8)
    primary_groupID  uint(8)
    is_tier_IDR  uint(1)
    noInterLayerPredFlag  uint(1)
    useRefBasePicFlag  uint(1)
    storeBaseRepFlag  uint(1)
    is_tl_switching_point  uint(1)
    reserved  bits(3)
    tl_switching_distance  uint(8)
    boxes

  group mvif "Multiview Group", "ISO/IEC 14496-15:2022"
    groupID  uint(8)
    primary_groupID  uint(8)
    reserved  bits(4)
    is_tl_switching_point  uint(1)
    reserved  bits(3)
    tl_switching_distance  uint(8)
    boxes

  group vipr "View Priority Group", "ISO/IEC 14496-15:2022"
    boxes

  group nalm "NAL Unit Map Group", "ISO/IEC 14496-15:2022"
    reserved  bits(6)
    large_size  uint(1)
    rle  uint(1)
    entry_count  uint(large_size ? 16 : 8)
    entries[entry_count]
      NALU_start_number  uint(large_size ? 16 : 8) when rle
      groupID  uint(16)

  group linf "Layer Information Group", "ISO/IEC 14496-15:2022"
    reserved  bits(2)
    num_layers_in_track  uint(6)
    layers[num_layers_in_track]
      reserved  bits(2)
      irap_gdr_pics_in_layer_only_flag  uint(1)
      completeness_flag  uint(1)
      layer_id  uint(6)
      min_TemporalId  uint(3)
      max_TemporalId  uint(3)
      reserved  bits(1)
      sub_layer_presence_flags  uint(7) hex

  group trif "Rectangular Region Group", "ISO/IEC 14496-15:2022"
    groupID  uint(16)
    rect_region_flag  uint(1)
    when rect_region_flag
      independent_idc  uint(2)
      full_picture  uint(1)
      filtering_disabled  uint(1)
      has_dependency_list  uint(1)
      reserved  bits(2)
      when not full_picture
        horizontal_offset  uint(16)
        vertical_offset  uint(16)
      region_width  uint(16)
      region_height  uint(16)
      when has_dependency_list
        dependency_rect_region_count  uint(16)
        dependencyRectRegionGroupID[dependency_rect_region_count]  uint(16)
    otherwise
      reserved  bits(7)

  group 'aud ' "Access Unit Delimiter Group", "ISO/IEC 14496-15:2022"
    audNalUnit  bytes(24)

  group 'eob ' "End of Bitstream Group", "ISO/IEC 14496-15:2022"
    eobNalUnit  bytes(16)

  group 'eos ' "End of Sequence Group", "ISO/IEC 14496-15:2022"
    num_eos_nal_unit_minus1  uint(8)
    eosNalUnit[num_eos_nal_unit_minus1 + 1]  uint(16)

  group pss1 "Parameter Set Presence Group", "ISO/IEC 14496-15:2022"
    sps_present  uint(1)
    pps_present  uint(1)
    aps_present  uint(1)
    reserved  bits(5)

  group pase "Parameter Set Group", "ISO/IEC 14496-15:2022"
    ps_nalu_length  uint(16)
    ps_nal_unit  bytes(ps_nalu_length * 8)

  group dcfi "Decoding Capability Information Group", "ISO/IEC 14496-15:2022"
    dci_nal_unit_length  uint(16)
    dci_nal_unit  bytes(dci_nal_unit_length * 8)

  group spli "Subpicture Level Group", "ISO/IEC 14496-15:2022"
    level_idc  uint(8)

  group minp "Mixed NAL Unit Types Group", "ISO/IEC 14496-15:2022"
    num_mix_nalu_pic_idx  uint(16)
    pairs[num_mix_nalu_pic_idx]
      mix_subp_track_idx1  uint(16)
      mix_subp_track_idx2  uint(16)
    pps_mix_nalu_types_in_pic_bit_pos  uint(10)
    pps_id  uint(6)

  group sulm "Subpicture Layout Map Group", "ISO/IEC 14496-15:2022"
    groupID_info_4cc  code
    entry_count_minus1  uint(16)
    groupID[entry_count_minus1 + 1]  uint(16)
  """
