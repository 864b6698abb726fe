import ISOBMFF

/// Reads bits of arbitrary media data, most significant bit first.
///
/// Reading past the end returns zeros; the caller checks `isPastEnd` afterwards.
struct MediaBits {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits read so far; never far past the end.
  private(set) var position = 0
  private let bitCount: Int

  init(_ bytes: ArraySlice<UInt8>) { (self.bytes, bitCount) = (bytes, bytes.count * 8) }

  /// The start of a NAL unit after a header of this size, without emulation prevention bytes.
  init(nalUnit: ArraySlice<UInt8>, headerSize: Int) {
    self.init(EmulationPrevention.removed(from: nalUnit.dropFirst(headerSize)).plain)
  }

  /// Whether more bits were read than exist.
  var isPastEnd: Bool { position > bitCount }

  /// The next bits, at most 24, without consuming them.
  func peek(_ count: Int) -> Int {
    let at = bytes.startIndex + position >> 3
    var word: UInt32 = 0
    if at + 4 <= bytes.endIndex {
      word = UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
    } else {
      for index in 0..<4 where at + index < bytes.endIndex {
        word |= UInt32(bytes[at + index]) << UInt32(24 - 8 * index)
      }
    }
    return Int((word << UInt32(position & 7)) >> UInt32(32 - count))
  }

  mutating func skip(_ count: Int) { position = min(position + count, bitCount + 1) }

  /// Reads a number of at most 24 bits.
  mutating func bits(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    let value = peek(count)
    skip(count)
    return value
  }
  mutating func flag() -> Bool { bits(1) == 1 }
  /// Skips to the next byte boundary.
  mutating func align() { skip(-position & 7) }

  /// Reads an unsigned Exp-Golomb code with at most 23 leading zeros; longer ones count as the end.
  mutating func golomb() -> Int {
    var zeroCount = 0
    while !flag() {
      zeroCount += 1
      if zeroCount > 23 || isPastEnd {
        position = bitCount + 1
        return 0
      }
    }
    return zeroCount == 0 ? 0 : 1 << zeroCount - 1 + bits(zeroCount)
  }
  mutating func skipGolombs(_ count: Int) { for _ in 0..<min(count, 512) where !isPastEnd { _ = golomb() } }
  mutating func signedGolomb() -> Int {
    let code = golomb()
    return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
  }
}
