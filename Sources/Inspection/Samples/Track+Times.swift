package import MP4

extension Track {
  /// The most common time from a sample to the next one in composition order, in units of its timescale; 0 without
  /// samples.
  package var usualDuration: Int64 {
    var counts: [Int64: Int] = [:]
    forEachShownSample { counts[$0.duration, default: 0] += 1 }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 0
  }
}
