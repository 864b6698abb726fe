import Bytes
import ISOBMFF

/// Values in a row, kept as how often each comes before the next: the rows of `stts` and `ctts`, as they are in the file.
struct RunLengths: Sendable {
  /// The latest rows, and those before in blocks, so that a long table does not grow by being copied.
  private var finished = ByteWriter()
  private var blocks: [[UInt8]] = []
  private static let blockSize = 1 << 16
  private var finishedCount = 0
  private var last: (count: UInt32, value: UInt32)?
  /// Whether all values are 0.
  private(set) var isZero = true

  mutating func append(_ value: UInt32, count: Int = 1) {
    var left = count
    if left > 0, value != 0 { isZero = false }
    while left > 0 {
      if let run = last, run.value == value, run.count < .max {
        let step = min(left, Int(UInt32.max - run.count))
        last = (run.count + UInt32(step), value)
        left -= step
      } else {
        finish()
        last = (0, value)
      }
    }
  }

  /// Ends the last run.
  mutating func finish() {
    guard let run = last else { return }
    finished.pair(run.count, run.value)
    if finished.bytes.count >= Self.blockSize {
      blocks.append(finished.bytes)
      finished.bytes = []
      finished.bytes.reserveCapacity(Self.blockSize)
    }
    finishedCount += 1
    last = nil
  }

  /// The runs as rows of two numbers.
  func table<Row: TableRow>(of _: Row.Type = Row.self) -> Table<Row> {
    var copy = self
    copy.finish()
    if copy.blocks.isEmpty { return Table(encoded: copy.finished.bytes, count: copy.finishedCount) }
    var all: [UInt8] = []
    all.reserveCapacity(copy.finishedCount * 8)
    for block in copy.blocks { all += block }
    all += copy.finished.bytes
    return Table(encoded: all, count: copy.finishedCount)
  }
}
