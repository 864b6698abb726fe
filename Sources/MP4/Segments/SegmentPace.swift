/// How long segments are, and where they have to start besides.
public struct SegmentPace: Sendable, Equatable {
  /// Which of the sync samples around the end of the intended duration starts the next segment.
  public enum Rule: Sendable, Equatable {
    /// The first one after it: no segment is shorter, except before a break and at the end.
    case minimum
    /// The nearest one.
    case nearest
    /// The last one up to it: no segment is longer, except where sync samples are farther apart.
    case maximum
  }
  /// The intended duration.
  public var duration: MediaTime
  /// The rule for sync samples.
  public var rule: Rule
  /// Increasing presentation times such as those of ad breaks. A segment starts at the first sync sample that is
  /// presented then or later.
  public var breaks: [MediaTime]

  /// Segments of about a duration.
  public init(_ duration: MediaTime, _ rule: Rule = .minimum, breaks: [MediaTime] = []) {
    (self.duration, self.rule, self.breaks) = (duration, rule, breaks)
  }

  /// The sync samples of a track that start segments, with their composition times; the first sample is not listed.
  func starts(_ track: Segmentation.Track) -> [(sample: Int, time: Int64)] {
    let length = max(1, duration.converted(to: track.timescale).value)
    // A break is rounded down to units of the track, so that a sync sample at its time is not missed.
    var breaks = breaks.map { track.time(at: $0) }[...]
    var starts: [(sample: Int, time: Int64)] = []
    var start = track.list.compositionStart
    while let next = breaks.first, next <= start { breaks.removeFirst() }
    /// The last sync sample within the intended duration.
    var last: (sample: Int, time: Int64)?
    func begin(_ sync: (sample: Int, time: Int64)) {
      starts.append(sync)
      (start, last) = (sync.time, nil)
    }
    /// Starts a segment at the last sync sample if the rule prefers it to one at `time`.
    func useLast(before time: Int64) {
      guard let own = last else { return }
      let (early, late) = (length &- (own.time &- start), time &- start &- length)
      if rule == .maximum ? late > 0 : rule == .nearest && late >= 0 && early <= late { begin(own) }
    }
    var walk = SampleWalk(track.list)
    var decodeTime = Int64(0)
    while walk.sample < track.list.count {
      // A fragment with the decode time of the one before it would be read as a repetition.
      if walk.isSync, walk.sample > 0, walk.time > decodeTime, walk.compositionTime > start {
        let sync = (sample: walk.sample, time: walk.compositionTime)
        useLast(before: sync.time)
        var isBreak = false
        while let next = breaks.first, next <= sync.time {
          breaks.removeFirst()
          isBreak = true
        }
        if isBreak || rule != .maximum && sync.time &- start >= length
          || rule == .maximum && sync.time &- start > length
        {
          begin(sync)
          decodeTime = walk.time
        } else {
          last = sync
        }
      }
      walk.advance()
    }
    if rule != .minimum { useLast(before: track.list.compositionEnd) }
    return starts
  }
}
