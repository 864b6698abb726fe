public import Bytes

/// Where the keys of a track come from that is encrypted in the way of ISMA.
public struct ISMAKMSBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("iKMS", "ISMA Key Management System Box", in: ["schi"], "ISMA Encryption 2.0, 5.7.1")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// What names the system, from version 1 on.
  public var kmsID: FourCC = "    "
  /// The version of the system, from version 1 on.
  public var kmsVersion: UInt32 = 0
  /// Where keys are to be had.
  public var kmsURI: BoxString = ""
  /// Nowhere.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    if version > 0 {
      try c.fourCC("kms_ID", &kmsID)
      try c.uint32("kms_version", &kmsVersion)
    }
    try c.string("kms_URI", &kmsURI)
  }
}

/// How the samples of a track are encrypted in the way of ISMA.
public struct ISMASampleFormatBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("iSFM", "ISMA Sample Format Box", in: ["schi"], "ISMA Encryption 2.0, 5.7.2")
  public var header = FullBoxHeader()
  /// Whether each sample says that it is encrypted.
  public var selectiveEncryption: Bool = false
  /// The size of what names the key in each sample.
  public var keyIndicatorLength: UInt8 = 0
  /// The size of the initialization vector of each sample.
  public var ivLength: UInt8 = 4
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// All samples are encrypted.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.flag("selective_encryption", &selectiveEncryption)
    try c.reserved(&reserved, bits: 7)
    try c.uint8("key_indicator_length", &keyIndicatorLength)
    try c.uint8("IV_length", &ivLength)
  }
}

/// The salt of the counter with which a track is encrypted.
public struct ISMACrypSaltBox: BoxPayload, Equatable {
  public static let info = BoxInfo("iSLT", "ISMACryp Salt Box", in: ["schi"], "ISMA Encryption 2.0, 5.7.3")
  /// 8 bytes.
  public var salt = [UInt8](repeating: 0, count: 8)
  /// Zeros.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.bytes("salt", &salt, count: 8) }
}
