import Bytes

/// The size of the depth pictures, and their position relative to the view pictures.
public struct MVDDepthResolutionBox: BoxPayload, Equatable {
  /// The mapping of a depth picture to the picture of its view.
  public struct Grid: Equatable, Sendable {
    /// The horizontal factor, minus 1.
    public var horizontalMultiplierMinus1: UInt16 = 0
    /// The vertical factor, minus 1.
    public var verticalMultiplierMinus1: UInt16 = 0
    /// The number of bits by which the horizontal product is shifted right.
    public var horizontalShift: UInt8 = 0
    /// The number of bits by which the vertical product is shifted right.
    public var verticalShift: UInt8 = 0
    /// The positions in the views; in other views, the position is the upper left corner.
    public var positions: [Position] = []
    /// The same size as the picture.
    public init() {}
  }
  /// The position of the depth pictures of one view.
  public struct Position: BoxTableRow {
    /// The view.
    public var viewID: UInt16 = 0
    /// From the left, in luma samples of the view.
    public var x: Int16 = 0
    /// From the top, in luma samples of the view.
    public var y: Int16 = 0
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// The upper left corner of view 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.reserved(&reserved, bits: 6)
      try c.bits("grid_pos_view_id", &viewID, 10)
      try c.int16("grid_pos_x", &x)
      try c.int16("grid_pos_y", &y)
    }
  }
  public static let info = BoxInfo(
    "3dpr", "MVD Depth Resolution Box", in: ["mvdC", "a3dC"], "ISO/IEC 14496-15:2022, 7")
  /// The width of a depth picture.
  public var depthWidth: UInt16 = 0
  /// The height of a depth picture.
  public var depthHeight: UInt16 = 0
  /// Its mapping to the picture, if declared.
  public var grid: Grid?
  /// No extent.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("depth_width", &depthWidth)
    try c.uint16("depth_height", &depthHeight)
    guard c.hasMore(7, or: grid != nil) else { return }
    var known = grid ?? Grid()
    try c.uint16("depth_hor_mult_minus1", &known.horizontalMultiplierMinus1)
    try c.uint16("depth_ver_mult_minus1", &known.verticalMultiplierMinus1)
    try c.bits("depth_hor_rsh", &known.horizontalShift, 4)
    try c.bits("depth_ver_rsh", &known.verticalShift, 4)
    var count = UInt16(clamping: known.positions.count)
    try c.uint16("grid_pos_num_views", &count)
    try c.rows("grid_positions", &known.positions, count: count)
    grid = known
  }
}

/// A floating-point number as used in camera parameters: its components.
public struct CameraParameter: Equatable, Sendable {
  /// The biased exponent of two.
  public var exponent: UInt8 = 0
  /// The mantissa with its sign.
  public var mantissa: Int64 = 0
  /// 0.
  public init() {}

  fileprivate mutating func fields(_ c: inout FieldCoder, _ exponentName: StaticText, _ mantissaName: StaticText)
    throws(BoxError)
  {
    try c.uint8(exponentName, &exponent)
    try c.int(mantissaName, &mantissa, wide: true)
  }
}
