import ISOBMFF
import MP4Bytes

/// Resolves overlapping fragments of one track: at every time, the fragment that was declared last is used.
struct OverlapResolver {
  /// A time span in which one fragment was declared last.
  struct Span {
    /// The index of its entry.
    var owner: Int
    var start: Int64
    var end: Int64
  }
  /// Samples that are omitted in favor of another fragment.
  struct Drop {
    /// The index of their entry, and of the entry that is used.
    var entry: Int
    var winner: Int
    var first: Int
    var count = 0
    /// The start of the first sample, and the end of the last one.
    var start: Int64
    var end: Int64
  }
  /// The part of a fragment that is used in one span.
  struct UsedPart {
    var entry: TrackTimeline.Entry
    /// Whether samples right before or right after it were omitted.
    var isCutBefore = false
    var isCutAfter = false
  }

  /// The fragments, sorted by start.
  let entries: [TrackTimeline.Entry]
  let fragments: [TrackFragment]
  /// The samples of the track.
  let samples: SampleColumns
  private let scaledDurations: [Int: TrackTimeline.ScaledDuration]
  /// Spans from the first start to the last end, without gaps.
  private(set) var spans: [Span] = []
  private(set) var drops: [Drop] = []
  /// The piece that is used in each span; `nil` if none of its owner's samples starts there.
  private(set) var pieces: [UsedPart?] = []

  /// Determines when each of `entries` is used. The one with the highest rank was declared last. Without `samples`,
  /// only the spans are determined.
  init(
    _ entries: [TrackTimeline.Entry], ranks: [Int], _ fragments: [TrackFragment], _ samples: SampleColumns,
    _ scaledDurations: [Int: TrackTimeline.ScaledDuration]
  ) {
    self.entries = entries
    self.scaledDurations = scaledDurations
    self.fragments = fragments
    self.samples = samples
    findSpans(ranks)
    guard samples.count > 0 else { return }
    pieces = Array(repeating: nil, count: spans.count)
    var spanCounts = Array(repeating: 0, count: entries.count)
    for span in spans { spanCounts[span.owner] += 1 }
    var isWhole = Array(repeating: false, count: entries.count)
    for (number, span) in spans.enumerated() {
      let entry = entries[span.owner]
      guard spanCounts[span.owner] == 1, span.start == entry.start, span.end == entry.end else { continue }
      isWhole[span.owner] = true
      pieces[number] = UsedPart(entry: entry)
    }
    for number in entries.indices where !isWhole[number] { divide(number) }
  }

  // MARK: Assignment of times to fragments

  /// Assigns every time between two starts or ends to the fragment that was declared last. Starting with the last one,
  /// each fragment takes the times that are still free, so every time is assigned once.
  private mutating func findSpans(_ ranks: [Int]) {
    var times = entries.flatMap { [$0.start, $0.end] }.sorted()
    times = times.indices.filter { $0 == 0 || times[$0 - 1] < times[$0] }.map { times[$0] }
    var owners = Array(repeating: 0, count: times.count - 1)
    // For each time, a lower bound of the next time that is still free.
    var free = Array(times.indices)
    for number in entries.indices.sorted(by: { ranks[$0] > ranks[$1] }) {
      let end = Self.index(of: entries[number].end, in: times)
      var cell = Self.next(Self.index(of: entries[number].start, in: times), &free)
      while cell < end {
        owners[cell] = number
        free[cell] = cell + 1
        cell = Self.next(cell, &free)
      }
    }
    // A fragment without a duration is at one of the times, unless a later fragment covers that time.
    var points = entries.indices.filter { entries[$0].start == entries[$0].end }[...]
    for cell in times.indices {
      while let point = points.first, entries[point].start == times[cell] {
        points.removeFirst()
        let isWithin = cell > 0 && cell < owners.count && owners[cell - 1] == owners[cell]
        if isWithin, ranks[owners[cell]] > ranks[point] { continue }
        spans.append(Span(owner: point, start: times[cell], end: times[cell]))
      }
      guard cell < owners.count else { break }
      if let last = spans.indices.last, spans[last].owner == owners[cell] {
        spans[last].end = times[cell + 1]
      } else {
        spans.append(Span(owner: owners[cell], start: times[cell], end: times[cell + 1]))
      }
    }
  }
  /// The first free cell from `start` on. Shortens the search path for later calls.
  private static func next(_ start: Int, _ free: inout [Int]) -> Int {
    var cell = start
    while free[cell] != cell {
      free[cell] = free[free[cell]]
      cell = free[cell]
    }
    return cell
  }
  private static func index(of time: Int64, in times: [Int64]) -> Int {
    times.partition { $0 >= time }
  }

  // MARK: Selection of samples

  /// Divides the samples of a fragment that is only used partly.
  private mutating func divide(_ number: Int) {
    let entry = entries[number]
    let fragment = fragments[entry.index]
    var scale = scaledDurations[entry.index].map {
      TimeScaling(from: fragment.duration, to: UInt64(max(0, $0.scaled)))
    }
    var (time, span) = (entry.start, 0)
    // The span of the previous sample, or whether it was added to the last drop.
    var open: Int?
    var isDropped = false
    for sample in entry.first..<(entry.first + entry.used) {
      let declared = UInt64(samples.duration(sample))
      let end = min(entry.end, time &+ Int64(clamping: scale?.advance(by: declared) ?? declared))
      span = self.span(of: number, at: time, from: span)
      if startsNext(number, after: span, from: time, to: end) { span += 1 }
      if spans[span].owner == number {
        if open != span {
          var piece = UsedPart(entry: entry, isCutBefore: isDropped)
          (piece.entry.start, piece.entry.first, piece.entry.used) = (time, sample, 0)
          pieces[span] = piece
        }
        pieces[span]?.entry.used += 1
        pieces[span]?.entry.end = end
        (open, isDropped) = (span, false)
      } else {
        if let open { pieces[open]?.isCutAfter = true }
        let winner = spans[span].owner
        if !isDropped || drops[drops.count - 1].winner != winner {
          drops.append(Drop(entry: number, winner: winner, first: sample, start: time, end: time))
        }
        drops[drops.count - 1].count += 1
        drops[drops.count - 1].end = end
        (open, isDropped) = (nil, true)
      }
      time = end
    }
  }

  /// The span that a sample is in, starting the search at `known`. Samples without a duration after the last sample
  /// belong to its span.
  private func span(of number: Int, at time: Int64, from known: Int) -> Int {
    let entry = entries[number]
    let time = entry.start == entry.end ? time : min(time, entry.end - 1)
    return spans[known].end > time ? known : (known..<spans.count).partition { spans[$0].end > time }
  }

  /// Whether a sample is used although the span of another fragment starts before it. Durations can be imprecise: the
  /// sample is used if that span ends in the first half of the sample, and the last sample of that fragment starts
  /// before it. That last sample is then shortened.
  private func startsNext(_ number: Int, after span: Int, from time: Int64, to end: Int64) -> Bool {
    let (own, next) = (spans[span], span + 1)
    guard own.owner != number, next < spans.count, spans[next].owner == number else { return false }
    let other = entries[own.owner]
    let last = samples.duration(other.first + other.used - 1)
    return own.end - time < end - own.end && time > max(own.start, other.end - Int64(clamping: last))
  }
}

/// Diagnostics about overlapping fragments.
extension OverlapResolver {
  /// The omitted samples, in time order. Samples that are declared twice are identical if their bytes in `sources` are,
  /// or without sources, if their sizes are.
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

  /// The times that fragments declare again, for use when their samples are unknown.
  private var eventsWithoutSamples: [TrackTimeline.Event] {
    var events: [TrackTimeline.Event] = []
    for (span, next) in zip(spans, spans.dropFirst()) where span.end < entries[span.owner].end {
      if entries[next.owner].start == span.end { events.append(event(span.owner, replacedBy: next.owner)) }
    }
    for number in entries.indices {
      let start = entries[number].start
      let span = spans[spans.partition { $0.end > start }]
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
