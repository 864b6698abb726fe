/// Appends big-endian values to a growing array.
@usableFromInline
package struct ByteWriter {
  /// The bytes written so far.
  @usableFromInline
  package var bytes: [UInt8] = []

  @inlinable
  package init() {}

  @inlinable
  @inline(__always)
  package mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a number of 1, 2, 4 or 8 bytes.
  package mutating func unsigned(_ value: UInt64, byteCount: Int) {
    switch byteCount {
    case 1: integer(UInt8(truncatingIfNeeded: value))
    case 2: integer(UInt16(truncatingIfNeeded: value))
    case 4: integer(UInt32(truncatingIfNeeded: value))
    default: integer(value)
    }
  }

  // The methods below are for tables with a row for every sample.

  /// Appends two 32-bit numbers.
  package mutating func pair(_ first: UInt32, _ second: UInt32) {
    integer(UInt64(first) << 32 | UInt64(second))
  }

  /// Appends 32-bit numbers; `value` returns the number for each index.
  @inlinable
  @inline(__always)
  package mutating func numbers(_ count: Int, _ value: (Int) -> UInt32) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: 4 * count))
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    for index in 0..<count {
      raw.storeBytes(of: value(index).bigEndian, toByteOffset: start + 4 * index, as: UInt32.self)
    }
  }
}
