import ISOBMFF
import MP4Bytes

/// Reads bits of arbitrary media data, most significant bit first.
///
/// Reading past the end returns zeros; the caller checks `isPastEnd` afterwards.
struct MediaBits {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits read so far; never far past the end.
  private(set) var position = 0
  private let bitCount: Int
  /// The 64 bits from a byte on; their number is the position of the first one.
  private var held: (bits: UInt64, start: Int) = (0, -64)

  init(_ bytes: ArraySlice<UInt8>) { (self.bytes, bitCount) = (bytes, bytes.count * 8) }

  /// The start of a NAL unit after a header of this size, without emulation prevention bytes.
  init(nalUnit: ArraySlice<UInt8>, headerSize: Int) {
    self.init(EmulationPrevention.removed(from: nalUnit.dropFirst(headerSize)).plain)
  }

  /// Whether more bits were read than exist.
  var isPastEnd: Bool { position > bitCount }

  /// The next bits, at most 24 and at least one, without consuming them.
  @inline(__always)
  mutating func peek(_ count: Int) -> Int {
    if position &+ count > held.start &+ 64 || position < held.start { hold() }
    return Int(truncatingIfNeeded: (held.bits &<< UInt64(position &- held.start)) &>> UInt64(64 &- count))
  }

  /// Loads the bits at the position. Zeros follow the end.
  @inline(never)
  private mutating func hold() {
    let at = position >> 3
    held.start = at << 3
    if let word = bytes.raw.bigEndian(at: at, as: UInt64.self) {
      held.bits = word
      return
    }
    held.bits = 0
    for index in 0..<8 where bytes.startIndex + at + index < bytes.endIndex {
      held.bits |= UInt64(bytes[bytes.startIndex + at + index]) << UInt64(56 - 8 * index)
    }
  }

  @inline(__always)
  mutating func skip(_ count: Int) { position = min(position + count, bitCount + 1) }

  /// Reads a number of at most 24 bits.
  @inline(__always)
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
