import ISOBMFF
import MP4Bytes

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

  /// Removes all tracks except those at these indexes, and all fragments.
  mutating func keep(tracks indices: Set<Int>) {
    func kept<Value>(_ values: [Value]) -> [Value] { values.indices.filter(indices.contains).map { values[$0] } }
    (tracks, information) = (kept(tracks), kept(information))
    releaseSamples()
    trackFragments = []
  }

  /// Releases the samples after they have been stored elsewhere.
  mutating func releaseSamples() { samples = tracks.map { _ in SampleColumns() } }
  /// Releases the fragments after their samples have been stored elsewhere.
  mutating func releaseFragments() { (headers, trackFragments) = ([], []) }

  /// The extents of the samples of a track fragment.
  func extents(of fragment: TrackFragment) -> [SampleColumns.Extent] {
    samples[fragment.track].extents(in: fragment.samples)
  }
}

extension FragmentTable {
  /// Adds the information of a movie box to these fragments, which contain all of its samples of one track. `chunks`
  /// are the numbers of samples in its chunks. Returns the types of the boxes that could not be read.
  mutating func inform(
    _ fragments: inout [TrackFragment], _ boxes: InformationBoxes, chunks: [Int], of source: any ByteSource
  ) throws(IOError) -> [FourCC] {
    guard let track = fragments.first?.track else { return [] }
    let sampleCount = fragments.reduce(0) { $0 + $1.sampleCount }
    var window = ByteWindow(source)
    let (all, notUnderstood) = try boxes.resolve(
      into: &information[track], base: 0, runs: chunks, sampleCount: sampleCount, precedingBytes: 0, &window)
    let parts = all.split(fragments.map(\.sampleCount), information[track])
    for (index, part) in parts.enumerated() { fragments[index].information = part }
    return notUnderstood
  }

  /// The duration of the samples of each track that the movie box describes; `nil` where it describes none.
  var movieDurations: [Int64?] {
    var ends = [UInt64](repeating: 0, count: tracks.count)
    for fragment in trackFragments.prefix(while: { $0.fragment < movieCount }) where fragment.sampleCount > 0 {
      ends[fragment.track] = (fragment.declaredTime ?? ends[fragment.track]) &+ fragment.duration
    }
    return zip(tracks, ends).map { $0.hasSamples ? Int64(clamping: $1) : nil }
  }

  /// Whether each track has samples in fragments after those of the movie box.
  var continuesInFragments: [Bool] {
    var result = [Bool](repeating: false, count: tracks.count)
    for fragment in trackFragments.drop(while: { $0.fragment < movieCount }) where fragment.sampleCount > 0 {
      result[fragment.track] = true
    }
    return result
  }

  /// The tracks in which every sample lacks the initialization vector that it needs. If some samples have one, or
  /// groups declare encryption, the samples without one are clear.
  fileprivate var undecryptable: [(track: Int, samples: Int)] {
    var counts = Array(repeating: 0, count: tracks.count)
    let isConcerned = tracks.indices.map { track in
      information[track].auxiliarySizes.isEmpty && omitted["saiz"] == nil && omitted["senc"] == nil
        && !information[track].groups.kinds.contains { $0.type == "seig" }
        && tracks[track].encryption.contains { $0?.hasVectors == true }
    }
    guard isConcerned.contains(true) else { return [] }
    for fragment in trackFragments where isConcerned[fragment.track] {
      let entries = tracks[fragment.track].encryption
      let entry = Int(fragment.descriptionIndex) - 1
      if entries.indices.contains(entry), entries[entry]?.hasVectors == true {
        counts[fragment.track] += fragment.sampleCount
      }
    }
    return counts.indices.filter { counts[$0] > 0 }.map { ($0, counts[$0]) }
  }
}

extension MovieInput {
  /// Diagnostics about sample information in fragments that is not carried over to the sample tables.
  func droppedBoxes() -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for (type, counts) in fragments.omitted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      diagnostics += perMovie(counts).map { Diagnostic(.notCarried(type, count: $0.count), $0.file) }
    }
    for (track, information) in fragments.information.enumerated() where information.otherEncryption > 0 {
      let kind = Diagnostic.Kind.otherEncryption(fragments: information.otherEncryption)
      diagnostics.append(Diagnostic(kind, name(ofTrack: track), tracks.reference(track)))
    }
    return diagnostics
      + fragments.undecryptable.map { track, samples in
        Diagnostic(.undecryptable(samples: samples), name(ofTrack: track), tracks.reference(track))
      }
  }

  /// The number of events and reference times, by type and by the movie that they belong to.
  func deliveryBoxes() -> [(type: FourCC, count: Int, file: String)] {
    var counts: [FourCC: [Int: Int]] = [:]
    for (source, contents) in contents.enumerated() {
      for (type, count) in contents.events { counts[type, default: [:]][source] = count }
    }
    return counts.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { type, counts in
      perMovie(counts).map { (type, $0.count, $0.file) }
    }
  }

  /// The sums of the counts of sources for each movie, with the file name of the movie for messages.
  private func perMovie(_ counts: [Int: Int]) -> [(count: Int, file: String)] {
    var sums = Array(repeating: 0, count: groups.count)
    for (source, count) in counts { sums[contents[source].group] += count }
    return groups.indices.filter { sums[$0] > 0 }.map { (sums[$0], sources[groups[$0].source].name) }
  }
}

/// The parts of a file that can contain the samples of a movie box.
struct MediaPlaces {
  private let ranges: [Range<Int>]
  private let end: Int
  /// The range that was looked up last. Consecutive samples are usually in the same or the next range.
  private var latest = 0

  /// These ranges, in file order, up to `end`.
  init(_ ranges: [Range<Int>], end: Int) { (self.ranges, self.end) = (ranges, end) }

  /// Whether one range contains this number of bytes from `offset` on.
  mutating func hold(_ byteCount: Int, at offset: Int) -> Bool { byteCount <= room(at: offset) }

  /// The number of bytes from `offset` to the end of its range.
  mutating func room(at offset: Int) -> Int {
    if latest >= ranges.count || !ranges[latest].contains(offset) {
      latest = ranges.partition { $0.upperBound > offset }
    }
    guard latest < ranges.count, ranges[latest].contains(offset) else { return 0 }
    return max(0, min(ranges[latest].upperBound, end) - offset)
  }
}

/// Samples of a movie box whose data is missing.
extension FragmentTable {
  /// Omits the samples of one track of the movie box, which are in `fragments`, whose data is missing. Later samples
  /// keep their times. `unplaced` are samples at the end without an offset. Returns the omitted samples.
  mutating func cut(
    _ fragments: inout [TrackFragment], to places: inout MediaPlaces, _ unplaced: (samples: Int, duration: UInt64)
  ) -> [Diagnostic.Span] {
    var lost: [Diagnostic.Span] = []
    var time: UInt64 = 0
    if !fragments.allSatisfy({ hold($0, places: &places) }) {
      var kept: [TrackFragment] = []
      for fragment in fragments { kept += cut(fragment, &places, &time, &lost) }
      if kept.isEmpty, var empty = fragments.first {
        (empty.sampleCount, empty.duration) = (0, 0)
        empty.information = FragmentAuxiliaryInfo()
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
    // Fragments without a decode time start after the full declared duration.
    if let last = fragments.indices.last, !lost.isEmpty {
      let end = (fragments[last].declaredTime ?? 0) &+ fragments[last].duration
      if fragments[last].declaredTime != nil, time > end { fragments[last].information.emptyDuration = time - end }
    }
    return lost
  }

  private static func span(_ time: UInt64, _ duration: UInt64, _ samples: Int) -> Diagnostic.Span {
    Diagnostic.Span(time: Int64(clamping: time), duration: Int64(clamping: duration), samples: samples)
  }

  /// The parts of a fragment, which starts at `time`, whose data is present.
  private mutating func cut(
    _ fragment: TrackFragment, _ places: inout MediaPlaces, _ time: inout UInt64, _ lost: inout [Diagnostic.Span]
  ) -> [TrackFragment] {
    let columns = samples[fragment.track]
    var parts: [(samples: Range<Int>, isThere: Bool)] = []
    for extent in extents(of: fragment) {
      for (samples, isThere) in columns.parts(of: extent, in: &places) {
        if let last = parts.last, last.isThere == isThere {
          parts[parts.count - 1].samples = last.samples.lowerBound..<samples.upperBound
        } else {
          parts.append((samples, isThere))
        }
      }
    }
    let information =
      fragment.hasInformation
      ? fragment.information.split(parts.map(\.samples.count), self.information[fragment.track]) : []
    var result: [TrackFragment] = []
    for (index, part) in parts.enumerated() {
      var piece = fragment
      (piece.firstSample, piece.sampleCount) = (part.samples.lowerBound, part.samples.count)
      piece.duration = columns.duration(of: part.samples)
      piece.declaredTime = time
      piece.information = information.isEmpty ? FragmentAuxiliaryInfo() : information[index]
      if part.isThere {
        result.append(piece)
      } else {
        lost.append(joining: Self.span(time, piece.duration, piece.sampleCount))
      }
      time &+= piece.duration
    }
    return result
  }

  /// Whether all samples of a fragment are in media data.
  func hold(_ fragment: TrackFragment, places: inout MediaPlaces) -> Bool {
    var isHeld = true
    samples[fragment.track].forEachExtent(in: fragment.samples) {
      isHeld = isHeld && places.hold($0.byteCount, at: $0.offset)
    }
    return isHeld
  }
}

extension SampleColumns {
  /// The parts of an extent that are in media data, and those that are not. Samples of size 0 belong to the previous
  /// part.
  fileprivate func parts(of extent: Extent, in places: inout MediaPlaces) -> [(samples: Range<Int>, isThere: Bool)] {
    if places.hold(extent.byteCount, at: extent.offset) { return [(extent.samples, true)] }
    var result: [(samples: Range<Int>, isThere: Bool)] = []
    var (first, offset) = (extent.samples.lowerBound, extent.offset)
    var isThere: Bool?
    for index in extent.samples {
      let size = size(index)
      let isNextThere = size == 0 ? isThere ?? true : places.hold(size, at: offset)
      if let last = isThere, last != isNextThere {
        result.append((first..<index, last))
        first = index
      }
      isThere = isNextThere
      offset = offset &+ size
    }
    if let isThere { result.append((first..<extent.samples.upperBound, isThere)) }
    return result
  }
}
