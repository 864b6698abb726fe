import MP4Bytes

/// The configuration of DTS audio.
public struct DTSSpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "ddts", "DTS Specific Box", in: ["dtsc", "dtsh", "dtsl", "dtse", "enca"], "ETSI TS 102 114, E.3.3")
  /// The maximum sampling rate.
  public var samplingFrequency: UInt32 = 48000
  /// The maximum bit rate in bits per second.
  public var maxBitrate: UInt32 = 0
  /// The average bit rate in bits per second.
  public var avgBitrate: UInt32 = 0
  /// Bits per sample.
  public var pcmSampleDepth: UInt8 = 16
  /// The frame duration: 512 samples times two to this power.
  public var frameDuration: UInt8 = 0
  /// The structure of the stream: 1 means only a core.
  public var streamConstruction: UInt8 = 1
  /// Whether the core has a low-frequency channel.
  public var coreLFEPresent: Bool = false
  /// The channels of the core: 2 is stereo, 9 is 3/2, 31 is given by `channelLayout`.
  public var coreLayout: UInt8 = 2
  /// The size of a core frame in bytes.
  public var coreSize: UInt16 = 0
  /// Whether there is a downmix to stereo.
  public var stereoDownmix: Bool = false
  /// The representation of the channels: 0 means loudspeakers.
  public var representationType: UInt8 = 0
  /// The loudspeakers as a bit mask.
  public var channelLayout: UInt16 = 0
  /// Whether there are several assets.
  public var multiAssetFlag: Bool = false
  /// Whether frames of low bit rate have half the duration.
  public var lbrDurationMod: Bool = false
  /// Whether a box follows.
  public var reservedBoxPresent: Bool = false
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Stereo at 48 kHz.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("DTSSamplingFrequency", &samplingFrequency)
    try c.uint32("maxBitrate", &maxBitrate)
    try c.uint32("avgBitrate", &avgBitrate)
    try c.uint8("pcmSampleDepth", &pcmSampleDepth)
    try c.bits("FrameDuration", &frameDuration, 2)
    try c.bits("StreamConstruction", &streamConstruction, 5)
    try c.flag("CoreLFEPresent", &coreLFEPresent)
    try c.bits("CoreLayout", &coreLayout, 6)
    try c.bits("CoreSize", &coreSize, 14)
    try c.flag("StereoDownmix", &stereoDownmix)
    try c.bits("RepresentationType", &representationType, 3)
    try c.bits("ChannelLayout", &channelLayout, 16, as: .hexadecimal)
    try c.flag("MultiAssetFlag", &multiAssetFlag)
    try c.flag("LBRDurationMod", &lbrDurationMod)
    try c.flag("ReservedBoxPresent", &reservedBoxPresent)
    try c.reserved(&reserved, bits: 5)
  }
}

/// The configuration of DTS-UHD audio.
public struct DTSUHDSpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "udts", "DTS-UHD Specific Box", in: ["dtsx", "dtsy", "enca"], "ETSI TS 103 491, B.3.2")
  /// The profile, minus 2.
  public var decoderProfileCode: UInt8 = 0
  /// Samples per frame: 0: 512; 1: 1024; 2: 2048; 3: 4096.
  public var frameDurationCode: UInt8 = 1
  /// The maximum frame size, as an index.
  public var maxPayloadCode: UInt8 = 0
  /// The number of presentations, minus 1.
  public var numPresentationsCode: UInt8 = 0
  /// The loudspeakers as a bit mask.
  public var channelMask: UInt32 = 0
  /// 0: 44.1 kHz; 1: 48 kHz.
  public var baseSamplingFrequencyCode: UInt8 = 1
  /// The sampling rate is the base rate times two to this power.
  public var sampleRateMod: UInt8 = 0
  /// The representation of the channels: 0 means loudspeakers.
  public var representationType: UInt8 = 0
  /// The index of the stream.
  public var streamIndex: UInt8 = 0
  /// Whether boxes follow.
  public var expansionBoxPresent: Bool = false
  /// The presentations that have an identifier, one bit each, the first in the highest bit.
  public var idTagPresent: UInt32 = 0
  /// The identifiers, 16 bytes each.
  public var presentationIDTags: [UInt8] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// One presentation.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("DecoderProfileCode", &decoderProfileCode, 6)
    try c.bits("FrameDurationCode", &frameDurationCode, 2)
    try c.bits("MaxPayloadCode", &maxPayloadCode, 3)
    try c.bits("NumPresentationsCode", &numPresentationsCode, 5)
    try c.uint32("ChannelMask", &channelMask, as: .hexadecimal)
    try c.bits("BaseSamplingFrequencyCode", &baseSamplingFrequencyCode, 1)
    try c.bits("SampleRateMod", &sampleRateMod, 2)
    try c.bits("RepresentationType", &representationType, 3)
    try c.bits("StreamIndex", &streamIndex, 3)
    try c.flag("ExpansionBoxPresent", &expansionBoxPresent)
    let count = Int(numPresentationsCode & 31) + 1
    try c.bits("IDTagPresent", &idTagPresent, count, as: .hexadecimal)
    // 10 bits precede the flags, and whole bytes follow them.
    let used = (10 + count) % 8
    if used > 0 { try c.reserved(&reserved, bits: 8 - used) }
    try c.bytes("PresentationIDTag", &presentationIDTags, count: 16 * idTagPresent.nonzeroBitCount)
  }
}
