import ISOBMFF
import MP4Bytes

/// The timeline of one track: its fragments sorted by time, without gaps or overlaps.
///
/// Only this type converts the times that fragments declare to a timeline. Fragments are sorted. The sample before a
/// gap is extended, so that all tracks stay in sync, and the sample before a small step back is shortened. Where
/// fragments overlap, the later one in file order wins, and replacements are reported. Only the samples that are
/// declared again are omitted; later samples of the same fragment are kept as a separate piece.
struct TrackTimeline: Sendable {
  /// A fragment on the timeline, or a piece of one. There can be one for every sample.
  struct Entry: Sendable {
    /// The index of its track fragment.
    var index: Int { Int(number) }
    private let number: UInt32
    private var usedCount: UInt32
    /// The decode time of its first sample.
    var start: Int64
    /// The end of its last sample according to the declared durations.
    var end: Int64
    /// The number of its samples that are used.
    var used: Int {
      get { Int(usedCount) }
      set { usedCount = UInt32(clamping: newValue) }
    }
    /// The index of its first sample among the samples of the track.
    var first: Int

    init(index: Int, start: Int64, end: Int64, used: Int, first: Int) {
      number = UInt32(clamping: index)
      usedCount = UInt32(clamping: used)
      (self.start, self.end, self.first) = (start, end, first)
    }
  }
  /// The declared and the actual duration of all samples of a fragment.
  struct ScaledDuration: Sendable {
    var given: Int64
    var scaled: Int64
  }
  /// A problem with the declared times.
  struct Event: Sendable {
    enum Kind: Sendable {
      /// A gap of this duration; the sample before it was extended.
      case gap
      /// The next fragment starts before this one ends, within its last sample, which was shortened.
      case stepBack
      /// A later fragment declares its times again; samples of this one were omitted.
      case replaced(samples: Int)
      /// A later fragment repeats the same samples.
      case repeated(samples: Int)
      /// The declared durations extend past the start of the next fragment, as in most fragments; they were scaled.
      case overrun
      /// The fragment declares an impossibly large time, which was ignored.
      case impossible
    }
    var kind: Kind
    /// The track fragments before and after it.
    var before: Int
    var after: Int
    /// Its time, in the timescale of the track.
    var time: Int64
    /// Its duration.
    var amount: Int64
  }
  private(set) var entries: [Entry] = []
  private(set) var events: [Event] = []
  /// The track fragments that declare wrong durations, by index.
  private(set) var scaledDurations: [Int: ScaledDuration] = [:]
  /// Whether the fragments are not in time order in the files.
  private(set) var isReordered = false

  /// The decode time of the first sample.
  var start: Int64 { entries.first?.start ?? 0 }

  /// The maximum time, to which sums are clamped.
  static let limit: Int64 = 1 << 61

  /// Arranges the fragments of one track on a timeline. Without `samples`, overlaps are reported but not resolved.
  /// Samples that are declared twice are identical if their bytes in `sources` are, or without sources, if their sizes
  /// are. With `keepsFirst`, the first declaration is used where fragments overlap, instead of the last one.
  init(
    _ fragments: [TrackFragment], of indices: [Int], _ samples: SampleColumns,
    _ sources: [any ByteSource] = [], keepsFirst: Bool = false
  ) throws(IOError) {
    place(fragments, indices)
    let areDurationsRight = mostlyMeet
    var ranks = Array(entries.indices)
    if entries.indices.dropFirst().contains(where: { entries[$0 - 1].start > entries[$0].start }) {
      isReordered = true
      ranks.sort { (entries[$0].start, $0) < (entries[$1].start, $1) }
      entries = ranks.map { entries[$0] }
    }
    if !areDurationsRight, try overrunsAgainAndAgain(samples) { scale() }
    try omitShortCopies(&ranks, fragments, samples, sources)
    if keepsFirst { ranks = ranks.map { -$0 } }
    try meet(ranks, fragments, samples, sources)
  }

  /// The number of samples that are used.
  var sampleCount: Int { entries.reduce(0) { $0 + $1.used } }
  /// Whether the used samples are consecutive in the order of reading, from the first one on, and all have their
  /// declared durations.
  var isInOrderOfReading: Bool {
    var next = 0
    for (index, entry) in entries.enumerated() {
      guard entry.first == next, stretch(index) == 0 else { return false }
      next += entry.used
    }
    return scaledDurations.isEmpty
  }
  /// The value added to the duration of the last sample of an entry, which lasts until the next entry starts.
  func stretch(_ index: Int) -> Int64 {
    index + 1 < entries.count ? entries[index + 1].start - entries[index].end : 0
  }
  /// Whether samples cover all of a time span.
  func covers(_ span: Diagnostic.Span) -> Bool {
    // The entries before `next` start no later than the span.
    var (next, high) = (0, entries.count)
    while next < high {
      let middle = (next + high) / 2
      if entries[middle].start <= span.time { next = middle + 1 } else { high = middle }
    }
    guard span.duration > 0, next > 0 else { return false }
    func end(_ index: Int) -> Int64 { entries[index].end + min(0, stretch(index)) }
    var time = end(next - 1)
    while next < entries.count, entries[next].start <= time, time - span.time < span.duration {
      time = max(time, end(next))
      next += 1
    }
    return time - span.time >= span.duration
  }
  /// The scaling of the durations of an entry of `fragment`, starting with its first sample.
  func scale(of entry: Entry, _ fragment: TrackFragment, _ samples: SampleColumns) -> TimeScaling? {
    guard let duration = scaledDurations[entry.index]?.scaled else { return nil }
    var scale = TimeScaling(from: fragment.duration, to: UInt64(max(0, duration)))
    scale.advance(by: samples.duration(of: fragment.firstSample..<entry.first))
    return scale
  }
  /// The number of fragments that are used, completely or in pieces.
  var fragmentCount: Int { hasPieces ? Set(entries.lazy.map(\.index)).count : entries.count }
  /// Whether some fragments are used in pieces.
  private var hasPieces = false

  /// Omits incomplete copies, which replace nothing.
  private mutating func omitShortCopies(
    _ ranks: inout [Int], _ fragments: [TrackFragment], _ samples: SampleColumns, _ sources: [any ByteSource]
  ) throws(IOError) {
    guard samples.count > 0 else { return }
    var kept = 0
    for index in entries.indices {
      let entry = entries[index]
      // An entry without a duration ends where it starts, so the next one continues it.
      if kept > 0, entries[kept - 1].start == entry.start, entries[kept - 1].end > entry.start,
        entry.used < entries[kept - 1].used
      {
        let before = entries[kept - 1]
        let (copy, whole) = (fragments[entry.index], fragments[before.index])
        if try samples.isStart(copy, of: whole, sources) {
          note(.repeated(samples: entry.used), before, entry, at: entry.start, for: entry.end - entry.start)
          continue
        }
      }
      (entries[kept], ranks[kept]) = (entry, ranks[index])
      kept += 1
    }
    entries.removeLast(entries.count - kept)
    ranks.removeLast(ranks.count - kept)
  }

  /// Scales every fragment to last until the next one, and the last one by the factor of the one before it.
  private mutating func scale() {
    // The next entry with a different start.
    var next = 0
    for index in entries.indices {
      let declared = entries[index].end - entries[index].start
      var duration = declared
      while next < entries.count, entries[next].start <= entries[index].start { next += 1 }
      if next < entries.count {
        guard entries[next].start < entries[index].end else { continue }
        duration = entries[next].start - entries[index].start
        note(.overrun, entries[index], entries[next], at: entries[index].start, for: declared - duration)
      } else if index > 0, let before = scaledDurations[entries[index - 1].index] {
        let ratio = MediaTime(declared, UInt32(clamping: max(1, before.given)))
        duration = ratio.converted(to: UInt32(clamping: before.scaled)).value
      }
      scaledDurations[entries[index].index] = ScaledDuration(given: declared, scaled: duration)
      entries[index].end = entries[index].start + duration
    }
  }

  /// Determines the start of every fragment: its declared time, or the end of the previous one in the file.
  private mutating func place(_ fragments: [TrackFragment], _ indices: [Int]) {
    var end: Int64 = 0
    let cut = WrappedTime.cut(fragments, indices)
    entries.reserveCapacity(indices.count)
    for index in indices {
      let fragment = fragments[index]
      let start = fragment.start(after: end, cutAt: cut)
      if fragment.hasImpossibleTime {
        events.append(Event(kind: .impossible, before: index, after: index, time: start, amount: 0))
      }
      let empty = Int64(clamping: min(fragment.information.emptyDuration, UInt64(Self.limit)))
      if fragment.sampleCount == 0 {
        // Fragments after it without a decode time continue from there.
        end = max(end, min(start + empty, Self.limit))
        continue
      }
      end = min(start + Int64(clamping: min(fragment.duration, UInt64(Self.limit))), Self.limit)
      entries.append(
        Entry(index: index, start: start, end: end, used: fragment.sampleCount, first: fragment.firstSample))
      end = min(end + empty, Self.limit)
    }
  }

  private mutating func note(_ kind: Event.Kind, _ entry: Entry, _ next: Entry, at time: Int64, for amount: Int64) {
    events.append(Event(kind: kind, before: entry.index, after: next.index, time: time, amount: amount))
  }

  // MARK: Closing gaps and overlaps

  /// Makes every entry end where the next one starts. Without samples, nothing is omitted.
  private mutating func meet(
    _ ranks: [Int], _ fragments: [TrackFragment], _ samples: SampleColumns, _ sources: [any ByteSource]
  ) throws(IOError) {
    // Usually nothing overlaps; then all entries are kept.
    var clear = 0
    while clear + 1 < entries.count, entries[clear].end <= entries[clear + 1].start {
      noteMeeting(entries[clear], entries[clear + 1], isCut: false)
      clear += 1
    }
    guard clear + 1 < entries.count else { return }
    let all = Array(entries[clear...])
    let ranks = ranks[clear...].map(\.self)
    entries.removeLast(all.count)
    var first = 0
    // The entry that ends last, and whether samples were omitted right after it. Entries before it are already
    // adjacent.
    var (last, isCut) = (all[0], false)
    last.end = last.start
    while first < all.count {
      var (next, latest) = (first + 1, all[first])
      while next < all.count, all[next].start < latest.end {
        if all[next].end > latest.end { latest = all[next] }
        next += 1
      }
      if next == first + 1 {
        append(all[first], after: last, isCut: isCut)
        (last, isCut) = (latest, false)
      } else {
        let overlap = OverlapResolver(
          Array(all[first..<next]), ranks: Array(ranks[first..<next]), fragments, samples,
          scaledDurations)
        events += try overlap.events(sources)
        if samples.count == 0 {
          append(all[first], after: last, isCut: isCut)
          entries += all[(first + 1)..<next]
          last = latest
        }
        for case let piece? in overlap.pieces {
          if piece.entry.first > fragments[piece.entry.index].firstSample { hasPieces = true }
          append(piece.entry, after: last, isCut: isCut || piece.isCutBefore)
          (last, isCut) = (piece.entry, piece.isCutAfter)
        }
      }
      first = next
    }
  }

  /// Adds an entry after `last`, which is extended or shortened to end there.
  private mutating func append(_ entry: Entry, after last: Entry, isCut: Bool) {
    if !entries.isEmpty { noteMeeting(last, entry, isCut: isCut) }
    entries.append(entry)
  }

  /// Records that the last entry, which ends as `last` does, is extended over a gap or shortened. If samples were
  /// omitted in between, only the omission is reported.
  private mutating func noteMeeting(_ last: Entry, _ entry: Entry, isCut: Bool) {
    if isCut { return }
    if last.end < entry.start {
      note(.gap, last, entry, at: last.end, for: entry.start - last.end)
    } else if last.end > entry.start {
      note(.stepBack, last, entry, at: entry.start, for: last.end - entry.start)
    }
  }
}

/// Detection and correction of wrong durations in fragments.
extension TrackTimeline {
  /// Whether more than half of the fragments end where the next one starts, within less than a sample. In file order,
  /// this distinguishes two takes over the same time, whose durations are right, from one take with wrong durations.
  private var mostlyMeet: Bool {
    let count = entries.indices.dropLast().count { index in
      let entry = entries[index]
      let distance = (entries[index + 1].start - entry.end).magnitude
      return distance == 0 || distance < (entry.end - entry.start).magnitude / UInt64(max(1, entry.used))
    }
    return count * 2 > entries.count - 1
  }

  /// Whether more than half of the fragments extend past the start of the next one, by more than a sample and without
  /// repeating it. Then the durations are wrong: some encoders declare 49152 where times advance by 1024.
  private func overrunsAgainAndAgain(_ samples: SampleColumns) throws(IOError) -> Bool {
    var count = 0
    for index in entries.indices.dropLast() {
      let (entry, next) = (entries[index], entries[index + 1])
      guard next.start < entry.end, next.start > entry.start else { continue }
      if samples.count == 0 {
        if entry.end - next.start > (entry.end - entry.start) / Int64(entry.used) { count += 1 }
        continue
      }
      // Fragments have not been divided yet.
      let own = entry.first..<(entry.first + entry.used)
      let left = samples.index(at: next.start - entry.start, in: own)..<own.upperBound
      if !left.isEmpty, try !samples.isSame(left, next.first..<(next.first + next.used)) { count += 1 }
    }
    return count > 1 && count * 2 > entries.count - 1
  }
}
