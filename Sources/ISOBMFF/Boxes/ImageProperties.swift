import Bytes

/// What an auxiliary picture is for: transparency or depth, for instance.
public struct AuxiliaryTypeProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("auxC", "Auxiliary Type", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.8")
  public var header = FullBoxHeader()
  /// A URN.
  public var auxType: BoxString = ""
  /// What the type adds.
  public var auxSubtype: [UInt8] = []
  /// No type.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("aux_type", &auxType)
    if c.hasMore(or: !auxSubtype.isEmpty) { try c.bytes("aux_subtype", &auxSubtype) }
  }
}

/// By how much a picture is rotated.
public struct ImageRotation: BoxPayload, Equatable {
  public static let info = BoxInfo("irot", "Image Rotation", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.10")
  /// In units of 90 degrees, against the clock.
  public var angle: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Upright.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 6)
    try c.bits(
      "angle", &angle, 2,
      as: .named("0 0 degrees; 1 90 degrees anticlockwise; 2 180 degrees; 3 270 degrees anticlockwise"))
  }
}

/// How a picture is mirrored.
public struct ImageMirror: BoxPayload, Equatable {
  public static let info = BoxInfo("imir", "Image Mirroring", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.12")
  /// 0: top and bottom change places; 1: left and right do.
  public var axis: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Top and bottom change places.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 7)
    try c.bits("axis", &axis, 1, as: .named("0 vertical; 1 horizontal"))
  }
}
