public import MP4

/// Statistics about the samples of a track.
public struct SampleStatistics: Sendable {
  /// The number of samples.
  public let count: Int
  /// The sum of their sizes.
  public let byteCount: Int
  /// The sum of their durations.
  public let duration: MediaTime
  /// The number of sync samples.
  public let keyframeCount: Int
  /// The average bit rate in bits per second; `nil` without a duration.
  public let bitRate: Int?
  /// The largest number of bits that are decoded within one second; `nil` if the track lasts less than a second.
  public let peakBitRate: Int?
  /// The GOPs; `nil` if all samples are sync samples.
  public let groups: Groups?
  /// The number of samples by the time to the next one in composition order, in units of the timescale; without the
  /// last sample.
  let durations: [Int64: Int]

  /// Statistics about GOPs.
  public struct Groups: Sendable {
    /// The number of pictures in the shortest and the longest GOP. The last GOP is often truncated, and counts only if
    /// it is the only one.
    public internal(set) var sampleCounts: ClosedRange<Int>
    /// The shortest and the longest duration.
    public internal(set) var durations: ClosedRange<MediaTime>
    /// The number of open GOPs: those with pictures that are presented before the sync sample.
    public internal(set) var openCount: Int
    /// The number of pictures that are presented before the sync sample that precedes them in decoding order.
    public internal(set) var leadingCount: Int
  }

  /// Collects the statistics of a track.
  init(_ track: Track) {
    let samples = track.samples
    (count, byteCount, duration) = (samples.count, samples.byteCount, track.mediaDuration)
    bitRate = Quantity.bitsPerSecond(byteCount, in: duration)
    var (durations, keyframes) = ([Int64: Int](), 0)
    var run: (duration: Int64, count: Int) = (0, 0)
    var window = Window(track.timescale)
    for sample in samples {
      if sample.isSync { keyframes += 1 }
      window.add(sample.size, at: sample.decodeTime.value)
    }
    var left = samples.count
    track.forEachShownSample { shown in
      left -= 1
      guard left > 0 || samples.count == 1 else { return }
      // Most durations equal the previous one.
      if shown.duration != run.duration {
        // A cut can end between reordered pictures, where an edit hides the gap.
        let isWhole = track.presentations(of: shown).contains {
          $0.upperBound - $0.lowerBound >= MediaTime(shown.duration, track.timescale)
        }
        guard isWhole || left + 1 == samples.count else { return }
        if run.count > 0 { durations[run.duration, default: 0] += run.count }
        run = (shown.duration, 0)
      }
      run.count += 1
    }
    if run.count > 0 { durations[run.duration, default: 0] += run.count }
    (keyframeCount, self.durations) = (keyframes, durations)
    peakBitRate = duration >= MediaTime(1, 1) ? window.most * 8 : nil
    groups = samples.areAllSync ? nil : Groups(track)
  }

  /// The sizes of the samples that are decoded within the last second.
  struct Window: Sendable {
    private var recent: [(time: Int64, size: Int)] = []
    private var first = 0
    private(set) var sum = 0
    private let second: Int64
    private(set) var most = 0

    init(_ timescale: UInt32) { second = Int64(timescale) }

    mutating func add(_ size: Int, at time: Int64) {
      recent.append((time, size))
      sum += size
      while recent[first].time <= time &- second {
        sum -= recent[first].size
        first += 1
      }
      // Frees the memory of old samples occasionally.
      if first > 4096, first * 2 > recent.count {
        recent.removeFirst(first)
        first = 0
      }
      most = max(most, sum)
    }
  }
}

extension SampleStatistics.Groups {
  init?(_ track: Track) {
    var (result, pending) = (Self?.none, GroupOfPictures?.none)
    track.forEachGroupOfPictures { (group) throws(Never) in
      if let pending { result.add(pending) }
      pending = group
    }
    if let pending, result == nil || pending.leadingCount > 0 {
      if result == nil { result.add(pending) } else { result?.addLeading(pending) }
    }
    guard let result else { return nil }
    self = result
  }

  fileprivate mutating func addLeading(_ group: GroupOfPictures) {
    if group.leadingCount > 0 { openCount += 1 }
    leadingCount += group.leadingCount
  }
}

extension SampleStatistics.Groups? {
  fileprivate mutating func add(_ group: GroupOfPictures) {
    let (count, duration) = (group.samples.count, group.duration)
    var groups =
      self
      ?? SampleStatistics.Groups(
        sampleCounts: count...count, durations: duration...duration, openCount: 0, leadingCount: 0)
    groups.sampleCounts = min(groups.sampleCounts.lowerBound, count)...max(groups.sampleCounts.upperBound, count)
    groups.durations = min(groups.durations.lowerBound, duration)...max(groups.durations.upperBound, duration)
    groups.addLeading(group)
    self = groups
  }
}
