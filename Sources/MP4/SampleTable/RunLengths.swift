import ISOBMFF

/// Values in a row, kept as how often each comes before the next: the rows of `stts` and `ctts`, as they are in the file.
struct RunLengths: Sendable {
  private var finished = ByteWriter()
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

  /// Ends the last run, so that `table` needs no copy of the others.
  mutating func finish() {
    guard let run = last else { return }
    finished.bytes.makeRoom(for: 8)
    finished.pair(run.count, run.value)
    finishedCount += 1
    last = nil
  }

  /// The runs as rows of two numbers.
  func table<Row: TableRow>(of _: Row.Type = Row.self) -> Table<Row> {
    guard last != nil else { return Table(encoded: finished.bytes, count: finishedCount) }
    var copy = self
    copy.finish()
    return Table(encoded: copy.finished.bytes, count: copy.finishedCount)
  }
}
