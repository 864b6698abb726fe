import TimedText

/// Cues cut wherever another one starts or ends, and at other times that are asked for: what samples are made of.
struct CueTimeline {
  /// A part of the timeline in which the same cues are shown, or none.
  struct Part {
    var start: Int64
    var end: Int64
    /// Indices of the cues, in the order in which they appear.
    var cues: [Int]
  }
  /// The cues that are shown, in the order in which they appear.
  let cues: [Cue]
  /// Times at which parts start, and the last end.
  private let times: [Int64]

  /// The cues that are shown from 0 to `end`; without it, to the end of the last one and a millisecond more, as there are
  /// players that show a text until the next sample comes.
  init(_ cues: [Cue], cuts: [Int64] = [], end: Int64? = nil) {
    let limit = min(max(0, end ?? Self.latest), Self.latest)
    let shown = cues.filter { $0.isShown(from: 0, to: limit) }
    // Cues that appear together keep the order of the file.
    self.cues = shown.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
    var times = Set(cuts.filter { (0..<limit).contains($0) })
    times.insert(0)
    if end == nil, let last = shown.map(\.endMilliseconds).max() { times.insert(min(last + 1, limit)) }
    for cue in shown { times.formUnion([max(0, cue.startMilliseconds), min(cue.endMilliseconds, limit)]) }
    if end != nil { times.insert(limit) }
    self.times = times.sorted()
  }
  /// What fits into 32 bits: 49 days.
  static let latest = Int64(UInt32.max)

  /// Calls `body` for each part; it says whether to go on.
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
