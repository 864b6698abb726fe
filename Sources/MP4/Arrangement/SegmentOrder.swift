import ISOBMFF
import MP4Bytes

/// The order of segments in a join, and diagnostics about gaps, overlaps and duplicates.
struct SegmentOrder {
  /// The sources, in order.
  private(set) var order: [Int]
  private(set) var diagnostics: [Diagnostic] = []
  private let input: MovieInput

  /// The start and end of a source, according to the first track of its fragments.
  private struct Span {
    var track = 0
    var start = MediaTime(0, 1)
    var end = MediaTime(0, 1)
    var sampleCount = 0
    var sequenceNumber: UInt32 = 0
    /// The size of the source. Segments with the same time from two takes rarely have the same size.
    var byteCount: Int?

    /// Whether this starts before the last sample of `other` and is not a duplicate of it.
    func overlaps(_ other: Span) -> Bool {
      if start == other.start, sampleCount == other.sampleCount, byteCount == other.byteCount { return false }
      let sample = (other.end.value - other.start.value) / Int64(max(1, other.sampleCount))
      return start < MediaTime(other.end.value - sample, other.end.timescale)
    }
  }

  init(_ input: MovieInput, _ wanted: Joiner.Order) throws(MovieError) {
    self.input = input
    order = input.sources.indices.filter { !input.contents[$0].isOmitted }
    if wanted == .time { sortByTime() }
    try describe()
  }

  // MARK: Order

  private mutating func sortByTime() {
    let spans = self.spans()
    let segments = order.dropFirst()
    let byName = segments.sorted { natural($0, $1) }
    let byTime = sorted(segments, spans)
    // Sorting by time would interleave the segments of two takes; sorting by name keeps the takes apart.
    let overlaps = self.overlaps(byTime, spans)
    if byTime != byName, overlaps > 1, self.overlaps(byName, spans) < overlaps {
      order = [0] + byName
      diagnostics.append(Diagnostic(.segmentsSorted(byName: true), input.sources[0].name))
      return
    }
    if byTime != Array(segments) {
      diagnostics.append(Diagnostic(.segmentsSorted(byName: false), input.sources[0].name))
    }
    order = [0] + byTime
  }

  /// The segments sorted by time. A segment without a decode time stays after the previous one.
  private func sorted(_ segments: ArraySlice<Int>, _ spans: [Int: Span]) -> [Int] {
    var followers: [Int: [Int]] = [:]
    var leader = 0
    for segment in segments {
      if spans[segment] == nil { followers[leader, default: []].append(segment) } else { leader = segment }
    }
    let timed = segments.filter { spans[$0] != nil }.sorted { a, b in
      guard let x = spans[a], let y = spans[b] else { return a < b }
      if x.start != y.start { return x.start < y.start }
      if x.sequenceNumber != y.sequenceNumber { return x.sequenceNumber < y.sequenceNumber }
      return natural(a, b)
    }
    return ([0] + timed).flatMap { [$0] + (followers[$0] ?? []) }.dropFirst().map(\.self)
  }

  private func natural(_ a: Int, _ b: Int) -> Bool {
    let (x, y) = (NaturalName(input.sources[a].name), NaturalName(input.sources[b].name))
    return x != y ? x < y : a < b
  }

  /// The start and end of each source. If 32-bit times wrapped around, the first source is the one after the largest
  /// gap.
  private func spans() -> [Int: Span] {
    let reader = input.fragments
    var spans: [Int: Span] = [:]
    for fragment in reader.trackFragments where fragment.source > 0 && fragment.sampleCount > 0 {
      guard let declared = fragment.declaredTime else { continue }
      let timescale = input.tracks[fragment.track].timescale
      let time = MediaTime(Int64(clamping: min(declared, 1 << 61)), timescale)
      var span =
        spans[fragment.source]
        ?? Span(
          track: fragment.track, start: time, sequenceNumber: reader.headers[fragment.fragment].sequenceNumber,
          byteCount: input.sources[fragment.source].byteCount)
      guard span.track == fragment.track else { continue }
      span.end = MediaTime(time.value + Int64(clamping: min(fragment.duration, 1 << 61)), timescale)
      span.sampleCount += fragment.sampleCount
      spans[fragment.source] = span
    }
    let isNarrow = reader.trackFragments.allSatisfy { $0.isNarrowTime || $0.declaredTime == nil }
    let isOneTrack = Set(spans.values.map(\.track)).count == 1
    if isNarrow, isOneTrack, let cut = WrappedTime.cut(spans.values.map(\.start.value)) {
      for (source, span) in spans where span.start.value < cut {
        spans[source]?.start.value += 1 << 32
        spans[source]?.end.value += 1 << 32
      }
    }
    return spans
  }

  /// The number of segments that start before the previous one of the same track ends.
  private func overlaps(_ segments: [Int], _ spans: [Int: Span]) -> Int {
    var last: [Int: Span] = [:]
    var count = 0
    for span in segments.compactMap({ spans[$0] }) {
      if let before = last[span.track], span.overlaps(before) { count += 1 }
      last[span.track] = span
    }
    return count
  }

  // MARK: Times

  /// The timeline of the fragments with the sources in this order.
  private func timeline(_ sources: [Int]) throws(MovieError) -> FragmentTimeline {
    let rank = Dictionary(uniqueKeysWithValues: sources.enumerated().map { ($1, $0) })
    let fragments = input.fragments.trackFragments
    let ordered = fragments.indices.sorted {
      let (a, b) = (rank[fragments[$0].source] ?? 0, rank[fragments[$1].source] ?? 0)
      return (a, $0) < (b, $1)
    }
    do throws(IOError) { return try FragmentTimeline(input.fragments, order: ordered) } catch {
      throw .io(error)
    }
  }
  private func source(_ trackFragment: Int) -> Int { input.fragments.trackFragments[trackFragment].source }

  /// A diagnostic for each gap, overlap and duplicate between two segments.
  private mutating func describe() throws(MovieError) {
    var reported: Set<[Int]> = []
    for (track, times) in try timeline(order).tracks.enumerated() {
      for event in times.events where source(event.before) != source(event.after) {
        let pair = [source(event.before), source(event.after)]
        guard reported.insert(pair).inserted else { continue }
        let names = (input.sources[pair[0]].name, input.sources[pair[1]].name)
        let timescale = input.tracks[track].timescale
        let amount = MediaTime(event.amount, timescale)
        switch event.kind {
        case .gap: diagnostics.append(Diagnostic(.segmentGap(after: names.0, amount), names.1))
        case .repeated:
          let isSame = input.sources[pair[0]].byteCount == input.sources[pair[1]].byteCount
          diagnostics.append(Diagnostic(.segmentTwice(of: names.0, isSameSize: isSame), names.1))
        case .overrun, .impossible: break
        case .replaced, .stepBack: diagnostics.append(Diagnostic(.segmentOverlap(of: names.0, amount), names.1))
        }
      }
    }
  }
}

/// A name whose digits are compared as numbers, so that `seg2` is before `seg10`.
package struct NaturalName: Comparable {
  private enum Part: Equatable {
    case number([UInt8])
    case text([UInt8])
    var bytes: [UInt8] {
      switch self {
      case .number(let bytes), .text(let bytes): bytes
      }
    }
  }
  private var parts: [Part] = []

  package init(_ name: String) {
    var digits: [UInt8] = []
    var text: [UInt8] = []
    for byte in name.utf8 {
      let isDigit = (0x30...0x39).contains(byte)
      if isDigit, !text.isEmpty {
        parts.append(.text(text))
        text = []
      } else if !isDigit, !digits.isEmpty {
        parts.append(.number(digits))
        digits = []
      }
      if isDigit { digits.append(byte) } else { text.append(byte) }
    }
    if !digits.isEmpty { parts.append(.number(digits)) }
    if !text.isEmpty { parts.append(.text(text)) }
  }

  package static func < (a: NaturalName, b: NaturalName) -> Bool {
    for (x, y) in zip(a.parts, b.parts) where x != y {
      guard case .number(let left) = x, case .number(let right) = y else {
        return x.bytes.lexicographicallyPrecedes(y.bytes)
      }
      let (m, n) = (left.drop { $0 == 0x30 }, right.drop { $0 == 0x30 })
      if m.count != n.count { return m.count < n.count }
      if m != n { return m.lexicographicallyPrecedes(n) }
    }
    return a.parts.count < b.parts.count
  }
}
