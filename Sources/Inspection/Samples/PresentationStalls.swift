public import MP4
public import MP4Bytes
import MP4HLS
import MP4Presentations
public import MP4Records

/// Finds places of a presentation where playback may stop, jump or lose synchronization: in the media of each playlist,
/// at gaps between segments, and at segments whose media is not presented at the time in the playlist.
public struct PresentationStalls: Sendable {
  /// A stall and its place.
  struct Place: Sendable {
    let part: PresentationMovies.Part
    let stall: Stall
    let line: Int?
  }
  /// Sorted by time.
  let places: [Place]

  /// The stalls without their places.
  public var stalls: [Stall] { places.map(\.stall) }

  /// Smaller differences of segment starts are normal, because segments end with an audio frame or a picture.
  private static let allowedDifference = MediaTime(1, 5)

  /// Examines the audio and video tracks, and lists the stalls in a range of `times`, by default all.
  public init(_ movies: PresentationMovies, in times: Range<MediaTime>? = nil) {
    var places: [Place] = []
    for part in movies.parts {
      for stall in StallListing(part.movie, hasSegments: true).stalls {
        places.append(Self.place(stall, in: part))
      }
      for track in part.movie.tracks where track.handler == "vide" || track.handler == "soun" {
        places += Self.differences(track, part)
      }
    }
    for playlist in movies.playlists { places += Self.missingSegments(of: playlist, movies) }
    places += Self.shortPlaylists(movies)
    if let times {
      places.removeAll { place in
        place.stall.time >= times.upperBound || place.stall.time + place.stall.duration < times.lowerBound
      }
    }
    self.places = places.enumerated().sorted { ($0.element.stall.time, $0.offset) < ($1.element.stall.time, $1.offset) }
      .map(\.element)
  }

  /// Missing segments at the start, at the end and beside discontinuities; others are gaps of a movie.
  private static func missingSegments(of playlist: OpenedPlaylist, _ movies: PresentationMovies) -> [Place] {
    let parts = movies.parts.filter { $0.playlist.name == playlist.name }
    var (places, next) = ([Place](), 0)
    func add(until end: Int, _ part: PresentationMovies.Part) {
      guard next < end, let track = part.movie.tracks.first else { return }
      let missing = next..<end
      let stall = Stall(
        kind: .missingSegments, track: track.id, sample: nil, offset: nil,
        time: MediaTime(playlist.segments[next].declared.start), duration: MediaTime(playlist.duration(of: missing)),
        other: nil)
      places.append(Place(part: part, stall: stall, line: playlist.segments[next].line))
    }
    for part in parts {
      guard let first = part.run.segments.first, let last = part.run.segments.last else { continue }
      add(until: first, part)
      next = last + 1
    }
    if let last = parts.last { add(until: playlist.segments.count, last) }
    return places
  }

  /// Playlists that end before the longest one. Live playlists are excluded.
  private static func shortPlaylists(_ movies: PresentationMovies) -> [Place] {
    func end(of playlist: OpenedPlaylist) -> MediaTime {
      playlist.segments.last.map { MediaTime($0.declared.start + $0.declared.duration) } ?? MediaTime(0, 1)
    }
    guard let longest = movies.playlists.map(end).max(),
      movies.playlists.allSatisfy({ $0.playlist?.isEnded ?? false })
    else { return [] }
    return movies.playlists.compactMap { playlist in
      let end = end(of: playlist)
      guard longest - end > allowedDifference, let last = playlist.segments.last,
        let part = movies.parts.last(where: { $0.playlist.name == playlist.name }), let track = part.movie.tracks.first
      else { return nil }
      return Place(
        part: part,
        stall: Stall(
          kind: .shortPlaylist, track: track.id, sample: nil, offset: nil, time: end, duration: longest - end,
          other: nil),
        line: last.line)
    }
  }

  private static func place(_ stall: Stall, in part: PresentationMovies.Part) -> Place {
    let track = part.movie.tracks.first { $0.id == stall.track }
    let source = stall.sample.flatMap { number in
      track.flatMap { $0.samples.indices.contains(number - 1) ? $0.samples[number - 1].sourceIndex : nil }
    }
    let moved = stall.moved(to: stall.time + part.shift)
    return Place(
      part: part, stall: moved,
      line: (source.flatMap { part.segment(ofSource: $0) } ?? part.segment(at: moved.time))?.line)
  }

  /// Segments whose media starts at a different time from the playlist, with the largest difference for each track; and
  /// media that ends before the playlist.
  private static func differences(_ track: Track, _ part: PresentationMovies.Part) -> [Place] {
    var (worst, count, source) = (Place?.none, 0, -1)
    var end = MediaTime(0, 1)
    // Samples can be reordered, so all samples of a segment are needed.
    var first: (sample: Sample, time: MediaTime)?
    func finish() {
      guard let (sample, time) = first, let segment = part.segment(ofSource: source) else { return }
      let difference = time - MediaTime(segment.declared.start)
      let size = difference.value < 0 ? MediaTime(0, 1) - difference : difference
      guard size > allowedDifference else { return }
      count += 1
      guard worst.map({ $0.stall.duration < size }) ?? true else { return }
      worst = Place(
        part: part,
        stall: Stall(
          kind: difference.value < 0 ? .earlySegment : .lateSegment, track: track.id, sample: sample.index + 1,
          offset: sample.offset, time: time, duration: size, other: nil),
        line: segment.line)
    }
    for sample in track.samples {
      if sample.sourceIndex != source {
        finish()
        (source, first) = (sample.sourceIndex, nil)
      }
      guard let time = sample.presentationTime.map({ $0 + part.shift }) else { continue }
      if first.map({ time < $0.time }) ?? true { first = (sample, time) }
      end = max(end, time + sample.duration)
    }
    finish()
    var result: [Place] = []
    if var worst {
      var stall = worst.stall
      stall.count = count
      worst = Place(part: part, stall: stall, line: worst.line)
      result.append(worst)
    }
    if let last = part.run.segments.last.map({ part.playlist.segments[$0] }), !track.samples.isEmpty {
      let missing = MediaTime(last.declared.start + last.declared.duration) - end
      if missing > allowedDifference, count == 0 {
        let stall = Stall(
          kind: .earlyEnd, track: track.id, sample: nil, offset: nil, time: end, duration: missing, other: nil)
        result.append(Place(part: part, stall: stall, line: last.line))
      }
    }
    return result
  }

  /// Writes a line for each stall, or records.
  public func write(_ format: RecordFormat?, to sink: any ByteSink) throws(IOError) {
    guard let format else {
      var table = TextTable(to: sink)
      for place in places {
        let line = place.line.map { " line \($0):" } ?? ""
        table.line("\(place.part.heading):\(line) \(place.stall)")
      }
      return try table.finish()
    }
    var output = RecordOutput<PlacedRecord<Stall>>(format, to: sink)
    for place in places { try output.write(PlacedRecord(place.stall, in: place.part, line: place.line)) }
    try output.finish()
  }
}
