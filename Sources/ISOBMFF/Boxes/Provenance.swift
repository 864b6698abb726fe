import Bytes

/// The signed origin and edit history of a file: content credentials.
public struct ContentProvenanceBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "ContentProvenanceBox", in: [.file], "C2PA Technical Specification 2.1, A.5",
    userType: UserType([
      0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81,
    ]))
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// `manifest`, `original` or `update`, followed by boxes; or `merkle`, with hashes.
  public var boxPurpose: BoxString = "manifest"
  /// The file offset of the first box with hashes; 0 for none.
  public var auxiliaryOffset: UInt64 = 0
  /// Hashes, in CBOR.
  public var data: [UInt8] = []
  /// No manifest.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("box_purpose", &boxPurpose)
    let holdsManifest = ["manifest", "original", "update"].contains(boxPurpose)
    if c.includes(!holdsManifest) { try c.bytes("data", &data) }
    if c.includes(holdsManifest) {
      try c.uint64("aux_uuid_offset", &auxiliaryOffset)
      c.boxes()
    }
  }
}

/// The description of the other boxes in a JUMBF box.
public struct JUMBFDescriptionBox: BoxPayload, Equatable {
  public static let info = BoxInfo("jumd", "JUMBF Description Box", in: ["jumb"], "ISO/IEC 19566-5:2023, A.3")
  /// The 16 bytes of its type.
  public var type = [UInt8](repeating: 0, count: 16)
  /// 1: it can be requested; 2: has a label; 4: has an ID; 8: has a hash; 16: boxes follow.
  public var toggles: UInt8 = 0
  /// The label.
  public var label: BoxString = ""
  /// The ID.
  public var id: UInt32 = 0
  /// The SHA-256 of the other boxes.
  public var signature = [UInt8](repeating: 0, count: 32)
  /// Boxes.
  public var privateBoxes: [UInt8] = []
  /// An empty description.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bytes("TYPE", &type, count: 16)
    try c.uint8("TOGGLES", &toggles, as: .flags("0x1 requestable; 0x2 label; 0x4 ID; 0x8 signature; 0x10 private"))
    if c.includes(toggles & 2 != 0) { try c.string("LABEL", &label) }
    if c.includes(toggles & 4 != 0) { try c.uint32("ID", &id) }
    if c.includes(toggles & 8 != 0) { try c.bytes("SIGNATURE", &signature, count: 32) }
    if c.includes(toggles & 16 != 0) { try c.bytes("PRIVATE", &privateBoxes) }
  }
}
