import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4Records

/// The places of a movie where playback may stop, jump or lose synchronization, as far as its tables show them.
public struct StallListing: Sendable {
  /// Sorted by time.
  public let stalls: [Stall]

  /// Smaller differences between the starts and ends of tracks are normal, because an audio frame or a picture may be
  /// cut off.
  private static let allowedDifference = MediaTime(1, 5)

  /// Examines all samples of the audio and video tracks, and lists the stalls in a range of `times`, by default all.
  public init(_ movie: Movie, in times: Range<MediaTime>? = nil) {
    self.init(movie, in: times, hasSegments: false)
  }

  /// The same for a movie whose inputs can be the segments of a playlist.
  init(_ movie: Movie, in times: Range<MediaTime>? = nil, hasSegments: Bool) {
    let tracks = movie.tracks.filter { ($0.handler == "vide" || $0.handler == "soun") && !$0.samples.isEmpty }
    var found = tracks.flatMap { track in
      Self.longSamples(of: track, hasSegments) + Self.sameTimes(of: track) + Self.emptyEdits(of: track)
    }
    found += Self.differences(tracks)
    found += Interleaving(tracks, fragments: movie.fragmentDurations).stalls
    if let times {
      found.removeAll { stall in
        let end = stall.kind == .interleaving ? stall.time : stall.time + stall.duration
        return stall.time >= times.upperBound || end < times.lowerBound
      }
    }
    stalls = Self.merged(found).sorted { ($0.time, $0.track) < ($1.time, $1.track) }
  }

  /// If a track has more stalls of one kind, they are systematic, and listed as one.
  private static let mostPlaces = 20

  private static func merged(_ stalls: [Stall]) -> [Stall] {
    struct Key: Hashable {
      let kind: Stall.Kind
      let track: UInt32
    }
    return Dictionary(grouping: stalls) { Key(kind: $0.kind, track: $0.track) }.values.flatMap { places in
      guard places.count > mostPlaces, var longest = places.max(by: { $0.duration < $1.duration }) else {
        return places
      }
      longest.count = places.count
      return [longest]
    }
  }

  /// Samples that are presented longer than usual, except the last one, which often extends to the end of the other
  /// tracks.
  private static func longSamples(of track: Track, _ hasSegments: Bool) -> [Stall] {
    let usual = track.usualDuration
    guard usual > 0 else { return [] }
    let limit = MediaTime(usual + usual / 2, track.timescale)
    let isSound = track.handler == "soun"
    var (stalls, waiting): ([Stall], ShownSample?) = ([], nil)
    func add(_ shown: ShownSample, before next: Int) {
      guard shown.duration > limit.value else { return }
      // An edit can hide a part of it.
      guard let times = track.presentations(of: shown).first(where: { $0.upperBound - $0.lowerBound > limit }) else {
        return
      }
      let duration = times.upperBound - times.lowerBound
      // At the start of fragmented files, a longer first audio sample is often presented before the first picture.
      if isSound, shown.index == 0, duration < allowedDifference { return }
      let sample = track.samples[shown.index]
      // It was extended up to the next one.
      let isLast = hasSegments && track.samples[next].sourceIndex != sample.sourceIndex
      stalls.append(
        Stall(
          kind: isLast ? .segmentGap : .longSample, track: track.id, sample: shown.index + 1, offset: sample.offset,
          time: times.lowerBound, duration: duration, other: nil))
    }
    track.forEachShownSample { shown in
      if let waiting { add(waiting, before: shown.index) }
      waiting = shown
    }
    return stalls
  }

  private static func sameTimes(of track: Track) -> [Stall] {
    guard track.pictureSize != nil, !track.isInOrder else { return [] }
    var times: [(time: Int64, index: Int)] = track.samples.map { ($0.compositionTime.value, $0.index) }
    times.sort { ($0.time, $0.index) < ($1.time, $1.index) }
    return zip(times, times.dropFirst()).compactMap { first, second in
      guard first.time == second.time else { return nil }
      let sample = track.samples[second.index]
      guard let time = sample.presentationTime else { return nil }
      return Stall(
        kind: .sameTime, track: track.id, sample: sample.index + 1, offset: sample.offset, time: time,
        duration: sample.duration, other: nil)
    }
  }

  private static func emptyEdits(of track: Track) -> [Stall] {
    var result: [Stall] = []
    for (edit, clock) in zip(track.edits, track.editStarts) {
      let duration = track.length(of: edit)
      // A delay at the start is compared with those of other tracks.
      if edit.mediaTime < 0, clock > MediaTime(0, 1) {
        result.append(
          Stall(
            kind: .emptyEdit, track: track.id, sample: nil, offset: nil, time: clock, duration: duration, other: nil))
      }
    }
    return result
  }

  /// Tracks that start later or end earlier than those that are presented longest.
  private static func differences(_ tracks: [Track]) -> [Stall] {
    let spans = tracks.compactMap { track in track.presentedTimes.map { (track: track.id, span: $0) } }
    guard let first = spans.min(by: { $0.span.lowerBound < $1.span.lowerBound }),
      let last = spans.max(by: { $0.span.upperBound < $1.span.upperBound })
    else { return [] }
    var result: [Stall] = []
    for (track, span) in spans {
      let (late, early) = (span.lowerBound - first.span.lowerBound, last.span.upperBound - span.upperBound)
      if late > allowedDifference {
        result.append(
          Stall(
            kind: .lateStart, track: track, sample: nil, offset: nil, time: span.lowerBound, duration: late,
            other: first.track))
      }
      if early > allowedDifference {
        result.append(
          Stall(
            kind: .earlyEnd, track: track, sample: nil, offset: nil, time: span.upperBound, duration: early,
            other: last.track))
      }
    }
    return result
  }

  /// Writes the stalls.
  public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) {
    try Stall.write(stalls, format, to: sink)
  }

  /// Adds the stalls to an output for several movies. Returns their number.
  package func add(
    to output: inout RecordOutput<RecordInFile<Stall>>, file: String
  ) throws(IOError) -> Int {
    for stall in stalls { try output.write(RecordInFile(stall, in: file)) }
    return stalls.count
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(RecordInFile<Stall>.schema).write(to: sink)
  }
}
