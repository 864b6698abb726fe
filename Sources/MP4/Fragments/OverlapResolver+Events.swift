import Bytes
import ISOBMFF

/// What is reported of fragments that overlap.
extension OverlapResolver {
  /// What was omitted, in the order of time. Samples that are declared twice are the same when their bytes in `sources`
  /// are; without these, when their sizes are.
  func events(_ sources: [any ByteSource]) throws(IOError) -> [TrackTimeline.Event] {
    if samples.count == 0 { return eventsWithoutSamples }
    var events: [TrackTimeline.Event] = []
    for drop in drops {
      let (entry, winner) = (entries[drop.entry], entries[drop.winner])
      let other = fragments[winner.index].samples
      let position = samples.index(at: drop.start - winner.start, in: other)
      let isAgain = try samples.isSame(
        drop.first..<(drop.first + drop.count), position..<other.upperBound,
        sources.isEmpty ? nil : (sources[fragments[entry.index].source], sources[fragments[winner.index].source]))
      events.append(
        TrackTimeline.Event(
          kind: isAgain ? .repeated(samples: drop.count) : .replaced(samples: drop.count), before: entry.index,
          after: winner.index, time: drop.start, amount: drop.end - drop.start))
    }
    return events.sorted { ($0.time, $0.before) < ($1.time, $1.before) }
  }

  /// Where fragments declare times again, when their samples are not known.
  private var eventsWithoutSamples: [TrackTimeline.Event] {
    var events: [TrackTimeline.Event] = []
    for (span, next) in zip(spans, spans.dropFirst()) where span.end < entries[span.owner].end {
      if entries[next.owner].start == span.end { events.append(event(span.owner, replacedBy: next.owner)) }
    }
    for number in entries.indices {
      let start = entries[number].start
      let span = spans[Self.first(in: spans.indices) { spans[$0].end > start }]
      if span.owner != number, entries[number].end > start { events.append(event(number, replacedBy: span.owner)) }
    }
    return events.sorted { $0.time < $1.time }
  }
  private func event(_ number: Int, replacedBy winner: Int) -> TrackTimeline.Event {
    let (entry, other) = (entries[number], entries[winner])
    let isAgain =
      entry.start == other.start && fragments[entry.index].sampleCount == fragments[other.index].sampleCount
    let start = max(entry.start, other.start)
    return TrackTimeline.Event(
      kind: isAgain ? .repeated(samples: entry.used) : .replaced(samples: 0), before: entry.index, after: other.index,
      time: start, amount: min(entry.end, other.end) - start)
  }
}
