import MP4Bytes

/// Instructions for downmixing to fewer speakers.
public struct DownMixInstructionsBox: FullBoxPayload, Equatable {
  /// The instructions for one target layout.
  public struct Instructions: BoxTableRow {
    /// The target layout of ISO/IEC 23091-3.
    public var targetLayout: UInt8 = 0
    /// The number of channels of the target layout.
    public var targetChannelCount: UInt8 = 0
    /// Whether the coefficients are in the stream instead of here.
    public var isInStream = true
    /// The ID of the downmix, which other boxes refer to.
    public var downmixID: UInt8 = 0
    /// A coefficient for each pair of a target channel and a source channel: 4 bits each in version 0; 5 bits each
    /// after an offset of 4 bits from version 1 on.
    public var coefficients: [UInt8] = []
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// Instructions for an undefined layout.
    public init() {}
    /// `shape` is the version, plus 0x100 times the number of source channels.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("targetLayout", &targetLayout)
      try c.reserved(&reserved, bits: 1)
      try c.bits("targetChannelCount", &targetChannelCount, 7)
      try c.flag("in_stream", &isInStream)
      try c.bits("downmix_ID", &downmixID, 7)
      guard c.includes(!isInStream) else { return }
      let count =
        c.isReading
        ? Self.byteCount(targets: targetChannelCount, shape) : coefficients.count
      try c.bytes("bs_downmix_coefficients", &coefficients, count: count)
    }
    static func byteCount(targets: UInt8, _ shape: UInt32) -> Int {
      let coefficients = Int(targets) * Int(shape >> 8)
      return (shape & 0xff == 0 ? coefficients * 4 + 7 : coefficients * 5 + 11) / 8
    }
  }
  public static let info = BoxInfo(
    "dmix", "Downmix Instructions Box", in: SampleEntries.audioTypes, "ISO/IEC 14496-12:2022, 12.2.5")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The downmixes; exactly one in version 0.
  public var instructions: [Instructions] = [Instructions()]
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// One downmix, with coefficients in the stream.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count: UInt8 = 1
    if version >= 1 {
      count = UInt8(clamping: min(instructions.count, 127))
      try c.reserved(&reserved, bits: 1)
      try c.bits("downmix_instructions_count", &count, 7)
    }
    let shape = UInt32(min(version, 1)) | channelCount(c, count: count) << 8
    try c.rows("instructions", &instructions, count: count, shape: shape)
  }

  /// The number of channels for which the coefficients fill the box. Only the sample entry declares it.
  private func channelCount(_ c: borrowing FieldCoder, count: UInt8) -> UInt32 {
    for channels: UInt32 in 1...127 where c.isReading {
      var at = 0
      for _ in 0..<count {
        guard let targets = c.peek(at + 1), let last = c.peek(at + 2) else { break }
        let shape = UInt32(min(version, 1)) | channels << 8
        at += 3 + (last & 0x80 != 0 ? 0 : Instructions.byteCount(targets: targets & 0x7f, shape))
      }
      if at == c.remaining { return channels }
    }
    return 1
  }
}
