import ISOBMFF
import MP4Bytes

/// Properties of a segment that depend on the init segment with which it was created.
struct SegmentEvidence {
  /// The first samples of each of its tracks: the index of the track, the sample description, and the data ranges.
  var samples: [(track: Int, description: UInt32, places: [Range<Int>])] = []
  /// Tracks of its fragments that the movie does not declare.
  var unknownTracks: Set<UInt32> = []
  /// Whether it has fragments of tracks that the movie declares, selected or not.
  var hasKnownTracks = false
  /// The total declared size of its samples, and whether sizes are those in the movie box.
  var claimedBytes = 0
  var usesDefaultSizes = false
  /// The track of its first index, and the timescale and total duration of that index.
  var index: (track: UInt32, timescale: UInt32, duration: UInt64)?
}

extension FragmentParser {
  /// Records the properties of a run of the current source that depend on its init segment.
  mutating func noteEvidence(_ run: SampleColumns.Run, at range: Range<Int>) {
    evidence.claimedBytes = min(evidence.claimedBytes + range.count, .max / 4)
    guard current.isKnown, run.count > 0 else { return }
    let track = current.fragment.track
    guard !evidence.samples.contains(where: { $0.track == track }) else { return }
    var places: [Range<Int>] = []
    var start = range.lowerBound
    for index in 0..<min(run.count, DecoderConfiguration.sampleLimit) {
      let end = start + Int(run.sizes[index])
      places.append(start..<end)
      start = end
    }
    evidence.samples.append((track, current.fragment.descriptionIndex, places))
  }
}

/// Finds the segments that do not match the init segment before them.
struct InitFit {
  private let reader: MovieInputReader
  private let fragments: FragmentTable
  /// The reason for each source that is omitted.
  private(set) var misfits: [Int: SegmentMisfit] = [:]
  /// The maximum number of bytes of a sample that are read.
  private static let sampleLimit = 1 << 20

  init(_ reader: MovieInputReader, isForced: Bool) throws(MovieError) {
    self.reader = reader
    guard let fragments = reader.fragments?.table else {
      self.fragments = FragmentTable()
      return
    }
    self.fragments = fragments
    for number in reader.groups.indices {
      // A file with its own movie box matches that box.
      let segments = reader.sources.indices.filter { index in
        reader.contents[index].group == number && reader.contents[index].fragmentCount > 0
          && !reader.contents[index].startsWithMovie && index != reader.groups[number].source
          && !reader.hasSeveralMovies(index)
      }
      guard !segments.isEmpty else { continue }
      var found = try misfits(segments, reader.groups[number], isForced: isForced)
      // It is an error if no segment can be used.
      let isRest = reader.contents[reader.groups[number].source].fragmentCount > 0
      if !isRest, reader.groups.count == 1, segments.allSatisfy({ found[$0] != nil }) {
        if segments.allSatisfy({ !reader.evidence[$0].unknownTracks.isEmpty }) { found = [:] }
        if let first = segments.first, let misfit = found[first] {
          let movie = reader.sources[reader.groups[number].source].name
          let text = "it does not match the init segment \(movie): \(misfit); use the matching one"
          throw .impossible(file: reader.sources[first].name, Obstacle("other_initialization", text))
        }
      }
      misfits.merge(found) { first, _ in first }
    }
  }

  private func misfits(_ segments: [Int], _ group: MovieGroup, isForced: Bool) throws(MovieError)
    -> [Int: SegmentMisfit]
  {
    var result: [Int: SegmentMisfit] = [:]
    for index in segments {
      let evidence = reader.evidence[index]
      guard !evidence.unknownTracks.isEmpty, !isForced || !evidence.hasKnownTracks else { continue }
      result[index] = .tracks(evidence.unknownTracks.sorted())
    }
    if isForced { return result }
    let ticks = durations(segments)
    for index in segments where result[index] == nil {
      result[index] = timescaleMisfit(index, group, ticks[index] ?? [:]) ?? sizeMisfit(index)
    }
    result.merge(try sampleMisfits(segments.filter { result[$0] == nil }, group)) { first, _ in first }
    return result
  }

  // MARK: Times and sizes

  /// The duration of the fragments of each track in each source.
  private func durations(_ segments: [Int]) -> [Int: [Int: UInt64]] {
    var result: [Int: [Int: UInt64]] = [:]
    for fragment in fragments.trackFragments {
      result[fragment.source, default: [:]][fragment.track, default: 0] &+= fragment.duration
    }
    return result
  }

  /// A mismatch if an index has the same duration in units as the fragments, but a different timescale than the track.
  private func timescaleMisfit(_ index: Int, _ group: MovieGroup, _ ticks: [Int: UInt64]) -> SegmentMisfit? {
    guard let sidx = reader.evidence[index].index,
      let track = group.tracks.first(where: { fragments.tracks[$0].id == sidx.track }), let duration = ticks[track],
      duration > 0, duration < 1 << 40, sidx.duration < 1 << 40
    else { return nil }
    let timescale = fragments.tracks[track].timescale
    let difference = duration > sidx.duration ? duration - sidx.duration : sidx.duration - duration
    let (a, b) = (UInt64(min(timescale, sidx.timescale)), UInt64(max(timescale, sidx.timescale)))
    guard difference * 100 <= duration, (b - a) * 20 > b else { return nil }
    return .timescale(sidx.timescale, declared: timescale)
  }

  /// A mismatch if the samples, with sizes from the movie box, are larger than the media data, or much smaller.
  private func sizeMisfit(_ index: Int) -> SegmentMisfit? {
    let (evidence, contents) = (reader.evidence[index], reader.contents[index])
    let available = contents.mediaData.reduce(0) { min($0 + $1.count, .max / 4) }
    // Media data can contain more than samples.
    let isLikely = evidence.claimedBytes <= available && available - evidence.claimedBytes <= available / 5
    guard evidence.usesDefaultSizes, !isLikely, contents.openEnds.isEmpty,
      contents.remainder == nil, !contents.mediaData.isEmpty
    else { return nil }
    return .size(evidence.claimedBytes, available: available)
  }

  // MARK: Samples

  /// Segments whose first samples contradict the sample entries, or are not in their format while those of other
  /// segments are.
  private func sampleMisfits(_ segments: [Int], _ group: MovieGroup) throws(MovieError) -> [Int: SegmentMisfit] {
    var result: [Int: SegmentMisfit] = [:]
    var malformed: [Int: (track: Int, mismatch: SampleMismatch)] = [:]
    var fitting: Set<Int> = []
    var configurations: [Int: [DecoderConfiguration]] = [:]
    for index in segments {
      for (track, description, places) in reader.evidence[index].samples {
        if configurations[track] == nil { configurations[track] = try self.configurations(track, group) }
        let entry = Int(description) - 1
        guard let own = configurations[track], own.indices.contains(entry) else { continue }
        switch own[entry].fit(of: try read(places, index), size: places.first?.count ?? 0) {
        case .fits: fitting.insert(track)
        case .differs(let mismatch):
          result[index] = result[index] ?? .samples(track: fragments.tracks[track].id, mismatch)
        case .malformed(let mismatch): malformed[index] = malformed[index] ?? (track, mismatch)
        case .unknown: break
        }
      }
    }
    for (index, (track, mismatch)) in malformed where result[index] == nil && fitting.contains(track) {
      result[index] = .samples(track: fragments.tracks[track].id, mismatch)
    }
    return result
  }

  private func configurations(_ track: Int, _ group: MovieGroup) throws(MovieError) -> [DecoderConfiguration] {
    guard let trak = group.movie.trak(track - group.tracks.lowerBound) else { return [] }
    return try group.movie.decoderConfigurations(
      of: trak, fragments.tracks[track].handler, from: reader.sources[trak.source])
  }

  private func read(_ places: [Range<Int>], _ index: Int) throws(MovieError) -> [ArraySlice<UInt8>] {
    var window = ByteWindow(reader.sources[index], readAhead: 0)
    var result: [ArraySlice<UInt8>] = []
    do throws(IOError) {
      for place in places where place.lowerBound >= 0 {
        // The first bytes of the other samples are sufficient.
        let count = min(place.count, result.isEmpty ? Self.sampleLimit : 8)
        let bytes = try window.slice(at: place.lowerBound, count: count)
        // Samples that are cut off cannot be compared.
        guard bytes.count == count else { break }
        result.append(bytes)
      }
    } catch { throw .io(error) }
    return result
  }
}
