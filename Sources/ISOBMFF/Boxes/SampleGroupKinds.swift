import Bytes

/// Samples after which decoding is correct again after some more samples, or which require some earlier samples.
public struct RollRecoveryGroup: BoxPayload {
  public static let info = BoxInfo("roll", "Roll Recovery Group", in: ["sgpd"], "ISO/IEC 14496-12:2022, 10.1")
  /// The same fields for audio pre-roll.
  static let preRoll = BoxInfo("prol", "Audio Preroll Group", in: ["sgpd"], "ISO/IEC 14496-12:2022, 10.1")
  /// The number of samples after this one or, if negative, before it.
  public var rollDistance: Int16 = 0
  /// No distance.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int16("roll_distance", &rollDistance)
  }
}

/// Pictures at which decoding can start although some following pictures cannot be shown.
public struct RandomAccessPointGroup: BoxPayload {
  public static let info = BoxInfo("rap ", "Random Access Point Group", in: ["sgpd"], "ISO/IEC 14496-12:2022")
  /// Whether the number of leading samples is known.
  public var numLeadingSamplesKnown: Bool = false
  /// The number of leading samples that follow it.
  public var numLeadingSamples: UInt8 = 0
  /// An unknown number.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.flag("num_leading_samples_known", &numLeadingSamplesKnown)
    try c.bits("num_leading_samples", &numLeadingSamples, 7)
  }
}

/// The encryption of samples that differs from `tenc`.
public struct EncryptionInformationGroup: BoxPayload {
  public static let info = BoxInfo(
    "seig", "CENC Sample Encryption Information Group", in: ["sgpd"], "ISO/IEC 23001-7:2023")
  /// The key.
  public var keyID = [UInt8](repeating: 0, count: 16)
  /// The constant initialization vector of samples that have none of their own.
  public var constantIV: [UInt8] = []
  /// The number of encrypted blocks in the pattern.
  public var cryptByteBlock: UInt8 = 0
  /// The number of unencrypted blocks in the pattern.
  public var skipByteBlock: UInt8 = 0
  /// Whether samples are encrypted.
  public var isProtected: UInt8 = 0
  /// The size of each sample's initialization vector in bytes.
  public var perSampleIVSize: UInt8 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Not encrypted.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 8)
    try c.bits("crypt_byte_block", &cryptByteBlock, 4)
    try c.bits("skip_byte_block", &skipByteBlock, 4)
    try c.uint8("isProtected", &isProtected, as: .named("0 not protected; 1 protected"))
    try c.uint8("Per_Sample_IV_Size", &perSampleIVSize)
    try c.bytes("KID", &keyID, count: 16)
    guard c.includes(isProtected == 1 && perSampleIVSize == 0) else { return }
    var count = UInt8(clamping: constantIV.count)
    try c.uint8("constant_IV_size", &count)
    try c.bytes("constant_IV", &constantIV, count: Int(count))
  }
}

/// The requirements for decoding HEVC or VVC up to a temporal layer.
public struct TemporalLayerGroup: BoxPayload {
  public static let info = BoxInfo("tscl", "Temporal Layer Group", in: ["sgpd"], "ISO/IEC 14496-15:2022")
  /// The layer.
  public var temporalLayerID: UInt8 = 0
  /// The profile space.
  public var tlprofileSpace: UInt8 = 0
  /// Whether the tier is High instead of Main.
  public var tltierFlag: Bool = false
  /// The profile.
  public var tlprofileIdc: UInt8 = 0
  /// The profiles that it is compatible with.
  public var tlprofileCompatibilityFlags: UInt32 = 0
  /// The constraint flags of the profile.
  public var constraintFlags = [UInt8](repeating: 0, count: 6)
  /// The level.
  public var tllevelIdc: UInt8 = 0
  /// The maximum bit rate in kbit/s.
  public var tlMaxBitRate: UInt16 = 0
  /// The average bit rate in kbit/s.
  public var tlAvgBitRate: UInt16 = 0
  /// 1: constant; 2: constant in each layer; 0: either.
  public var tlConstantFrameRate: UInt8 = 0
  /// The number of pictures in 256 seconds.
  public var tlAvgFrameRate: UInt16 = 0
  /// Layer 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("temporalLayerId", &temporalLayerID)
    try c.bits("tlprofile_space", &tlprofileSpace, 2)
    try c.flag("tltier_flag", &tltierFlag, as: .named(.tiers))
    try c.bits("tlprofile_idc", &tlprofileIdc, 5)
    try c.uint32("tlprofile_compatibility_flags", &tlprofileCompatibilityFlags, as: .flags(.hevcCompatibility))
    try c.bytes("tlconstraint_indicator_flags", &constraintFlags, count: 6)
    try c.uint8("tllevel_idc", &tllevelIdc)
    try c.uint16("tlMaxBitRate", &tlMaxBitRate)
    try c.uint16("tlAvgBitRate", &tlAvgBitRate)
    try c.uint8("tlConstantFrameRate", &tlConstantFrameRate)
    try c.uint16("tlAvgFrameRate", &tlAvgFrameRate)
  }
}
