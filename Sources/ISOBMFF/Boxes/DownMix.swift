import Bytes

/// Instructions for mixing channels down to fewer speakers.
public struct DownMixInstructionsBox: FullBoxPayload, Equatable {
  /// How they are mixed for one layout.
  public struct Instructions: BoxTableRow {
    /// The layout of ISO/IEC 23091-3 for which they are mixed.
    public var targetLayout: UInt8 = 0
    /// How many channels that has.
    public var targetChannelCount: UInt8 = 0
    /// Whether the coefficients are in the stream and not here.
    public var isInStream = true
    /// A number by which other boxes mention the mix.
    public var downmixID: UInt8 = 0
    /// A coefficient for each channel of the target and of the sound: of 4 bits in version 0, of 5 bits after an offset
    /// of 4 bits from version 1 on.
    public var coefficients: [UInt8] = []
    /// What is in the reserved fields.
    public var reserved = ReservedBits()
    /// For no layout.
    public init() {}
    /// `shape` is the version, and 0x100 for each channel of the sound.
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
  /// The mixes; one in version 0.
  public var instructions: [Instructions] = [Instructions()]
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// One mix, in the stream.
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
