import MP4Bytes

/// Samples that boxes describe completely, such as those of WebVTT.
public struct PlainSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("wvtt", "WebVTT Sample Entry", in: ["stsd"], "ISO/IEC 14496-30:2018, 7.5")
  public static let holdsBoxes = true
  /// The same fields for other kinds of samples.
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
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// Samples in this file.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    c.boxes()
  }
}

/// The header of a WebVTT file, before the first cue.
public struct WebVTTConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo("vttC", "WebVTT Configuration Box", in: ["wvtt"], "ISO/IEC 14496-30:2018, 7.5")
  /// The text, which starts with `WEBVTT` and extends to the end of the box.
  public var config: BoxString = BoxString([], form: .unterminated)
  /// No header.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("config", &config) }
}
