public import MP4Bytes

/// The properties of a track's media that are independent of its kind.
public struct MediaHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mdhd", "Media Header Box", in: ["mdia"], "ISO/IEC 14496-12:2022, 8.4.2")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// Seconds since 1904-01-01 00:00 UTC.
  public var creationTime: UInt64 = 0
  /// Seconds since 1904-01-01 00:00 UTC.
  public var modificationTime: UInt64 = 0
  /// The time units per second of the samples.
  public var timescale: UInt32 = 1000
  /// The sum of the sample durations, in units of `timescale`; all ones if unknown.
  public var duration: UInt64 = 0
  /// The language: three letters of ISO 639-2 in five bits each, or a QuickTime language code below 0x400.
  public var language: LanguageCode = "und"
  /// Zero; in QuickTime, the quality.
  public var preDefined: UInt16 = 0
  /// Media of an undetermined language with a timescale of 1000.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    let wide = version == 1
    try c.uint("creation_time", &creationTime, wide: wide, as: .date)
    try c.uint("modification_time", &modificationTime, wide: wide, as: .date)
    try c.uint32("timescale", &timescale)
    try c.uint("duration", &duration, wide: wide)
    try c.language("language", &language)
    try c.uint16("pre_defined", &preDefined)
  }
}

/// The kind of media or metadata.
public struct HandlerBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "hdlr", "Handler Reference Box", in: ["mdia", "meta", "minf"], "ISO/IEC 14496-12:2022, 8.4.3")
  public var header = FullBoxHeader()
  /// Zero; in QuickTime, `mhlr` or `dhlr`.
  public var preDefined: FourCC = FourCC(rawValue: 0)
  /// `vide`, `soun`, `text`, `subt`, `meta` and others.
  public var handlerType: FourCC = "vide"
  /// A human-readable name.
  public var name: BoxString = ""
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// A video handler without a name.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("pre_defined", &preDefined)
    try c.fourCC("handler_type", &handlerType)
    try c.reserved(&reserved, bytes: 12)
    try c.countedOrTerminatedString("name", &name)
  }
}

/// The language of the media as an RFC 4646 tag.
///
/// Some writers omit version and flags; the language then follows immediately.
public struct ExtendedLanguageBox: BoxPayload, Equatable {
  public static let info = BoxInfo("elng", "Extended Language Box", in: ["mdia"], "ISO/IEC 14496-12:2022, 8.4.6")
  /// Version and flags, which some writers omit.
  public var header: FullBoxHeader? = FullBoxHeader()
  /// Such as `en-US`.
  public var extendedLanguage: BoxString = ""
  /// No language.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    // Version 0 is the only one, and no language tag starts with a zero byte.
    if c.isReading, let first = c.peek(), first != 0 { header = nil }
    if var full = header {
      try c.fullBoxHeader(&full)
      header = full
    }
    try c.string("extended_language", &extendedLanguage)
  }
}

/// The common properties of all video of a track.
public struct VideoMediaHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("vmhd", "Video Media Header Box", in: ["minf"], "ISO/IEC 14496-12:2022, 12.1.2")
  public var header = FullBoxHeader(flags: 1)
  /// The name of the flag in QuickTime.
  public static var flagNames: ValueNames { "0x1 no-lean-ahead" }
  /// The composition mode of the picture; 0 copies it.
  public var graphicsMode: UInt16 = 0
  /// Red, green and blue for the graphics mode.
  public var opColor = BoxTable<UInt16>([0, 0, 0])
  /// Plain copying.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("graphicsmode", &graphicsMode, as: .named(.graphicsModes))
    try c.table("opcolor", &opColor, count: 3)
  }
}

/// The common properties of all audio of a track.
public struct SoundMediaHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("smhd", "Sound Media Header Box", in: ["minf"], "ISO/IEC 14496-12:2022, 12.2.2")
  public var header = FullBoxHeader()
  /// The balance from left (-1) to right (1), 8.8.
  public var balance: Int16 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Centered audio.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int16("balance", &balance, as: .fixed(8))
    try c.reserved(&reserved, bytes: 2)
  }
}

/// An empty header for media without common properties.
public struct NullMediaHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("nmhd", "Null Media Header Box", in: ["minf"], "ISO/IEC 14496-12:2022, 8.4.5.2")
  /// The same fields for subtitles.
  static let subtitle = BoxInfo("sthd", "Subtitle Media Header Box", in: ["minf"], "ISO/IEC 14496-12:2022, 12.6.2")
  public var header = FullBoxHeader()
  /// An empty header.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {}
}
