import Bytes

/// The colours and the brightness of the display on which pictures were graded.
public struct MasteringDisplayColourVolumeBox: BoxPayload, Equatable {
  /// A colour as CIE 1931 coordinates, in units of 0.00002.
  public struct Primary: BoxTableRow {
    /// The x coordinate.
    public var x: UInt16 = 0
    /// The y coordinate.
    public var y: UInt16 = 0
    /// No colour.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("display_primaries_x", &x)
      try c.uint16("display_primaries_y", &y)
    }
  }
  public static let info = BoxInfo(
    "mdcv", "Mastering Display Colour Volume Box", in: SampleEntries.visualTypes + ["ipco"],
    "ISO/IEC 14496-12:2022, 12.1.7")
  /// Green, blue and red.
  public var displayPrimaries = BoxTable([Primary(), Primary(), Primary()])
  /// The x coordinate of white, in units of 0.00002.
  public var whitePointX: UInt16 = 0
  /// The y coordinate of white, in units of 0.00002.
  public var whitePointY: UInt16 = 0
  /// In units of 0.0001 candela a square metre.
  public var maxDisplayMasteringLuminance: UInt32 = 0
  /// In units of 0.0001 candela a square metre.
  public var minDisplayMasteringLuminance: UInt32 = 0
  /// A black display.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("display_primaries", &displayPrimaries, count: 3)
    try c.uint16("white_point_x", &whitePointX)
    try c.uint16("white_point_y", &whitePointY)
    try c.uint32("max_display_mastering_luminance", &maxDisplayMasteringLuminance)
    try c.uint32("min_display_mastering_luminance", &minDisplayMasteringLuminance)
  }
}

/// How bright pictures get.
public struct ContentLightLevelBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "clli", "Content Light Level Box", in: SampleEntries.visualTypes + ["ipco"], "ISO/IEC 14496-12:2022, 12.1.6")
  /// The brightest pixel, in candela a square metre; 0 when not known.
  public var maxContentLightLevel: UInt16 = 0
  /// The highest average of a picture, in candela a square metre; 0 when not known.
  public var maxPicAverageLightLevel: UInt16 = 0
  /// Not known.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("max_content_light_level", &maxContentLightLevel)
    try c.uint16("max_pic_average_light_level", &maxPicAverageLightLevel)
  }
}
