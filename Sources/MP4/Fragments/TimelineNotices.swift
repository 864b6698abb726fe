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
      notices += overruns(track, times) + impossible(track, times)
    }
    return notices
  }

  private func gaps(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    let gaps = times.events.filter { if case .gap = $0.kind { true } else { false } }
    guard let first = gaps.first else { return [] }
    let sum = time(gaps.reduce(0) { $0 &+ $1.amount }, track)
    let what =
      gaps.count == 1
      ? "there is a gap of \(sum) at \(time(first.time, track)); the sample before it"
      : "there are \(gaps.count) gaps, \(sum) in all, the first at \(time(first.time, track)); the samples before them"
    let change = gaps.count == 1 ? " was made longer to fill it" : " were made longer to fill them"
    return [notice(.warning, track, first, what + change)]
  }

  private func stepsBack(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    let steps = times.events.filter { if case .stepBack = $0.kind { true } else { false } }
    guard let first = steps.first else { return [] }
    let start = time(first.time, track)
    let what =
      steps.count == 1
      ? "a fragment starts at \(start), before the last sample of the one before has ended; that sample was shortened"
      : "\(steps.count) fragments, the first at \(start), start before the last sample of the one before has ended; "
        + "those samples were shortened"
    return [notice(.warning, track, first, what)]
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
    let start = time(first.time, track)
    let what =
      samples == 1
      ? "1 sample, at \(start), is given twice; it is used once"
      : "\(samples) samples, the first at \(start), are given twice; they are used once"
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
      "later fragments replace \(samples == 1 ? "1 sample" : "\(samples) samples")"
      + " from \(time(first.time, track)) on with others of the same times"
    return [notice(.loss, track, first, what)]
  }

  private func overruns(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    let overruns = times.events.filter { if case .overrun = $0.kind { true } else { false } }
    guard let first = overruns.first else { return [] }
    let what =
      "by the durations of their samples, \(overruns.count) fragments last longer than until the next one starts"
    return [notice(.warning, track, first, what + "; such durations are wrong and were scaled to fit")]
  }

  private func impossible(_ track: Int, _ times: TrackTimeline) -> [Notice] {
    let events = times.events.filter { if case .impossible = $0.kind { true } else { false } }
    guard let first = events.first else { return [] }
    let what =
      events.count == 1 ? "1 fragment declares a decode time" : "\(events.count) fragments declare decode times"
    let text = "\(what) of 2^61 or more, which no recording reaches; the samples, the first at "
    return [notice(.warning, track, first, text + "\(time(first.time, track)), follow those before")]
  }

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
