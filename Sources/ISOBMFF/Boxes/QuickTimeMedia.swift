import MP4Bytes

/// The placement of text.
public struct TextMediaInformationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "text", "Text Media Information Atom", in: ["gmhd"], "QuickTime File Format, Text media information")
  /// The transformation of the text for display.
  public var matrix = Matrix.identity
  /// Without transformation.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.matrix(&matrix) }
}

/// The meaning of timecode samples.
public struct TimecodeSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "tmcd", "Timecode Sample Description", in: ["stsd"], "QuickTime File Format, Timecode sample description")
  public static let holdsBoxes = true
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// 1: drop frame; 2: wraps after 24 hours; 4: may be negative; 8: counts something other than time.
  public var flags: UInt32 = 0
  /// Units per second.
  public var timeScale: UInt32 = 0
  /// The duration of a frame in these units.
  public var frameDuration: UInt32 = 0
  /// Frames per second.
  public var numberOfFrames: UInt8 = 0
  /// Whether 24 reserved bits follow, as specified; some writers have 8.
  public var hasLongReserve = true
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No frames.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.reserved(&reserved, bytes: 4)
    try c.uint32("flags", &flags, as: .flags("0x1 drop frame; 0x2 24 hour max; 0x4 negative times OK; 0x8 counter"))
    try c.uint32("time_scale", &timeScale)
    try c.uint32("frame_duration", &frameDuration)
    try c.uint8("number_of_frames", &numberOfFrames)
    // The reserved bytes are followed by nothing, a box, or four zeros.
    if c.isReading { hasLongReserve = c.remaining == 3 || c.remaining == 7 || c.startsWithBox(at: 3) }
    try c.reserved(&reserved, bytes: hasLongReserve ? 3 : 1)
    c.boxes()
  }
}

/// The style of QuickTime text, such as chapter names.
public struct QuickTimeTextSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "text", "Text Sample Description", in: ["stsd"], "QuickTime File Format, Text sample description")
  public static let holdsBoxes = true
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// Red, green and blue of the background.
  public var backgroundColor = BoxTable<UInt16>([0, 0, 0])
  /// Top, left, bottom and right.
  public var defaultTextBox = BoxTable<UInt16>([0, 0, 0, 0])
  /// Red, green and blue of the characters.
  public var foregroundColor = BoxTable<UInt16>([0, 0, 0])
  /// The name of the font; some writers omit it.
  public var textName: [UInt8]?
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// The layout of `tx3g`, which some writers use here.
  public var timedText: TimedTextStyle?
  /// Bits: 2 do not scale, 8 use the background, 0x20 scroll in, 0x40 scroll out, 0x1000 key the text ...
  public var displayFlags: UInt32 = 0
  /// 0: left; 1: center; -1: right.
  public var textJustification: Int32 = 0
  /// The number of a font.
  public var fontNumber: UInt16 = 0
  /// Bits: 1 bold, 2 italic, 4 underlined, 8 outlined, 16 shadowed, 32 condensed, 64 extended.
  public var fontFace: UInt16 = 0
  /// White on white.
  public init() {}

  private static var displayFlagNames: ValueNames {
    """
    0x1 do not display; 0x2 do not auto scale; 0x8 use movie background color; 0x20 scroll in; 0x40 scroll out; 0x80 horizontal scroll; \
    0x100 reverse scroll; 0x200 continuous scroll; 0x1000 drop shadow; 0x2000 anti-alias; 0x4000 key text
    """
  }

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    if c.isReading ? c.hasFontTable(at: 30) : timedText != nil {
      var style = timedText ?? TimedTextStyle()
      try style.fields(&c, shape: 0)
      timedText = style
      return c.boxes()
    }
    try c.uint32("display_flags", &displayFlags, as: .flags(Self.displayFlagNames))
    try c.int32("text_justification", &textJustification, as: .named("-1 right; 0 left; 1 centred"))
    try c.table("background_color", &backgroundColor, count: 3)
    try c.table("default_text_box", &defaultTextBox, count: 4)
    try c.reserved(&reserved, bytes: 8)
    try c.uint16("font_number", &fontNumber)
    try c.uint16("font_face", &fontFace, as: .flags(.textFaces))
    try c.reserved(&reserved, bytes: 3)
    try c.table("foreground_color", &foregroundColor, count: 3)
    if c.isReading ? Int(c.peek() ?? .max) < c.remaining : textName != nil || c.isDescribing {
      var name = textName ?? []
      try c.countedBytes("text_name", &name)
      textName = name
    }
    c.boxes()
  }
}

extension FieldCoder {
  /// Whether a font table starts `distance` bytes ahead.
  fileprivate func hasFontTable(at distance: Int) -> Bool {
    peek(distance + 4) == 0x66 && peek(distance + 5) == 0x74 && peek(distance + 6) == 0x61 && peek(distance + 7) == 0x62
  }

  /// Text after a length byte.
  mutating func countedBytes(_ name: StaticText, _ value: inout [UInt8]) throws(BoxError) {
    var text = BoxString(value, form: .counted)
    if isReading {
      let count: UInt8 = try reader.integer(name)
      text.bytes = try reader.bytes(name, count: Int(count))
    }
    codeStored(name, &text)
    value = text.bytes
  }
}
