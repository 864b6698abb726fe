import ISOBMFF
import MP4Bytes

/// The diagnostics about a timeline: one for each kind of repair and each track.
struct TimelineDiagnostics {
  private let input: MovieInput
  private let timeline: FragmentTimeline

  init(_ input: MovieInput, _ timeline: FragmentTimeline) {
    self.input = input
    self.timeline = timeline
  }

  var all: [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    if timeline.isReordered { diagnostics += reordered }
    for (track, times) in timeline.tracks.enumerated() where !times.events.isEmpty {
      var events: [Diagnostic.Timing: [TrackTimeline.Event]] = [:]
      for event in times.events where !isBetweenPeriods(event) {
        events[timing(of: event), default: []].append(event)
      }
      for timing in Diagnostic.Timing.allCases {
        guard let own = events[timing]?.sorted(by: { $0.time < $1.time }), let first = own.first else { continue }
        let file = input.sources[source(first.after)].name
        diagnostics.append(Diagnostic(.timing(timing, own.map(span)), file, input.tracks.reference(track)))
      }
    }
    return diagnostics
  }

  /// A replacement is a note if an overlap policy was requested, and a loss otherwise.
  private func timing(of event: TrackTimeline.Event) -> Diagnostic.Timing {
    guard case .replaced = event.kind else { return event.kind.timing }
    return switch input.overlaps {
    case .replace: .replacedAsAsked
    case .keep: .keptAsAsked
    case .fail, nil: .replaced
    }
  }

  /// One diagnostic for each movie whose fragments were reordered.
  private var reordered: [Diagnostic] {
    var orders: [Int: [Int]] = [:]
    for fragment in timeline.order.lazy.map(Int.init) {
      let source = input.fragments.headers[fragment].source
      orders[input.contents[source].group, default: []].append(fragment)
    }
    return input.groups.indices.compactMap { group in
      let order = orders[group] ?? []
      let count = zip(order, order.sorted()).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
      guard count > 0 else { return nil }
      return Diagnostic(.reordered(fragments: count), input.sources[input.groups[group].source].name)
    }
  }

  /// Whether it is at the boundary of two periods, and therefore already reported.
  private func isBetweenPeriods(_ event: TrackTimeline.Event) -> Bool {
    let (before, after) = (source(event.before), source(event.after))
    guard before < input.parts.count, after < input.parts.count else { return false }
    return input.parts[before].period != input.parts[after].period
  }

  private func source(_ trackFragment: Int) -> Int { input.fragments.trackFragments[trackFragment].source }

  private func span(_ event: TrackTimeline.Event) -> Diagnostic.Span {
    Diagnostic.Span(
      time: event.time, duration: event.amount, samples: event.kind.samples, before: source(event.before),
      after: source(event.after))
  }
}

extension TrackTimeline {
  /// The start of the first gap that is longer than `duration`.
  func firstGap(longerThan duration: Int64) -> Int64? {
    events.first { if case .gap = $0.kind { $0.amount > duration } else { false } }?.time
  }
}

extension TrackTimeline.Event.Kind {
  fileprivate var timing: Diagnostic.Timing {
    switch self {
    case .gap: .gap
    case .stepBack: .stepBack
    case .repeated: .repeated
    case .replaced: .replaced
    case .overrun: .overrun
    case .impossible: .impossible
    }
  }
  fileprivate var samples: Int {
    switch self {
    case .repeated(let samples), .replaced(let samples): samples
    case .gap, .stepBack, .overrun, .impossible: 0
    }
  }
}
