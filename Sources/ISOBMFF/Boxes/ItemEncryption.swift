import Bytes

/// The encryption of an item.
public struct ItemEncryptionBox: FullBoxPayload, Equatable {
  /// A key of the item.
  public struct Key: BoxTableRow {
    /// The size of the initialization vector of each piece in bytes; 0 if all use the same.
    public var perSampleIVSize: UInt8 = 8
    /// The 16-byte key ID.
    public var keyID = [UInt8](repeating: 0, count: 16)
    /// The initialization vector of all pieces, if they use the same.
    public var constantIV: [UInt8] = []
    /// A key with the ID 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("Per_Sample_IV_Size", &perSampleIVSize)
      try c.bytes("KID", &keyID, count: 16)
      guard c.includes(perSampleIVSize == 0) else { return }
      var size = UInt8(clamping: constantIV.count)
      try c.uint8("constant_IV_size", &size)
      c.describe(when: "Per_Sample_IV_Size is 0")
      try c.bytes("constant_IV", &constantIV, count: Int(size))
      c.describe(width: "8 * constant_IV_size", when: "Per_Sample_IV_Size is 0")
    }
  }
  public static let info = BoxInfo("ienc", "Item Encryption Box", in: ["ipco"], "ISO/IEC 23001-7:2023, 8.4")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The number of encrypted 16-byte blocks in the pattern, from version 1 on.
  public var cryptByteBlock: UInt8 = 0
  /// The number of unencrypted 16-byte blocks after them, from version 1 on.
  public var skipByteBlock: UInt8 = 0
  /// The keys.
  public var keys: [Key] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No keys.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 8)
    if version == 0 {
      try c.reserved(&reserved, bits: 8)
    } else {
      try c.bits("crypt_byte_block", &cryptByteBlock, 4)
      try c.bits("skip_byte_block", &skipByteBlock, 4)
    }
    var count = UInt8(clamping: keys.count)
    try c.uint8("num_keys", &count)
    try c.rows("keys", &keys, count: count)
  }
}
