import MP4HLS

/// The bit rate of the segments of a playlist.
public struct Bandwidth: Hashable, Sendable {
  /// The highest bit rate of any run of segments that lasts between 0.5 and 1.5 target durations, or of all segments if
  /// they are shorter: RFC 8216, 4.3.4.2; in draft-pantos-hls-rfc8216bis, the peak segment bit rate.
  public var peak: Int
  /// All bits divided by the total duration.
  public var average: Int

  /// A known bit rate.
  package init(peak: Int, average: Int) { (self.peak, self.average) = (peak, average) }

  /// The bit rate of segments with these sizes in bytes and durations, in a playlist with this target duration.
  public init(_ segments: [(byteCount: Int, duration: Duration)], targetDuration: Duration) {
    let sums = RunningSums(segments)
    let target = targetDuration.roundedSeconds
    average = Self.rate(sums.bits[segments.count], sums.times[segments.count])
    // The number of runs to examine for each rate is that of the segments, regardless of the length of the runs.
    peak = average
    guard sums.hasRun(above: peak, target) else { return }
    var high = peak
    while sums.hasRun(above: high, target) {
      peak = high
      high = high > .max / 2 ? .max : max(1, high * 2)
      if high == .max { break }
    }
    // The result is greater than `peak` and at most `high`.
    while peak + 1 < high {
      let middle = peak + (high - peak) / 2
      if sums.hasRun(above: middle, target) { peak = middle } else { high = middle }
    }
    peak = high
  }

  /// Bits per second, rounded up, so that players do not underestimate.
  private static func rate(_ bits: Int, _ microseconds: Int) -> Int {
    guard microseconds > 0 else { return 0 }
    let (high, low) = bits.multipliedFullWidth(by: 1_000_000)
    guard high.magnitude < microseconds.magnitude / 2 else { return .max }
    let (quotient, rest) = microseconds.dividingFullWidth((high, low))
    return quotient + (rest > 0 ? 1 : 0)
  }
}

/// The number of bits before each segment, and its start.
private struct RunningSums {
  private(set) var bits = [0]
  /// In microseconds.
  private(set) var times = [0]

  init(_ segments: [(byteCount: Int, duration: Duration)]) {
    for segment in segments {
      let (seconds, attoseconds) = segment.duration.components
      let time = Int(clamping: seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
      bits.append(bits[bits.count - 1] + segment.byteCount * 8)
      times.append(times[times.count - 1] + time)
    }
  }

  /// Whether a run of between 0.5 and 1.5 target durations exceeds `rate` bits per second.
  ///
  /// A run exceeds it if the number of bits above that rate is greater at its end than at its start. For each end, only
  /// the matching start with the smallest number is necessary; `starts` contains the candidates in ascending order.
  func hasRun(above rate: Int, _ target: Int) -> Bool {
    let (least, most) = (max(1, target * 500_000), target * 1_500_000)
    var starts: [(time: Int, excess: Excess)] = []
    var (first, next) = (0, 0)
    for end in times.indices {
      while times[end] - times[next] >= least {
        let excess = Excess(bits[next], times[next], rate)
        while starts.count > first, excess < starts[starts.count - 1].excess { starts.removeLast() }
        starts.append((times[next], excess))
        next += 1
      }
      while first < starts.count, times[end] - starts[first].time > most { first += 1 }
      if first < starts.count, starts[first].excess < Excess(bits[end], times[end], rate) { return true }
    }
    return false
  }
}

/// The number of millionths of a bit by which a number of bits exceeds a rate during a time, calculated exactly with
/// 128 bits.
private struct Excess: Comparable {
  private let high: Int
  private let low: UInt

  init(_ bits: Int, _ microseconds: Int, _ rate: Int) {
    let (had, allowed) = (bits.multipliedFullWidth(by: 1_000_000), rate.multipliedFullWidth(by: microseconds))
    let (low, borrow) = had.low.subtractingReportingOverflow(allowed.low)
    self.low = low
    high = had.high &- allowed.high &- (borrow ? 1 : 0)
  }

  static func < (a: Excess, b: Excess) -> Bool { a.high != b.high ? a.high < b.high : a.low < b.low }
}
