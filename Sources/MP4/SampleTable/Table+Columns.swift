import Bytes
import ISOBMFF

/// Columns of samples as the tables of boxes.
extension BoxTable {
  /// Rows of how often a number comes before the next one, and of that number: as in `stts`, `ctts` and `sbgp`.
  init(runsOf column: PackedColumn, in range: Range<Int>) {
    var (writer, count, size) = (ByteWriter(), 0, 0)
    column.forEachRun(in: range) { _, _ in size += 8 }
    writer.bytes.reserveCapacity(size)
    column.forEachRun(in: range) { value, samples in
      var left = samples
      while left > 0 {
        let own = UInt32(clamping: left)
        writer.pair(own, UInt32(truncatingIfNeeded: value))
        left -= Int(own)
        count += 1
      }
    }
    self.init(encoded: writer.bytes, count: count)
  }
}

extension PackedColumn {
  /// The numbers one after the other, big-endian, with as many bits as `Value` has.
  func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes.reserveCapacity(count * MemoryLayout<Value>.size)
    forEachRun(in: 0..<count) { value, samples in
      for _ in 0..<samples { writer.integer(Value(truncatingIfNeeded: value)) }
    }
    return writer.bytes
  }
}
