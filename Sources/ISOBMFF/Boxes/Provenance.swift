import MP4Bytes

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
