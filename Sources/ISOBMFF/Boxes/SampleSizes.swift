import MP4Bytes

/// The size of every sample of a track.
public struct SampleSizeBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stsz", "Sample Size Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.7.3.2")
  public var header = FullBoxHeader()
  /// The size shared by all samples, or 0 if `sizes` has a size for each.
  public var sampleSize: UInt32 = 0
  /// The number of samples, if they share a size.
  public var sameSizeCount: UInt32 = 0
  /// The size of each sample, if they differ.
  public var sizes = BoxTable<UInt32>()
  /// The number of samples.
  public var sampleCount: UInt32 { sampleSize == 0 ? UInt32(clamping: sizes.count) : sameSizeCount }
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("sample_size", &sampleSize)
    if sampleSize != 0 { return try c.uint32("sample_count", &sameSizeCount) }
    try c.table("entry_size", &sizes, counted: "sample_count")
  }
}

/// The size of every sample of a track, in 4, 8 or 16 bits each.
public struct CompactSampleSizeBox: FullBoxPayload, Equatable {
  /// Two sizes of four bits, in one byte.
  public struct Pair: BoxTableRow {
    /// The first size.
    public var first: UInt8 = 0
    /// The second size; 0 after the last sample.
    public var second: UInt8 = 0
    /// No bytes.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("entry_size", &first, 4)
      try c.bits("next_entry_size", &second, 4)
    }
  }
  public static let info = BoxInfo("stz2", "Compact Sample Size Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.7.3.3")
  public var header = FullBoxHeader()
  /// The width of a size in bits: 4, 8 or 16.
  public var fieldSize: UInt8 = 16
  /// The number of samples.
  public var sampleCount: UInt32 = 0
  /// The sizes, if the width is 4.
  public var pairs = BoxTable<Pair>()
  /// The sizes, if the width is 8.
  public var bytes = BoxTable<UInt8>()
  /// The sizes, if the width is 16.
  public var words = BoxTable<UInt16>()
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 3)
    try c.uint8("field_size", &fieldSize)
    try c.uint32("sample_count", &sampleCount)
    switch fieldSize {
    case 4: try c.halfBytes("entry_size", &pairs, count: Int(sampleCount))
    case 8: try c.table("entry_size", &bytes, count: sampleCount)
    case 16: try c.table("entry_size", &words, count: sampleCount)
    default: try c.check(false, "field_size", fieldSize, "4, 8 or 16")
    }
    c.describe(width: "field_size")
  }

  /// The size of the sample at `index`, counted from 0.
  public subscript(index: Int) -> UInt32 {
    switch fieldSize {
    case 4: UInt32(index % 2 == 0 ? pairs[index / 2].first : pairs[index / 2].second)
    case 8: UInt32(bytes[index])
    default: UInt32(words[index])
    }
  }
}

extension FieldCoder {
  /// `count` numbers of four bits, two in each byte. The last half byte can be unused.
  fileprivate mutating func halfBytes(
    _ name: StaticText, _ pairs: inout BoxTable<CompactSampleSizeBox.Pair>, count: Int
  ) throws(BoxError) {
    let pairCount = count / 2 + count % 2
    if mode == .access {
      return try codeRows(name, min(count, 2 * pairs.count), of: count, { _ in }) { (c, index) throws(BoxError) in
        var pair = pairs[index / 2]
        if index % 2 == 0 { try c.bits("", &pair.first, 4) } else { try c.bits("", &pair.second, 4) }
        if c.access?.given != nil { pairs[index / 2] = pair }
      }
    }
    guard mode == .read else {
      return try mode == .describe ? halfByte(name) : table(name, &pairs, count: pairCount)
    }
    guard reader.remaining >= pairCount else {
      throw BoxError(
        .countTooLarge(pairCount, entrySize: 1, left: reader.remaining), field: name, offset: reader.offset)
    }
    let start = payload.startIndex + reader.position
    pairs = BoxTable(bytes: payload[start..<start + pairCount], count: pairCount, shape: 0, stride: 1)
    if let sink {
      if sink.beginTable(name, count: count, plain: true) {
        for index in 0..<count {
          let pair = pairs[index / 2]
          sink.row(index, [("", .unsigned(UInt64(index % 2 == 0 ? pair.first : pair.second)))])
        }
      }
      sink.endTable()
    }
    try reader.skip(pairCount, name)
  }

  private mutating func halfByte(_ name: StaticText) throws(BoxError) {
    var size: UInt8 = 0
    try bits(name, &size, 4)
  }
}

extension CompactSampleSizeBox {
  /// A box for sizes stored in 32 bits each, with the smallest width that fits all of them; `nil` if one needs more
  /// than 16 bits, or if there are none.
  package init?(bigEndian sizes: [UInt8]) {
    let slice = sizes[...]
    let rows = slice.raw
    let count = sizes.count / 4
    var all: UInt32 = 0
    for index in 0..<count { all |= rows.bigEndian(at: index * 4) ?? 0 }
    guard count > 0, all <= UInt32(UInt16.max) else { return nil }
    self.init()
    sampleCount = UInt32(clamping: count)
    fieldSize = all < 16 ? 4 : all < 256 ? 8 : 16
    var writer = ByteWriter()
    for index in 0..<count {
      let size: UInt32 = rows.bigEndian(at: index * 4) ?? 0
      switch fieldSize {
      case 4 where index % 2 == 1: writer.bytes[index / 2] |= UInt8(truncatingIfNeeded: size)
      case 4: writer.integer(UInt8(truncatingIfNeeded: size << 4))
      case 8: writer.integer(UInt8(truncatingIfNeeded: size))
      default: writer.integer(UInt16(truncatingIfNeeded: size))
      }
    }
    switch fieldSize {
    case 4: pairs = BoxTable(encoded: writer.bytes, count: writer.bytes.count)
    case 8: bytes = BoxTable(encoded: writer.bytes, count: count)
    default: words = BoxTable(encoded: writer.bytes, count: count)
    }
  }
}
