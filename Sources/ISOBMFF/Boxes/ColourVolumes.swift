import Bytes

/// The light in the room in which pictures were graded.
public struct ReferenceViewingEnvironmentBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "reve", "Reference Viewing Environment", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5.39")
  public var header = FullBoxHeader()
  /// Behind and around the display, in units of 0.0001 candela a square metre.
  public var surroundLuminance: UInt32 = 0
  /// The CIE 1931 x coordinate of that light, in units of 0.00002.
  public var surroundLightX: UInt16 = 0
  /// The CIE 1931 y coordinate of that light, in units of 0.00002.
  public var surroundLightY: UInt16 = 0
  /// In the rest of the room, in units of 0.0001 candela a square metre.
  public var peripheryLuminance: UInt32 = 0
  /// The CIE 1931 x coordinate of that light, in units of 0.00002.
  public var peripheryLightX: UInt16 = 0
  /// The CIE 1931 y coordinate of that light, in units of 0.00002.
  public var peripheryLightY: UInt16 = 0
  /// Darkness.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("surround_luminance", &surroundLuminance)
    try c.uint16("surround_light_x", &surroundLightX)
    try c.uint16("surround_light_y", &surroundLightY)
    try c.uint32("periphery_luminance", &peripheryLuminance)
    try c.uint16("periphery_light_x", &peripheryLightX)
    try c.uint16("periphery_light_y", &peripheryLightY)
  }
}

/// How bright the white of a picture is that is lit by what is around it.
public struct NominalDiffuseWhiteBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "ndwt", "Nominal Diffuse White Luminance", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5.40")
  public var header = FullBoxHeader()
  /// In units of 0.0001 candela a square metre.
  public var diffuseWhiteLuminance: UInt32 = 0
  /// Black.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("diffuse_white_luminance", &diffuseWhiteLuminance)
  }
}

/// Which part of all colours pictures use.
public struct ContentColourVolumeBox: BoxPayload, Equatable {
  /// A colour as CIE 1931 coordinates, in units of 0.00002.
  public struct Primary: BoxTableRow {
    /// The x coordinate.
    public var x: Int32 = 0
    /// The y coordinate.
    public var y: Int32 = 0
    /// No colour.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.int32("ccv_primaries_x", &x)
      try c.int32("ccv_primaries_y", &y)
    }
  }
  public static let info = BoxInfo(
    "cclv", "Content Colour Volume Box", in: SampleEntries.visualTypes + ["ipco"], "ISO/IEC 14496-12:2022, 12.1.8")
  /// Green, blue and red; `nil` when the box does not say.
  public var primaries: BoxTable<Primary>?
  /// In units of 0.0000001 candela a square metre; `nil` when the box does not say.
  public var minLuminanceValue: UInt32?
  /// In units of 0.0000001 candela a square metre; `nil` when the box does not say.
  public var maxLuminanceValue: UInt32?
  /// In units of 0.0000001 candela a square metre; `nil` when the box does not say.
  public var averageLuminanceValue: UInt32?
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Says nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 2)
    var hasPrimaries = primaries != nil
    var (hasMin, hasMax, hasAverage) = (
      minLuminanceValue != nil, maxLuminanceValue != nil, averageLuminanceValue != nil
    )
    try c.flag("ccv_primaries_present_flag", &hasPrimaries)
    try c.flag("ccv_min_luminance_value_present_flag", &hasMin)
    try c.flag("ccv_max_luminance_value_present_flag", &hasMax)
    try c.flag("ccv_avg_luminance_value_present_flag", &hasAverage)
    try c.reserved(&reserved, bits: 2)
    if c.includes(hasPrimaries) {
      var colours = primaries ?? BoxTable()
      try c.table("ccv_primaries", &colours, count: 3)
      primaries = colours
    }
    try c.optional("ccv_min_luminance_value", &minLuminanceValue, hasMin)
    try c.optional("ccv_max_luminance_value", &maxLuminanceValue, hasMax)
    try c.optional("ccv_avg_luminance_value", &averageLuminanceValue, hasAverage)
  }
}

extension FieldCoder {
  /// A field of 32 bits that is there when a flag before it says so.
  fileprivate mutating func optional(_ name: StaticText, _ value: inout UInt32?, _ isPresent: Bool)
    throws(BoxError)
  {
    guard includes(isPresent) else { return }
    var number = value ?? 0
    try uint32(name, &number)
    value = number
  }
}
