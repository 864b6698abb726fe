import ISOBMFF
import MP4Bytes

/// Conversion between sample columns and box tables.
extension BoxTable {
  /// Rows with a count and a number, for runs of equal numbers as in `stts`, `ctts` and `sbgp`.
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

  /// Calls `body` with each of these rows, as they were read.
  func forEachRun(_ body: (_ count: Int, _ number: UInt32) -> Void) {
    let (counts, numbers) = (TableColumn(self, field: 0, of: 2), TableColumn(self, field: 1, of: 2))
    for index in 0..<count { body(Int(counts[index]), numbers[index]) }
  }
}

extension PackedColumn {
  /// All numbers as 32-bit big-endian integers.
  var bigEndian: [UInt8] {
    var writer = ByteWriter()
    writer.bytes.reserveCapacity(count * 4)
    forEachBlock(in: 0..<count) { numbers, all in
      writer.numbers(all) { UInt32(truncatingIfNeeded: numbers[numbers.count == 1 ? 0 : $0]) }
    }
    return writer.bytes
  }
}
