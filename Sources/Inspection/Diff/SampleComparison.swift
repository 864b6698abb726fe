import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4Records

/// Compares the samples of two movies, track by track, to verify that a rewritten movie is complete.
public struct SampleComparison: Sendable {
  /// The tracks of the first movie in order, then those that only the other movie has.
  public let tracks: [TrackComparison]

  /// Whether both movies have the same tracks with the same samples, presented at the same times.
  public var isSame: Bool { tracks.allSatisfy(\.isSame) }

  /// Compares the samples of all tracks. Tracks with the same handler are matched by ID, and the rest in order.
  public init(_ movie: Movie, _ other: Movie) throws(MovieError) {
    let pairs = movie.trackPairs(with: other)
    let both = pairs.filter { $0.0 != nil && $0.1 != nil }
    let starts = (Self.start(of: both.compactMap(\.0)), Self.start(of: both.compactMap(\.1)))
    var tracks: [TrackComparison] = []
    for (track, otherTrack) in pairs {
      tracks.append(try TrackComparison(track, otherTrack, names: (movie.name, other.name), starts: starts))
    }
    self.tracks = tracks
  }

  /// The presentation time of the first of some tracks.
  private static func start(of tracks: [Track]) -> MediaTime {
    tracks.compactMap { $0.presentedTimes?.lowerBound }.min() ?? MediaTime(0, 1)
  }

  /// A line for each track.
  public var text: String { tracks.map { "\($0)\n" }.joined() }

  /// Writes a record for each track.
  public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) {
    try TrackComparison.write(tracks, format, to: sink)
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(TrackComparison.schema).write(to: sink)
  }
}

extension Movie {
  /// Its tracks in order with the matching tracks of another movie, then the unmatched tracks of that movie.
  func trackPairs(with other: Movie) -> [(Track?, Track?)] {
    var rest = other.tracks
    var pairs: [(Track?, Track?)] = tracks.map { track in
      let index = rest.firstIndex { $0.handler == track.handler && $0.id == track.id }
      return (track, index.map { rest.remove(at: $0) })
    }
    for place in pairs.indices where pairs[place].1 == nil {
      if let index = rest.firstIndex(where: { $0.handler == pairs[place].0?.handler }) {
        pairs[place].1 = rest.remove(at: index)
      }
    }
    return pairs + rest.map { (nil, $0) }
  }
}
