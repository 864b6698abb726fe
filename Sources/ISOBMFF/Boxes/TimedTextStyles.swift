import MP4Bytes

/// The style of a range of characters.
public struct StyleRecord: BoxTableRow {
  /// The first character.
  public var startChar: UInt16 = 0
  /// The character after the last one.
  public var endChar: UInt16 = 0
  /// The font ID, as in `ftab`.
  public var fontID: UInt16 = 0
  /// Bits: 1 bold, 2 italic, 4 underlined.
  public var faceStyleFlags: UInt8 = 0
  /// The size in pixels.
  public var fontSize: UInt8 = 0
  /// Red, green, blue and opacity.
  public var textColor: UInt32 = 0xff
  /// Black characters without a size.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint16("startChar", &startChar)
    try c.uint16("endChar", &endChar)
    try c.uint16("font_ID", &fontID)
    try c.uint8("face_style_flags", &faceStyleFlags, as: .flags("0x1 bold; 0x2 italic; 0x4 underline"))
    try c.uint8("font_size", &fontSize)
    try c.uint32("text_color_rgba", &textColor, as: .hexadecimal)
  }
}

/// The position and style of 3GPP text.
public struct TimedTextStyle: BoxTableRow {
  /// Bits: 0x20 scroll in, 0x40 scroll out, 0x800 continuous karaoke, 0x20000 vertical, 0x40000000 all forced ...
  public var displayFlags: UInt32 = 0
  /// 0: left; 1: center; -1: right.
  public var horizontalJustification: Int8 = 0
  /// 0: top; 1: center; -1: bottom.
  public var verticalJustification: Int8 = 0
  /// Red, green, blue and opacity.
  public var backgroundColor: UInt32 = 0
  /// The upper edge of the text.
  public var top: Int16 = 0
  /// The left edge of the text.
  public var left: Int16 = 0
  /// The lower edge of the text.
  public var bottom: Int16 = 0
  /// The right edge of the text.
  public var right: Int16 = 0
  /// The style of the characters.
  public var style = StyleRecord()
  /// Black characters without a size in a corner.
  public init() {}

  private static var displayFlagNames: ValueNames {
    """
    0x20 scroll in; 0x40 scroll out; 0x180=0x80 scroll to the left; 0x180=0x100 scroll down; \
    0x180=0x180 scroll to the right; 0x800 continuous karaoke; 0x20000 vertical; 0x40000 fill the region; \
    0x40000000 some are forced; 0x80000000 all are forced
    """
  }

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint32("displayFlags", &displayFlags, as: .flags(Self.displayFlagNames))
    try c.int8("horizontal_justification", &horizontalJustification, as: .named("-1 right; 0 left; 1 centred"))
    try c.int8("vertical_justification", &verticalJustification, as: .named("-1 bottom; 0 top; 1 centred"))
    try c.uint32("background_color_rgba", &backgroundColor, as: .hexadecimal)
    try c.int16("top", &top)
    try c.int16("left", &left)
    try c.int16("bottom", &bottom)
    try c.int16("right", &right)
    try style.fields(&c, shape: 0)
  }
}
