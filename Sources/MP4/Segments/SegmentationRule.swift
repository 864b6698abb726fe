/// Where a movie is divided into segments.
public enum SegmentationRule: Sendable, Equatable {
  /// Before the first sync sample that is presented at least this long after the start of its segment.
  case interval(MediaTime)
  /// Before sync samples that another rule chooses, and at breaks.
  case paced(SegmentPace)
  /// At these increasing presentation times, which must be those of sync samples.
  case times([MediaTime])
  /// Before the first sample, presented at or after each of these times, at which decoding can start. The times are the
  /// cuts of another rendition of the same presentation.
  case following([MediaTime])
}

extension SegmentationRule {
  /// The intended duration and the rule; `nil` if segments start at given times.
  var pace: SegmentPace? {
    switch self {
    case .interval(let duration): SegmentPace(duration)
    case .paced(let pace): pace
    case .times, .following: nil
    }
  }
}

/// The division of a movie into segments and fragments: the position of each cut in each track.
struct Segmentation: Sendable {
  /// The fragments of each segment.
  private(set) var segments: [Range<Int>] = []
  /// For each track, the start of each fragment, and the end of the samples.
  private(set) var positions: [[SampleCursor]]
  /// The presentation time at which each segment and each fragment starts.
  private(set) var starts: [MediaTime] = []
  private(set) var times: [MediaTime] = []
  /// The track whose sync samples determine the cuts.
  let reference: Int
  /// Whether the fragments are those of the sources.
  private(set) var keepsFragments = false

  /// A cut.
  private struct Cut {
    /// Its presentation time.
    var time: MediaTime
    /// Whether a segment starts here, or only a fragment.
    var startsSegment: Bool
    /// The sample of the reference track that follows it, if known.
    var sample: Int?
  }

  /// A track to divide: its samples and presentation times.
  struct Track {
    var list: SampleList
    var timescale: UInt32
    var isVideo: Bool
    /// The offset from track times to presentation times.
    var presentationShift: Int64

    func presentation(_ time: Int64) -> MediaTime { MediaTime(time &+ presentationShift, timescale) }
    /// The track time that is presented at this presentation time.
    func time(at time: MediaTime) -> Int64 { time.converted(to: timescale).value &- presentationShift }
  }

  /// Divides `tracks`. With `fragmentDuration`, segments are divided into fragments of about this duration.
  init(_ tracks: [Track], _ cutting: SegmentationRule, fragmentDuration: MediaTime?) throws(Obstacle) {
    reference = Self.reference(of: tracks)
    positions = tracks.map { _ in [] }
    guard !tracks.isEmpty else { return }
    var cuts = try Self.cuts(tracks, reference, cutting, fragmentDuration)
    for (index, track) in tracks.enumerated() {
      positions[index] = Self.positions(track, cuts, isReference: index == reference)
    }
    dropEmpty(&cuts)
    var first = 0
    for (index, cut) in cuts.enumerated() where cut.startsSegment {
      if index > 0 { segments.append(first..<index) }
      first = index
      starts.append(cut.time)
    }
    segments.append(first..<cuts.count)
    times = cuts.map(\.time)
  }

  /// Segments of one fragment each, which start at these times. `positions` are the corresponding positions in each
  /// track, including its end.
  init(startingAt starts: [MediaTime], positions: [[SampleCursor]], reference: Int) {
    segments = starts.indices.map { $0..<($0 + 1) }
    (self.positions, self.starts, self.reference) = (positions, starts, reference)
  }

  /// The fragments of the sources. `times` are the times at which they start, and `startsSegment` is whether a segment
  /// starts there; the first one always does.
  init(
    keepingFragmentsAt times: [MediaTime], startsSegment: [Bool], positions: [[SampleCursor]], reference: Int
  ) {
    (self.times, self.positions, self.reference, keepsFragments) = (times, positions, reference, true)
    var first = 0
    for index in times.indices where index == 0 || startsSegment[index] {
      if index > 0 { segments.append(first..<index) }
      first = index
      starts.append(times[index])
    }
    segments.append(first..<times.count)
  }

  /// Whether segments start at the same samples of the reference track as in another segmentation of the same tracks.
  func areAlike(_ other: Segmentation) -> Bool { segmentStarts == other.segmentStarts }
  private var segmentStarts: [Int] { segments.map { positions[reference][$0.lowerBound].sample } }

  static func reference(of tracks: [Track]) -> Int {
    tracks.firstIndex { $0.isVideo && $0.list.count > 0 && !$0.list.isAllSync }
      ?? tracks.firstIndex { $0.isVideo && $0.list.count > 0 }
      ?? tracks.firstIndex { $0.list.count > 0 } ?? 0
  }

  /// Removes cuts that no sample follows. A segment continues if no sample starts for a long time.
  private mutating func dropEmpty(_ cuts: inout [Cut]) {
    let kept = cuts.indices.filter { cut in
      cut == 0 || positions.contains { $0[cut].sample < $0[cut + 1].sample }
    }
    guard kept.count < cuts.count else { return }
    // A segment whose first fragment would be empty starts with its first fragment that is not.
    var startsSegment = false
    var result: [Cut] = []
    var next = kept[...]
    for index in cuts.indices {
      startsSegment = startsSegment || cuts[index].startsSegment
      guard next.first == index else { continue }
      next.removeFirst()
      var cut = cuts[index]
      cut.startsSegment = startsSegment
      startsSegment = false
      result.append(cut)
    }
    positions = positions.map { all in kept.map { all[$0] } + [all[cuts.count]] }
    cuts = result
  }

  private static func cuts(
    _ tracks: [Track], _ reference: Int, _ cutting: SegmentationRule, _ fragmentDuration: MediaTime?
  ) throws(Obstacle) -> [Cut] {
    let track = tracks[reference]
    var cuts = [Cut(time: track.presentation(track.list.compositionStart), startsSegment: true, sample: 0)]
    switch cutting {
    case .interval(let interval):
      cuts += intervals(track, interval, fragmentDuration)
      cuts += intervals(after: cuts, tracks, reference, interval)
    case .paced(let pace):
      cuts += pace.starts(track).map { Cut(time: track.presentation($0.time), startsSegment: true, sample: $0.sample) }
      cuts += intervals(after: cuts, tracks, reference, pace.duration)
    case .times(let times):
      cuts += try exact(track, times, fragmentDuration)
    case .following(let times):
      for time in times where time > cuts[0].time { cuts.append(Cut(time: time, startsSegment: true, sample: nil)) }
    }
    return cuts
  }

  /// Cuts before sync samples that are at least `interval` apart, and for fragments also before other samples.
  private static func intervals(_ track: Track, _ interval: MediaTime, _ fragmentDuration: MediaTime?) -> [Cut] {
    let length = max(1, interval.converted(to: track.timescale).value)
    let fragment = fragmentDuration.map { max(1, $0.converted(to: track.timescale).value) }
    var cuts: [Cut] = []
    // The start of the segment in composition time, and of the fragment in decode time.
    var (segmentStart, fragmentStart) = (track.list.compositionStart, Int64(0))
    var walk = SampleWalk(track.list)
    while walk.sample < track.list.count {
      let composition = walk.compositionTime
      // A fragment with the decode time of the one before it would be read as a repetition.
      if walk.time > fragmentStart, composition &- segmentStart >= length, walk.isSync {
        cuts.append(Cut(time: track.presentation(composition), startsSegment: true, sample: walk.sample))
        (segmentStart, fragmentStart) = (composition, walk.time)
      } else if let fragment, walk.time &- fragmentStart >= fragment {
        // Other tracks are cut at about the presentation time of this sample.
        let about = walk.time &+ track.list.compositionStart
        cuts.append(Cut(time: track.presentation(about), startsSegment: false, sample: walk.sample))
        fragmentStart = walk.time
      }
      walk.advance()
    }
    return cuts
  }

  /// Cuts after the end of the reference track, for tracks that are longer.
  private static func intervals(after cuts: [Cut], _ tracks: [Track], _ reference: Int, _ interval: MediaTime) -> [Cut]
  {
    guard let last = cuts.last(where: \.startsSegment) else { return [] }
    let track = tracks[reference]
    let length = max(1, interval.converted(to: track.timescale).value)
    let end = track.list.compositionEnd &+ track.presentationShift
    let others = tracks.map {
      MediaTime($0.list.compositionEnd &+ $0.presentationShift, $0.timescale).converted(to: track.timescale).value
    }
    guard let longest = others.max(), longest &- end >= length else { return [] }
    var result: [Cut] = []
    var time = last.time.converted(to: track.timescale).value
    // The last segment of the reference track can last for years.
    let rest = end &- time
    if rest > 0 { time = time &+ (rest - 1) / length &* length }
    // A track with one sample that lasts for years must not result in more segments than there are samples.
    let limit = tracks.reduce(0) { $0 + $1.list.count }
    while longest &- time > length, result.count < limit {
      time = time &+ length
      result.append(Cut(time: MediaTime(time, track.timescale), startsSegment: true, sample: nil))
    }
    return result
  }

  /// The time from the first to the second, in nanoseconds, which are finer than the units of a track.
  private static func nanoseconds(from first: MediaTime, to second: MediaTime) -> Int64 {
    second.converted(to: 1_000_000_000).value &- first.converted(to: 1_000_000_000).value
  }

  private static func noSync(at time: MediaTime, nearest: [MediaTime?]) -> Obstacle {
    let times = nearest.compactMap(\.self)
    let text = times.map(\.description).joined(separator: " and ")
    return Obstacle(
      .noSync,
      "no sync sample at \(time), where a segment should start"
        + (times.isEmpty ? "" : "; the nearest are at \(text)"),
      ["time": .time(time), "nearest": .list(times.map { .time($0) })])
  }

  /// Cuts at given times. Decimal numbers from users are precise to half a millisecond.
  private static func exact(
    _ track: Track, _ times: [MediaTime], _ fragmentDuration: MediaTime?
  ) throws(Obstacle) -> [Cut] {
    var wanted = times[...]
    var cuts: [Cut] = []
    var fragmentStart: Int64 = 0
    let fragment = fragmentDuration.map { max(1, $0.converted(to: track.timescale).value) }
    var before: MediaTime?
    var walk = SampleWalk(track.list)
    while walk.sample < track.list.count {
      if walk.isSync, let next = wanted.first {
        let composition = walk.compositionTime
        let distance = nanoseconds(from: next, to: track.presentation(composition))
        if distance > 500_000 {
          throw Self.noSync(at: next, nearest: [before, track.presentation(composition)])
        }
        before = track.presentation(composition)
        if distance >= -500_000 {
          wanted.removeFirst()
          if walk.sample > 0 {
            cuts.append(Cut(time: track.presentation(composition), startsSegment: true, sample: walk.sample))
          }
          fragmentStart = walk.time
        }
      }
      if let fragment, walk.time &- fragmentStart >= fragment {
        let about = walk.time &+ track.list.compositionStart
        cuts.append(Cut(time: track.presentation(about), startsSegment: false, sample: walk.sample))
        fragmentStart = walk.time
      }
      walk.advance()
    }
    if let next = wanted.first { throw Self.noSync(at: next, nearest: [before]) }
    return cuts
  }

  /// The position of every cut in a track. In the reference track, it is the sample that was found. In other tracks, it
  /// is before the first sample that is presented at that time or later and, if a segment starts there, is an access
  /// point.
  private static func positions(_ track: Track, _ cuts: [Cut], isReference: Bool) -> [SampleCursor] {
    var walk = SampleWalk(track.list)
    var result = [walk.position]
    result.reserveCapacity(cuts.count + 1)
    // Samples of a track without reordering are presented in decoding order.
    let offset = track.list.compositionStart
    var next = 1
    while walk.sample < track.list.count {
      while next < cuts.count {
        let isReached: Bool
        if isReference, let sample = cuts[next].sample {
          isReached = walk.sample >= sample
        } else {
          let presented = walk.time &+ (cuts[next].startsSegment ? walk.compositionOffset : offset)
          let last = result[result.count - 1]
          isReached =
            presented >= track.time(at: cuts[next].time) && (!cuts[next].startsSegment || walk.isSync)
            && (walk.sample == last.sample || walk.time > last.time)
        }
        guard isReached else { break }
        result.append(walk.position)
        next += 1
      }
      walk.advance()
    }
    while result.count <= cuts.count { result.append(walk.position) }
    return result
  }
}
