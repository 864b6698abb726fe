import Bytes

/// WebVTT and other text samples.
let textBoxes: [BoxDefinition] =
  [
    BoxDefinition(PlainSampleEntry.self), BoxDefinition(WebVTTConfigurationBox.self),
    .container("vttc", "VTT Cue Box", in: [], "ISO/IEC 14496-30:2018, 7.4"),
    .opaque("vtte", "VTT Empty Cue Box", in: [], "ISO/IEC 14496-30:2018, 7.4"),
    BoxDefinition(XMLSubtitleSampleEntry.self), BoxDefinition(TextSampleEntry.self),
    BoxDefinition(XMLMetadataSampleEntry.self),
    BoxDefinition(MIMEBox.self),
  ] + TextSampleEntry.others.map { BoxDefinition($0, as: TextSampleEntry.self) }
  + PlainSampleEntry.others.map { BoxDefinition($0, as: PlainSampleEntry.self) }
