import ISOBMFF
public import MP4Bytes

/// Writes one progressive file from a fragmented one, or from an init segment and its media segments: `moov` first,
/// then one `mdat`.
///
/// Samples keep their bytes, decode times, composition offsets, sync flags, descriptions and presentation times, except
/// after gaps that are followed by an open GOP of H.265 or H.266: there, decoding is made to start again. Media data
/// is not read: the plan contains the ranges of the sources to be copied.
public struct Defragmenter: Sendable {
  /// Its options.
  public var options: Options

  /// Creates a defragmenter.
  public init(_ options: Options = Options()) { self.options = options }

  /// The defragmenter for an output with this name: `.mp4` makes an ISO file of a QuickTime movie.
  public func writing(to name: String) -> Defragmenter {
    var result = self
    result.options.reading = options.reading.writing(to: name)
    return result
  }

  /// Reads the fragments of `sources` and plans the file. `onProgress` is called with the number of bytes read,
  /// and returns whether to continue. The times of `followers`, which are separate movies such as subtitles, count from
  /// the start of the presentation.
  ///
  /// - Throws: `MovieError` if there is no movie, no fragment, or nothing usable; or `stopped`.
  public func plan(
    _ sources: [any ByteSource], followers: [any ByteSource] = [], onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) -> OutputPlan {
    try plan(sources, parts: [], followers: followers, onProgress: onProgress)
  }

  /// The same for sources whose relation is known, such as the segments of a playlist. `parts` has one element for each
  /// source. After a discontinuity, times continue where the longest previous track ends.
  public func plan(
    _ sources: [any ByteSource], parts: [SourcePart], followers: [any ByteSource] = [],
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) -> OutputPlan {
    precondition(parts.isEmpty || parts.count == sources.count, "there is a part for each source")
    let input = try MovieInput(
      reading: sources, parts: parts, options.reading, followers: followers, onProgress: onProgress)
    if input.sources.count == 1, input.fragments.headers.isEmpty, !options.arrangesSamples {
      if var plan = try copyOfWhole(input) {
        // That is only of interest if the file was one.
        if input.importedByteCount != nil {
          plan.diagnostics.removeAll { if case .progressive = $0.kind { true } else { false } }
        }
        return plan
      }
    }
    let result = try layOut(TimedMovie(consume input, options.reading))
    var plan = try FileLayout.plan(
      result.input, result.layout, result.edits, isMovieFirst: options.isMovieFirst, result.diagnostics)
    plan.decisions = result.report
    return plan
  }

  /// A copy of a progressive file with `moov` first; `nil` if its tables are damaged and have to be re-created.
  private func copyOfWhole(_ input: MovieInput) throws(MovieError) -> OutputPlan? {
    let whole = try ReadBack(input)
    guard whole.problem == nil else { return nil }
    do throws(MovieError) {
      let plan = try ProgressiveLayout(input, input.groups[0], whole.tracks).plan()
      guard plan.severity ?? .note < .error else { return nil }
      try plan.check(whole.tracks.map { ($0.sampleCount, $0.mediaDuration) })
      return plan
    } catch {
      if case .io = error { throw error }
      return nil
    }
  }

  /// Plans the sample tables and edits. With `keepsPlaces`, samples are not moved.
  private func layOut(_ movie: consuming TimedMovie, keepsPlaces: Bool = false) throws(MovieError) -> (
    input: MovieInput, layout: MediaLayout, edits: EditPlan, diagnostics: [Diagnostic], report: DefragmentReport
  ) {
    var diagnostics = movie.diagnostics
    let joints = keepsPlaces ? [] : try movie.input.joints(of: movie.timeline)
    // In place, the fragments are still needed.
    if !keepsPlaces { movie.input.fragments.headers = [] }
    var samples = movie.samples()
    let started = try movie.input.startDecoders(at: joints, in: &samples)
    diagnostics += started.diagnostics
    for (track, own) in Dictionary(grouping: started.disordered, by: \.track).sorted(by: { $0.key < $1.key }) {
      let kind = Diagnostic.Kind.joints(.disordered, count: own.count)
      diagnostics.append(Diagnostic(kind, movie.input.name(ofTrack: track), movie.input.tracks.reference(track)))
    }
    movie.input.fragments.releaseSamples()
    let lists = samples.map(\.list)
    let times = movie.times(lists)
    let edits = EditPlan(
      movieTimescale: movie.input.groups[0].movie.timescale, keepsStart: options.reading.keepsStart,
      isWritten: options.reading.keepsEdits, times)
    diagnostics += movie.losses(lists) + movie.leftBoxes + movie.input.diagnostics(of: edits)
    if !options.reading.keepsStart { diagnostics = diagnostics.relative(to: PresentationOrigin(times)) }
    // No program, including this one, could use a movie without samples.
    if lists.allSatisfy({ $0.count == 0 }) { throw movie.input.nothingLeft(diagnostics) }
    if !keepsPlaces { movie.input.fragments.trackFragments = [] }
    let isApart = movie.hasSeveralMovies && !keepsPlaces
    let layout = MediaLayout(
      samples, keepsPlaces: keepsPlaces, interleave: options.interleave ?? (isApart ? MediaTime(1, 2) : nil),
      isCompact: options.isCompact)
    let report = DefragmentReport(movie.input, movie.timeline, layout, edits)
    return (movie.input, layout, edits, diagnostics, report)
  }
}

extension OutputPlan {
  /// Throws if parsing the output would not give the planned number and duration of samples of each track.
  func check(_ expected: [(sampleCount: Int, duration: Int64)]) throws(MovieError) {
    let source = try io(PlannedSource(self, name: sources[0].name))
    try ReadBack.check(source, expected, of: sources[0].name)
  }
}

extension Defragmenter {
  /// Reads the fragments of `source` and plans its conversion to a progressive file in place: no media is read or
  /// written. `onProgress` is called with the number of bytes read. A file that is already progressive needs no write.
  ///
  /// - Throws: `MovieError` if there is no movie, no sample, or no way to do this in place.
  public func planInPlace(_ source: any ByteSource, onProgress: @escaping (Int) -> Bool = { _ in true })
    throws(MovieError) -> InPlacePlan
  {
    var input = try MovieInputReader.read(
      [source], keepsSamples: true, options.reading.tracks, importsStreams: false, onProgress: onProgress)
    input.overlaps = options.reading.overlaps
    if input.fragments.headers.isEmpty {
      guard input.tracks.contains(where: \.hasSamples) else {
        throw MovieError.impossible(file: source.name, .noSamples)
          .explained(by: input.groups[0].header, of: source)
      }
      let whole = try ReadBack(input)
      if whole.problem == nil {
        let note = Diagnostic(.note, source.name, "already progressive; nothing to do")
        var plan = InPlacePlan(diagnostics: input.diagnostics + [note])
        // The report describes its contents.
        plan.decisions = DefragmentReport(
          progressive: input, input.groups[0].movie, samples: whole.tracks)
        return plan
      }
    }
    let result = try layOut(TimedMovie(consume input, options.reading), keepsPlaces: true)
    try checkTracks(result.input, result.diagnostics)
    var plan = try result.input.checked(
      { (input) throws(MovieError) in
        let plan = try InPlaceLayout(input, result.layout, result.edits).plan(result.diagnostics)
        let finished = try io(plan.finished(source))
        try ReadBack.check(finished, result.layout.sampleCounts, of: source.name)
        return plan
      }, diagnostics: \.diagnostics)
    plan.decisions = result.report
    return plan
  }

  /// Throws if a whole track would be lost, because the file may be the only copy. A track that cannot be read counts
  /// even if tracks are selected by kind, because its kind is unknown.
  private func checkTracks(_ input: MovieInput, _ diagnostics: [Diagnostic]) throws(MovieError) {
    let damage = options.reading.tracks.items.isEmpty ? input.groups[0].movie.damage : []
    for case .lostTrack(let error, _) in damage + diagnostics.map(\.kind) {
      let text = "\(error.reason); a track would be lost; not changed"
      throw .impossible(file: input.sources[0].name, Obstacle("lost_track", text, remedy: .writeOtherTracks))
    }
  }
}

extension Defragmenter {
  /// The options of a defragmenter.
  public struct Options: Sendable {
    /// How the inputs are read.
    public var reading = ReadingOptions()
    /// Whether the movie box is before the media data.
    public var isMovieFirst = true
    /// The duration of the chunks in which tracks are interleaved, by decode time. `nil` keeps the order of the source,
    /// divides chunks longer than half a second, and interleaves several movies every half second. Times of 0 or less
    /// create a chunk for each sample.
    public var interleave: MediaTime?
    /// Whether the sample sizes of a track are written in 4, 8 or 16 bits (`stz2`) if all of them fit. Not all players
    /// read it.
    public var isCompact = false

    /// The default: everything is kept, the presentation starts at 0, and the movie box is first.
    public init() {}

    /// Whether samples must be rearranged even if a file is already progressive.
    var arrangesSamples: Bool {
      !reading.tracks.items.isEmpty || !reading.keepsEdits || !isMovieFirst || interleave != nil || isCompact
    }
  }
}
