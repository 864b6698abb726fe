import MP4Bytes

/// The encryption of a track's samples, as written before `tenc` existed.
public struct PIFFTrackEncryptionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "Track Encryption Box", in: ["schi"], "Protected Interoperable File Format 1.1, 5.3.3",
    userType: UserType([
      0x89, 0x74, 0xdb, 0xce, 0x7b, 0xe7, 0x4c, 0x51, 0x84, 0xf9, 0x71, 0x48, 0xf9, 0x88, 0x25, 0x54,
    ]))
  public var header = FullBoxHeader()
  /// 0: not encrypted; 1: AES-128 in counter mode; 2: AES-128 in cipher block chaining mode.
  public var defaultAlgorithmID: UInt32 = 0
  /// The size of the initialization vector of each sample: 8 or 16 bytes.
  public var defaultIVSize: UInt8 = 0
  /// The 16-byte key ID.
  public var defaultKeyID = [UInt8](repeating: 0, count: 16)
  /// Unencrypted samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint24("default_AlgorithmID", &defaultAlgorithmID, as: .named("0 none; 1 AES-CTR; 2 AES-CBC"))
    try c.uint8("default_IV_size", &defaultIVSize)
    try c.bytes("default_KID", &defaultKeyID, count: 16)
  }
}

/// The decryption parameters of each sample, as written before `senc` existed.
public struct PIFFSampleEncryptionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "Sample Encryption Box", in: ["traf", "stbl"], "Protected Interoperable File Format 1.1, 5.3.2",
    userType: UserType([
      0xa2, 0x39, 0x4f, 0x52, 0x5a, 0x9b, 0x4f, 0x14, 0xa2, 0x44, 0x6c, 0x42, 0x7c, 0x64, 0x8d, 0xf4,
    ]))
  /// With flag 1, the box declares the encryption itself; with flag 2, samples have subsamples.
  public var header = FullBoxHeader() { didSet { encryption.header = header } }
  public static var flagNames: ValueNames { "0x1 override-track-encryption; 0x2 use-subsample-encryption" }
  /// 0: not encrypted; 1: AES-128 in counter mode; 2: AES-128 in cipher block chaining mode. With flag 1.
  public var algorithmID: UInt32 = 0
  /// The size of the initialization vector of each sample, with flag 1.
  public var ivSize: UInt8 = 8
  /// The 16 bytes that name the key, with flag 1.
  public var keyID = [UInt8](repeating: 0, count: 16)
  /// The samples, as in `senc`.
  public var encryption = SampleEncryptionBox()
  /// No samples.
  public init() {}

  /// Whether the box overrides the encryption parameters of the track.
  public var overridesTrack: Bool { flags & 1 != 0 }

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    if overridesTrack {
      try c.uint24("AlgorithmID", &algorithmID, as: .named("0 none; 1 AES-CTR; 2 AES-CBC"))
      try c.uint8("IV_size", &ivSize)
      try c.bytes("KID", &keyID, count: 16)
    }
    try encryption.sampleFields(&c, declaredIVSize: overridesTrack ? ivSize : c.context.perSampleIVSize)
  }
}
