import MP4Bytes

extension LiveFragment {
  /// The decode times of the sync samples of a track, in order. Times at equal distances take one element, because a
  /// fragment of a few bytes can declare hundreds of millions of them.
  public struct SyncTimes: RandomAccessCollection, Sendable, Equatable {
    /// Times at equal distances.
    private struct Run: Sendable, Equatable {
      var first: Int64
      var distance: Int64
      var count: Int
      /// The number of times before it.
      var before: Int

      var last: Int64 { first &+ distance &* Int64(count - 1) }
    }
    private var runs: [Run] = []

    init() {}

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of times.
    public var endIndex: Int { runs.last.map { $0.before + $0.count } ?? 0 }
    /// The time of a sync sample.
    public subscript(index: Int) -> Int64 {
      let run = runs[runs.partition { $0.before > index } - 1]
      return run.first &+ run.distance &* Int64(index - run.before)
    }

    /// Appends `count` times, which start at `first`.
    mutating func append(from first: Int64, every distance: Int64, count: Int) {
      guard count > 0 else { return }
      if let last = runs.indices.last {
        if runs[last].count == 1, count == 1 { runs[last].distance = first &- runs[last].first }
        if runs[last].last &+ runs[last].distance == first, runs[last].distance == distance || count == 1 {
          return runs[last].count += count
        }
      }
      runs.append(Run(first: first, distance: distance, count: count, before: endIndex))
    }
    /// Appends later times.
    mutating func append(_ other: SyncTimes) {
      for run in other.runs { append(from: run.first, every: run.distance, count: run.count) }
    }

    /// The times in `range`.
    func clipped(to range: Range<Int64>) -> SyncTimes {
      var result = SyncTimes()
      for run in runs where run.last >= range.lowerBound && run.first < range.upperBound {
        // At a distance of 0, all times are in the range.
        let distance = Swift.max(1, run.distance)
        func steps(to time: Int64) -> Int { time > run.first ? Int((time &- run.first &- 1) / distance) + 1 : 0 }
        let (start, end) = (steps(to: range.lowerBound), Swift.min(run.count, steps(to: range.upperBound)))
        let used = run.distance == 0 ? 0..<run.count : start..<Swift.max(start, end)
        result.append(
          from: run.first &+ run.distance &* Int64(used.lowerBound), every: run.distance, count: used.count)
      }
      return result
    }

    /// The last time, and the last one before it that is earlier.
    package var lastTwo: [Int64] {
      guard let time = last else { return [] }
      for run in runs.reversed() {
        if run.first < time {
          return [run.last < time ? run.last : time &- run.distance, time]
        }
      }
      return [time]
    }
  }
}
