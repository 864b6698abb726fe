import Bytes

/// How large the pictures of depth are, and where they are above those of the views.
public struct MVDDepthResolutionBox: BoxPayload, Equatable {
  /// How a picture of depth is laid over that of its view.
  public struct Grid: Equatable, Sendable {
    /// By what a column is multiplied, less one.
    public var horizontalMultiplierMinus1: UInt16 = 0
    /// By what a row is multiplied, less one.
    public var verticalMultiplierMinus1: UInt16 = 0
    /// By how many bits a column is then shifted to the right.
    public var horizontalShift: UInt8 = 0
    /// By how many bits a row is then shifted to the right.
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
  /// How it is laid over the picture, where that is said.
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

/// The lens with which a view was taken.
public struct IntrinsicCameraParametersBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "icam", "Intrinsic Camera Parameters Box",
    in: SampleEntries.avc + SampleEntries.mvc + SampleEntries.mvd + SampleEntries.avc3D, "ISO/IEC 14496-15:2022, 7")
  public var header = FullBoxHeader()
  /// The view.
  public var refViewID: UInt16 = 0
  /// How many bits of the focal lengths count.
  public var focalLengthPrecision: UInt32 = 0
  /// How many bits of the principal point count.
  public var principalPointPrecision: UInt32 = 0
  /// How many bits of the skew count.
  public var skewFactorPrecision: UInt32 = 0
  /// The focal length across.
  public var focalLengthX = CameraParameter()
  /// The focal length down.
  public var focalLengthY = CameraParameter()
  /// Where the axis of the lens meets the picture, from the left.
  public var principalPointX = CameraParameter()
  /// Where the axis of the lens meets the picture, from the top.
  public var principalPointY = CameraParameter()
  /// How far the rows and columns are from a right angle.
  public var skewFactor = CameraParameter()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The view 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 6)
    try c.bits("ref_view_id", &refViewID, 10)
    try c.uint32("prec_focal_length", &focalLengthPrecision)
    try c.uint32("prec_principal_point", &principalPointPrecision)
    try c.uint32("prec_skew_factor", &skewFactorPrecision)
    try focalLengthX.fields(&c, "exponent_focal_length_x", "mantissa_focal_length_x")
    try focalLengthY.fields(&c, "exponent_focal_length_y", "mantissa_focal_length_y")
    try principalPointX.fields(&c, "exponent_principal_point_x", "mantissa_principal_point_x")
    try principalPointY.fields(&c, "exponent_principal_point_y", "mantissa_principal_point_y")
    try skewFactor.fields(&c, "exponent_skew_factor", "mantissa_skew_factor")
  }
}

/// Where the camera of a view stood, and how it was turned.
public struct ExtrinsicCameraParametersBox: FullBoxPayload, Equatable {
  /// One row of the rotation, and one coordinate of the place.
  public struct Row: BoxTableRow {
    /// A column of the rotation.
    public struct Column: BoxTableRow {
      /// The number.
      public var rotation = CameraParameter()
      /// 0.
      public init() {}
      public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
        try rotation.fields(&c, "exponent_r", "mantissa_r")
      }
    }
    /// The row of the rotation, of three columns.
    public var columns = BoxTable<Column>([Column(), Column(), Column()])
    /// The coordinate.
    public var translation = CameraParameter()
    /// Zeros.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.table("columns", &columns, count: 3)
      try translation.fields(&c, "exponent_t", "mantissa_t")
    }
  }
  public static let info = BoxInfo(
    "ecam", "Extrinsic Camera Parameters Box", in: IntrinsicCameraParametersBox.info.containers,
    "ISO/IEC 14496-15:2022, 7")
  public var header = FullBoxHeader()
  /// The view.
  public var refViewID: UInt16 = 0
  /// How many bits of the rotation count.
  public var rotationPrecision: UInt8 = 0
  /// How many bits of the place count.
  public var translationPrecision: UInt8 = 0
  /// The rows, of which there are three.
  public var rows: [Row] = [Row(), Row(), Row()]
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The view 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 6)
    try c.bits("ref_view_id", &refViewID, 10)
    try c.uint8("prec_rotation_param", &rotationPrecision)
    try c.uint8("prec_translation_param", &translationPrecision)
    try c.rows("rows", &rows, count: 3)
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
