public import MP4Bytes

/// The data that a protection system needs to provide keys.
public struct ProtectionSystemSpecificHeaderBox: FullBoxPayload, Equatable {
  /// A 16-byte key ID.
  public struct KeyID: BoxTableRow {
    /// The bytes.
    public var bytes = [UInt8](repeating: 0, count: 16)
    /// The row is a single value.
    public static let isPlain = true
    /// 16 zeros.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bytes("", &bytes, count: 16)
    }
  }
  public static let info = BoxInfo(
    "pssh", "Protection System Specific Header Box", in: ["moov", "moof", "meta"], "ISO/IEC 23001-7:2023, 8.1")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The 16-byte system ID.
  public var systemID = [UInt8](repeating: 0, count: 16)
  /// The keys that the box applies to, from version 1 on.
  public var keyIDs = BoxTable<KeyID>()
  /// The data of the protection system.
  public var data: [UInt8] = []
  /// Empty data without a system.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bytes("SystemID", &systemID, count: 16)
    c.protectionSystem(systemID)
    if version > 0 {
      var count = UInt32(clamping: keyIDs.count)
      try c.uint32("KID_count", &count)
      try c.table("KIDs", &keyIDs, count: count)
    }
    var size = UInt32(clamping: data.count)
    try c.uint32("DataSize", &size)
    try c.bytes("Data", &data, count: Int(size))
  }
}

/// The sample entry type that a track had before it was protected or wrapped.
public struct OriginalFormatBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "frma", "Original Format Box", in: ["sinf", "rinf", "cinf", "wave"], "ISO/IEC 14496-12:2022, 8.12.2")
  /// Such as `avc1`.
  public var dataFormat: FourCC = "avc1"
  /// AVC.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.fourCC("data_format", &dataFormat) }
}

/// The protection scheme of samples.
public struct SchemeTypeBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "schm", "Scheme Type Box", in: ["sinf", "rinf", "scrb", "srpp"], "ISO/IEC 14496-12:2022, 8.12.5")
  /// The same fields for another scheme that can also be used to read the content.
  static let compatible = BoxInfo(
    "csch", "Compatible Scheme Type Box", in: ["rinf", "sinf"], "ISO/IEC 14496-12:2022, 8.15.2")
  /// With flag 1, there is a URI.
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames { "0x1 scheme_uri-present" }
  /// Such as `cenc` or `cbcs`.
  public var schemeType: FourCC = "cenc"
  /// The version: 16 bits before the point and 16 after it.
  public var schemeVersion: UInt32 = 0x1_0000
  /// A URI with information about the scheme, with flag 1.
  public var schemeURI: BoxString? { didSet { header[0x1] = schemeURI != nil } }
  /// Common encryption in counter mode.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("scheme_type", &schemeType)
    try c.uint32("scheme_version", &schemeVersion)
    try c.string("scheme_uri", &schemeURI, flag: 0x1)
  }
}

/// The encryption of the samples of a track, unless a sample group overrides it.
public struct TrackEncryptionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("tenc", "Track Encryption Box", in: ["schi"], "ISO/IEC 23001-7:2023, 8.2")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The number of encrypted 16-byte blocks in the pattern, from version 1 on.
  public var defaultCryptByteBlock: UInt8 = 0
  /// The number of unencrypted 16-byte blocks in the pattern, from version 1 on.
  public var defaultSkipByteBlock: UInt8 = 0
  /// 1: samples are encrypted.
  public var defaultIsProtected: UInt8 = 0
  /// The size of the initialization vector of each sample: 0, 8 or 16 bytes.
  public var defaultPerSampleIVSize: UInt8 = 0
  /// The 16-byte key ID.
  public var defaultKeyID = [UInt8](repeating: 0, count: 16)
  /// The common initialization vector of protected samples without their own.
  public var defaultConstantIV: [UInt8] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Unencrypted samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 1)
    if version == 0 {
      try c.reserved(&reserved, bytes: 1)
    } else {
      try c.bits("default_crypt_byte_block", &defaultCryptByteBlock, 4)
      try c.bits("default_skip_byte_block", &defaultSkipByteBlock, 4)
    }
    try c.uint8("default_isProtected", &defaultIsProtected, as: .named("0 not protected; 1 protected"))
    try c.uint8("default_Per_Sample_IV_Size", &defaultPerSampleIVSize)
    try c.bytes("default_KID", &defaultKeyID, count: 16)
    guard c.includes(defaultIsProtected == 1 && defaultPerSampleIVSize == 0) else { return }
    var size = UInt8(clamping: defaultConstantIV.count)
    try c.uint8("default_constant_IV_size", &size)
    c.describe(when: "default_isProtected is 1 and default_Per_Sample_IV_Size is 0")
    try c.bytes("default_constant_IV", &defaultConstantIV, count: Int(size))
    c.describe(
      width: "8 * default_constant_IV_size", when: "default_isProtected is 1 and default_Per_Sample_IV_Size is 0")
  }
}
