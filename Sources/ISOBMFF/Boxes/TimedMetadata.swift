import MP4Bytes

/// The data type of the values of a kind of timed metadata.
public struct MetadataDatatypeDefinitionBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "dtyp", "Metadata Datatype Definition Atom", in: ["keys"], "QuickTime File Format, Timed metadata")
  /// 0: the type is a well-known number; 1: the type has a name.
  public var datatypeNamespace: UInt32 = 0
  /// The type as a 32-bit number, such as 65 for a signed byte, or its name.
  public var datatype: [UInt8] = []
  /// A well-known type.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("datatype_namespace", &datatypeNamespace, as: .named("0 well-known; 1 with a name"))
    try c.bytes("datatype", &datatype)
    let known = datatypeNamespace == 0 ? datatype.reduce(0) { $0 << 8 | UInt64($1) } : nil
    c.derived("well_known_type", known.map { .named($0, .metadataTypes) })
    let name = datatypeNamespace == 1 ? BoxString(datatype, form: .unterminated) : nil
    c.derived("datatype_name", name.map { .text($0) })
  }
}
