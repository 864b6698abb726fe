import ISOBMFF

/// The movie fragments that contain the samples of a movie, for segments that reuse them.
struct SourceFragments: Sendable {
  /// One movie fragment, or the samples of a movie box.
  struct Fragment: Sendable {
    /// The index of its source, and the offset of its box there.
    var source: Int
    var offset: Int
    /// The range from the first to the last byte of its samples; `nil` if it has none.
    var data: Range<Int>?
    /// Whether it is undamaged, and whether it can be read without the rest of the file.
    var isWhole: Bool
    var countsFromStart: Bool
    /// Whether it is undamaged, and does not need to be changed if it and all bytes after it move together.
    var isMovable: Bool
  }
  /// The first sample of a track in a fragment.
  struct Start: Sendable {
    var fragment: Int
    var sample: Int
  }
  /// The samples of a track in the fragments.
  struct Track: Sendable {
    var starts: [Start] = []
    /// The decode time of the first sample in the source.
    var decodeTime: Int64 = 0
    /// The reason why its fragments cannot be played unchanged, if there is one.
    var problem: Problem?

    /// Why the fragments of a track cannot be played unchanged, as a sentence about the track.
    enum Problem: String {
      case cutOff = "a movie fragment is cut off"
      case samplesInMovie = "its moov has samples"
      case order = "its movie fragments are not in time order"
      case overlap = "movie fragments overlap in time"
      case durations = "the durations of its samples are wrong"
      case noDecodeTime = "a movie fragment has no decode time (tfdt)"
      case restart = "the decode times of its movie fragments restart"
      case extended = "its track would be extended"
    }

    /// For each of these fragments, the first of the `sampleCount` samples of the track in it or in a later fragment.
    func samples(from fragments: [Int], of sampleCount: Int) -> [Int] {
      var left = starts[...]
      return fragments.map { fragment in
        while let start = left.first, start.fragment < fragment { left.removeFirst() }
        return left.first?.sample ?? sampleCount
      }
    }
  }
  /// All fragments, in the order of reading.
  private(set) var fragments: [Fragment]
  /// One for each track of the movie.
  var tracks: [Track]

  init(_ table: FragmentTable, _ timeline: FragmentTimeline) {
    var fragments = table.headers.map {
      Fragment(
        source: $0.source, offset: $0.offset, isWhole: $0.isWhole, countsFromStart: $0.countsFromStart,
        isMovable: $0.isWhole && $0.refersOnlyAhead)
    }
    var places = table.tracks.map { _ in SampleColumns.Place() }
    for fragment in table.trackFragments {
      table.samples.forEachExtent(of: fragment.track, in: fragment.samples, &places[fragment.track]) { extent in
        guard extent.byteCount > 0 else { return }
        let (data, end) = (fragments[fragment.fragment].data, extent.offset + extent.byteCount)
        fragments[fragment.fragment].data =
          min(data?.lowerBound ?? extent.offset, extent.offset)..<max(data?.upperBound ?? end, end)
      }
    }
    self.fragments = fragments
    tracks = timeline.tracks.map { Self.track($0, table) }
    for fragment in table.trackFragments where fragment.isCut {
      tracks[fragment.track].problem = tracks[fragment.track].problem ?? .cutOff
    }
  }

  private static func track(_ timeline: TrackTimeline, _ table: FragmentTable) -> Track {
    var track = Track(decodeTime: timeline.start)
    var (sample, last) = (0, -1)
    for entry in timeline.entries {
      let fragment = table.trackFragments[entry.index]
      if track.problem == nil {
        track.problem = problem(
          entry, fragment, after: last, isInMovieBox: fragment.fragment < table.movieCount,
          isScaled: timeline.scaledDurations[entry.index] != nil)
      }
      if track.starts.last?.fragment != fragment.fragment {
        track.starts.append(Start(fragment: fragment.fragment, sample: sample))
      }
      (sample, last) = (sample + entry.used, entry.index)
    }
    if track.problem == nil, timeline.events.contains(where: \.isRepetition) {
      track.problem = .overlap
    }
    return track
  }

  private static func problem(
    _ entry: TrackTimeline.Entry, _ fragment: TrackFragment, after last: Int, isInMovieBox: Bool, isScaled: Bool
  ) -> Track.Problem? {
    if isInMovieBox { return .samplesInMovie }
    if entry.index < last { return .order }
    if entry.first > fragment.firstSample || entry.used < fragment.sampleCount {
      return .overlap
    }
    if isScaled { return .durations }
    guard let declared = fragment.declaredTime else { return .noDecodeTime }
    return declared == UInt64(clamping: entry.start) ? nil : .restart
  }

  /// Only the fragments with these samples of the only track; empty if one of the samples shares its fragment.
  func keeping(_ samples: [Int], of sampleCount: Int) -> [Track] {
    guard tracks.count == 1, var kept = tracks.first else { return [] }
    var starts = kept.starts[...]
    kept.starts = []
    for (number, sample) in samples.enumerated() {
      while let start = starts.first, start.sample < sample { starts.removeFirst() }
      guard let start = starts.first, start.sample == sample else { return [] }
      guard starts.dropFirst().first?.sample ?? sampleCount == sample + 1 else { return [] }
      kept.starts.append(Start(fragment: start.fragment, sample: number))
    }
    return [kept]
  }
}

extension TrackTimeline.Event {
  /// Whether some of its samples were omitted in favor of others.
  fileprivate var isRepetition: Bool {
    switch kind {
    case .replaced, .repeated: true
    case .gap, .stepBack, .overrun, .impossible: false
    }
  }
}
