import Bytes

/// The colours that the numbers of a picture stand for.
public struct ComponentPaletteBox: FullBoxPayload, Equatable {
  /// One component of each colour.
  public struct Component: BoxTableRow {
    /// Which component of `cmpd` it is, counted from 0.
    public var index: UInt16 = 0
    /// The bits of a value, less one.
    public var bitDepthMinusOne: UInt8 = 7
    /// How the value is to be read.
    public var format: UInt8 = 0
    /// Unsigned values of 8 bits.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("component_index", &index)
      try c.uint8("component_bit_depth_minus_one", &bitDepthMinusOne)
      try c.uint8("component_format", &format, as: .named("0 unsigned; 1 floating point; 2 complex; 3 signed"))
    }
  }
  public static let info = BoxInfo(
    "cpal", "Component Palette Configuration Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1.2")
  public var header = FullBoxHeader()
  /// The components of a colour.
  public var components = BoxTable<Component>()
  /// The number of colours.
  public var valuesCount: UInt32 = 0
  /// The values of each component, colour by colour.
  public var values: [UInt8] = []
  /// No colours.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: components.count)
    try c.uint16("components_count", &count)
    try c.table("components", &components, count: count)
    try c.uint32("values_count", &valuesCount)
    try c.bytes("component_value", &values)
  }
}
