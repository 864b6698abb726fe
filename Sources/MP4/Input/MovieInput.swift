import Bytes
import ISOBMFF

/// The contents of the sources of one presentation: movies and their fragments, or progressive files.
struct MovieInput {
  var sources: [any ByteSource]
  /// How the sources belong together, if that is known.
  var parts: [SourcePart] = []
  /// The movies, in the order in which they were given.
  var groups: [MovieGroup]
  /// The contents of each source besides fragments.
  var contents: [SourceContents]
  var fragments: FragmentTable
  /// How the times of each track are read, with the source from which each entry applies.
  var trackTimes: [Int: [TrackTimes]] = [:]
  /// The first source of each period after the first, and the media time at which the period continues.
  var periodStarts: [(source: Int, time: MediaTime)] = []
  var diagnostics: [Diagnostic]
  /// The requested overlap policy, if any.
  var overlaps: OverlapPolicy?
  /// The first source of movies whose times are relative to the start of the presentation.
  var firstFollower = Int.max
  /// Whether the output is always an ISO file.
  var isOfISO = false
  /// Whether existing tables have negative composition offsets.
  var hasNegativeOffsets = false

  /// The tracks of all movies.
  var tracks: [TrackDescription] { fragments.tracks }
  /// The group that a track belongs to.
  func group(of track: Int) -> MovieGroup? { groups.first { $0.tracks.contains(track) } }

  /// Whether the times of a track are relative to the start of the presentation.
  func follows(track: Int) -> Bool { group(of: track).map { $0.source >= firstFollower } ?? false }

  /// The name of the source whose movie box has a track.
  func name(ofTrack track: Int) -> String { sources[group(of: track)?.source ?? 0].name }

  /// The name of the source with the movie box of a source.
  func name(ofMovieOf source: Int) -> String { sources[groups[contents[source].group].source].name }

  /// The name of the source with the movie to which the first event belongs.
  var nameOfEvents: String { name(ofMovieOf: contents.firstIndex { !$0.eventMessages.isEmpty } ?? 0) }

  /// Throws if fragments belong to tracks that their movie does not have; then the movie is not the init segment of
  /// these segments.
  func checkTracks() throws(MovieError) {
    guard let stranger = fragments.firstUnknown else { return }
    let group = groups[contents[stranger.source].group]
    throw .otherTracks(
      file: sources[stranger.source].name, tracks: fragments.unknownTracks.sorted(), movie: sources[group.source].name,
      movieTracks: group.movie.tracks.map(\.id))
  }

  /// Throws if a source is neither a segment nor the start of a group.
  func checkGroups() throws(MovieError) {
    for (index, contents) in contents.enumerated() where contents.fragmentCount == 0 && !contents.isOmitted {
      guard groups.contains(where: { $0.source == index }) || !contents.repeatedMovies.isEmpty else {
        throw .notASegment(file: sources[index].name).explained(by: sources[index])
      }
    }
  }

  /// The error for a group without samples; `nil` if every group has samples.
  var missingSamples: MovieError? {
    for (number, group) in groups.enumerated() where !group.movie.tracks.contains(where: \.hasSamples) {
      guard contents.contains(where: { $0.group == number && $0.fragmentCount > 0 }) else {
        let source = sources[group.source]
        return .impossible(file: source.name, MovieObstacle.noSegments(isAlone: sources.count == 1))
          .explained(by: group.header, of: source)
      }
    }
    return nil
  }

  /// The error for an input without usable samples: what was lost, or that there are no samples.
  func nothingLeft(_ diagnostics: [Diagnostic]) -> MovieError {
    let losses = diagnostics.filter { $0.severity == .error }
    let isDataMissing = losses.contains { if case .missingData = $0.kind { true } else { false } }
    let error = MovieError.impossible(
      file: losses.first?.file ?? sources[0].name, losses.isEmpty ? MovieObstacle.noSamples : .nothingLeft(losses))
    return isDataMissing ? error : error.explained(by: groups[0].header, of: sources[groups[0].source])
  }
}

/// A movie box, with all fragments up to the next movie box.
struct MovieGroup {
  var movie: MovieDescription
  /// The position of the movie box.
  var header: BoxHeader
  /// The source with the movie box.
  var source: Int
  var fileType: BoxHeader?
  /// Its tracks among all tracks.
  var tracks: Range<Int>
}

extension ByteSource {
  /// Whether a box of this source has the same bytes as one of another.
  func hasSameBytes(_ a: BoxHeader, _ b: BoxHeader, of other: any ByteSource) throws(MovieError) -> Bool {
    guard a.size == b.size else { return false }
    return try hasSameBytes(a.offset..<a.end, of: other, at: b.offset)
  }
  /// Whether bytes of this source equal those of another source, at the same offset or at `start`.
  func hasSameBytes(_ range: Range<Int>, of other: any ByteSource, at start: Int? = nil) throws(MovieError) -> Bool {
    let start = start ?? range.lowerBound
    var bytes = SideBySide(self, other)
    return try io(bytes.isSame(range, start..<start + range.count))
  }
}
