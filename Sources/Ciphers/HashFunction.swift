import MP4Bytes

/// A hash function of bytes that arrive in pieces.
package protocol HashFunction: Sendable {
  /// Adds bytes.
  mutating func update(_ bytes: RawSpan)
  /// The hash of all bytes that were added.
  func digest() -> [UInt8]
}

/// A hash function that processes whole blocks.
protocol BlockHash: HashFunction {
  /// The number of bytes of a block.
  static var blockSize: Int { get }
  /// The bytes that do not fill a block yet.
  var rest: PartialBlock { get set }
  /// Processes whole blocks.
  mutating func process(_ blocks: RawSpan)
}

/// The start of a block, and the number of bytes before and in it.
struct PartialBlock: Sendable {
  fileprivate(set) var bytes: [UInt8] = []
  fileprivate(set) var total: UInt64 = 0

  /// The last blocks of SHA-256 and MD5: the rest, a one bit, zeros, and the number of bits in this byte order.
  func padded(isBigEndian: Bool) -> [UInt8] {
    var result = bytes + [0x80]
    result += [UInt8](repeating: 0, count: (119 - bytes.count) % 64)
    let bits = total &* 8
    return result + (isBigEndian ? bits : bits.byteSwapped).bigEndianBytes
  }
}

extension BlockHash {
  package mutating func update(_ bytes: RawSpan) {
    rest.total &+= UInt64(bytes.byteCount)
    var at = 0
    if !rest.bytes.isEmpty {
      at = min(Self.blockSize - rest.bytes.count, bytes.byteCount)
      rest.append(bytes.extracting(0..<at))
      guard rest.bytes.count == Self.blockSize else { return }
      let block = rest.bytes[...]
      process(block.raw)
      rest.bytes.removeAll(keepingCapacity: true)
    }
    let end = bytes.byteCount - (bytes.byteCount - at) % Self.blockSize
    if at < end { process(bytes.extracting(at..<end)) }
    rest.append(bytes.extracting(end..<bytes.byteCount))
  }
}

extension PartialBlock {
  fileprivate mutating func append(_ more: RawSpan) {
    for index in 0..<more.byteCount { bytes.append(more.bigEndian(at: index) ?? 0) }
  }
}

extension FixedWidthInteger {
  /// The bytes, the most significant one first.
  var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
  /// The value with its bits rotated to the left.
  @inline(__always) func rotated(left count: Self) -> Self { self &<< count | self &>> (Self(Self.bitWidth) &- count) }
}

extension RawSpan {
  /// The little-endian integer at `offset`; 0 if the bytes end before its end.
  @inline(__always) func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as _: T.Type = T.self)
    -> T
  {
    bigEndian(at: offset, as: T.self)?.byteSwapped ?? 0
  }
}
