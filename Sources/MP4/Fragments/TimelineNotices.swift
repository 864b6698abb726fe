import ISOBMFF

/// Puts what a timeline met into sentences: one for each kind and track, with the first place and the sum.
struct TimelineNotices {
  private let presentation: Presentation
  private let timeline: FragmentTimeline

  init(_ presentation: Presentation, _ timeline: FragmentTimeline) {
    self.presentation = presentation
    self.timeline = timeline
  }

  var all: [Notice] {
    var notices: [Notice] = []
    if timeline.isReordered {
      let text = "the fragments are not in the order of time; they were put in order"
      notices.append(Notice(.note, presentation.sources[0].name, text))
    }
    for (track, times) in timeline.tracks.enumerated() where !times.events.isEmpty {
      notices += gaps(track, times) + stepsBack(track, times) + repeated(track, times) + replaced(track, times)
      notices += overruns(track, times)
    }
    return notices
  }

  private func gaps(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    let gaps = times.events.filter { if case .gap = $0.kind { true } else { false } }
    guard let first = gaps.first else { return [] }
    let sum = time(gaps.reduce(0) { $0 &+ $1.amount }, track)
    let what =
      gaps.count == 1
      ? "a gap of \(sum) at \(time(first.time, track)); the sample before it lasts as much longer"
      : "\(gaps.count) gaps, \(sum) in all, the first at \(time(first.time, track)); the samples before them last as much longer"
    return [notice(.warning, track, first, what)]
  }

  private func stepsBack(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    let steps = times.events.filter { if case .stepBack = $0.kind { true } else { false } }
    guard let first = steps.first else { return [] }
    let times = steps.count == 1 ? "one fragment starts" : "\(steps.count) fragments start"
    let what = "\(times) before the last sample of the one before ends, the first at \(time(first.time, track))"
    return [notice(.warning, track, first, what + "; such samples were shortened")]
  }

  private func repeated(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    var samples = 0
    var first: TrackTimeline.Event?
    for event in times.events {
      guard case .repeated(let count) = event.kind else { continue }
      samples += count
      first = first ?? event
    }
    guard let first else { return [] }
    let what = "\(Self.count(samples)) given twice, the first at \(time(first.time, track)); used once"
    return [notice(.warning, track, first, what)]
  }

  private func replaced(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    var samples = 0
    var first: TrackTimeline.Event?
    for event in times.events {
      guard case .replaced(let count) = event.kind else { continue }
      samples += count
      first = first ?? event
    }
    guard let first else { return [] }
    let what =
      "later fragments declare times again, from \(time(first.time, track)) on; \(Self.count(samples)) left out"
    return [notice(.loss, track, first, what)]
  }

  private func overruns(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    let overruns = times.events.filter { if case .overrun = $0.kind { true } else { false } }
    guard let first = overruns.first else { return [] }
    let what =
      "the durations of \(overruns.count) fragments run past the start of the next one, fragment after fragment"
    return [notice(.warning, track, first, what + "; they are wrong, and were scaled to meet it")]
  }

  private static func count(_ samples: Int) -> String { samples == 1 ? "1 sample" : "\(samples) samples" }
  private func time(_ value: Int64, _ track: Int) -> MediaTime {
    MediaTime(value, presentation.movie.tracks[track].timescale)
  }
  private func notice(_ severity: Notice.Severity, _ track: Int, _ event: TrackTimeline.Event, _ text: String) -> Notice
  {
    let source = presentation.fragments.trackFragments[event.after].source
    let name = presentation.sources[source].name
    return Notice(severity, name, "track \(presentation.movie.tracks[track].id): \(text)")
  }
}
