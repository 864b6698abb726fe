import Bytes

/// The purpose of an auxiliary image, such as transparency or depth.
public struct AuxiliaryTypeProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("auxC", "Auxiliary Type", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.8")
  public var header = FullBoxHeader()
  /// A URN.
  public var auxType: BoxString = ""
  /// Additional data defined by the type.
  public var auxSubtype: [UInt8] = []
  /// No type.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("aux_type", &auxType)
    if c.hasMore(or: !auxSubtype.isEmpty) { try c.bytes("aux_subtype", &auxSubtype) }
  }
}
