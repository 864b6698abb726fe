import ISOBMFF

/// The places of a file in which the samples of a movie box can lie.
struct MediaPlaces {
  private let ranges: [Range<Int>]
  private let end: Int
  /// The place that was looked up last: samples follow each other, and so do their places.
  private var latest = 0

  /// These places in the order of the file, up to `end`.
  init(_ ranges: [Range<Int>], end: Int) { (self.ranges, self.end) = (ranges, end) }

  /// Whether so many bytes from `offset` on lie in one place.
  mutating func hold(_ byteCount: Int, at offset: Int) -> Bool { byteCount <= room(at: offset) }

  /// How many bytes there are from `offset` on to the end of the place that it is in.
  private mutating func room(at offset: Int) -> Int {
    if latest >= ranges.count || !ranges[latest].contains(offset) {
      var (low, high) = (0, ranges.count)
      while low < high {
        let middle = (low + high) / 2
        if ranges[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
      }
      latest = low
    }
    guard latest < ranges.count, ranges[latest].contains(offset) else { return 0 }
    return max(0, min(ranges[latest].upperBound, end) - offset)
  }
}

/// Samples of a movie box whose bytes are not there.
extension FragmentReader {
  /// Leaves out the samples of the movie box of one track, which are in `fragments`, that are not in media data. What
  /// follows them keeps its time. `unplaced` are samples at the end of which nothing says where they are. Returns what is
  /// left out.
  mutating func cut(
    _ fragments: inout [TrackFragment], to places: inout MediaPlaces, _ unplaced: (samples: Int, duration: UInt64)
  ) -> [Notice.Span] {
    var lost: [Notice.Span] = []
    var time: UInt64 = 0
    if !fragments.allSatisfy({ store.hold($0, places: &places) }) {
      var kept: [TrackFragment] = []
      for fragment in fragments { kept += cut(fragment, &places, &time, &lost) }
      if kept.isEmpty, var empty = fragments.first {
        (empty.runs, empty.sampleCount, empty.duration) = (0..<0, 0, 0)
        empty.information = FragmentInformation()
        kept = [empty]
      }
      fragments = kept
    } else {
      time = fragments.reduce(0) { $0 &+ $1.duration }
    }
    if unplaced.samples > 0 {
      lost.append(joining: Self.span(time, unplaced.duration, unplaced.samples))
      time &+= unplaced.duration
    }
    // Fragments that do not say when they start follow all of it.
    if let last = fragments.indices.last, !lost.isEmpty {
      let end = (fragments[last].declaredTime ?? 0) &+ fragments[last].duration
      if fragments[last].declaredTime != nil, time > end { fragments[last].information.emptyDuration = time - end }
    }
    return lost
  }

  private static func span(_ time: UInt64, _ duration: UInt64, _ samples: Int) -> Notice.Span {
    Notice.Span(time: Int64(clamping: time), duration: Int64(clamping: duration), samples: samples)
  }

  /// The parts of a fragment that starts at `time` which are there.
  private mutating func cut(
    _ fragment: TrackFragment, _ places: inout MediaPlaces, _ time: inout UInt64, _ lost: inout [Notice.Span]
  ) -> [TrackFragment] {
    var parts: [(runs: Range<Int>, isThere: Bool)] = []
    for index in fragment.runs {
      for (run, isThere) in store.parts(of: store.runs[index], in: &places) {
        let number = store.runs.count
        store.runs.append(run)
        if parts.last?.isThere == isThere {
          parts[parts.count - 1].runs = parts[parts.count - 1].runs.lowerBound..<number + 1
        } else {
          parts.append((number..<number + 1, isThere))
        }
      }
      // Its parts have taken its place.
      (store.runs[index].count, store.runs[index].byteCount) = (0, 0)
    }
    let counts = parts.map { $0.runs.reduce(0) { $0 + store.runs[$1].count } }
    let information =
      fragment.hasInformation ? fragment.information.split(counts, self.information[fragment.track]) : []
    var result: [TrackFragment] = []
    for (index, part) in parts.enumerated() {
      var piece = fragment
      (piece.runs, piece.sampleCount, piece.duration) = (part.runs.lowerBound..<part.runs.lowerBound, 0, 0)
      for run in part.runs { piece.append(run, of: store) }
      piece.declaredTime = time
      piece.information = information.isEmpty ? FragmentInformation() : information[index]
      if part.isThere {
        result.append(piece)
      } else {
        lost.append(joining: Self.span(time, piece.duration, piece.sampleCount))
        for run in part.runs { (store.runs[run].count, store.runs[run].byteCount) = (0, 0) }
      }
      time &+= piece.duration
    }
    return result
  }
}

extension RunStore {
  /// Whether all samples of a fragment are in media data.
  func hold(_ fragment: TrackFragment, places: inout MediaPlaces) -> Bool {
    for index in fragment.runs where !places.hold(runs[index].byteCount, at: runs[index].offset) { return false }
    return true
  }

  /// The parts of a run that are in media data, and those that are not. Samples without bytes go with those before.
  fileprivate func parts(of run: SampleRun, in places: inout MediaPlaces) -> [(run: SampleRun, isThere: Bool)] {
    if places.hold(run.byteCount, at: run.offset) { return [(run, true)] }
    var result: [(run: SampleRun, isThere: Bool)] = []
    var (first, firstByte, byte) = (0, 0, 0)
    var isThere: Bool?
    for index in 0..<run.count {
      let size = Int(size(run, index))
      let isNextThere = size == 0 ? isThere ?? true : places.hold(size, at: run.offset + byte)
      if let last = isThere, last != isNextThere {
        result.append((part(of: run, from: first, count: index - first, behind: firstByte), last))
        (first, firstByte) = (index, byte)
      }
      isThere = isNextThere
      byte += size
    }
    if let isThere { result.append((part(of: run, from: first, count: run.count - first, behind: firstByte), isThere)) }
    return result
  }
}
