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
  /// The numbers one after the other, big-endian, in 32 bits each.
  var bigEndian: [UInt8] {
    var (writer, values) = (ByteWriter(), [UInt32]())
    writer.bytes.reserveCapacity(count * 4)
    forEachBlock(in: 0..<count) { numbers, all in
      values.removeAll(keepingCapacity: true)
      for number in numbers { values.append(UInt32(truncatingIfNeeded: number)) }
      if numbers.count == 1, all > 1 { values.append(contentsOf: repeatElement(values[0], count: all - 1)) }
      writer.numbers(values[...])
    }
    return writer.bytes
  }
}
