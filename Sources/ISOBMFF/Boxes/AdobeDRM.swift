import Bytes

/// A box of Adobe's protection that holds others after a version and flags.
public struct AdobeDRMContainerBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "adkm", "Adobe DRM Key Management System Box", in: ["schi"], "Adobe Flash Video File Format 10.1, 2.14")
  /// How the content is encrypted.
  static let drmHeader = BoxInfo("ahdr", "Adobe DRM Header Box", in: ["adkm"], info.clause)
  /// How it is encrypted in the usual way.
  static let standardEncryption = BoxInfo(
    "aprm", "Adobe Standard Encryption Params Box", in: ["ahdr"], info.clause)
  /// Where keys come from.
  static let keyInfo = BoxInfo("akey", "Adobe Key Info Box", in: ["aprm"], info.clause)
  public static let holdsBoxes = true
  public var header = FullBoxHeader(version: 1)
  /// Version 1.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { c.boxes() }
}

/// The cipher of Adobe's protection.
public struct AdobeEncryptionInfoBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "aeib", "Adobe Encryption Info Box", in: ["aprm"], "Adobe Flash Video File Format 10.1, 2.14")
  public var header = FullBoxHeader(version: 1)
  /// `AES-CBC`.
  public var encryptionAlgorithm: BoxString = "AES-CBC"
  /// Bytes of a key.
  public var keyLength: UInt8 = 16
  /// AES with 128 bits.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("EncryptionAlgorithm", &encryptionAlgorithm)
    try c.uint8("KeyLength", &keyLength)
  }
}

/// What a server of keys needs to know.
public struct AdobeFlashAccessParamsBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "flxs", "Adobe Flash Access Params Box", in: ["akey"], "Adobe Flash Video File Format 10.1, 2.14")
  /// Base64.
  public var fmrmsMetadata: BoxString = ""
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("FMRMSMetadata", &fmrmsMetadata) }
}

/// How the samples of a track are encrypted in Adobe's way.
public struct AdobeDRMAUFormatBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "adaf", "Adobe DRM Access Unit Format Box", in: ["adkm"], "Adobe Flash Video File Format 10.1, 2.14")
  public var header = FullBoxHeader()
  /// 0x10: each sample says whether it is encrypted.
  public var selectiveEncryption: UInt8 = 0
  /// The size of the initialization vector of each sample.
  public var ivLength: UInt8 = 16
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// All samples are encrypted.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("SelectiveEncryption", &selectiveEncryption, as: .hexadecimal)
    try c.reserved(&reserved, bytes: 1)
    try c.uint8("IVLength", &ivLength)
  }
}
