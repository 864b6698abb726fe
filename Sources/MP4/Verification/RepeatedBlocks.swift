import MP4Bytes

/// Finds blocks of coded media that occur twice, as after a failed write. Compressed media does not repeat itself.
///
/// It remembers a bounded number of blocks, so that its memory does not depend on the file.
struct RepeatedBlocks: Sendable {
  /// A block at a multiple of its size in its source.
  struct Block: Sendable {
    let key: UInt64
    let offset: Int
    let sample: VerifiedSample
  }
  /// The size of the blocks of disks and of most file systems.
  static let size = 4096
  /// The number of bytes of a block that are hashed.
  private static let hashed = 32
  private static let limit = 1 << 16
  private var known: [UInt64: (source: Int, offset: Int)] = [:]
  private var order: [UInt64] = []
  private var oldest = 0

  /// Adds the blocks that are in a sample.
  static func note(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ blocks: inout [Block]) {
    var at = -sample.offset & (size - 1)
    let raw = bytes.raw
    while at + size <= bytes.count {
      if let key = key(raw, at) { blocks.append(Block(key: key, offset: sample.offset + at, sample: sample)) }
      at += size
    }
  }

  /// A hash of the start of a block; `nil` if it is not like coded media.
  private static func key(_ bytes: RawSpan, _ start: Int) -> UInt64? {
    var (hash, all, any): (UInt64, UInt64, UInt64) = (0, .max, 0)
    for at in stride(from: start, to: start + hashed, by: 8) {
      let word = bytes.bigEndian(at: at, as: UInt64.self) ?? 0
      hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 29
      all &= word
      any |= word
    }
    // The same bits in each word: padding.
    return all == any ? nil : hash
  }

  /// The place of an equal block that was added before; else the block is added.
  mutating func earlier(_ block: Block, _ index: Int, _ source: any ByteSource) throws(IOError) -> Int? {
    if let place = known[block.key], place.source == index, place.offset != block.offset {
      let own = try source.bytes(in: block.offset..<block.offset + Self.size)
      let other = try source.bytes(in: place.offset..<place.offset + Self.size)
      return own == other ? place.offset : nil
    }
    if order.count < Self.limit {
      order.append(block.key)
    } else {
      known[order[oldest]] = nil
      order[oldest] = block.key
      oldest = (oldest + 1) % Self.limit
    }
    known[block.key] = (index, block.offset)
    return nil
  }
}

/// Finds blocks of zeros in coded media: sectors that were not written.
enum ZeroBlocks {
  private static let size = 512
  /// Runs of zeros that start or end this near to a sector are those of sectors.
  private static let slack = 3

  /// The zeros in a sample that is at an offset; `nil` if there are none that fill sectors, from or up to a border.
  static func first(in bytes: ArraySlice<UInt8>, at offset: Int) -> Range<Int>? {
    let raw = bytes.raw
    var at = -offset & (size - 1)
    while at + size <= bytes.count {
      if raw.bigEndian(at: at, as: UInt64.self) == 0, raw.isZero(at..<at + size) {
        var (start, end) = (at, at + size)
        while start > 0, bytes[bytes.startIndex + start - 1] == 0 { start -= 1 }
        while end < bytes.count, bytes[bytes.startIndex + end] == 0 { end += 1 }
        // Padding ends a sample, or fills all of it.
        let isPadding = end == bytes.count && at - start > slack
        if !isPadding, at - start <= slack || (offset + end) & (size - 1) <= slack {
          return offset + start..<offset + end
        }
        at = end + (-(offset + end) & (size - 1))
      } else {
        at += size
      }
    }
    return nil
  }
}

extension RawSpan {
  /// Whether all bytes of a range are zeros.
  func isZero(_ range: Range<Int>) -> Bool {
    var at = range.lowerBound
    while at + 8 <= range.upperBound {
      guard bigEndian(at: at, as: UInt64.self) == 0 else { return false }
      at += 8
    }
    while at < range.upperBound {
      guard bigEndian(at: at, as: UInt8.self) == 0 else { return false }
      at += 1
    }
    return true
  }
}
