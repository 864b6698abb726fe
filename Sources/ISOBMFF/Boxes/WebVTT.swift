import Bytes

/// Samples of which boxes say all there is to say, such as those of WebVTT.
public struct PlainSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("wvtt", "WebVTT Sample Entry", in: ["stsd"], "ISO/IEC 14496-30:2018, 7.5")
  public static let holdsBoxes = true
  /// The same for other kinds of samples.
  static let others = [
    BoxInfo("urim", "URI Metadata Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.3.3"),
    BoxInfo("mp4s", "MPEG-4 Systems Sample Entry", in: ["stsd"], "ISO/IEC 14496-14:2020, 6.7"),
    BoxInfo("mebx", "Timed Metadata Sample Entry", in: ["stsd"], "QuickTime File Format"),
    BoxInfo("c608", "Closed Captions, CEA-608", in: ["stsd"], "QuickTime File Format"),
    BoxInfo("c708", "Closed Captions, CEA-708", in: ["stsd"], "QuickTime File Format"),
    BoxInfo("svcM", "SVC Metadata Sample Entry", in: ["stsd"], "ISO/IEC 14496-15:2022, 6"),
    BoxInfo("encm", "Encrypted Metadata Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.12"),
    BoxInfo("encs", "Encrypted Systems Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.12"),
    BoxInfo("encf", "Encrypted Font Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.12"),
    BoxInfo("encp", "Encrypted Haptics Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.12"),
    BoxInfo("resm", "Restricted Metadata Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.15"),
    BoxInfo("ress", "Restricted Systems Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.15"),
    BoxInfo("resf", "Restricted Font Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.15"),
    BoxInfo("resp", "Restricted Haptics Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.15"),
    BoxInfo("rtcp", "RTCP Reception Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.4.2"),
    BoxInfo("stcp", "SRTCP Reception Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.4.2"),
  ]
  /// Which entry of `dref` says where the samples lie, and reserved bytes.
  public var entry = SampleEntry()
  /// Samples in this file.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    c.boxes()
  }
}

/// What comes before the first cue of a WebVTT file.
public struct WebVTTConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo("vttC", "WebVTT Configuration Box", in: ["wvtt"], "ISO/IEC 14496-30:2018, 7.5")
  /// The text, `WEBVTT` first; it goes to the end of the box.
  public var config: BoxString = BoxString([], form: .unterminated)
  /// No header.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("config", &config) }
}

/// Where the text of a track comes from.
public struct WebVTTSourceLabelBox: BoxPayload, Equatable {
  public static let info = BoxInfo("vlab", "WebVTT Source Label Box", in: ["wvtt"], "ISO/IEC 14496-30:2018, 7.5")
  /// A URI; tracks with the same one have the same source.
  public var sourceLabel: BoxString = BoxString([], form: .unterminated)
  /// No source.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("source_label", &sourceLabel) }
}

/// Which cue of the source a cue is a part of.
public struct CueSourceIDBox: BoxPayload, Equatable {
  public static let info = BoxInfo("vsid", "Cue Source ID Box", in: ["vttc"], "ISO/IEC 14496-30:2018, 7.4")
  /// The number that all parts of one cue have.
  public var sourceID: Int32 = 0
  /// The cue 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.int32("source_ID", &sourceID) }
}

/// The time at which a sample starts, for cues with times inside.
public struct CueTimeBox: BoxPayload, Equatable {
  public static let info = BoxInfo("ctim", "Cue Time Box", in: ["vttc"], "ISO/IEC 14496-30:2018, 7.4")
  /// A time as WebVTT has it, such as `00:01.500`.
  public var cueCurrentTime: BoxString = BoxString([], form: .unterminated)
  /// No time.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("cue_current_time", &cueCurrentTime)
  }
}

/// The name of a cue.
public struct CueIDBox: BoxPayload, Equatable {
  public static let info = BoxInfo("iden", "Cue ID Box", in: ["vttc"], "ISO/IEC 14496-30:2018, 7.4")
  /// The line before the times.
  public var cueID: BoxString = BoxString([], form: .unterminated)
  /// No name.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("cue_id", &cueID) }
}

/// How a cue is placed.
public struct CueSettingsBox: BoxPayload, Equatable {
  public static let info = BoxInfo("sttg", "Cue Settings Box", in: ["vttc"], "ISO/IEC 14496-30:2018, 7.4")
  /// What follows the times on their line.
  public var settings: BoxString = BoxString([], form: .unterminated)
  /// No settings.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("settings", &settings) }
}

/// The words of a cue.
public struct CuePayloadBox: BoxPayload, Equatable {
  public static let info = BoxInfo("payl", "Cue Payload Box", in: ["vttc"], "ISO/IEC 14496-30:2018, 7.4")
  /// The text with its tags.
  public var cueText: BoxString = BoxString([], form: .unterminated)
  /// No words.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("cue_text", &cueText) }
}

/// What stands between cues, such as a comment.
public struct CueAdditionalTextBox: BoxPayload, Equatable {
  public static let info = BoxInfo("vtta", "VTT Additional Text Box", in: [], "ISO/IEC 14496-30:2018, 7.4")
  /// The text.
  public var cueAdditionalText: BoxString = BoxString([], form: .unterminated)
  /// No text.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("cue_additional_text", &cueAdditionalText)
  }
}
