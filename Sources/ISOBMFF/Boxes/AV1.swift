import MP4Bytes

/// The decoder configuration of AV1.
public struct AV1CodecConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "av1C", "AV1 Codec Configuration Box", in: ["av01", "encv"], "AV1 in ISOBMFF 1.2.0, 2.3")
  /// 1.
  public var version: UInt8 = 1
  /// The profile: 0 Main, 1 High, 2 Professional.
  public var seqProfile: UInt8 = 0
  /// The level, as the sequence header codes it.
  public var seqLevelIdx0: UInt8 = 0
  /// Whether the tier is High instead of Main.
  public var seqTier0: Bool = false
  /// Whether samples have more than 8 bits.
  public var highBitdepth: Bool = false
  /// Whether samples have 12 bits.
  public var twelveBit: Bool = false
  /// Whether there is no chroma.
  public var monochrome: Bool = false
  /// Whether chroma has half the width.
  public var chromaSubsamplingX: Bool = true
  /// Whether chroma has half the height.
  public var chromaSubsamplingY: Bool = true
  /// 0: unknown; 1: between luma rows; 2: at the luma sample.
  public var chromaSamplePosition: UInt8 = 0
  /// The number of frames to decode before the first one is shown, minus 1; `nil` if unknown.
  public var initialPresentationDelayMinusOne: UInt8?
  /// The sequence header and metadata, as open bitstream units.
  public var configOBUs: [UInt8] = []
  /// Nonstandard values of the reserved fields, including the marker bit.
  public var reserved = ReservedBits()
  /// Main profile, 4:2:0 with 8 bits.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.constant("marker", &reserved, bits: 1, 1)
    try c.bits("version", &version, 7)
    try c.bits("seq_profile", &seqProfile, 3, as: .named("0 Main; 1 High; 2 Professional"))
    try c.bits("seq_level_idx_0", &seqLevelIdx0, 5, as: .named(.av1Levels))
    try c.flag("seq_tier_0", &seqTier0, as: .named(.tiers))
    try c.flag("high_bitdepth", &highBitdepth)
    try c.flag("twelve_bit", &twelveBit)
    try c.flag("monochrome", &monochrome)
    try c.flag("chroma_subsampling_x", &chromaSubsamplingX)
    try c.flag("chroma_subsampling_y", &chromaSubsamplingY)
    try c.bits("chroma_sample_position", &chromaSamplePosition, 2, as: .named("0 unknown; 1 vertical; 2 colocated"))
    try c.reserved(&reserved, bits: 3)
    var hasDelay = initialPresentationDelayMinusOne != nil
    try c.flag("initial_presentation_delay_present", &hasDelay)
    if c.includes(hasDelay) {
      var delay = initialPresentationDelayMinusOne ?? 0
      try c.bits("initial_presentation_delay_minus_one", &delay, 4)
      initialPresentationDelayMinusOne = delay
    } else {
      try c.reserved(&reserved, bits: 4)
    }
    try c.bytes("configOBUs", &configOBUs)
  }
}
