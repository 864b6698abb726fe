/// Reads numbers and bytes of a payload, most significant bit first. After the end, all numbers are 0.
package struct PayloadReader {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits read.
  private var position = 0
  /// Whether more was read than the payload has.
  package private(set) var isPastEnd = false

  package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// The number of whole bytes that remain.
  package var byteCount: Int { (bytes.count &* 8 &- position) / 8 }

  /// Reads a number of at most 64 bits.
  package mutating func bits(_ count: Int) -> UInt64 {
    guard count <= bytes.count &* 8 &- position else {
      isPastEnd = true
      position = bytes.count &* 8
      return 0
    }
    var value: UInt64 = 0
    for at in position..<(position + count) {
      value = value << 1 | UInt64(bytes[bytes.startIndex + at >> 3] >> UInt8(7 - at & 7) & 1)
    }
    position += count
    return value
  }
  package mutating func flag() -> Bool { bits(1) == 1 }
  package mutating func skip(_ count: Int) { _ = bits(count) }

  /// Reads the next bytes, or the remaining ones; only at a byte boundary.
  package mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    if count > byteCount { isPastEnd = true }
    let taken = bytes.dropFirst(position / 8).prefix(max(0, count))
    position += taken.count * 8
    return taken
  }
}
