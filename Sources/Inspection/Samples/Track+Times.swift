package import MP4

extension Track {
  /// The most common duration of its samples, in units of its timescale; 0 without samples.
  package var usualDuration: Int64 {
    var counts: [Int64: Int] = [:]
    for sample in samples { counts[sample.duration.value, default: 0] += 1 }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 0
  }
}
