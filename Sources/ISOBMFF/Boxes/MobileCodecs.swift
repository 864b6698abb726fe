public import Bytes

/// How AMR is coded in files of mobile telephones.
public struct AMRSpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo("damr", "AMR Specific Box", in: ["samr", "sawb", "enca"], "3GPP TS 26.244, 6.7")
  /// Who wrote the stream.
  public var vendor: FourCC = "    "
  /// The version of the encoder.
  public var decoderVersion: UInt8 = 0
  /// The rates that occur, one bit each; bit 15 is a frame without sound.
  public var modeSet: UInt16 = 0
  /// Every how many frames the rate may change; 0 is any.
  public var modeChangePeriod: UInt8 = 0
  /// Frames in a sample.
  public var framesPerSample: UInt8 = 1
  /// One frame in a sample.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("vendor", &vendor)
    try c.uint8("decoder_version", &decoderVersion)
    try c.uint16("mode_set", &modeSet, as: .hexadecimal)
    try c.uint8("mode_change_period", &modeChangePeriod)
    try c.uint8("frames_per_sample", &framesPerSample)
  }
}

/// Who wrote Extended AMR Wideband.
public struct AMRWPSpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo("dawp", "AMR-WB+ Specific Box", in: ["sawp"], "3GPP TS 26.244, 6.9")
  /// Who wrote the stream.
  public var vendor: FourCC = "    "
  /// The version of the encoder.
  public var decoderVersion: UInt8 = 0
  /// No one.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("vendor", &vendor)
    try c.uint8("decoder_version", &decoderVersion)
  }
}

/// How QCELP, EVRC or SMV is coded.
public struct SpeechSpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo("devc", "EVRC Specific Box", in: ["sevc"], "3GPP2 C.S0050")
  /// The same for QCELP.
  static let qcelp = BoxInfo("dqcp", "QCELP Specific Box", in: ["sqcp"], info.clause)
  /// The same for SMV.
  static let smv = BoxInfo("dsmv", "SMV Specific Box", in: ["ssmv"], info.clause)
  /// Who wrote the stream.
  public var vendor: FourCC = "    "
  /// The version of the encoder.
  public var decoderVersion: UInt8 = 0
  /// Frames in a sample.
  public var framesPerSample: UInt8 = 1
  /// One frame in a sample.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("vendor", &vendor)
    try c.uint8("decoder_version", &decoderVersion)
    try c.uint8("frames_per_sample", &framesPerSample)
  }
}

/// How H.263 is coded.
public struct H263SpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo("d263", "H.263 Specific Box", in: ["s263", "encv"], "3GPP TS 26.244, 6.8")
  public static let holdsBoxes = true
  /// Who wrote the stream.
  public var vendor: FourCC = "    "
  /// The version of the encoder.
  public var decoderVersion: UInt8 = 0
  /// The level.
  public var level: UInt8 = 10
  /// The profile.
  public var profile: UInt8 = 0
  /// Level 10 of profile 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("vendor", &vendor)
    try c.uint8("decoder_version", &decoderVersion)
    try c.uint8("H263_Level", &level)
    try c.uint8("H263_Profile", &profile)
    c.boxes()
  }
}

/// How fast a stream of H.263 is.
public struct H263BitrateBox: BoxPayload, Equatable {
  public static let info = BoxInfo("bitr", "Bitrate Box", in: ["d263"], "3GPP TS 26.244, 6.8")
  /// Bits a second.
  public var avgBitrate: UInt32 = 0
  /// Bits a second.
  public var maxBitrate: UInt32 = 0
  /// Rates that are not known.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("Avg_Bitrate", &avgBitrate)
    try c.uint32("Max_Bitrate", &maxBitrate)
  }
}
