import Bytes
import ISOBMFF

/// The contents of movie fragments: their tracks, the samples of each track, and the samples of each fragment. It is
/// filled by a `FragmentParser`, and from the sample tables of movie boxes.
struct FragmentTable: Sendable {
  /// The tracks of all movies so far.
  private(set) var tracks: [TrackDescription] = []
  /// The samples of each track, in the order of reading.
  var samples: [SampleColumns] = []
  /// Information about the samples of each track in its fragments besides times, sizes and flags.
  var information: [TrackAuxiliaryInfo] = []
  /// Every movie fragment, in the order of reading.
  var headers: [FragmentHeader] = []
  /// The number of headers at the start that represent the samples of a movie box.
  private(set) var movieCount = 0
  var trackFragments: [TrackFragment] = []
  /// The data of each track fragment if samples are not kept. Adjacent runs are merged.
  var dataRanges: [(trackFragment: Int, range: Range<Int>)] = []
  var diagnostics: [Diagnostic] = []
  /// Boxes of track fragments with sample information that is not read: their number in each source.
  var omitted: [FourCC: [Int: Int]] = [:]
  /// The headers of decryption systems in the fragments, without duplicates.
  var protectionHeaders = ProtectionHeaders()
  /// Tracks of fragments that the movie does not declare, and the first such fragment.
  var unknownTracks: Set<UInt32> = []
  var firstUnknown: FragmentHeader?
  /// The movie fragments that contain an absolute base data offset.
  var withBaseOffset: [(source: Int, header: BoxHeader)] = []
  /// The offsets of the movie fragments of each source that have outdated base data offsets.
  var staleBases: [Int: Set<Int>] = [:]
  /// The number of samples of unselected tracks in the fragments of each source.
  var ignoredSamples: [Int: [UInt32: Int]] = [:]

  /// Adds the tracks of a movie and returns their indexes.
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

  /// Inserts the samples of movie boxes before all fragments: one fragment for each movie, at the offset of its box.
  mutating func insert(_ first: [TrackFragment], _ movies: [FragmentHeader]) {
    guard !movies.isEmpty else { return }
    headers.insert(contentsOf: movies, at: 0)
    movieCount = movies.count
    for index in trackFragments.indices { trackFragments[index].fragment += movies.count }
    trackFragments.insert(contentsOf: first, at: 0)
  }

  /// Changes the timescale of a track whose samples are in that timescale.
  mutating func setTimescale(of track: Int, to timescale: UInt32) { tracks[track].timescale = timescale }

  /// A track that continues with the samples of a track of another table.
  struct Continuation {
    /// The index of the track here.
    var track: Int
    /// The numbers here of its sample descriptions, starting with that of number 1.
    var descriptions: [UInt32]
    /// Its samples, in the timescale of the track here.
    var samples: SampleColumns
    /// Whether these are in the timescale of the other table.
    var isUnscaled: Bool
  }

  /// Adds the fragments of another table with one source, as those of source `source`. `continuations` has an element
  /// for each of its tracks; `nil` omits the track. Returns the new index of each track fragment, and the index of the
  /// first sample of each track.
  mutating func append(_ other: FragmentTable, _ continuations: [Continuation?], source: Int) -> (
    indices: [Int?], firstSamples: [Int]
  ) {
    let firstHeader = headers.count
    headers += other.headers.map { FragmentHeader(source: source, offset: $0.offset) }
    var firstSamples: [Int] = []
    var numbers: [TrackAuxiliaryInfo.Numbers] = []
    for (number, continuation) in continuations.enumerated() {
      guard let continuation else {
        firstSamples.append(0)
        numbers.append(TrackAuxiliaryInfo.Numbers())
        continue
      }
      let track = continuation.track
      firstSamples.append(samples[track].count)
      if samples[track].count == 0 {
        samples[track] = continuation.samples
      } else {
        _ = samples[track].append(continuation.samples, in: 0..<continuation.samples.count)
      }
      numbers.append(information[track].append(other.information[number]))
    }
    var indices: [Int?] = []
    indices.reserveCapacity(other.trackFragments.count)
    for fragment in other.trackFragments {
      guard let continuation = continuations[fragment.track] else {
        indices.append(nil)
        continue
      }
      let entry = Int(fragment.descriptionIndex) - 1
      var own = TrackFragment(
        source: source, fragment: firstHeader + fragment.fragment, track: continuation.track,
        descriptionIndex: continuation.descriptions.indices.contains(entry) ? continuation.descriptions[entry] : 1,
        firstSample: firstSamples[fragment.track] + fragment.firstSample, sampleCount: fragment.sampleCount,
        duration: continuation.isUnscaled
          ? fragment.duration : continuation.samples.duration(of: fragment.samples))
      if numbers[fragment.track].concerns(fragment) {
        own.information = numbers[fragment.track].renumbered(fragment)
      }
      indices.append(trackFragments.count)
      trackFragments.append(own)
    }
    for (header, bytes) in other.protectionHeaders.contents {
      _ = protectionHeaders.add(bytes, source: source, header)
    }
    return (indices, firstSamples)
  }

  /// Removes all tracks except those at these indexes, and all fragments.
  mutating func keep(tracks indices: Set<Int>) {
    func kept<Value>(_ values: [Value]) -> [Value] { values.indices.filter(indices.contains).map { values[$0] } }
    (tracks, information) = (kept(tracks), kept(information))
    releaseSamples()
    trackFragments = []
  }

  /// Releases the samples after they have been stored elsewhere.
  mutating func releaseSamples() { samples = tracks.map { _ in SampleColumns() } }

  /// The extents of the samples of a track fragment.
  func extents(of fragment: TrackFragment) -> [SampleColumns.Extent] {
    samples[fragment.track].extents(in: fragment.samples)
  }
  /// Calls `body` with the extents of samples of a track. `place` is the end of the previous samples of the track.
  func forEachExtent(
    of track: Int, in range: Range<Int>, _ place: inout SampleColumns.Place, _ body: (SampleColumns.Extent) -> Void
  ) {
    var left = range
    // The span borrows the columns until `body` is called. A copy would retain many references.
    while let extent = samples.span[track].firstExtent(of: left, &place) {
      body(extent)
      left = extent.samples.upperBound..<range.upperBound
    }
  }
}
