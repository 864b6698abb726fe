import HLS

/// How many bits a second the segments of a playlist take.
public struct Bandwidth: Hashable, Sendable {
  /// The largest bit rate of any segments in a row that last between 0.5 and 1.5 target durations, or of all when they
  /// are shorter: RFC 8216, 4.3.4.2, and what draft-pantos-hls-rfc8216bis calls peak segment bit rate.
  public var peak: Int
  /// All bits by the whole duration.
  public var average: Int

  /// Of segments with these sizes in bytes and durations, in a playlist of this target duration in seconds.
  public init(_ segments: [(byteCount: Int, duration: Duration)], targetDuration: Int) {
    let parts = segments.map { (bits: $0.byteCount * 8, time: Self.microseconds($0.duration)) }
    let total = parts.reduce(0) { $0 + $1.time }
    average = Self.rate(parts.reduce(0) { $0 + $1.bits }, total)
    let (least, most) = (targetDuration * 500_000, targetDuration * 1_500_000)
    peak = total < least ? average : 0
    var (end, bits, time) = (0, 0, 0)
    // For each first segment, as many as fit; the sums go on from those of the segment before.
    for start in parts.indices {
      while end < parts.count, end == start || time + parts[end].time <= most {
        bits += parts[end].bits
        time += parts[end].time
        end += 1
      }
      // The densest of the runs that start here need not be the longest one.
      var (run, runTime) = (bits, time)
      for last in stride(from: end - 1, through: start, by: -1) {
        if runTime < least { break }
        peak = max(peak, Self.rate(run, runTime))
        run -= parts[last].bits
        runTime -= parts[last].time
      }
      bits -= parts[start].bits
      time -= parts[start].time
    }
    peak = max(peak, average)
  }

  private static func microseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(clamping: seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
  }

  /// Bits a second, rounded up, so that nobody plans with too few.
  private static func rate(_ bits: Int, _ microseconds: Int) -> Int {
    guard microseconds > 0 else { return 0 }
    let (high, low) = bits.multipliedFullWidth(by: 1_000_000)
    guard high.magnitude < microseconds.magnitude / 2 else { return .max }
    let (quotient, rest) = microseconds.dividingFullWidth((high, low))
    return quotient + (rest > 0 ? 1 : 0)
  }
}
