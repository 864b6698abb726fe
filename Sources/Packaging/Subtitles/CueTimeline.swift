import TimedText

/// Cues, divided wherever another cue starts or ends and at other requested times. The parts become samples.
struct CueTimeline {
  /// A part of the timeline with a constant set of visible cues, possibly none.
  struct Part {
    var start: Int64
    var end: Int64
    /// Indices of the cues, in the order in which they appear.
    var cues: [Int]
  }
  /// The visible cues, in the order in which they appear.
  let cues: [Cue]
  /// The starts of parts, and the end of the last one.
  private let times: [Int64]

  /// The cues that are visible from `start` to `end`. Without `end`, the timeline ends one millisecond after the last
  /// cue, because some players show a text until the next sample.
  init(_ cues: [Cue], cuts: [Int64] = [], from start: Int64 = 0, end: Int64? = nil) {
    let limit = min(max(start, end ?? Self.latest), Self.latest)
    let shown = cues.filter { $0.isShown(from: start, to: limit) }
    // Cues with the same start keep the order of the file.
    self.cues = shown.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
    var times = Set(cuts.filter { $0 >= start && $0 < limit })
    times.insert(start)
    if end == nil, let last = shown.map(\.endMilliseconds).max() { times.insert(min(last + 1, limit)) }
    for cue in shown { times.formUnion([max(start, cue.startMilliseconds), min(cue.endMilliseconds, limit)]) }
    if end != nil { times.insert(limit) }
    self.times = times.sorted()
  }
  /// The range of 32 bits: 49 days.
  static let latest = Int64(UInt32.max)

  /// Calls `body` for each part; it returns whether to continue.
  func forEachPart(_ body: (Part) -> Bool) {
    var shown: [Int] = []
    var next = 0
    for (start, end) in zip(times, times.dropFirst()) {
      shown.removeAll { cues[$0].endMilliseconds <= start }
      while next < cues.count, cues[next].startMilliseconds <= start {
        shown.append(next)
        next += 1
      }
      guard body(Part(start: start, end: end, cues: shown)) else { return }
    }
  }

  /// Whether a cue is in more than one part, given one of them.
  func isWhole(_ cue: Int, in part: Part) -> Bool {
    cues[cue].startMilliseconds == part.start && cues[cue].endMilliseconds == part.end
  }
}
