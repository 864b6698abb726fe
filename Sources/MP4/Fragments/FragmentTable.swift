import Bytes
import ISOBMFF

/// The contents of movie fragments: their tracks, the samples of each track, and the samples of each fragment. It is
/// filled by a `FragmentParser`, and from the sample tables of movie boxes.
struct FragmentTable: Sendable {
  /// The tracks of all movies that there were so far.
  private(set) var tracks: [TrackDescription] = []
  /// The samples of each track, in the order of reading.
  var samples: [SampleColumns] = []
  /// Information about the samples of each track in its fragments besides times, sizes and flags.
  var information: [TrackAuxiliaryInfo] = []
  /// Every movie fragment, in the order of reading.
  var headers: [FragmentHeader] = []
  /// How many of these, from the first on, represent the samples of a movie box.
  private(set) var movieCount = 0
  var trackFragments: [TrackFragment] = []
  /// Where the data of each track fragment is, when samples are not kept: adjacent runs are one range.
  var dataRanges: [(trackFragment: Int, range: Range<Int>)] = []
  var diagnostics: [Diagnostic] = []
  /// Boxes of track fragments with sample information that is not read: their number in each source.
  var leftOut: [FourCC: [Int: Int]] = [:]
  /// The headers of decryption systems in the fragments, without duplicates.
  var protectionHeaders = ProtectionHeaders()
  /// Tracks of fragments that the movie does not declare, and the first such fragment.
  var unknownTracks: Set<UInt32> = []
  var firstUnknown: FragmentHeader?
  /// The movie fragments with an absolute base data offset in them.
  var withBaseOffset: [(source: Int, header: BoxHeader)] = []
  /// The start offsets of the movie fragments of each source whose base data offsets are out of date.
  var staleBases: [Int: Set<Int>] = [:]
  /// The number of samples of unselected tracks in the fragments of each source.
  var ignoredSamples: [Int: [UInt32: Int]] = [:]

  /// Adds the tracks of a movie, and returns their positions.
  mutating func add(_ movie: MovieDescription) -> Range<Int> {
    tracks += movie.tracks
    samples += movie.tracks.map { _ in SampleColumns() }
    information += movie.tracks.map { track in
      var information = TrackAuxiliaryInfo()
      information.groups = SampleGroups(track.groupDescriptions)
      return information
    }
    return (tracks.count - movie.tracks.count)..<tracks.count
  }

  /// Adds one of the sample descriptions of `track`, counted from 0, to those of the track `target`.
  mutating func addDescription(_ number: Int, of track: TrackDescription, to target: Int) {
    tracks[target].descriptionCount += 1
    let missing = tracks[target].descriptionCount - 1 - tracks[target].encryption.count
    tracks[target].encryption += Array(repeating: nil, count: max(0, missing))
    tracks[target].encryption.append(number < track.encryption.count ? track.encryption[number] : nil)
    if track.externalDescriptions.contains(number + 1) {
      tracks[target].externalDescriptions.insert(tracks[target].descriptionCount)
    }
  }

  /// Inserts the samples of movie boxes before all fragments, as one fragment for each movie, at the offset of its box.
  mutating func insert(_ first: [TrackFragment], _ movies: [FragmentHeader]) {
    guard !movies.isEmpty else { return }
    headers.insert(contentsOf: movies, at: 0)
    movieCount = movies.count
    for index in trackFragments.indices { trackFragments[index].fragment += movies.count }
    trackFragments.insert(contentsOf: first, at: 0)
  }

  /// Drops all tracks but those at these places; fragments are dropped too.
  mutating func keep(tracks indices: Set<Int>) {
    func kept<Value>(_ values: [Value]) -> [Value] { values.indices.filter(indices.contains).map { values[$0] } }
    (tracks, information) = (kept(tracks), kept(information))
    releaseSamples()
    trackFragments = []
  }

  /// Releases the samples, which are stored elsewhere now.
  mutating func releaseSamples() { samples = tracks.map { _ in SampleColumns() } }

  /// The extents of the samples of a track fragment.
  func extents(of fragment: TrackFragment) -> [SampleColumns.Extent] {
    samples[fragment.track].extents(in: fragment.samples)
  }
  /// Calls `body` with adjacent samples of a track. `place` is where the previous samples of the track ended.
  func forEachExtent(
    of track: Int, in range: Range<Int>, _ place: inout SampleColumns.Place, _ body: (SampleColumns.Extent) -> Void
  ) {
    var left = range
    // The span lends the columns, of which a copy counts many references; while `body` runs it could not.
    while let extent = samples.span[track].firstExtent(of: left, &place) {
      body(extent)
      left = extent.samples.upperBound..<range.upperBound
    }
  }
}
