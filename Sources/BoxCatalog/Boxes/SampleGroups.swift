import ISOBMFF
import MP4Bytes

/// The properties that the samples of a group share, as described in `sgpd`.
let sampleGroups: StaticText = """
  group 'rap ' "Random Access Point Group", "ISO/IEC 14496-12:2022"
    num_leading_samples_known  uint(1)
    num_leading_samples  uint(7)

  group seig "CENC Sample Encryption Information Group", "ISO/IEC 23001-7:2023"
    reserved  bits(8)
    crypt_byte_block  uint(4)
    skip_byte_block  uint(4)
    isProtected  uint(8) values 0 not protected; 1 protected
    Per_Sample_IV_Size  uint(8)
    KID  bytes(128)
    when isProtected == 1 and Per_Sample_IV_Size == 0
      constant_IV_size  uint(8)
      constant_IV  bytes(8 * constant_IV_size)

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
  group sync "Sync Sample Group", "ISO/IEC 14496-15:2022"
    reserved  bits(2)
    NAL_unit_type  uint(6) values <hevcNALUnitTypes>

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

  group tscl "Temporal Layer Group", "ISO/IEC 14496-15:2022"
    temporalLayerId  uint(8)
    tlprofile_space  uint(2)
    tltier_flag  uint(1) values <tiers>
    tlprofile_idc  uint(5)
    tlprofile_compatibility_flags  uint(32) flags <hevcCompatibility>
    tlconstraint_indicator_flags  bytes(48)
    tllevel_idc  uint(8)
    tlMaxBitRate  uint(16)
    tlAvgBitRate  uint(16)
    tlConstantFrameRate  uint(8)
    tlAvgFrameRate  uint(16)

  fields rates
    frame_rate_info_flag  uint(1)
    bit_rate_info_flag  uint(1)
    when frame_rate_info_flag
      avgFrameRate  uint(16)
      reserved  bits(6)
      constantFrameRate  uint(2) values <frameRateConstancy>
    when bit_rate_info_flag
      maxBitRate  uint(32)
      avgBitRate  uint(32)

  fields operating_points
    scalability_mask  uint(16) flags 0x1 depth; 0x2 view; 0x4 spatial or quality; 0x8 auxiliary
    reserved  bits(2)
    num_profile_tier_level  uint(6)
    profile_tier_level[num_profile_tier_level]
      general_profile_space  uint(2)
      general_tier_flag  uint(1) values <tiers>
      general_profile_idc  uint(5)
      general_profile_compatibility_flags  uint(32) flags <hevcCompatibility>
      general_constraint_indicator_flags  bytes(48)
      general_level_idc  uint(8)
    num_operating_points  uint(16)
    operating_points[num_operating_points]
      output_layer_set_idx  uint(16)
      max_temporal_id  uint(8)
      layer_count  uint(8)
      layers[layer_count]
        ptl_idx  uint(8)
        layer_id  uint(6)
        is_outputlayer  uint(1)
        is_alternate_outputlayer  uint(1)
      minPicWidth  uint(16)
      minPicHeight  uint(16)
      maxPicWidth  uint(16)
      maxPicHeight  uint(16)
      maxChromaFormat  uint(2)
      maxBitDepthMinus8  uint(3)
      reserved  bits(1)
      <rates>
    max_layer_count  uint(8)
    layers[max_layer_count]
      layerID  uint(8)
      num_layers_dependent_on  uint(8)
      dependent_on_layerID[num_layers_dependent_on]  uint(8)
      dimension_identifier[ones(scalability_mask)]  uint(8)

  group oinf "Operating Points Information Group", "ISO/IEC 14496-15:2022"
    <operating_points>

  box oinf "Operating Points Information" in ipco, "ISO/IEC 23008-12:2022, 6.5.22"
    version 0
    <operating_points>

  group vopi "VVC Operating Points Information Group", "ISO/IEC 14496-15:2022"
    num_profile_tier_level_minus1  uint(8)
    ptl[num_profile_tier_level_minus1 + 1]
      ptl_max_temporal_id  uint(8) must be 0 to 6
      reserved  bits(2)
      num_bytes_constraint_info  uint(6) must be 1 to 63
      general_profile_idc  uint(7) values <vvcProfiles>
      general_tier_flag  uint(1) values <tiers>
      general_level_idc  uint(8) values <vvcLevels>
      ptl_frame_only_constraint_flag  uint(1)
      ptl_multi_layer_enabled_flag  uint(1)
      # In the standard, this and the next field are one field of 6, 14, 22, ... bits.
      general_constraint_info_first_bits  uint(6) hex
      general_constraint_info  bytes(8 * (num_bytes_constraint_info - 1))
      when ptl_max_temporal_id > 0
        ptl_sublayer_level_present_flags  uint(8) hex
        sublayer_level_idc  bytes(8 * ones(ptl_sublayer_level_present_flags & 0xff00 >> ptl_max_temporal_id))
      ptl_num_sub_profiles  uint(8)
      general_sub_profile_idc  bytes(32 * ptl_num_sub_profiles)
    all_independent_layers_flag  uint(1)
    reserved  bits(7)
    when all_independent_layers_flag
      each_layer_is_an_ols_flag  uint(1)
      reserved  bits(7)
    otherwise
      ols_mode_idc  uint(8)
    num_operating_points  uint(16)
    operating_points[num_operating_points]
      output_layer_set_idx  uint(16)
      ptl_idx  uint(8)
      max_temporal_id  uint(8)
      layer_count  uint(8)
      layers[layer_count]
        layer_id  uint(6)
        is_outputlayer  uint(1)
        reserved  bits(1)
      reserved  bits(6)
      <rates>
    max_layer_count  uint(8)
    layers[max_layer_count]
      layerID  uint(8)
      num_direct_ref_layers  uint(8)
      direct_ref_layerID[num_direct_ref_layers]  uint(8)
      max_tid_il_ref_pics_plus1  uint(8)

  fields subpictures
    rect_region_flag  uint(1)
    reserved  bits(2)
    continuous_id_flag  uint(1)
    num_subpics_minus1  uint(12)
    subpic_id  uint(16)
    groupID  uint(16) when rect_region_flag
    when not continuous_id_flag or rect_region_flag
      others[num_subpics_minus1]
        subpic_id  uint(16) when not continuous_id_flag
        groupID  uint(16) when rect_region_flag

  group spid "VVC Subpicture ID Group", "ISO/IEC 14496-15:2022"
    <subpictures>

  box spid "Subpicture ID Property" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5"
    version 0
    <subpictures>

  fields rewriting
    subpic_id_len_minus1  uint(4)
    subpic_id_bit_pos  uint(12)
    start_code_emul_flag  uint(1)
    pps_sps_subpic_id_flag  uint(1)
    when pps_sps_subpic_id_flag
      pps_id  uint(6)
    otherwise
      sps_id  uint(4)
      reserved  bits(2)

  fields subpicture_order
    subpic_id_info_flag  uint(1)
    num_subpic_ref_idx  uint(15)
    subp_track_ref_idx[num_subpic_ref_idx]  uint(16)
    when subpic_id_info_flag
      <rewriting>

  group spor "VVC Subpicture Order Group", "ISO/IEC 14496-15:2022"
    <subpicture_order>

  box spor "Subpicture Order Property" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5"
    version 0
    <subpicture_order>

  group rror "VVC Rectangular Region Order Group", "ISO/IEC 14496-15:2022"
    subpic_id_info_flag  uint(1)
    reserved  bits(7)
    num_alternate_region_set  uint(16)
    alternate_region_sets[num_alternate_region_set]
      num_regions_in_set  uint(16)
      alternate_region_set_id  uint(16)
      groupID[num_regions_in_set]  uint(16)
    # This is the number itself: the name says one less, but the syntax and writers do not.
    num_regions_minus1  uint(16)
    region_id[num_regions_minus1]  uint(16)
    when subpic_id_info_flag
      <rewriting>
  """
