import ISOBMFF
public import MP4Bytes

/// The recoverable contents of a damaged file, and a plan for a file that contains them.
///
/// A movie box is used wherever it is in the file. Without one, samples are recognized by their bytes, with an intact
/// file of the same device as a reference. Memory use depends on the number of samples, not on the media size.
public struct Recovery: Sendable {
  /// How samples were found.
  public enum Means: Hashable, Sendable {
    /// By a movie box at file level.
    case movieBox
    /// By a movie box at this offset, which normal readers do not find.
    case foundMovieBox(offset: Int)
    /// By movie fragments; complete ones are kept.
    case fragments(count: Int)
    /// By movie fragments, with the movie box of the reference file.
    case fragmentsLikePattern
    /// By comparison with the reference file.
    case pattern
  }
  /// A track of the output.
  public struct Track: Hashable, Sendable {
    /// Its ID.
    public var id: UInt32
    /// The handler type.
    public var handler: FourCC
    /// Its codec, as in RFC 6381.
    public var codec: String
    /// The number of its samples.
    public var sampleCount: Int
    /// The sum of their sizes.
    public var byteCount: Int
    /// The sum of their durations.
    public var duration: MediaTime
  }
  /// How samples were found.
  public let means: Means
  /// The tracks of the output.
  public let tracks: [Track]
  /// The byte ranges that could not be assigned to a track; empty with a movie box.
  public let unknown: [Range<Int>]
  /// The number of bytes in padding, in boxes without samples, and in zeros that were never written.
  public let paddingByteCount: Int
  /// The size of the damaged file.
  public let inputByteCount: Int
  /// The planned file.
  public private(set) var plan: OutputPlan
  /// The file ranges of the samples of each track, if they were found by comparison.
  package let found: [SampleRanges]

  /// The file ranges of samples.
  package struct SampleRanges: Sendable {
    let columns: SampleColumns
    /// Calls `body` with the offset, size, sync flag and composition time of each sample.
    package func forEach(_ body: (Int, Int, Bool, Int64) -> Void) {
      columns.forEachExtent(in: 0..<columns.count) { extent in
        var at = extent.offset
        for index in extent.samples {
          let size = columns.size(index)
          body(at, size, columns.flags(index).isSync, columns.time(index) &+ columns.compositionOffset(index))
          at += size
        }
      }
    }
  }

  /// The number of bytes that could not be assigned to a track.
  public var unknownByteCount: Int { unknown.reduce(0) { $0 + $1.count } }
  /// Diagnostics, including data loss.
  public var diagnostics: [Diagnostic] { plan.diagnostics }

  /// Analyses `broken`. `good` is an intact file of the same device, recorded with the same settings; it is used only
  /// if `broken` has no movie box. `onProgress` is called with the number of bytes examined, and returns whether to
  /// continue.
  ///
  /// - Throws: `MovieError` if nothing can be recovered; or `stopped`.
  public init(
    of broken: any ByteSource, like good: (any ByteSource)?, onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    var isStopped = false
    // The file is examined twice: for boxes, and for samples.
    var examined = 0
    func shouldContinue(_ count: Int) -> Bool {
      examined = max(examined, count / 2)
      isStopped = isStopped || !onProgress(examined)
      return !isStopped
    }
    func shouldContinueWithSamples(_ count: Int) -> Bool { shouldContinue(count + (broken.byteCount ?? count)) }
    var reason: MovieError?
    var partial: Recovery?
    do throws(MovieError) {
      let start = try io(MovieBoxSearch.start(of: broken))
      var direct = try Self(movieOf: [try io(Self.part(of: broken, from: start))], means: nil, of: broken)
      if start > 0 {
        let text = "the first \(counted(start, "byte")) do not belong to the file"
        direct.plan.diagnostics.insert(Diagnostic(.note, broken.name, text), at: 0)
      }
      guard let good, try direct.lacksTracks(of: good) else {
        self = direct
        return
      }
      partial = direct
    } catch {
      if case .io = error { throw error }
      reason = error
    }
    let result = try io(MovieBoxSearch(broken, onProgress: shouldContinue))
    guard let search = result else { throw .stopped(file: broken.name) }
    for movie in search.movies {
      do throws(MovieError) {
        let source = try io(search.source(broken, movie: movie))
        self = try Self(movieOf: [source], means: .foundMovieBox(offset: movie.lowerBound), of: broken)
        return
      } catch {
        if case .io = error { throw error }
      }
    }
    if search.end == 0, let reason { throw reason }
    guard let good else {
      if case .otherFormat? = reason, let reason { throw reason }
      let text = "it has no usable moov, and there is no reference file"
      throw .impossible(file: broken.name, Obstacle("no_reference", text, remedy: .recoverWithReference))
    }
    let movie = try Self.pattern(good)
    guard !movie.tracks.contains(where: \.isEncrypted) else {
      let text = "its samples are encrypted, so it cannot be the reference"
      throw .impossible(file: good.name, Obstacle("encrypted_reference", text))
    }
    if search.hasFragments {
      do throws(MovieError) {
        let front = try io(Self.front(of: movie))
        self = try Self(movieOf: [front, broken], means: .fragmentsLikePattern, of: broken)
        return
      } catch {
        if case .io = error { throw error }
      }
    }
    guard let partial else {
      try self.init(of: broken, search, like: movie, shouldContinueWithSamples)
      return
    }
    do throws(MovieError) {
      let compared = try Self(of: broken, search, like: movie, shouldContinueWithSamples)
      let counts = [partial, compared].map { $0.tracks.reduce(0) { $0 + $1.byteCount } }
      self = counts[0] < counts[1] ? compared : partial
    } catch {
      if case .stopped = error { throw error }
      self = partial
    }
  }

  /// Whether a damaged movie box has fewer tracks than an intact file of the same device.
  private func lacksTracks(of good: any ByteSource) throws(MovieError) -> Bool {
    guard diagnostics.contains(where: { $0.severity == .error }) else { return false }
    let whole = try Movie(reading: [good])
    return tracks.count { $0.sampleCount > 0 } < whole.tracks.count { !$0.samples.isEmpty }
  }

  /// The file without extra bytes before its start.
  private static func part(of broken: any ByteSource, from start: Int) throws(IOError) -> any ByteSource {
    guard start > 0, let end = broken.byteCount else { return broken }
    let sink = PlannedSink(name: broken.name)
    try sink.copy(start..<end, of: broken)
    return PlannedSource(sink.file, name: broken.name)
  }

  /// The file type and movie boxes of a movie as a source.
  private static func front(of movie: Movie) throws(IOError) -> any ByteSource {
    let sink = PlannedSink(name: movie.name)
    for group in movie.input.groups.prefix(1) {
      let source = movie.input.sources[group.source]
      if let header = group.fileType { try sink.copy(header.offset..<header.end, of: source) }
      try sink.copy(group.header.offset..<group.header.end, of: source)
    }
    return PlannedSource(sink.file, name: movie.name)
  }

  // MARK: Recovery with a movie box

  /// Recovers the samples that movie boxes and fragments in the sources describe.
  private init(movieOf sources: [any ByteSource], means: Means?, of broken: any ByteSource) throws(MovieError) {
    var options = ReadingOptions()
    options.takesWholeFragments = true
    let movie = try Movie(reading: sources, options)
    try movie.requireSamples()
    var plan = try Defragmenter().plan(sources)
    let text: String?
    switch means {
    case .foundMovieBox(let offset)?: text = "moov was found at byte \(offset), where players do not find it"
    case .fragmentsLikePattern?:
      text = "it has movie fragments but no moov; complete fragments are kept, with the moov of \(sources[0].name)"
    default:
      text = movie.fragmentCount > 0 ? "it is fragmented; complete movie fragments are kept, as with 'defrag'" : nil
    }
    if let text { plan.diagnostics.insert(Diagnostic(.note, broken.name, text), at: 0) }
    // The report is based on reading the planned output.
    let written: (any ByteSource)?
    do throws(IOError) { written = try PlannedSource(plan, name: broken.name) } catch { written = nil }
    guard let written else { throw .impossible(file: broken.name, Self.noMedia) }
    let output = try Movie(reading: [written])
    self.plan = plan
    self.means = means ?? (movie.fragmentCount > 0 ? .fragments(count: movie.fragmentCount) : .movieBox)
    tracks = output.tracks.map { track in
      Track(
        id: track.id, handler: track.handler, codec: track.codecs.first ?? "", sampleCount: track.samples.count,
        byteCount: track.samples.byteCount, duration: track.mediaDuration)
    }
    (unknown, paddingByteCount, found) = ([], 0, [])
    inputByteCount = broken.byteCount ?? 0
  }

  // MARK: Recovery with a reference file

  private static let noMedia = Obstacle("no_media", "it has no media data")

  private static func pattern(_ good: any ByteSource) throws(MovieError) -> Movie {
    do throws(MovieError) {
      let movie = try Movie(reading: [good])
      try movie.requireSamples()
      return movie
    } catch {
      switch error {
      // These diagnostics recommend recovering the file.
      case .cutOff, .cutOffInMovie, .mediaOnly, .noMovie, .impossible:
        let text = "it has no usable samples; use an intact file from the same device as the reference"
        throw .impossible(file: good.name, Obstacle("unusable_reference", text))
      default: throw error
      }
    }
  }

  private init(
    of broken: any ByteSource, _ search: MovieBoxSearch, like movie: Movie, _ onProgress: (Int) -> Bool
  ) throws(MovieError) {
    let input = movie.input
    let index = input.sources.count
    let end = search.cutMovie ?? search.end
    guard search.mediaStart < end else { throw .impossible(file: broken.name, Self.noMedia) }
    let pattern = try io(RecoveryPattern(movie))
    let result = try io(Self.scan(broken, index: index, pattern, from: search.mediaStart, to: end, onProgress))
    guard var scan = result else { throw .stopped(file: broken.name) }
    scan.fitDurations(movie)
    guard !pattern.runs.isEmpty else {
      let text = "it has no samples, so it cannot be the reference"
      throw .impossible(file: movie.name, Obstacle("empty_reference", text))
    }
    guard scan.tracks.contains(where: { $0.count > 0 }) else {
      let text = "no samples like those of \(movie.name) were found"
      throw .impossible(file: broken.name, Obstacle("nothing_found", text))
    }
    means = .pattern
    (unknown, paddingByteCount) = (scan.unknown, scan.paddingByteCount)
    inputByteCount = search.end
    found = scan.tracks.map { SampleRanges(columns: $0.columns) }
    tracks = zip(movie.tracks, scan.tracks).map { track, recovered in
      Track(
        id: track.id, handler: track.handler, codec: track.codecs.first ?? "", sampleCount: recovered.count,
        byteCount: recovered.byteCount, duration: MediaTime(recovered.columns.time(recovered.count), track.timescale))
    }
    plan = try Self.plan(scan, movie, broken)
    plan.diagnostics += try io(Self.diagnostics(scan, movie, broken))
  }

  /// Finds the samples; `nil` if it was stopped.
  private static func scan(
    _ broken: any ByteSource, index: Int, _ pattern: RecoveryPattern, from start: Int, to end: Int,
    _ onProgress: (Int) -> Bool
  ) throws(IOError) -> RecoveryScan? {
    var scan = RecoveryScan(broken, index: index, end: end, pattern)
    guard try scan.run(from: start, onProgress: onProgress) else { return nil }
    // The properties of packets are learned from the file itself.
    guard pattern.hasPackets else { return scan }
    scan = RecoveryScan(broken, index: index, end: end, pattern, after: scan)
    return try scan.run(from: start, onProgress: onProgress) ? scan : nil
  }

  private static func diagnostics(
    _ scan: RecoveryScan, _ movie: Movie, _ broken: any ByteSource
  ) throws(IOError) -> [Diagnostic] {
    var diagnostics = [
      Diagnostic(
        .note, broken.name, "samples were found by comparison with \(movie.name); times are based on its rates")
    ]
    for (track, recovered) in zip(movie.tracks, scan.tracks) where recovered.count == 0 && !track.samples.isEmpty {
      let text = "no samples of track \(track.id) (\(track.handler)) of \(movie.name) were found"
      diagnostics.append(Diagnostic(.warning, broken.name, text))
    }
    for (index, track) in movie.tracks.enumerated()
    where track.handler == "vide" && !scan.pattern.tracks[index].syntax.isRecognizable && scan.tracks[index].count > 0 {
      let text =
        "pictures of \(track.codecs.first ?? "this format") cannot be recognized; those of track \(track.id) were "
        + "located by comparison only, and may be wrong"
      diagnostics.append(Diagnostic(.warning, broken.name, text))
    }
    for (track, recovered) in zip(movie.tracks, scan.tracks) {
      guard let misfit = try EncoderEvidence.misfit(track, recovered, of: broken) else { continue }
      let what =
        switch misfit {
        case .pictures:
          "the pictures of track \(track.id) do not fit the encoder settings of \(movie.name) and will not decode"
        case .settings(let others):
          "the pictures of track \(track.id) may decode wrongly: their encoder settings differ from those of "
            + "\(movie.name): "
            + others.map { "\($0.name) is \($0.own), not \($0.reference)" }.joined(separator: ", ")
        }
      let text = what + "; use a recording of the same device with the same settings"
      diagnostics.append(Diagnostic(.warning, broken.name, text))
    }
    if let text = alikeTracks(scan, movie) { diagnostics.append(Diagnostic(.warning, broken.name, text)) }
    if let text = differingDurations(scan, movie) { diagnostics.append(Diagnostic(.warning, broken.name, text)) }
    let count = scan.unknown.reduce(0) { $0 + $1.count }
    if count > scan.copies.byteCount {
      let text =
        "most of the data does not match the samples of \(movie.name), which may have been recorded with "
        + "different settings"
      diagnostics.append(Diagnostic(.warning, broken.name, text))
    }
    if let first = scan.unknown.first {
      let places = scan.unknown.count == 1 ? "" : " in \(scan.unknown.count) places, the first"
      let text = "\(counted(count, "byte"))\(places) at byte \(first.lowerBound) cannot be assigned to a track; omitted"
      diagnostics.append(Diagnostic(.error, broken.name, text))
    }
    return diagnostics + holes(scan, movie, broken.name)
  }

  /// What holes mean for the times of the samples after them.
  private static func holes(_ scan: RecoveryScan, _ movie: Movie, _ name: String) -> [Diagnostic] {
    var result: [Diagnostic] = []
    for (track, recovered) in zip(movie.tracks, scan.tracks)
    where recovered.missingCount > 0 && track.handler == "vide" {
      let pictures = counted(recovered.missingCount, "missing picture")
      let text = "the time of \(pictures) of track \(track.id) is kept: the picture before is shown longer"
      result.append(Diagnostic(.note, name, text))
    }
    if scan.tracks.count(where: { $0.count > 0 }) > 1, scan.tracks.contains(where: \.hasHoles) {
      let text = "where samples are missing, later samples of the same track may be early, and out of sync with others"
      result.append(Diagnostic(.warning, name, text))
    }
    return result
  }

  /// A diagnostic if the durations of video and audio differ and those of the reference file do not. In a recording,
  /// they rarely differ except at the end.
  /// The warning about tracks that only the order of the reference file distinguishes, if that order varies.
  private static func alikeTracks(_ scan: RecoveryScan, _ movie: Movie) -> String? {
    let used = zip(scan.tracks.indices, scan.pattern.tracks).filter { scan.tracks[$0.0].count > 0 }
    for (index, own) in used {
      let alike = used.filter { own.syntax.isAlike($0.1.syntax) }
      guard alike.count > 1, !alike.allSatisfy({ $0.1.isRegular }) else { continue }
      let others = alike.filter { $0.0 != index }.map { "\($0.1.id)" }.joined(separator: " and ")
      return "the samples of tracks \(own.id) and \(others) look alike; they were told apart by the order in "
        + "\(movie.name), and some may be in the wrong track"
    }
    return nil
  }

  private static func differingDurations(_ scan: RecoveryScan, _ movie: Movie) -> String? {
    let media = zip(movie.tracks, scan.tracks).filter { ["vide", "soun"].contains($0.handler) && $1.count > 0 }
    func largeGap(_ durations: [MediaTime]) -> (shortest: MediaTime, longest: MediaTime)? {
      guard let shortest = durations.min(), let longest = durations.max() else { return nil }
      let gap = longest - shortest
      let isLarge = gap.converted(to: 1000).value > max(400, longest.converted(to: 1000).value / 33)
      return isLarge ? (shortest, longest) : nil
    }
    let durations = media.map { MediaTime($1.columns.time($1.count), $0.timescale) }
    guard let (shortest, longest) = largeGap(durations), largeGap(media.map(\.0.mediaDuration)) == nil else {
      return nil
    }
    return "the durations of its tracks range from \(shortest) to \(longest): samples are missing, or \(movie.name) "
      + "was recorded with different settings and times are wrong"
  }

  /// Boxes of the reference file that describe its recording, not its format.
  private static let own: Set<FourCC> = ["udta", "meta", "uuid", "mvex", "pssh", "free", "skip"]

  private static func plan(_ scan: RecoveryScan, _ movie: Movie, _ broken: any ByteSource) throws(MovieError)
    -> OutputPlan
  {
    let input = movie.input
    let timescale = input.groups[0].movie.timescale
    var tables: [SampleTable] = []
    var contents: [RewrittenMovie.TrackContent] = []
    for (track, recovered) in zip(movie.tracks, scan.tracks) {
      let list = SampleList(recovered.columns, descriptions: [(0, 1)], source: input.sources.count)
      var table = SampleTable(list, SampleAuxiliaryInfo(), isCompact: false)
      for chunk in recovered.chunks { table.append(chunk) }
      tables.append(table)
      let edits = edits(of: track, list, timescale)
      let all = units(list.duration, track.timescale, timescale)
      contents.append(
        RewrittenMovie.TrackContent(
          mediaDuration: list.duration,
          presentationDuration: edits.isEmpty ? all : edits.reduce(0) { $0 &+ $1.segmentDuration }, edits: edits,
          samples: table.boxes()))
    }
    var (moov, diagnostics) = try RewrittenMovie(input, contents, timescale: timescale).box()
    moov.boxes.removeAll { own.contains($0.type) }
    try setReferences(in: &moov, of: input)
    let brands = Brands.progressive(
      try input.fileType(), hasNegativeOffsets: tables.contains(where: \.hasNegativeOffsets))
    let front = try input.serializer([Box(brands)])
    let header = FileLayout.mediaHeader(scan.copies.byteCount)
    var box = moov
    for isLarge in [false, true] {
      setOffsets(in: &box, tables, mediaStart: 0, isLarge)
      let start = front.size + BoxSerializer.size(of: [box], closesEnds: true) + header.count
      guard isLarge || start + scan.copies.byteCount <= Int(UInt32.max) else { continue }
      setOffsets(in: &box, tables, mediaStart: start, isLarge)
      break
    }
    let serializer = try input.serializer([box])
    var plan = OutputPlan(sources: input.sources + [broken], diagnostics: [])
    plan.parts = [.boxes(front), .boxes(serializer), .bytes(header), .copies(scan.copies)]
    diagnostics.removeAll { $0.severity == .note }
    plan.diagnostics = diagnostics
    return plan
  }

  private static func units(_ duration: Int64, _ timescale: UInt32, _ movieTimescale: UInt32) -> UInt64 {
    UInt64(max(0, MediaTime(max(0, duration), max(timescale, 1)).flooredValue(in: max(movieTimescale, 1))))
  }

  /// The edits of the reference file with the recovered duration: a delay, and one edit with the same start.
  private static func edits(of track: MP4.Track, _ list: SampleList, _ timescale: UInt32) -> [EditListBox.Entry] {
    guard list.count > 0, let media = track.edits.first(where: { $0.mediaTime >= 0 }) else { return [] }
    let length = units(max(0, list.compositionEnd - media.mediaTime), track.timescale, timescale)
    let edit = EditListBox.Entry(segmentDuration: length, mediaTime: media.mediaTime)
    if let delay = track.edits.first, delay.mediaTime < 0 { return [delay, edit] }
    return [edit]
  }

  /// The samples are in the output itself, whatever data references the reference file has.
  private static func setReferences(in moov: inout Box, of input: MovieInput) throws(MovieError) {
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      let payloads = MoviePayloads(source: input.sources[moov.boxes[index].source])
      guard let used = try payloads.wrongReferences(moov.boxes[index], path: "moov/trak") else { continue }
      let count = used.max().flatMap { 1...16 ~= $0 ? $0 : nil } ?? 1
      moov.boxes[index].edit("mdia", "minf") { minf in
        minf.boxes.removeAll { $0.type == "dinf" }
        let position = minf.boxes.firstIndex { $0.type == "stbl" } ?? minf.boxes.count
        minf.boxes.insert(TrackBoxes.dataInformation(count), at: position)
      }
    }
  }

  private static func setOffsets(in moov: inout Box, _ tables: [SampleTable], mediaStart: Int, _ isLarge: Bool) {
    var track = 0
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" && track < tables.count {
      moov.boxes[index].setOffsets([tables[track].chunkOffsets(mediaStart: mediaStart, large: isLarge)])
      track += 1
    }
  }

  /// Writes the file.
  public func write(to sink: any ByteSink) throws(IOError) { try plan.write(to: sink) }
}
