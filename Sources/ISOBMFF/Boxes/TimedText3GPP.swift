import Bytes

/// What text of 3GPP looks like where the samples do not say.
public struct TimedTextSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("tx3g", "Timed Text Sample Entry", in: ["stsd"], "3GPP TS 26.245, 5.16")
  public static let holdsBoxes = true
  /// Which entry of `dref` says where the samples lie, and reserved bytes.
  public var entry = SampleEntry()
  /// Where and how it is shown.
  public var style = TimedTextStyle()
  /// Text in a corner.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try style.fields(&c, shape: 0)
    c.boxes()
  }
}

/// The fonts of a text track.
public struct FontTableBox: BoxPayload, Equatable {
  /// One font.
  public struct Font: BoxTableRow {
    /// Its number.
    public var fontID: UInt16 = 0
    /// Its name, or several with commas between them.
    public var fontName: [UInt8] = []
    /// No name.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("font_ID", &fontID)
      try c.countedBytes("font", &fontName)
    }
  }
  public static let info = BoxInfo("ftab", "Font Table Box", in: ["tx3g"], "3GPP TS 26.245, 5.16")
  /// The fonts.
  public var fonts: [Font] = []
  /// No font.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: fonts.count)
    try c.uint16("entry_count", &count)
    try c.rows("fonts", &fonts, count: count)
  }
}

/// How parts of a text sample are drawn.
public struct TextStyleBox: BoxPayload, Equatable {
  public static let info = BoxInfo("styl", "Text Style Box", in: [], "3GPP TS 26.245, 5.17")
  /// The parts.
  public var styles = BoxTable<StyleRecord>()
  /// As the sample entry says.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: styles.count)
    try c.uint16("entry_count", &count)
    try c.table("text_styles", &styles, count: count)
  }
}

/// The part of a text sample that is highlighted.
public struct TextHighlightBox: BoxPayload, Equatable {
  public static let info = BoxInfo("hlit", "Text Highlight Box", in: [], "3GPP TS 26.245, 5.17")
  /// The part that blinks, in the same layout.
  static let blink = BoxInfo("blnk", "Blinking Text Box", in: [], info.clause)
  /// The first letter.
  public var startcharoffset: UInt16 = 0
  /// The letter after the last.
  public var endcharoffset: UInt16 = 0
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("startcharoffset", &startcharoffset)
    try c.uint16("endcharoffset", &endcharoffset)
  }
}

/// The colour of what is highlighted.
public struct TextHighlightColorBox: BoxPayload, Equatable {
  public static let info = BoxInfo("hclr", "Text Highlight Colour Box", in: [], "3GPP TS 26.245, 5.17")
  /// Red, green, blue and opacity.
  public var highlightColor: UInt32 = 0
  /// Nothing to be seen.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("highlight_color_rgba", &highlightColor, as: .hexadecimal)
  }
}

/// Which letters are highlighted when.
public struct TextKaraokeBox: BoxPayload, Equatable {
  /// Letters highlighted together.
  public struct Entry: BoxTableRow {
    /// When they stop to be, in the timescale of the media.
    public var highlightEndTime: UInt32 = 0
    /// The first letter.
    public var startcharoffset: UInt16 = 0
    /// The letter after the last.
    public var endcharoffset: UInt16 = 0
    /// None.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("highlight_end_time", &highlightEndTime)
      try c.uint16("startcharoffset", &startcharoffset)
      try c.uint16("endcharoffset", &endcharoffset)
    }
  }
  public static let info = BoxInfo("krok", "Text Karaoke Box", in: [], "3GPP TS 26.245, 5.17")
  /// When the first are, in the timescale of the media.
  public var highlightStartTime: UInt32 = 0
  /// The letters.
  public var entries = BoxTable<Entry>()
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("highlight_start_time", &highlightStartTime)
    var count = UInt16(clamping: entries.count)
    try c.uint16("entry_count", &count)
    try c.table("entries", &entries, count: count)
  }
}

/// How long text stands between scrolling in and out.
public struct TextScrollDelayBox: BoxPayload, Equatable {
  public static let info = BoxInfo("dlay", "Text Scroll Delay Box", in: [], "3GPP TS 26.245, 5.17")
  /// In the timescale of the media.
  public var scrollDelay: UInt32 = 0
  /// No time.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("scroll_delay", &scrollDelay) }
}

/// Letters that are a link.
public struct TextHypertextBox: BoxPayload, Equatable {
  public static let info = BoxInfo("href", "Text Hypertext Box", in: [], "3GPP TS 26.245, 5.17")
  /// The first letter.
  public var startcharoffset: UInt16 = 0
  /// The letter after the last.
  public var endcharoffset: UInt16 = 0
  /// Where the link goes.
  public var url: [UInt8] = []
  /// What is shown of it.
  public var altString: [UInt8] = []
  /// No link.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("startcharoffset", &startcharoffset)
    try c.uint16("endcharoffset", &endcharoffset)
    try c.countedBytes("URL", &url)
    try c.countedBytes("altstring", &altString)
  }
}

/// Where the text of one sample stands.
public struct TextboxBox: BoxPayload, Equatable {
  public static let info = BoxInfo("tbox", "Text Box Box", in: [], "3GPP TS 26.245, 5.17")
  /// The upper edge.
  public var top: Int16 = 0
  /// The left edge.
  public var left: Int16 = 0
  /// The lower edge.
  public var bottom: Int16 = 0
  /// The right edge.
  public var right: Int16 = 0
  /// No place.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int16("top", &top)
    try c.int16("left", &left)
    try c.int16("bottom", &bottom)
    try c.int16("right", &right)
  }
}

/// Whether lines that are too long are wrapped.
public struct TextWrapBox: BoxPayload, Equatable {
  public static let info = BoxInfo("twrp", "Text Wrap Box", in: [], "3GPP TS 26.245, 5.17")
  /// 0: no; 1: at the edge of the text.
  public var wrapFlag: UInt8 = 0
  /// They are not.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint8("wrap_flag", &wrapFlag) }
}
