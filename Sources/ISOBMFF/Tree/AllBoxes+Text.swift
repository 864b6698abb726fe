import Bytes

/// WebVTT, and other samples that are text.
let textBoxes: [BoxDefinition] =
  [
    BoxDefinition(PlainSampleEntry.self), BoxDefinition(WebVTTConfigurationBox.self),
    BoxDefinition(WebVTTSourceLabelBox.self),
    .container("vttc", "VTT Cue Box", in: [], "ISO/IEC 14496-30:2018, 7.4"),
    .opaque("vtte", "VTT Empty Cue Box", in: [], "ISO/IEC 14496-30:2018, 7.4"),
    BoxDefinition(CueSourceIDBox.self), BoxDefinition(CueTimeBox.self), BoxDefinition(CueIDBox.self),
    BoxDefinition(CueSettingsBox.self), BoxDefinition(CuePayloadBox.self), BoxDefinition(CueAdditionalTextBox.self),
    BoxDefinition(XMLSubtitleSampleEntry.self), BoxDefinition(TextSampleEntry.self),
    BoxDefinition(XMLMetadataSampleEntry.self),
    BoxDefinition(URIBox.self), BoxDefinition(URIInitBox.self), BoxDefinition(TextConfigBox.self),
    BoxDefinition(MIMEBox.self),
  ] + TextSampleEntry.others.map { BoxDefinition($0, as: TextSampleEntry.self) }
  + PlainSampleEntry.others.map { BoxDefinition($0, as: PlainSampleEntry.self) }
