import MP4Bytes

/// The configuration of AC-3 audio.
public struct AC3SpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo("dac3", "AC-3 Specific Box", in: ["ac-3", "enca", "wave"], "ETSI TS 102 366, F.4")
  /// The sampling rate: 0: 48 kHz; 1: 44.1 kHz; 2: 32 kHz.
  public var fscod: UInt8 = 0
  /// The bit stream version.
  public var bsid: UInt8 = 8
  /// The kind of service; 0 is complete main audio.
  public var bsmod: UInt8 = 0
  /// The channels, not counting the low-frequency channel: 2 is stereo, 7 is 3/2.
  public var acmod: UInt8 = 2
  /// Whether there is a low-frequency channel.
  public var lfeon: Bool = false
  /// The index of the bit rate; see `kilobitsPerSecond`.
  public var bitRateCode: UInt8 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Stereo at 48 kHz.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("fscod", &fscod, 2, as: .named("0 48000; 1 44100; 2 32000"))
    try c.bits("bsid", &bsid, 5)
    try c.bits("bsmod", &bsmod, 3, as: .named(.dolbyServices))
    try c.bits("acmod", &acmod, 3, as: .named("0 1+1; 1 1/0; 2 2/0; 3 3/0; 4 2/1; 5 3/1; 6 2/2; 7 3/2"))
    try c.flag("lfeon", &lfeon)
    try c.bits("bit_rate_code", &bitRateCode, 5, as: .named(.dolbyBitRates))
    try c.reserved(&reserved, bits: 5)
  }

  private static let rates: [UInt16] = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]
  /// The bit rate for a `bit_rate_code`, or `nil` if the code is reserved.
  package static func kilobitsPerSecond(_ code: Int64) -> UInt16? {
    rates.indices.contains(Int(code)) ? rates[Int(code)] : nil
  }
  /// The bit rate, or `nil` if its code is reserved.
  public var kilobitsPerSecond: UInt16? { Self.kilobitsPerSecond(Int64(bitRateCode)) }
}

/// The configuration of Enhanced AC-3 audio.
public struct EC3SpecificBox: BoxPayload, Equatable {
  /// A program and the substreams that add channels to it.
  public struct IndependentSubstream: BoxTableRow {
    /// The sampling rate: 0: 48 kHz; 1: 44.1 kHz; 2: 32 kHz.
    public var fscod: UInt8 = 0
    /// The bit stream version.
    public var bsid: UInt8 = 16
    /// Whether it is an associated service.
    public var asvc: Bool = false
    /// The kind of service; 0 is complete main audio.
    public var bsmod: UInt8 = 0
    /// The channels, not counting the low-frequency channel: 2 is stereo, 7 is 3/2.
    public var acmod: UInt8 = 2
    /// Whether there is a low-frequency channel.
    public var lfeon: Bool = false
    /// The number of dependent substreams.
    public var numDepSub: UInt8 = 0
    /// The channels that the dependent substreams add, if there are any.
    public var chanLoc: UInt16 = 0
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// Stereo at 48 kHz.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("fscod", &fscod, 2, as: .named("0 48000; 1 44100; 2 32000"))
      try c.bits("bsid", &bsid, 5)
      try c.reserved(&reserved, bits: 1)
      try c.flag("asvc", &asvc)
      try c.bits("bsmod", &bsmod, 3, as: .named(.dolbyServices))
      try c.bits("acmod", &acmod, 3, as: .named("0 1+1; 1 1/0; 2 2/0; 3 3/0; 4 2/1; 5 3/1; 6 2/2; 7 3/2"))
      try c.flag("lfeon", &lfeon)
      try c.reserved(&reserved, bits: 3)
      try c.bits("num_dep_sub", &numDepSub, 4)
      if numDepSub > 0 || c.isDescribing { try c.bits("chan_loc", &chanLoc, 9) }
      if numDepSub == 0 { try c.reserved(&reserved, bits: 1) }
    }
  }
  public static let info = BoxInfo("dec3", "EC-3 Specific Box", in: ["ec-3", "enca", "wave"], "ETSI TS 102 366, F.6")
  /// The bit rate in kbit/s.
  public var dataRate: UInt16 = 0
  /// The programs, 1 to 8.
  public var independentSubstreams = [IndependentSubstream()]
  /// The number of Dolby Atmos objects; most writers omit it and its flag.
  public var complexityIndexTypeA: UInt8?
  /// Whether the objects are those of type A.
  public var hasExtensionTypeA: Bool = false
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Stereo at 48 kHz.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("data_rate", &dataRate, 13)
    var count = UInt8(clamping: min(max(independentSubstreams.count, 1), 8) - 1)
    try c.bits("num_ind_sub", &count, 3)
    try c.rows("independent_substreams", &independentSubstreams, count: count + 1)
    guard c.hasMore(2, or: complexityIndexTypeA != nil) else { return }
    var complexity = complexityIndexTypeA ?? 0
    try c.reserved(&reserved, bits: 7)
    try c.flag("flag_ec3_extension_type_a", &hasExtensionTypeA)
    try c.uint8("complexity_index_type_a", &complexity)
    complexityIndexTypeA = complexity
  }
}

/// The configuration of Dolby TrueHD audio.
public struct MLPSpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "dmlp", "MLP Specific Box", in: ["mlpa", "enca", "wave"], "Dolby TrueHD in ISOBMFF 1.0")
  /// The sampling rates and channels, in the coding of the stream.
  public var formatInfo: UInt32 = 0
  /// The peak bit rate, in sixteenths of a bit per sample.
  public var peakDataRate: UInt16 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No rate.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("format_info", &formatInfo)
    try c.bits("peak_data_rate", &peakDataRate, 15)
    try c.reserved(&reserved, bits: 1)
    try c.reserved(&reserved, bytes: 4)
  }
}

/// The configuration of Dolby Vision.
public struct DOVIConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "dvcC", "Dolby Vision Configuration Box", in: ["dvh1", "dvhe", "dva1", "dvav", "hvc1", "hev1", "avc1", "encv"],
    "Dolby Vision in ISOBMFF 2.4, 3.2")
  /// The same for profiles 8 to 10.
  static let secondGeneration = BoxInfo(
    "dvvC", info.name, in: ["hvc1", "hev1", "avc1", "avc3", "av01", "dav1", "encv"], info.clause)
  /// The same for profiles above 10.
  static let thirdGeneration = BoxInfo("dvwC", info.name, in: ["hvc1", "hev1", "encv"], info.clause)
  /// The major version of the specification.
  public var dvVersionMajor: UInt8 = 1
  /// The minor version of the specification.
  public var dvVersionMinor: UInt8 = 0
  /// The profile, such as 5 or 8.
  public var dvProfile: UInt8 = 8
  /// The level.
  public var dvLevel: UInt8 = 1
  /// Whether there is metadata for each picture.
  public var rpuPresentFlag: Bool = true
  /// Whether there is an enhancement layer.
  public var elPresentFlag: Bool = false
  /// Whether there is a base layer.
  public var blPresentFlag: Bool = true
  /// What the base layer is compatible with: 0 none, 1 HDR10, 2 SDR, 4 HLG.
  public var dvBlSignalCompatibilityID: UInt8 = 0
  /// The compression of the metadata; 0 means none.
  public var dvMdCompression: UInt8 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Profile 8 without metadata compression.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("dv_version_major", &dvVersionMajor)
    try c.uint8("dv_version_minor", &dvVersionMinor)
    try c.bits(
      "dv_profile", &dvProfile, 7,
      as: .named(
        """
        4 HEVC, two layers; 5 HEVC; 7 HEVC, two layers, Blu-ray; 8 HEVC, cross-compatible; 9 AVC, cross-compatible; \
        10 AV1; 20 MV-HEVC
        """
      ))
    try c.bits("dv_level", &dvLevel, 6, as: .named(.dolbyVisionLevels))
    try c.flag("rpu_present_flag", &rpuPresentFlag)
    try c.flag("el_present_flag", &elPresentFlag)
    try c.flag("bl_present_flag", &blPresentFlag)
    try c.bits(
      "dv_bl_signal_compatibility_id", &dvBlSignalCompatibilityID, 4,
      as: .named("0 none; 1 HDR10; 2 SDR; 4 HLG; 6 Blu-ray"))
    try c.bits("dv_md_compression", &dvMdCompression, 2, as: .named("0 none; 1 limited; 3 extended"))
    try c.reserved(&reserved, bits: 26)
    try c.reserved(&reserved, bytes: 16)
  }
}
