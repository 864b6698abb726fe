import Bytes
import ISOBMFF

/// One value for every sample of a track: kept once while all are the same, then as a table has them.
struct SampleColumn<Value: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
  /// The number of samples.
  fileprivate(set) var count = 0
  /// The value of all samples, until one differs; `nil` without samples.
  fileprivate(set) var common: Value?
  fileprivate var encoded = ByteWriter()
  /// How many samples will come, as far as that is known, so that the table need not grow by doubling.
  var expectedCount = 0

  mutating func append(_ value: Value, count more: Int = 1) {
    guard more > 0 else { return }
    if count == 0 { common = value }
    if let common, common != value { expand() }
    count += more
    if common == nil { for _ in 0..<more { encoded.integer(value) } }
  }

  fileprivate mutating func expand() {
    guard let value = common else { return }
    common = nil
    // An expectation is no reason to ask for more than a real recording needs.
    encoded.bytes.reserveCapacity(max(min(expectedCount, 1 << 24), count) * MemoryLayout<Value>.size)
    for _ in 0..<count { encoded.integer(value) }
  }

  /// The values one after the other, big-endian.
  var bytes: [UInt8] {
    guard common != nil else { return encoded.bytes }
    var copy = self
    copy.expand()
    return copy.encoded.bytes
  }
}

extension SampleColumn<UInt32> {
  /// Appends many values at once.
  mutating func append(contentsOf values: ArraySlice<UInt32>) {
    guard let first = values.first else { return }
    if count == 0 { common = first }
    if let common {
      guard values.contains(where: { $0 != common }) else { return count += values.count }
      expand()
    }
    encoded.numbers(values)
    count += values.count
  }
}
