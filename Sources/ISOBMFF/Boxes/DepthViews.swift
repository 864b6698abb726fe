import Bytes

/// The size of the depth pictures, and their position relative to the view pictures.
public struct MVDDepthResolutionBox: BoxPayload, Equatable {
  /// How a picture of depth is laid over that of its view.
  public struct Grid: Equatable, Sendable {
    /// The factor of a column, minus 1.
    public var horizontalMultiplierMinus1: UInt16 = 0
    /// The factor of a row, minus 1.
    public var verticalMultiplierMinus1: UInt16 = 0
    /// The number of bits by which a column is then shifted right.
    public var horizontalShift: UInt8 = 0
    /// The number of bits by which a row is then shifted right.
    public var verticalShift: UInt8 = 0
    /// Where it begins in each view; in others, in the upper left corner.
    public var positions: [Position] = []
    /// As large as the picture.
    public init() {}
  }
  /// Where the pictures of depth of one view begin.
  public struct Position: BoxTableRow {
    /// The view.
    public var viewID: UInt16 = 0
    /// From the left, in luma samples of the view.
    public var x: Int16 = 0
    /// From the top, in luma samples of the view.
    public var y: Int16 = 0
    /// What is in the reserved fields.
    public var reserved = ReservedBits()
    /// The upper left corner of the view 0.
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
  /// The width of a picture of depth.
  public var depthWidth: UInt16 = 0
  /// The height of a picture of depth.
  public var depthHeight: UInt16 = 0
  /// Its grid on the picture, if declared.
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

/// A number as cameras are described with: what it is made of.
public struct CameraParameter: Equatable, Sendable {
  /// The exponent of two, with an offset.
  public var exponent: UInt8 = 0
  /// The digits, and the sign.
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
