import Bytes

/// The intrinsic parameters of the camera that took an image.
public struct CameraIntrinsicMatrixProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "cmin", "Camera Intrinsic Matrix", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5.36")
  /// With flag 1, the pixels are not square or the axes are not perpendicular. Bits 8 to 12 and 16 to 20 are the
  /// numbers of fractional bits of lengths and of the skew.
  public var header = FullBoxHeader()
  /// The horizontal focal length.
  public var focalLengthX: Int32 = 0
  /// The horizontal position of the principal point.
  public var principalPointX: Int32 = 0
  /// The vertical position of the principal point.
  public var principalPointY: Int32 = 0
  /// The vertical focal length, with flag 1.
  public var focalLengthY: Int32? { didSet { header[0x1] = focalLengthY != nil } }
  /// The skew of the axes, with flag 1.
  public var skewFactor: Int32? { didSet { header[0x1] = skewFactor != nil } }
  /// A matrix of zeros.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    let length = NumberStyle.fixed(Int(flags >> 8 & 31))
    try c.int32("focal_length_x", &focalLengthX, as: length)
    try c.int32("principal_point_x", &principalPointX, as: length)
    try c.int32("principal_point_y", &principalPointY, as: length)
    try c.int32("focal_length_y", &focalLengthY, flag: 0x1, as: length)
    try c.int32("skew_factor", &skewFactor, flag: 0x1, as: .fixed(Int(flags >> 16 & 31)))
  }
}

/// The sizes of the layers of an AV1 image.
public struct AV1LayeredImageIndexingProperty: BoxPayload, Equatable {
  public static let info = BoxInfo("a1lx", "Layered Image Indexing", in: ["ipco"], "AV1 Image File Format, 2.3.2.3")
  /// Whether sizes have 32 bits instead of 16.
  public var largeSize = false
  /// The sizes of the first three layers; 0 if there are fewer.
  public var layerSizes: [UInt32] = [0, 0, 0]
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// One layer.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 7)
    try c.flag("large_size", &largeSize)
    var rows = layerSizes.map { ItemNumber(value: $0) }
    try c.rows("layer_size", &rows, count: 3, shape: largeSize ? 1 : 0)
    layerSizes = rows.map(\.value)
  }
}
