/// Appends big-endian values to a growing array.
package struct ByteWriter {
  /// What was written so far.
  package var bytes: [UInt8] = []

  package init() {}

  @inline(__always)
  package mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}
