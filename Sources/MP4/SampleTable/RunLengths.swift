/// Values in a row, kept as how often each comes before the next.
struct RunLengths<Value: Equatable & Sendable>: Sendable {
  private(set) var runs: [(count: UInt32, value: Value)] = []

  mutating func append(_ value: Value, count: Int = 1) {
    var left = count
    while left > 0 {
      if let last = runs.indices.last, runs[last].value == value, runs[last].count < .max {
        let step = min(left, Int(UInt32.max - runs[last].count))
        runs[last].count += UInt32(step)
        left -= step
      } else {
        runs.append((0, value))
      }
    }
  }

  /// Whether all values are this one.
  func isAll(_ value: Value) -> Bool { runs.allSatisfy { $0.value == value } }
}
