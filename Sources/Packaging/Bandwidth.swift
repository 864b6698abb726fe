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
    let bits = segments.reduce(0) { $0 + $1.byteCount * 8 }
    let total = segments.reduce(Duration.zero) { $0 + $1.duration }
    average = Self.rate(bits, total)
    let least = Duration.milliseconds(targetDuration * 500)
    let most = Duration.milliseconds(targetDuration * 1500)
    peak = total < least ? average : 0
    var (end, size, duration) = (0, 0, Duration.zero)
    // For each first segment, as many as fit; the sums go on from those of the segment before.
    for start in segments.indices {
      while end < segments.count, end == start || duration + segments[end].duration <= most {
        size += segments[end].byteCount * 8
        duration += segments[end].duration
        end += 1
      }
      // The densest of the runs that start here need not be the longest one.
      var (partSize, partDuration) = (size, duration)
      for last in stride(from: end - 1, through: start, by: -1) {
        if partDuration < least { break }
        peak = max(peak, Self.rate(partSize, partDuration))
        partSize -= segments[last].byteCount * 8
        partDuration -= segments[last].duration
      }
      size -= segments[start].byteCount * 8
      duration -= segments[start].duration
    }
    peak = max(peak, average)
  }

  /// Bits a second, rounded up, so that nobody plans with too few.
  private static func rate(_ bits: Int, _ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let microseconds = Int(clamping: seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    guard microseconds > 0 else { return 0 }
    let (high, low) = bits.multipliedFullWidth(by: 1_000_000)
    guard high.magnitude < microseconds.magnitude else { return .max }
    let (quotient, rest) = microseconds.dividingFullWidth((high, low))
    return quotient + (rest > 0 ? 1 : 0)
  }
}
