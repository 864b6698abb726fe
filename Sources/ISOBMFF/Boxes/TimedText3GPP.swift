import MP4Bytes

/// The default style of 3GPP text.
public struct TimedTextSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("tx3g", "Timed Text Sample Entry", in: ["stsd"], "3GPP TS 26.245, 5.16")
  public static let holdsBoxes = true
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// Its position and style.
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
    /// Its name, or several names separated by commas.
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

/// The styles of parts of a text sample.
public struct TextStyleBox: BoxPayload, Equatable {
  public static let info = BoxInfo("styl", "Text Style Box", in: [], "3GPP TS 26.245, 5.17")
  /// The parts.
  public var styles = BoxTable<StyleRecord>()
  /// The style of the sample entry.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: styles.count)
    try c.uint16("entry_count", &count)
    try c.table("text_styles", &styles, count: count)
  }
}
