import Bytes

/// Layers and views of AVC and HEVC, and other boxes for files with several forms of the same content.
let layerBoxes: [BoxDefinition] =
  [
    BoxDefinition(PriorityAssignmentBox.self),
    BoxDefinition(PriorityAssignmentBox.mvc, as: PriorityAssignmentBox.self),
    BoxDefinition(MVCDConfigurationBox.self),
    BoxDefinition(MVCDConfigurationBox.avc3D, as: MVCDConfigurationBox.self),
    BoxDefinition(MVDDepthResolutionBox.self), BoxDefinition(OperatingPointsInformationProperty.self),
    BoxDefinition(SubpictureIDProperty.self),
    BoxDefinition(SubpictureOrderProperty.self), BoxDefinition(SubpictureCommonGroupBox.self),
    BoxDefinition(SubpictureMultipleGroupsBox.self),
  ] + fileForms

/// Alternative forms of files, tracks and samples.
private let fileForms: [BoxDefinition] = [
  BoxDefinition(FileTypeBox.track, as: FileTypeBox.self),
  .container("etyp", "Extended Type Box", in: [.file, "ipco", "otyp"], "ISO/IEC 14496-12:2022, 4.4"),
  .container("otyp", "Original File Type Box", in: [.file, "otyp"], "ISO/IEC 14496-12:2022, 4.5"),
  .container("rinf", "Restricted Scheme Information Box", in: [], "ISO/IEC 14496-12:2022, 8.15.3"),
  .container("scrb", "Scramble Scheme Information Box", in: [], "ISO/IEC 14496-12:2022, 8.12.7"),
  .container(
    "cinf", "Complete Track Information Box", in: ["icpv", "icpa"], "ISO/IEC 14496-12:2022, 8.17.3"),
  BoxDefinition(SchemeTypeBox.compatible, as: SchemeTypeBox.self),
  BoxDefinition(
    BoxInfo("snim", "Data Entry Sequence Number Imda Box", in: ["dref"], "ISO/IEC 14496-12:2022, 8.7.2"),
    as: NullMediaHeaderBox.self),
  .opaque("imda", "Identified Media Data Box", in: [.file], "ISO/IEC 14496-12:2022, 8.1.4"),
  .opaque("!mov", "Compressed Movie Box", in: [.file], "ISO/IEC 14496-12:2022, 8.19"),
  .opaque("!mof", "Compressed Movie Fragment Box", in: [.file], "ISO/IEC 14496-12:2022, 8.19"),
  .opaque("!six", "Compressed Segment Index Box", in: [.file], "ISO/IEC 14496-12:2022, 8.19"),
  .opaque("!ssx", "Compressed Subsegment Index Box", in: [.file], "ISO/IEC 14496-12:2022, 8.19"),
  BoxDefinition(DownMixInstructionsBox.self), BoxDefinition(VolumetricVisualSampleEntry.self),
  BoxDefinition(VolumetricVisualSampleEntry.restricted, as: VolumetricVisualSampleEntry.self),
  .opaque("hvtC", "HEVC Tile Configuration Box", in: ["hvt1", "hvt2", "hvt3"], "ISO/IEC 14496-15:2022, 10"),
  .opaque("evsC", "EVC Slice Component Track Configuration Box", in: ["evs1", "evs2"], "ISO/IEC 14496-15:2022, 12"),
  .opaque("dhec", "Default HEVC Extractor Constructor Box", in: ["hvc3", "hev3"], "ISO/IEC 14496-15:2022, 10"),
]
