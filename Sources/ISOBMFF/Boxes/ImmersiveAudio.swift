import MP4Bytes

/// The decoder configuration of MPEG-H audio.
public struct MHAConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "mhaC", "MHA Configuration Box", in: ["mha1", "mha2", "mhm1", "mhm2", "enca"], "ISO/IEC 23008-3:2022, 20.5")
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// The profile and level; 0x0b to 0x0f are levels 1 to 5 of the low complexity profile.
  public var profileLevelIndication: UInt8 = 0x0b
  /// The loudspeakers as an index of ISO/IEC 23091-3.
  public var referenceChannelLayout: UInt8 = 2
  /// The mpegh3daConfig.
  public var mpegh3daConfig: [UInt8] = []
  /// Stereo.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("configurationVersion", &configurationVersion)
    try c.uint8("mpegh3daProfileLevelIndication", &profileLevelIndication, as: .hexadecimal)
    try c.uint8("referenceChannelLayout", &referenceChannelLayout)
    var length = UInt16(clamping: mpegh3daConfig.count)
    try c.uint16("mpegh3daConfigLength", &length)
    try c.bytes("mpegh3daConfig", &mpegh3daConfig, count: Int(length))
  }
}

/// The decoder configuration of immersive audio (IAMF).
public struct IAConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo("iacb", "IA Configuration Box", in: ["iamf", "enca"], "IAMF 1.0.0, 5.2.3")
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// How the size of the descriptors is coded.
  public var sizeForm = LEB128Form()
  /// The descriptors, as open bitstream units.
  public var configOBUs: [UInt8] = []
  /// No descriptors.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("configurationVersion", &configurationVersion)
    var size = UInt64(configOBUs.count)
    try c.leb128("configOBUs_size", &size, &sizeForm)
    try c.bytes("configOBUs", &configOBUs, count: Int(clamping: size))
  }
}

/// The configuration of AVS3 audio.
public struct AVS3AudioConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "dca3", "AVS3 Audio Configuration Box", in: ["av3a", "enca"], "AVS3 in ISOBMFF, T/AI 109.6")
  /// 0: general high rate; 1: lossless; 2: general full rate.
  public var audioCodecID: UInt8 = 2
  /// The sampling rate as an index: 0: 192 kHz; 2: 48 kHz; 3: 44.1 kHz.
  public var samplingFrequencyIndex: UInt8 = 2
  /// Codec-specific data.
  public var codecConfig: [UInt8] = []
  /// 48 kHz.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("audio_codec_id", &audioCodecID, 4)
    try c.bits("sampling_frequency_index", &samplingFrequencyIndex, 4)
    try c.bytes("codec_config", &codecConfig)
  }
}
