import ISOBMFF
import MP4Bytes

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
  /// The number of bytes of all inputs, if a source is a movie that was made of a transport stream.
  var importedByteCount: Int?
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
    func list(_ tracks: [UInt32]) -> String {
      (tracks.count == 1 ? "track " : "tracks ") + tracks.map(String.init).joined(separator: ", ")
    }
    let file = sources[stranger.source].name
    let text =
      "its fragments belong to \(list(fragments.unknownTracks.sorted())), but "
      + "\(Diagnostic.shortened(sources[group.source].name, beside: file)) has \(list(group.movie.tracks.map(\.id))); "
      + "use the matching init segment"
    throw .impossible(file: file, Obstacle("other_tracks", text))
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
        let text =
          sources.count == 1
          ? "it has no samples; add the segments of this init segment"
          : "it has no samples, and no other input is one of its segments; add its segments or omit it"
        return .impossible(file: source.name, Obstacle("no_segments", text))
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
      file: losses.first?.file ?? sources[0].name, losses.isEmpty ? .noSamples : .nothingLeft(losses))
    return isDataMissing ? error : error.explained(by: groups[0].header, of: sources[groups[0].source])
  }
}

extension MovieError {
  static func noTracks(file: String) -> MovieError {
    .impossible(file: file, Obstacle("no_tracks", "the movie has no track"))
  }
  static func notASegment(file: String) -> MovieError {
    let text = "it has no movie fragment (moof), so it is not a media segment"
    return .impossible(file: file, Obstacle("not_a_segment", text))
  }
  /// A second movie box differs from that of another file.
  static func otherMovie(file: String, movie: String) -> MovieError {
    let text =
      "its moov differs from that of \(Diagnostic.shortened(movie, beside: file)); only segments of one init segment "
      + "can be joined"
    return .impossible(file: file, Obstacle("other_movie", text, remedy: .concatenate))
  }
}

extension Obstacle {
  static let noSamples = Obstacle("no_samples", "it has no samples")

  static func tooManySamples(track: UInt32, count: Int) -> Obstacle {
    Obstacle("too_many_samples", "track \(track) has \(count) samples, too many for a sample table")
  }

  /// There are no usable samples: the tracks whose data is missing, or the first losses.
  static func nothingLeft(_ losses: [Diagnostic]) -> Obstacle {
    var missing: [(track: UInt32, samples: Int)] = []
    for loss in losses {
      guard case .missingData(let spans) = loss.kind, let track = loss.track?.id else { continue }
      let count = spans.reduce(0) { $0 + $1.samples }
      if let index = missing.firstIndex(where: { $0.track == track }) {
        missing[index].samples += count
      } else {
        missing.append((track, count))
      }
    }
    let count = missing.reduce(0) { $0 + $1.samples }
    guard count > 0 else {
      let limit = 4
      let rest = losses.count > limit ? ["and \(counted(losses.count - limit, "other problem"))"] : []
      let text = (losses.prefix(limit).map(\.text) + rest).joined(separator: "; ")
      return Obstacle("nothing_left", "it has no usable samples: \(text)")
    }
    let tracks = missing.map { missing.count == 1 ? "track \($0.track)" : "track \($0.track): \($0.samples)" }
    return Obstacle(
      "nothing_left",
      "the data of \(count == 1 ? "its only sample" : "all its \(count) samples") is missing "
        + "(\(tracks.joined(separator: ", "))); copy or download it again")
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

/// The boxes that are copied to an output almost unchanged.
extension MovieInput {
  /// Prepares boxes to be written before other boxes, so that each must declare its size.
  func serializer(_ boxes: [Box]) throws(MovieError) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer(boxes, closesEnds: true) } catch {
      throw .damaged(file: sources[0].name, path: "moov", error)
    }
  }

  /// The file type of the first movie with the brands of all movies, without QuickTime brands in an ISO file.
  func fileType() throws(MovieError) -> FileTypeBox {
    var result = FileTypeBox()
    for (number, group) in groups.enumerated() {
      guard let header = group.fileType else { continue }
      var box = Box(FileTypeBox())
      box.fields = .unchanged(header.payload)
      let payloads = MoviePayloads(source: sources[group.source])
      let fileType = try payloads.payload(of: box, in: "ftyp", FileTypeBox.self)
      if number == 0 { result = fileType }
      let brands = Array(result.compatibleBrands)
      result.compatibleBrands = BoxTable(brands + fileType.compatibleBrands.filter { !brands.contains($0) })
    }
    return isOfISO ? Brands.withoutQuickTime(result) : result
  }

  /// The file-level boxes that are copied unchanged, except for the positions of items. A box that extended to the end
  /// of its file gets its actual size, because other boxes follow.
  func keptBoxes(_ relocations: [Relocation], _ diagnostics: inout [Diagnostic]) throws(MovieError) -> [OutputPlan.Part]
  {
    var plan = OutputPlan(sources: sources, diagnostics: [])
    for (index, contents) in contents.enumerated() {
      let source = sources[index]
      for header in contents.kept {
        if header.type == "meta", header.size <= Int(UInt32.max) {
          var boxes = try ItemLayout.boxes(header, of: source, index)
          for box in boxes.indices {
            diagnostics += try relocations[index].correctItems(&boxes[box], of: source, dropsLost: true)
          }
          plan.parts.append(.boxes(try serializer(boxes)))
          continue
        }
        if !header.isSizeRight {
          plan.parts.append(.bytes(try header.bytesWithRightSize(in: source)))
        }
        plan.copy((header.isSizeRight ? header.offset : header.payload.lowerBound)..<header.end, of: index)
      }
    }
    return plan.parts
  }

  /// Corrects the positions of items in the metadata of a movie box and its tracks.
  func correctItems(in moov: inout Box, _ relocations: [Relocation], _ diagnostics: inout [Diagnostic])
    throws(MovieError)
  {
    func correct(_ meta: inout Box) throws(MovieError) {
      diagnostics += try relocations[meta.source].correctItems(&meta, of: sources[meta.source], dropsLost: true)
    }
    for index in moov.boxes.indices {
      if moov.boxes[index].type == "meta" { try correct(&moov.boxes[index]) }
      guard moov.boxes[index].type == "trak" else { continue }
      for inner in moov.boxes[index].boxes.indices where moov.boxes[index].boxes[inner].type == "meta" {
        try correct(&moov.boxes[index].boxes[inner])
      }
    }
  }
}

/// The samples that movie boxes describe, in hybrid files and in progressive files that are rearranged.
extension MovieInput {
  /// Reads the samples that movie boxes describe and inserts them before those of fragments.
  mutating func readMovieSamples() throws(MovieError) {
    var first: [TrackFragment] = []
    var headers: [FragmentHeader] = []
    for group in groups where group.movie.tracks.contains(where: \.hasSamples) {
      first += try movieSamples(of: group, fragment: headers.count)
      headers.append(FragmentHeader(source: group.source, offset: group.header.offset))
    }
    fragments.insert(first, headers)
    for index in contents.indices { contents[index].places = [] }
  }

  private mutating func movieSamples(of group: MovieGroup, fragment: Int) throws(MovieError) -> [TrackFragment] {
    let source = sources[group.source]
    var reader = MovieSamples(group, of: self)
    var result: [TrackFragment] = []
    for number in group.movie.tracks.indices where group.movie.tracks[number].hasSamples {
      let track = group.tracks.lowerBound + number
      let reference = tracks.reference(track)
      let reading: MovieSamples.Reading
      do throws(MovieError) {
        reading = try reader.read(number, fragment: fragment)
      } catch {
        if case .io = error { throw error }
        let kind = Diagnostic.Kind.lostTrack(error, samples: reader.declaredCount(number))
        diagnostics.append(Diagnostic(kind, source.name, reference))
        continue
      }
      diagnostics += reading.contradictions.map { Diagnostic(.rebuilt($0), source.name, reference) }
      var own = fragments.add(reading, to: track)
      let (boxes, damaged, others) = try reader.information(number)
      var left = damaged.union(others)
      do throws(IOError) {
        left.formUnion(try fragments.inform(&own, boxes, chunks: reading.chunks, of: source))
      } catch { throw .io(error) }
      diagnostics += notCarried(left, track)
      // A track with samples in other files is rejected later. External descriptions that no sample uses do not matter.
      let external = tracks[track].externalDescriptions
      if own.contains(where: { $0.sampleCount > 0 && external.contains(Int($0.descriptionIndex)) }) {
        result += own
        continue
      }
      let lost = fragments.cut(&own, to: &reader.places, reading.unplaced)
      if !lost.isEmpty { diagnostics.append(Diagnostic(.missingData(lost), source.name, reference)) }
      result += own
    }
    return result
  }

  /// The ranges that can contain samples of a movie box.
  func mediaPlaces(of group: MovieGroup) -> MediaPlaces {
    let contents = contents[group.source]
    // The leftovers of an interrupted change in place are at the end of the file and contain no samples.
    let isLeft = contents.fragmentCount > 0 || contents.openEnds.contains { $0.offset == contents.trailingFree }
    let end = isLeft ? contents.trailingFree : nil
    return MediaPlaces(contents.mediaPlaces, end: min(end ?? .max, sources[group.source].byteCount ?? .max))
  }

  /// The diagnostic about sample information of a movie box that is not read.
  private func notCarried(_ types: Set<FourCC>, _ track: Int) -> [Diagnostic] {
    guard !types.isEmpty else { return [] }
    let kind = Diagnostic.Kind.notCarriedOfMovie(types.sorted { $0.rawValue < $1.rawValue })
    return [Diagnostic(kind, name(ofTrack: track), tracks.reference(track))]
  }
}

/// Converts QuickTime movies if the output is an ISO file.
extension MovieInput {
  /// Converts QuickTime movies to ISO movies, with a note for each. Without QuickTime movies, nothing changes; with
  /// `everywhere`, audio descriptions and brands are also converted in other movies.
  mutating func convertQuickTime(everywhere: Bool = false) throws(MovieError) {
    for index in groups.indices {
      let group = groups[index]
      var conversion = QuickTimeConversion(sources[group.source])
      let isQuickTime = try isQuickTime(group, conversion)
      guard isQuickTime || everywhere else { continue }
      isOfISO = true
      let tracks = tracks
      try conversion.convert(&groups[index].movie.box, isQuickTime: isQuickTime) { number in
        tracks.reference(group.tracks.lowerBound + number)
      }
      guard isQuickTime else { continue }
      hasNegativeOffsets = hasNegativeOffsets || conversion.hasNegativeOffsets
      diagnostics.append(Diagnostic(.converted, sources[group.source].name))
      diagnostics += conversion.diagnostics
    }
  }

  /// Whether the first movie is a QuickTime movie.
  func isQuickTime() throws(MovieError) -> Bool {
    try isQuickTime(groups[0], QuickTimeConversion(sources[groups[0].source]))
  }

  private func isQuickTime(_ group: MovieGroup, _ conversion: QuickTimeConversion) throws(MovieError) -> Bool {
    let fileType = group.fileType.map { header in
      var box = Box(FileTypeBox())
      box.fields = .unchanged(header.payload)
      return box
    }
    return try conversion.isQuickTime(group.movie.box, fileType: fileType)
  }
}

extension Movie {
  /// The same movie in ISO form: QuickTime movies are converted, and QuickTime audio descriptions in any movie.
  public func convertingQuickTime() throws(MovieError) -> Movie {
    var input = input
    try input.convertQuickTime(everywhere: true)
    return try with(input)
  }
}
