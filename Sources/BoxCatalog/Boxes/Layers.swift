import ISOBMFF
import MP4Bytes

/// Layers and views of AVC and HEVC.
let layersBoxes: StaticText = """
  box seib "Scalability Information SEI Box" in <avc>, svc1, svc2, "ISO/IEC 14496-15:2022, 6"
    scalinfosei  bytes

  box vsib "View Scalability Information SEI Box" in <avc>, <mvc>, "ISO/IEC 14496-15:2022, 7"
    mvcscalinfosei  bytes

  box 3sib "MVD Scalability Information SEI Box" in <avc>, <mvc>, <mvd>, <avc3D>, "ISO/IEC 14496-15:2022, 7"
    mvdscalinfosei  bytes

  box qlif "SVC Priority Layer Information Box" in svcM, "ISO/IEC 14496-15:2022, 6"
    pr_layer_num  uint(8)
    layers[pr_layer_num]
      pr_layer  uint(8)
      profile_level_idc  uint(24) hex
      max_bitrate  uint(32)
      avg_bitrate  uint(32)

  box svmC "SVC Metadata Sample Config Box" in svcM, "ISO/IEC 14496-15:2022, 6"
    version 0
    sample_statement_type  uint(8)
    default_statement_type  uint(8)
    default_statement_length  uint(8)
    entry_count  uint(8)
    statement_types[entry_count]
      statement_type  uint(8)
      statement_namespace  string

  box mvci "Multiview Information Box" in minf, "ISO/IEC 14496-15:2022, 7"
    version 0
    boxes

  box mvcg "Multiview Group Box" in mvci, "ISO/IEC 14496-15:2022, 7"
    version 0
    multiview_group_id  uint(32)
    num_entries  uint(16)
    reserved  bits(8)
    entries[num_entries]
      entry_type  uint(8) values 0 track; 1 tier; 2 view; 3 views
      when entry_type <= 1
        track_id  uint(32)
      when entry_type == 1
        tier_id  uint(16)
      when entry_type == 2
        reserved  bits(6)
        output_view_id  uint(10)
      when entry_type == 3
        reserved  bits(6)
        start_view_id  uint(10)
        view_count  uint(16)
    boxes

  box mvra "Multiview Relation Attribute Box" in mvcg, swtc, "ISO/IEC 14496-15:2022, 7"
    version 0
    reserved  bits(16)
    num_common_attributes  uint(16)
    common_attributes[num_common_attributes]
      common_attribute  code
      common_value  uint(32)
    reserved  bits(16)
    num_differentiating_attributes  uint(16)
    differentiating_attribute[num_differentiating_attributes]  code

  box swtc "Multiview Group Relation Box" in mvci, "ISO/IEC 14496-15:2022, 7"
    version 0
    num_entries  uint(32)
    multiview_group_id[num_entries]  uint(32)
    boxes

  box vwdi "Multiview Scene Information Box" in mvcg, "ISO/IEC 14496-15:2022, 7"
    max_disparity  uint(8)

  box sstl "SVC Sub Track Layer Box" in strd, "ISO/IEC 14496-15:2022, 6"
    version 0
    item_count  uint(16)
    items[item_count]
      dependency_id  uint(3)
      quality_id  uint(4)
      temporal_id  uint(3)
      priority_id  uint(6)
      dependency_id_range  uint(2) values 0 this; 1 this and lower; 2 this and higher
      quality_id_range  uint(2) values 0 this; 1 this and lower; 2 this and higher
      temporal_id_range  uint(2) values 0 this; 1 this and lower; 2 this and higher
      priority_id_range  uint(2) values 0 this; 1 this and lower; 2 this and higher

  box mstv "MVC Sub Track View Box" in strd, "ISO/IEC 14496-15:2022, 7"
    version 0
    item_count  uint(16)
    items[item_count]
      view_id  uint(10)
      temporal_id  uint(4)
      reserved  bits(2)

  box stmg "MVC Sub Track Multiview Group Box" in strd, "ISO/IEC 14496-15:2022, 7"
    version 0
    item_count  uint(16)
    MultiviewGroupId[item_count]  uint(32)

  box stti "Sub Track Tier Box" in strd, "ISO/IEC 14496-15:2022, 6 and 7"
    version 0
    item_count  uint(16)
    tierID[item_count]  uint(16)

  box tstb "Tile Sub Track Group Box" in strd, "ISO/IEC 14496-15:2022, 10"
    version 0
    item_count  uint(16)
    tileGroupID[item_count]  uint(16)

  box seii "SEI Information Box" in schi, <visual>, "ISO/IEC 14496-15:2022, 5"
    numRequiredSEIs  uint(16)
    requiredSEI_ID[numRequiredSEIs]  uint(16)
    numNotRequiredSEIs  uint(16)
    notrequiredSEI_ID[numNotRequiredSEIs]  uint(16)

  box fade "Fade Transition Effect" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5"
  box wipe "Wipe Transition Effect" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5"
  box splt "Split Transition Effect" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5"
    version 0
    transition_direction  uint(8)

  box zoom "Zoom Transition Effect" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5"
    version 0
    transition_direction  uint(1)
    transition_shape  uint(7)

  box stpe "Suggested Transition Period" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5"
    version 0
    transition_period  uint(8)

  box ssld "Suggested Time Display Duration" in ipco, "ISO/IEC 23008-12:2022/Amd 1, 6.5"
    version 0
    duration  uint(16)

  box md5i "MD5 Integrity Box" in meta, "ISO/IEC 23008-12:2022, 6.12"
    version 0
    flags 0x1 grouping_type_parameter-present
    input_MD5  bytes(128)
    input_4cc  code
    when input_4cc == 'sgpd'
      grouping_type  code
      grouping_type_parameter  uint(32) when flags has 0x1
      num_entries  uint(32)
      group_description_index[num_entries]  uint(32)

  box swtk "Entity Group: tracks to switch between" in grpl, "ISO/IEC 14496-15:2022, 11"
    version 0
    group_id  uint(32)
    num_entities_in_group  uint(32)
    entity_id[num_entities_in_group]  uint(32)
    track_switch_hierarchy_id[num_entities_in_group]  uint(16)

  box tyco "Type Combination Box" in etyp, "ISO/IEC 14496-12:2022, 4.4.2"
    compatible_brands[]  code

  box imdt "Data Entry Imda Box" in dref, "ISO/IEC 14496-12:2022, 8.7.2"
    version 0
    imda_ref_identifier  uint(32)

  box rssr "Received SSRC Box" in rrtp, "ISO/IEC 14496-12:2022, 9.4.1"
    SSRC  uint(32)

  box sdep "Sample Dependency Box" in stbl, "ISO/IEC 14496-15:2022, 5"
    version 0
    samples[]
      dependency_count  uint(16)
      relative_sample_number[dependency_count]  int(16)

  box lhvC "L-HEVC Configuration Box" in hvc1, hev1, hvc2, hev2, hvc3, hev3, lhv1, lhe1, resv, encv, ipco, \
  "ISO/IEC 14496-15:2022, 9.4.2"
    configurationVersion  uint(8)
    reserved  bits(4) = 0xf
    min_spatial_segmentation_idc  uint(12)
    reserved  bits(6) = 0x3f
    parallelismType  uint(2) values <parallelismTypes>
    reserved  bits(2) = 0x3
    numTemporalLayers  uint(3)
    temporalIdNested  uint(1)
    lengthSizeMinusOne  uint(2)
    numOfArrays  uint(8)
    arrays[numOfArrays]
      array_completeness  uint(1)
      reserved  bits(1)
      NAL_unit_type  uint(6) values <hevcNALUnitTypes>
      numNalus  uint(16)
      nalUnits[numNalus]
        nalUnitLength  uint(16)
        nalUnit  bytes(8 * nalUnitLength)

  box icam "Intrinsic Camera Parameters Box" in <avc>, <mvc>, <mvd>, <avc3D>, "ISO/IEC 14496-15:2022, 7"
    version 0
    reserved  bits(6)
    ref_view_id  uint(10)
    prec_focal_length  uint(32)
    prec_principal_point  uint(32)
    prec_skew_factor  uint(32)
    exponent_focal_length_x  uint(8)
    mantissa_focal_length_x  int(64)
    exponent_focal_length_y  uint(8)
    mantissa_focal_length_y  int(64)
    exponent_principal_point_x  uint(8)
    mantissa_principal_point_x  int(64)
    exponent_principal_point_y  uint(8)
    mantissa_principal_point_y  int(64)
    exponent_skew_factor  uint(8)
    mantissa_skew_factor  int(64)

  box ecam "Extrinsic Camera Parameters Box" in <avc>, <mvc>, <mvd>, <avc3D>, "ISO/IEC 14496-15:2022, 7"
    version 0
    reserved  bits(6)
    ref_view_id  uint(10)
    prec_rotation_param  uint(8)
    prec_translation_param  uint(8)
    rows[3]
      columns[3]
        exponent_r  uint(8)
        mantissa_r  int(64)
      exponent_t  uint(8)
      mantissa_t  int(64)
  box tiri "Tier Information Box" in scif, mvif, mvcg, "ISO/IEC 14496-15:2022, 6 and 7"
    tierID  uint(16)
    profileIndication  uint(8)
    profile_compatibility  uint(8) flags 0x80 constraint_set0; 0x40 constraint_set1; 0x20 constraint_set2; \
  0x10 constraint_set3; 0x8 constraint_set4; 0x4 constraint_set5
    levelIndication  uint(8)
    reserved  bits(8)
    visualWidth  uint(16)
    visualHeight  uint(16)
    discardable  uint(2) values 0 needed by others; 1 partly discardable; 2 discardable
    constantFrameRate  uint(2) values 0 not constant; 1 constant; 2 possibly constant
    reserved  bits(4)
    frameRate  uint(16)

  box tibr "Tier Bit Rate Box" in scif, mvif, mvcg, "ISO/IEC 14496-15:2022, 6 and 7"
    baseBitRate  uint(32)
    maxBitRate  uint(32)
    avgBitRate  uint(32)
    tierBaseBitRate  uint(32)
    tierMaxBitRate  uint(32)
    tierAvgBitRate  uint(32)

  box svpr "Priority Range Box" in scif, mvif, "ISO/IEC 14496-15:2022, 6 and 7"
    reserved  bits(2)
    min_priorityId  uint(6)
    reserved  bits(2)
    max_priorityId  uint(6)

  box svdr "SVC Dependency Range Box" in scif, "ISO/IEC 14496-15:2022, 6"
  box svop "SVC Dependency Range Box" in scif, "ISO/IEC 14496-15:2022, 6"
    min_dependency_id  uint(3)
    min_temporal_id  uint(3)
    reserved  bits(6)
    min_quality_id  uint(4)
    max_dependency_id  uint(3)
    max_temporal_id  uint(3)
    reserved  bits(6)
    max_quality_id  uint(4)

  box svip "Initial Parameter Sets Box" in scif, mvif, "ISO/IEC 14496-15:2022, 6 and 7"
    sps_id_count  uint(8)
    SPS_index[sps_id_count]  uint(8)
    pps_id_count  uint(8)
    PPS_index[pps_id_count]  uint(8)

  box ldep "Tier Dependency Box" in scif, mvif, "ISO/IEC 14496-15:2022, 6 and 7"
    entry_count  uint(16)
    dependencyTierId[entry_count]  uint(16)

  box buff "Buffering Box" in scif, mvif, mvcg, "ISO/IEC 14496-15:2022, 6 and 7"
    operating_point_count  uint(16)
    operating_points[operating_point_count]
      byte_rate  uint(32)
      cpb_size  uint(32)
      dpb_size  uint(32)
      init_cpb_delay  uint(32)
      init_dpb_delay  uint(32)

  box rrgn "Rectangular Region Box" in scif, "ISO/IEC 14496-15:2022, 6"
    base_region_tierID  uint(16)
    dynamic_rect  uint(1)
    reserved  bits(7)
    when dynamic_rect == 0
      horizontal_offset  uint(16)
      vertical_offset  uint(16)
      region_width  uint(16)
      region_height  uint(16)

  box iroi "IROI Information Box" in scif, "ISO/IEC 14496-15:2022, 6"
    iroi_type  uint(2) values 0 grid; 1 list
    reserved  bits(6)
    when iroi_type == 0
      grid_roi_mb_width  uint(8)
      grid_roi_mb_height  uint(8)
    when iroi_type == 1
      num_roi  uint(24)
      regions[num_roi]
        top_left_mb  uint(32)
        roi_mb_width  uint(8)
        roi_mb_height  uint(8)

  box tran "Transcoding Information Box" in scif, "ISO/IEC 14496-15:2022, 6"
    reserved  bits(4)
    conversion_idc  uint(2)
    cavlc_info_present_flag  uint(1)
    cabac_info_present_flag  uint(1)
    when cavlc_info_present_flag == 1
      cavlc_profile_level_idc  uint(24) hex
      cavlc_max_bitrate  uint(32)
      cavlc_avg_bitrate  uint(32)
    when cabac_info_present_flag == 1
      cabac_profile_level_idc  uint(24) hex
      cabac_max_bitrate  uint(32)
      cabac_avg_bitrate  uint(32)

  box vwid "View Identifier Box" in mvif, <avc>, <mvc>, <mvd>, <avc3D>, "ISO/IEC 14496-15:2022, 7"
    version 0
    reserved  bits(2)
    min_temporal_id  uint(3)
    max_temporal_id  uint(3)
    num_views  uint(16)
    views[num_views]
      reserved  bits(6)
      view_id  uint(10)
      reserved  bits(6)
      view_order_index  uint(10)
      texture_in_stream  uint(1)
      texture_in_track  uint(1)
      depth_in_stream  uint(1)
      depth_in_track  uint(1)
      base_view_type  uint(2)
      num_ref_views  uint(10)
      references[num_ref_views]
        reserved  bits(4)
        dependent_component_idc  uint(2) values 0 texture; 1 depth; 2 both
        ref_view_id  uint(10)

  box vipr "View Priority Box" in mvif, vipr, "ISO/IEC 14496-15:2022, 7"
    views[]
      reserved  bits(6)
      view_id  uint(10)
      content_priority_id  uint(32)

  box svcP "SVC Priority Assignment Box" in <avc>, <svc>, svcM, "ISO/IEC 14496-15:2022, 6"
  box mvcP "MVC View Priority Assignment Box" in <avc>, <mvc>, "ISO/IEC 14496-15:2022, 7"
    method_count  uint(8)
    PriorityAssignmentURI[method_count]
      PriorityAssignmentURI  string

  box 3dpr "MVD Depth Resolution Box" in mvdC, a3dC, "ISO/IEC 14496-15:2022, 7"
    depth_width  uint(16)
    depth_height  uint(16)
    when remaining >= 7
      depth_hor_mult_minus1  uint(16)
      depth_ver_mult_minus1  uint(16)
      depth_hor_rsh  uint(4)
      depth_ver_rsh  uint(4)
      grid_pos_num_views  uint(16)
      grid_positions[grid_pos_num_views]
        reserved  bits(6)
        grid_pos_view_id  uint(10)
        grid_pos_x  int(16)
        grid_pos_y  int(16)

  fields group_and_level
    group_id  uint(32)
    num_entities_in_group  uint(32)
    entity_id[num_entities_in_group]  uint(32)
    level_is_present_flag  uint(1)
    level_is_static_flag  uint(1) initially 1
    reserved  bits(6)
    level_idc  uint(8) when level_is_present_flag
    level_info_entity_idx  uint(32) when not level_is_static_flag

  box acgl "Entity Group: subpictures alike" in grpl, "ISO/IEC 14496-15:2022, 11"
    version 0
    <group_and_level>
    num_active_tracks  uint(16)

  box amgl "Entity Group: subpictures of several kinds" in grpl, "ISO/IEC 14496-15:2022, 11"
    version 0
    <group_and_level>
    num_subgroup_ids  uint(16)
    track_subgroup_id[num_entities_in_group]  uint(num_subgroup_ids > 255 ? 16 : 8)
    num_active_tracks[num_subgroup_ids]  uint(16)

  box etyp "Extended Type Box" in file, ipco, otyp, "ISO/IEC 14496-12:2022, 4.4"
  box otyp "Original File Type Box" in file, otyp, "ISO/IEC 14496-12:2022, 4.5"
    boxes

  box '!mov' "Compressed Movie Box" in file, "ISO/IEC 14496-12:2022, 8.19"
  box '!mof' "Compressed Movie Fragment Box" in file, "ISO/IEC 14496-12:2022, 8.19"
  box '!six' "Compressed Segment Index Box" in file, "ISO/IEC 14496-12:2022, 8.19"
  box '!ssx' "Compressed Subsegment Index Box" in file, "ISO/IEC 14496-12:2022, 8.19"
  box hvtC "HEVC Tile Configuration Box" in hvt1, hvt2, hvt3, "ISO/IEC 14496-15:2022, 10"
  box evsC "EVC Slice Component Track Configuration Box" in evs1, evs2, "ISO/IEC 14496-15:2022, 12"
  box dhec "Default HEVC Extractor Constructor Box" in hvc3, hev3, "ISO/IEC 14496-15:2022, 10"
    bytes
  """
