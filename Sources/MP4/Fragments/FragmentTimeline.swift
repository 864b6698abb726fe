import ISOBMFF

/// Which samples of one track are presented when: its fragments in the order of time, each meeting the next.
///
/// This is the one place where times that fragments declare are made into one timeline. A gap stretches the sample
/// before it, so that all tracks stay in sync; small steps back shorten it; fragments out of order are sorted; where a
/// time is declared again the later declaration wins, and what it replaces is reported.
struct TrackTimeline: Sendable {
  /// One fragment on the timeline.
  struct Entry: Sendable {
    /// Which of the track fragments.
    var index: Int
    /// The decode time of its first sample.
    var start: Int64
    /// The end of its last sample by the durations that it gives.
    var end: Int64
    /// How many of its samples are used, from the first on.
    var used: Int
    /// What is added to the duration of the last sample that is used.
    var stretch: Int64 = 0
    /// How long all samples together last when the durations that they give are wrong.
    var scaledDuration: Int64?
  }
  /// Something in the declared times that was not as it should be.
  struct Event: Sendable {
    enum Kind: Sendable {
      /// Nothing is presented for so long; the sample before was stretched.
      case gap
      /// The next fragment starts before this one ends, within its last sample, which was shortened.
      case stepBack
      /// The next fragment declares times again; samples of this one were left out.
      case replaced(samples: Int)
      /// The next fragment is the same again.
      case repeated(samples: Int)
      /// As fragment after fragment, this one gives durations that run past the start of the next; they were scaled.
      case overrun
      /// The time that the fragment declares is larger than any real one and was ignored.
      case impossible
    }
    var kind: Kind
    /// The track fragments on both sides.
    var before: Int
    var after: Int
    /// When, in the timescale of the track.
    var time: Int64
    /// For how long.
    var amount: Int64
  }
  private(set) var entries: [Entry] = []
  private(set) var events: [Event] = []
  /// The durations that fragments give, where they were scaled.
  private var fullDurations: [Int: Int64] = [:]
  /// Whether the fragments are not in the order of time in the files.
  private(set) var isReordered = false

  /// The decode time of the first sample.
  var start: Int64 { entries.first?.start ?? 0 }

  /// No real time is larger; beyond it sums stay where they are.
  static let limit: Int64 = 1 << 61

  /// Puts the fragments of one track on a timeline. Without samples in `store` overlaps are reported, not resolved.
  /// Samples that are declared twice are the same when their bytes in `sources` are; without these, when their sizes are.
  init(_ fragments: [TrackFragment], of indices: [Int], _ store: RunStore, _ sources: [any ByteSource] = [])
    throws(IOError)
  {
    place(fragments, indices)
    let areDurationsRight = mostlyMeet
    if entries.indices.dropFirst().contains(where: { entries[$0 - 1].start > entries[$0].start }) {
      isReordered = true
      let order = entries.indices.sorted { (entries[$0].start, $0) < (entries[$1].start, $1) }
      entries = order.map { entries[$0] }
    }
    if !areDurationsRight, overrunsAgainAndAgain(fragments, store) { scale() }
    // In place: there can be as many entries as samples.
    var kept = 0
    for index in entries.indices {
      let entry = entries[index]
      if kept > 0 {
        let before = entries[kept - 1]
        // A copy that was cut off replaces nothing.
        if entry.start == before.start, entry.used < before.used,
          try store.startsAlike(fragments[entry.index], fragments[before.index], sources)
        {
          note(.repeated(samples: entry.used), before, entry, at: entry.start, for: entry.end - entry.start)
          continue
        }
        if let met = try meet(before, entry, fragments, store, sources) {
          entries[kept - 1] = met
        } else {
          kept -= 1
        }
      }
      entries[kept] = entry
      kept += 1
    }
    entries.removeLast(entries.count - kept)
  }

  /// Makes every fragment last until the next one; the last one by as much as the one before it.
  private mutating func scale() {
    for index in entries.indices {
      let declared = entries[index].end - entries[index].start
      var duration = declared
      if index + 1 < entries.count {
        guard entries[index + 1].start < entries[index].end, entries[index + 1].start > entries[index].start else {
          continue
        }
        duration = entries[index + 1].start - entries[index].start
        note(.overrun, entries[index], entries[index + 1], at: entries[index].start, for: declared - duration)
      } else if index > 0, let scaled = entries[index - 1].scaledDuration {
        let before = entries[index - 1]
        let ratio = MediaTime(declared, UInt32(clamping: max(1, fullDuration(of: before))))
        duration = ratio.converted(to: UInt32(clamping: scaled)).value
      }
      entries[index].scaledDuration = duration
      fullDurations[entries[index].index] = declared
      entries[index].end = entries[index].start + duration
    }
  }
  private func fullDuration(of entry: Entry) -> Int64 { fullDurations[entry.index] ?? entry.end - entry.start }

  /// Finds the start of every fragment: as declared, or the end of the one before in the file.
  private mutating func place(_ fragments: [TrackFragment], _ indices: [Int]) {
    var end: Int64 = 0
    let cut = WrappedTime.cut(fragments, indices)
    entries.reserveCapacity(indices.count)
    for index in indices {
      let fragment = fragments[index]
      var start = end
      if let declared = fragment.declaredTime {
        if declared < UInt64(Self.limit) {
          start = Int64(declared)
          if fragment.isNarrowTime {
            start = cut.map { WrappedTime.unwrapped(start, cutAt: $0) } ?? WrappedTime.unwrapped(start, near: end)
          }
        } else {
          events.append(Event(kind: .impossible, before: index, after: index, time: start, amount: 0))
        }
      }
      let empty = Int64(clamping: min(fragment.information.emptyDuration, UInt64(Self.limit)))
      if fragment.sampleCount == 0 {
        // It says how far time has come for those that follow without saying so.
        end = max(end, min(start + empty, Self.limit))
        continue
      }
      end = min(start + Int64(clamping: min(fragment.duration, UInt64(Self.limit))), Self.limit)
      entries.append(Entry(index: index, start: start, end: end, used: fragment.sampleCount))
      end = min(end + empty, Self.limit)
    }
  }

  /// Makes `entry` end where `next` starts. Returns `nil` when nothing of it is left.
  private mutating func meet(
    _ entry: Entry, _ next: Entry, _ fragments: [TrackFragment], _ store: RunStore, _ sources: [any ByteSource]
  ) throws(IOError) -> Entry? {
    guard entry.end != next.start else { return entry }
    var result = entry
    if next.start > entry.end {
      result.stretch = next.start - entry.end
      note(.gap, entry, next, at: entry.end, for: result.stretch)
      return result
    }
    let overlap = entry.end - next.start
    guard !store.runs.isEmpty else {
      let isAgain = entry.start == next.start && fragments[entry.index].sampleCount == fragments[next.index].sampleCount
      note(isAgain ? .repeated(samples: entry.used) : .replaced(samples: 0), entry, next, at: next.start, for: overlap)
      return entry
    }
    let (count, end) = store.samples(of: fragments[entry.index], startingBefore: next.start - entry.start)
    if count == entry.used {
      result.stretch = -overlap
      note(.stepBack, entry, next, at: next.start, for: overlap)
      return result
    }
    let dropped = entry.used - count
    let isAgain = try store.isAgain(fragments[entry.index], from: count, fragments[next.index], sources)
    note(isAgain ? .repeated(samples: dropped) : .replaced(samples: dropped), entry, next, at: next.start, for: overlap)
    guard count > 0 else { return nil }
    result.used = count
    result.end = entry.start + end
    result.stretch = next.start - result.end
    return result
  }

  private mutating func note(_ kind: Event.Kind, _ entry: Entry, _ next: Entry, at time: Int64, for amount: Int64) {
    events.append(Event(kind: kind, before: entry.index, after: next.index, time: time, amount: amount))
  }
}

/// The timelines of all tracks, and the order in which the fragments are put into one file.
struct FragmentTimeline: Sendable {
  /// One for each track of the movie.
  var tracks: [TrackTimeline]
  /// The movie fragments in the order of time; that of the files where that is the same.
  var order: [Int]
  /// Whether `order` is not that of the files.
  var isReordered: Bool

  /// The timelines of what was read; `given` is the order of the track fragments where it is not that of reading. With
  /// `sources`, samples that are declared twice are compared byte by byte.
  init(_ reader: FragmentReader, order given: [Int]? = nil, _ sources: [any ByteSource] = []) throws(IOError) {
    let fragments = reader.trackFragments
    var indices = Array(repeating: [Int](), count: reader.tracks.count)
    for index in given ?? Array(fragments.indices) { indices[fragments[index].track].append(index) }
    tracks = []
    for indices in indices { tracks.append(try TrackTimeline(fragments, of: indices, reader.store, sources)) }
    order = Array(reader.headers.indices)
    isReordered = tracks.contains(where: \.isReordered)
    if isReordered { sortFragments(reader) }
  }

  /// Sorts the movie fragments by the earliest time in them; those without samples stay behind the one before.
  private mutating func sortFragments(_ reader: FragmentReader) {
    var starts = [MediaTime?](repeating: nil, count: reader.headers.count)
    for (track, timeline) in tracks.enumerated() {
      for entry in timeline.entries {
        let time = MediaTime(entry.start, reader.tracks[track].timescale)
        let fragment = reader.trackFragments[entry.index].fragment
        starts[fragment] = starts[fragment].map { min($0, time) } ?? time
      }
    }
    var last = MediaTime(0, 1)
    let keys = starts.map { start in
      last = start ?? last
      return last
    }
    order.sort { keys[$0] < keys[$1] || keys[$0] == keys[$1] && $0 < $1 }
    isReordered = order != Array(order.indices)
  }
}
