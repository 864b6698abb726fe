import ISOBMFF
import MP4Bytes

/// Segments that exist in the sources. Each consists of adjacent, whole movie fragments and starts with a sync sample.
struct SourceSegments: Sendable {
  /// Their start positions.
  let cuts: Segmentation
  /// The bytes of each segment.
  private(set) var copies: [CopyPlan] = []
  /// The sizes of their movie fragments, including the boxes that belong to them.
  private(set) var fragmentSizes: [[Int]] = []
  private let fragments: SourceFragments

  /// Finds the segments. With `referenced`, each segment is a single range of one source.
  ///
  /// - Throws: `MovieError.impossible` with the reason why there are none.
  init(
    _ movie: Movie, _ tracks: [Segmentation.Track], _ cutting: SegmentationRule, areReferenced: Bool
  ) throws(MovieError) {
    fragments = movie.fragments
    let reference = Segmentation.reference(of: tracks)
    let name = movie.name
    try movie.checkIsWhole()
    guard fragments.tracks.count == tracks.count, tracks.contains(where: { $0.list.count > 0 }) else {
      throw .impossible(
        file: name, Obstacle("no_fragments", "its samples are not in separate movie fragments"))
    }
    for (track, own) in zip(movie.tracks, fragments.tracks) {
      if let problem = own.problem {
        throw .impossible(file: name, Obstacle("unusable_fragments", problem.rawValue).inTrack(track.id))
      }
    }
    let firsts = try Self.firsts(fragments, tracks, reference, cutting, areReferenced: areReferenced, name)
    cuts = Segmentation(
      startingAt: firsts.map(\.time),
      positions: zip(tracks, fragments.tracks).map { track, own in
        track.list.positions(of: own.samples(from: firsts.map(\.fragment), of: track.list.count))
      }, reference: reference)
    try setCopies(firsts.map(\.fragment), movie, areReferenced: areReferenced)
  }

  /// The first fragment of each segment, and its presentation time.
  private static func firsts(
    _ fragments: SourceFragments, _ tracks: [Segmentation.Track], _ reference: Int, _ cutting: SegmentationRule,
    areReferenced: Bool, _ name: String
  ) throws(MovieError) -> [(fragment: Int, time: MediaTime)] {
    let track = tracks[reference]
    let starts = fragments.tracks[reference].starts
    var pace = Pace(track, cutting)
    var result: [(fragment: Int, time: MediaTime)] = []
    for (start, position) in zip(starts, track.list.positions(of: starts.map(\.sample))) {
      let composition = position.time &+ track.list.compositionOffset(start.sample)
      let fragment = fragments.fragments[start.fragment]
      // A range is in one file.
      let isElsewhere =
        areReferenced && result.last.map { fragments.fragments[$0.fragment].source != fragment.source } ?? false
      if result.isEmpty || isElsewhere, !track.list.isSync(start.sample) {
        let text =
          "the movie fragment at byte \(fragment.offset) does not begin with a sync sample, as segments must"
        throw .impossible(file: name, Obstacle("fragment_without_sync", text))
      }
      if result.isEmpty {
        let first = fragments.tracks.compactMap { $0.starts.first?.fragment }.min() ?? start.fragment
        result.append((first, track.presentation(track.list.compositionStart)))
      } else if isElsewhere || pace.isReached(at: composition, track) && track.list.isSync(start.sample) {
        result.append((start.fragment, track.presentation(composition)))
        pace.begin(at: composition, track)
      }
    }
    return result
  }

  private mutating func setCopies(_ firsts: [Int], _ movie: Movie, areReferenced: Bool) throws(MovieError) {
    var used = Array(Set(fragments.tracks.flatMap { $0.starts.map(\.fragment) })).sorted()[...]
    var places: [Int: FragmentByteRanges] = [:]
    for index in firsts.indices {
      let end = index + 1 < firsts.count ? firsts[index + 1] : Int.max
      var (plan, sizes, last) = (CopyPlan(), [Int](), Int?.none)
      while let number = used.first, number < end {
        used.removeFirst()
        let fragment = fragments.fragments[number]
        let source = movie.input.sources[fragment.source]
        if places[fragment.source] == nil { places[fragment.source] = try FragmentByteRanges(source) }
        guard let range = try places[fragment.source]?.place(of: fragment, source.name) else { continue }
        // A range includes everything in between.
        if areReferenced, let last, !fragments.fragments[last..<number].allSatisfy(\.isWhole) {
          let text = "a damaged movie fragment precedes the one at byte \(fragment.offset)"
          throw .impossible(file: source.name, Obstacle("damaged_fragment", text))
        }
        last = number
        plan.append(range, of: fragment.source)
        sizes.append(range.count)
      }
      copies.append(areReferenced ? plan.joined : plan)
      fragmentSizes.append(sizes)
    }
  }

  /// The position of a sample in a segment, relative to its start.
  func offset(of sample: Int, of list: SampleList, in segment: Int) -> Int {
    let (source, offset) = (list.source(of: sample), list.columns.offset(sample))
    var before = 0
    for piece in copies[segment].pieces {
      if piece.source == source, piece.range.contains(offset) { return before + offset - piece.range.lowerBound }
      before += piece.range.count
    }
    return before
  }
}

extension Segmentation {
  /// The movie fragments of the sources, in segments that start at fragments with a sync sample; `nil` if samples are
  /// in the movie box, or if the order of the samples is not that of the fragments.
  init?(keeping fragments: SourceFragments, _ tracks: [Track], _ cutting: SegmentationRule) {
    guard fragments.tracks.count == tracks.count else { return nil }
    for track in fragments.tracks {
      switch track.problem {
      case nil, .cutOff, .durations, .noDecodeTime, .restart: break
      case .samplesInMovie, .order, .overlap, .extended: return nil
      }
    }
    let used = Set(fragments.tracks.flatMap { $0.starts.map(\.fragment) }).sorted()
    guard !used.isEmpty else { return nil }
    let reference = Self.reference(of: tracks)
    let positions = zip(tracks, fragments.tracks).map { track, own in
      track.list.positions(of: own.samples(from: used, of: track.list.count))
    }
    // Two fragments of a track cannot have the same decode time.
    for own in positions {
      for (position, next) in zip(own, own.dropFirst()) where next.sample > position.sample {
        guard next.time > position.time || next.sample == own[own.count - 1].sample else { return nil }
      }
    }
    let track = tracks[reference]
    var pace = Pace(track, cutting)
    var (times, startsSegment): ([MediaTime], [Bool]) = ([], [])
    for index in used.indices {
      func hasSamples(_ track: Int) -> Bool { positions[track][index + 1].sample > positions[track][index].sample }
      let own = hasSamples(reference) ? reference : tracks.indices.first(where: hasSamples) ?? reference
      let (position, list) = (positions[own][index], tracks[own].list)
      let composition = position.sample < list.count ? list.compositionOffset(position.sample) : 0
      times.append(
        tracks[own].presentation(index == 0 ? tracks[own].list.compositionStart : position.time &+ composition))
      let isStart =
        own == reference && pace.isReached(at: position.time &+ composition, track)
        && track.list.isSync(position.sample)
      if isStart { pace.begin(at: position.time &+ composition, track) }
      startsSegment.append(isStart)
    }
    self.init(keepingFragmentsAt: times, startsSegment: startsSegment, positions: positions, reference: reference)
  }
}

/// Determines when a segment is long enough.
private struct Pace {
  private let length: Int64?
  private var start: Int64
  /// The segment start times of another rendition.
  private var times: ArraySlice<MediaTime> = []

  init(_ track: Segmentation.Track, _ cutting: SegmentationRule) {
    start = track.list.compositionStart
    switch cutting {
    case .interval(let interval): length = max(1, interval.converted(to: track.timescale).value)
    case .paced(let pace):
      (length, times) = (nil, pace.starts(track).map { track.presentation($0.time) }[...])
    case .times(let wanted), .following(let wanted):
      (length, times) = (nil, wanted[...])
      skip(to: start, track)
    }
  }

  func isReached(at composition: Int64, _ track: Segmentation.Track) -> Bool {
    if let length { return composition &- start >= length }
    return times.first.map { composition >= track.time(at: $0) } ?? false
  }
  mutating func begin(at composition: Int64, _ track: Segmentation.Track) {
    start = composition
    skip(to: composition, track)
  }
  private mutating func skip(to composition: Int64, _ track: Segmentation.Track) {
    while let time = times.first, track.time(at: time) <= composition { times.removeFirst() }
  }
}

extension SampleList {
  /// The positions of these samples, which are in ascending order, and the end.
  fileprivate func positions(of samples: [Int]) -> [SampleCursor] {
    (samples + [count]).map { SampleCursor($0, in: self) }
  }
}

extension CopyPlan {
  /// One range from the first byte to the last, including the bytes in between.
  fileprivate var joined: CopyPlan {
    guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else { return self }
    var plan = CopyPlan()
    plan.append(first.range.lowerBound..<last.range.upperBound, of: first.source)
    return plan
  }
}
