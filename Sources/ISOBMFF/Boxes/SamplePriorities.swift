import MP4Bytes

/// The priority of each sample when some have to be dropped.
public struct DegradationPriorityBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stdp", "Degradation Priority Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.5.3")
  public var header = FullBoxHeader()
  /// One priority per sample.
  public var priorities = BoxTable<UInt16>()
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.tableToEnd("priority", &priorities)
  }
}

/// The number of padding bits at the end of each sample.
public struct PaddingBitsBox: FullBoxPayload, Equatable {
  /// Two samples in one byte.
  public struct Pair: BoxTableRow {
    /// The padding bits of the first sample.
    public var pad1: UInt8 = 0
    /// The padding bits of the second sample.
    public var pad2: UInt8 = 0
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// No padding.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.reserved(&reserved, bits: 1)
      try c.bits("pad1", &pad1, 3)
      try c.reserved(&reserved, bits: 1)
      try c.bits("pad2", &pad2, 3)
    }
  }
  public static let info = BoxInfo("padb", "Padding Bits Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.7.6")
  public var header = FullBoxHeader()
  /// The number of samples.
  public var sampleCount: UInt32 = 0
  /// The padding of two samples per row; the second half of the last row may be unused.
  public var pairs = BoxTable<Pair>()
  /// No samples.
  public init() {}
  /// The padding of each sample.
  public init(_ paddings: [UInt8]) {
    sampleCount = UInt32(clamping: paddings.count)
    pairs = BoxTable(
      stride(from: 0, to: paddings.count, by: 2).map { index in
        var pair = Pair()
        pair.pad1 = paddings[index]
        pair.pad2 = index + 1 < paddings.count ? paddings[index + 1] : 0
        return pair
      })
  }

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("sample_count", &sampleCount)
    try c.table("pads", &pairs, count: (UInt64(sampleCount) + 1) / 2)
  }
}
