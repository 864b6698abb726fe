import MP4Bytes

/// The configuration of AC-4 audio.
public struct AC4SpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo("dac4", "AC-4 Specific Box", in: ["ac-4", "enca"], "ETSI TS 103 190-2, E.5")
  /// The program identifier, from bitstream version 2 on.
  public struct Program: Equatable, Sendable {
    /// The short program ID.
    public var shortProgramID: UInt16 = 0
    /// The program UUID, if there is one.
    public var programUUID: [UInt8]?
    /// Number 0.
    public init() {}
  }
  /// 1; 0 in the first edition, which declares no bit rates and packs presentations without lengths.
  public var ac4DSIVersion: UInt8 = 1
  /// The bit stream version.
  public var bitstreamVersion: UInt8 = 2
  /// The sampling rate: 0: 44.1 kHz; 1: 48 kHz.
  public var fsIndex: UInt8 = 1
  /// The frame rate index; 13 means the codec's native frame rate.
  public var frameRateIndex: UInt8 = 13
  /// The number of presentations in version 0, whose bytes are in `presentationData`.
  public var presentationCount: UInt16 = 0
  /// The program identifier, if there is one.
  public var program: Program?
  /// 0: unknown; 1: constant; 2: average; 3: variable.
  public var bitRateMode: UInt8 = 0
  /// Bits per second.
  public var bitRate: UInt32 = 0
  /// The precision of the bit rate; all ones if unknown.
  public var bitRatePrecision: UInt32 = 0xffff_ffff
  /// The presentations of the stream.
  public var presentations: [AC4Presentation] = []
  /// Presentations in an unknown format.
  public var presentationData: [UInt8] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No presentations.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("ac4_dsi_version", &ac4DSIVersion, 3)
    try c.bits("bitstream_version", &bitstreamVersion, 7)
    try c.bits("fs_index", &fsIndex, 1, as: .named("0 44100; 1 48000"))
    try c.bits("frame_rate_index", &frameRateIndex, 4, as: .named(.dolbyFrameRates))
    var count = ac4DSIVersion == 1 ? presentations.count : Int(presentationCount)
    try c.bits("n_presentations", &count, 9)
    guard ac4DSIVersion == 1 else {
      presentationCount = UInt16(clamping: count)
      return try c.bytes("presentations", &presentationData)
    }
    let hasProgram = try programFields(&c)
    try c.bits("bit_rate_mode", &bitRateMode, 2, as: .named("0 not specified; 1 constant; 2 average; 3 variable"))
    try c.bits("bit_rate", &bitRate, 32)
    try c.bits("bit_rate_precision", &bitRatePrecision, 32)
    // 66 bits, and 1, 18 or 146 bits before them from bitstream version 2 on.
    let used = 66 + (bitstreamVersion > 1 ? hasProgram ? 18 : 1 : 0)
    try c.reserved(&reserved, bits: (8 - used % 8) % 8)
    try c.rows("presentations", &presentations, count: count)
  }

  /// Returns whether there is a program identifier.
  private mutating func programFields(_ c: inout FieldCoder) throws(BoxError) -> Bool {
    guard c.includes(bitstreamVersion > 1) else { return false }
    var hasProgram = program != nil
    try c.flag("b_program_id", &hasProgram)
    guard c.includes(hasProgram) else { return false }
    var named = program ?? Program()
    try c.bits("short_program_id", &named.shortProgramID, 16)
    var hasUUID = named.programUUID != nil
    try c.flag("b_uuid", &hasUUID)
    if c.includes(hasUUID) {
      var uuid = named.programUUID ?? []
      try c.bitBytes("program_uuid", &uuid, count: 16)
      named.programUUID = uuid
    }
    program = named
    return hasProgram
  }
}

/// A presentation of an AC-4 stream: a selection of substreams.
public struct AC4Presentation: BoxTableRow {
  /// 0, 1 or 2; other versions have an unknown format.
  public var presentationVersion: UInt8 = 1
  /// How the presentation is composed of substreams; 6 means no substream, 31 a single one.
  public var presentationConfig: UInt8 = 31
  /// The level of decoders that can play it.
  public var mdcompat: UInt8 = 0
  /// The presentation ID, which can be used to select it.
  public var presentationID: UInt8?
  /// The number of audio frames per video frame.
  public var frameRateMultiplyInfo: UInt8 = 0
  /// The number of video frames per audio frame.
  public var frameRateFractionInfo: UInt8 = 0
  /// The version of the metadata.
  public var emdfVersion: UInt8 = 0
  /// The key that protects the metadata.
  public var keyID: UInt16 = 0
  /// Whether it has channels, not only objects; from presentation version 1 on.
  public var isChannelCoded: Bool = false
  /// The channels as an index.
  public var channelMode: UInt8 = 0
  /// Whether there are four back channels, in modes 11 to 14.
  public var has4BackChannels: Bool = false
  /// The channel pairs above the listener, in modes 11 to 14.
  public var topChannelPairs: UInt8 = 0
  /// The channels as a mask of 24 bits.
  public var channelMask: UInt32 = 0
  /// The bits up to the next byte boundary, which are not decoded.
  public var substreamBits: UInt8 = 0
  /// The substreams and everything after them, not decoded.
  public var substreams: [UInt8] = []
  /// Whether the fields before `substreams` are present.
  public var isDecoded = false
  /// A presentation without substreams.
  public init() {}

  /// Version, configuration and the following fields take at most 9 bytes, and real presentations are longer.
  private static let decodedSize = 9

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint8("presentation_version", &presentationVersion)
    let bodySize = (isDecoded ? (bitCount + 7) / 8 : 0) + substreams.count
    var size = UInt8(clamping: bodySize)
    try c.uint8("pres_bytes", &size)
    var more = UInt16(clamping: bodySize - 255)
    if c.includes(size == 255) { try c.uint16("add_pres_bytes", &more) }
    let left = Int(size) + (size == 255 ? Int(more) : 0)
    if c.isReading { isDecoded = presentationVersion <= 2 && left >= Self.decodedSize }
    guard c.includes(isDecoded) else { return try c.bytes("substreams", &substreams, count: left) }
    try bodyFields(&c)
    let used = bitCount
    if used % 8 > 0 { try c.bits("substream_bits", &substreamBits, 8 - used % 8) }
    try c.bytes("substreams", &substreams, count: c.isReading ? left - (used + 7) / 8 : nil)
  }

  private mutating func bodyFields(_ c: inout FieldCoder) throws(BoxError) {
    let isFirst = presentationVersion == 0
    try c.bits(isFirst ? "presentation_config" : "presentation_config_v1", &presentationConfig, 5)
    guard presentationConfig != 6 else { return }
    try c.bits("mdcompat", &mdcompat, 3)
    var hasID = presentationID != nil
    try c.flag("b_presentation_id", &hasID)
    if c.includes(hasID) {
      var id = presentationID ?? 0
      try c.bits("presentation_id", &id, 5)
      presentationID = hasID ? id : nil
    }
    try c.bits("dsi_frame_rate_multiply_info", &frameRateMultiplyInfo, 2)
    if c.includes(!isFirst) { try c.bits("dsi_frame_rate_fraction_info", &frameRateFractionInfo, 2) }
    try c.bits("presentation_emdf_version", &emdfVersion, 5)
    try c.bits("presentation_key_id", &keyID, 10)
    if isFirst { return try c.bits("presentation_channel_mask", &channelMask, 24, as: .hexadecimal) }
    try c.flag("b_presentation_channel_coded", &isChannelCoded)
    guard c.includes(isChannelCoded) else { return }
    try c.bits("dsi_presentation_ch_mode", &channelMode, 5, as: .named(.dolbyChannelModes))
    if c.includes(hasHeights) {
      try c.flag("pres_b_4_back_channels_present", &has4BackChannels)
      try c.bits("pres_top_channel_pairs", &topChannelPairs, 2)
    }
    try c.bits("presentation_channel_mask_v1", &channelMask, 24, as: .hexadecimal)
  }

  private var hasHeights: Bool { (11...14).contains(channelMode) }
  /// The number of bits of `bodyFields`.
  private var bitCount: Int {
    if presentationConfig == 6 { return 5 }
    let common = 5 + 3 + 1 + (presentationID == nil ? 0 : 5) + 2 + 5 + 10
    if presentationVersion == 0 { return common + 24 }
    return common + 2 + 1 + (isChannelCoded ? 5 + (hasHeights ? 3 : 0) + 24 : 0)
  }
}
