import Bytes

/// The size of an image of JPEG 2000.
public struct JP2ImageHeaderBox: BoxPayload, Equatable {
  public static let info = BoxInfo("ihdr", "Image Header Box", in: ["jp2h"], "ISO/IEC 15444-1, I.5.3.1")
  /// The height in pixels.
  public var height: UInt32 = 0
  /// The width in pixels.
  public var width: UInt32 = 0
  /// The number of components.
  public var componentCount: UInt16 = 3
  /// The bits of a component, less one, with the top bit where values are signed; 255: `bpcc` says so for each.
  public var bitsPerComponent: UInt8 = 7
  /// 7.
  public var compressionType: UInt8 = 7
  /// Whether the colours are not known.
  public var isColourspaceUnknown: UInt8 = 0
  /// Whether somebody has rights to the image.
  public var hasIntellectualProperty: UInt8 = 0
  /// An image without extent.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("HEIGHT", &height)
    try c.uint32("WIDTH", &width)
    try c.uint16("NC", &componentCount)
    try c.uint8("BPC", &bitsPerComponent)
    try c.uint8("C", &compressionType)
    try c.uint8("UnkC", &isColourspaceUnknown)
    try c.uint8("IPR", &hasIntellectualProperty)
  }
}

/// The bits of each component of an image of JPEG 2000.
public struct JP2BitsPerComponentBox: BoxPayload, Equatable {
  public static let info = BoxInfo("bpcc", "Bits Per Component Box", in: ["jp2h"], "ISO/IEC 15444-1, I.5.3.2")
  /// The bits less one, with the top bit where values are signed.
  public var bitsPerComponent: [UInt8] = []
  /// No component.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.bytes("BPC", &bitsPerComponent) }
}

/// The colours that the values of a component stand for.
public struct JP2PaletteBox: BoxPayload, Equatable {
  public static let info = BoxInfo("pclr", "Palette Box", in: ["jp2h", "j2kH"], "ISO/IEC 15444-1, I.5.3.4")
  /// The number of colours.
  public var entryCount: UInt16 = 0
  /// The bits of each column less one, with the top bit where values are signed.
  public var bitDepths: [UInt8] = []
  /// The colours one after the other, each value in as many bytes as its bits need.
  public var values: [UInt8] = []
  /// No colours.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("NE", &entryCount)
    var count = UInt8(clamping: bitDepths.count)
    try c.uint8("NPC", &count)
    try c.bytes("B", &bitDepths, count: Int(count))
    try c.bytes("C", &values)
  }
}

/// Which component, through which column of the palette, each channel of an image is.
public struct JP2ComponentMappingBox: BoxPayload, Equatable {
  /// One channel.
  public struct Channel: BoxTableRow {
    /// The component.
    public var component: UInt16 = 0
    /// 0: as it is; 1: through the palette.
    public var mappingType: UInt8 = 0
    /// The column of the palette.
    public var paletteColumn: UInt8 = 0
    /// The first component.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("CMP", &component)
      try c.uint8("MTYP", &mappingType)
      try c.uint8("PCOL", &paletteColumn)
    }
  }
  public static let info = BoxInfo("cmap", "Component Mapping Box", in: ["jp2h", "j2kH"], "ISO/IEC 15444-1, I.5.3.5")
  /// The channels, to the end of the box.
  public var channels = BoxTable<Channel>()
  /// No channels.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.tableToEnd("channels", &channels) }
}

/// How many pixels a metre has: a fraction times a power of ten, in each direction.
public struct JP2ResolutionBox: BoxPayload, Equatable {
  public static let info = BoxInfo("resc", "Capture Resolution Box", in: ["res "], "ISO/IEC 15444-1, I.5.3.7.1")
  /// The same for the display.
  static let display = BoxInfo("resd", "Default Display Resolution Box", in: ["res "], "ISO/IEC 15444-1, I.5.3.7.2")
  /// From top to bottom: numerator.
  public var verticalNumerator: UInt16 = 1
  /// From top to bottom: denominator.
  public var verticalDenominator: UInt16 = 1
  /// From left to right: numerator.
  public var horizontalNumerator: UInt16 = 1
  /// From left to right: denominator.
  public var horizontalDenominator: UInt16 = 1
  /// From top to bottom: the power of ten.
  public var verticalExponent: Int8 = 0
  /// From left to right: the power of ten.
  public var horizontalExponent: Int8 = 0
  /// One pixel.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("VRN", &verticalNumerator)
    try c.uint16("VRD", &verticalDenominator)
    try c.uint16("HRN", &horizontalNumerator)
    try c.uint16("HRD", &horizontalDenominator)
    try c.int8("VRE", &verticalExponent)
    try c.int8("HRE", &horizontalExponent)
  }
}
