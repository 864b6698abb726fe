public import ISOBMFF

/// Makes one progressive file of a fragmented one, or of an init and its segments: `moov` first, then one `mdat`.
///
/// The samples keep their bytes, decode times, composition offsets, sync flags and descriptions; everything is presented
/// when it was before. The media data is not read: the plan names the ranges of the sources to be copied.
public struct Defragmenter {
  /// What a user may want otherwise.
  public var options: Options

  /// Makes a defragmenter.
  public init(_ options: Options = Options()) { self.options = options }

  /// Reads the fragments of `sources` and works out the file. `onProgress` is told how many bytes are behind.
  ///
  /// - Throws: `MovieError` when there is no movie, no fragment, or damage that leaves nothing to be used.
  public func plan(_ sources: [any ByteSource], onProgress: @escaping (Int) -> Void = { _ in }) throws(MovieError)
    -> OutputPlan
  {
    var presentation = try PresentationReader.read(sources, keepsSamples: true, onProgress: onProgress)
    for (source, contents) in zip(sources, presentation.contents).dropFirst() where contents.fragmentCount == 0 {
      throw .notASegment(file: source.name)
    }
    // In one file it is damage; in segments it is the wrong init, whose tracks describe something else.
    if sources.count > 1 { try presentation.checkTracks() }
    if presentation.fragments.headers.isEmpty {
      guard presentation.movie.tracks.contains(where: \.hasSamples) else {
        throw .impossible(
          file: sources[0].name, reason: "there are no samples in it; give the segments after the init segment")
      }
      if !options.arrangesSamples { return try ProgressiveLayout(presentation).plan() }
    }
    try readMovieSamples(&presentation)
    return try plan(&presentation)
  }

  /// Samples that the movie box describes come before the fragments.
  private func readMovieSamples(_ presentation: inout Presentation) throws(MovieError) {
    let movie = presentation.movie
    guard movie.tracks.contains(where: \.hasSamples) else { return }
    var reader = MovieSamples(movie, source: presentation.sources[0])
    var first: [TrackFragment] = []
    for track in movie.tracks.indices where movie.tracks[track].hasSamples {
      var own = try reader.read(track, into: &presentation.fragments.store)
      var left = reader.typesNotRead(track)
      for box in try reader.groups(track) where !presentation.fragments.addGroups(box, to: &own, of: track) {
        left.insert("sbgp")
      }
      presentation.notices += notCarried(left, track, presentation)
      first += own
    }
    presentation.fragments.insert(first, movieOffset: presentation.movieHeader.offset)
    presentation.notices += presentation.fragments.cut(
      first.indices, toEndOf: presentation.sources[0], places: presentation.contents[0].places)
  }

  /// What a movie box says of its own samples and is not read.
  private func notCarried(_ types: Set<FourCC>, _ track: Int, _ presentation: Presentation) -> [Notice] {
    guard !types.isEmpty else { return [] }
    let names = types.sorted { $0.rawValue < $1.rawValue }.map(\.description).joined(separator: ", ")
    let text =
      "track \(presentation.movie.tracks[track].id): what \(names) in the movie box says of its samples cannot be "
      + "carried over yet; left out"
    return [Notice(.loss, presentation.sources[0].name, text)]
  }

  private func plan(_ presentation: inout Presentation) throws(MovieError) -> OutputPlan {
    try checkClaims(presentation)
    let timeline = FragmentTimeline(presentation.fragments)
    let layout = MediaLayout(
      timeline, presentation.fragments, interleave: options.interleave, isCompact: options.isCompact)
    // The samples are in the tables now.
    presentation.fragments.store = RunStore()
    let tracks = presentation.movie.tracks
    let edits = EditPlan(
      movieTimescale: presentation.movie.timescale,
      tracks.indices.map { track in
        EditPlan.TrackTimes(
          timescale: tracks[track].timescale, edits: tracks[track].edits,
          start: layout.builders[track].sampleCount > 0 ? timeline.tracks[track].start : nil,
          compositionEnd: layout.builders[track].compositionEnd,
          movieDuration: presentation.fragments.movieDuration(of: track))
      })
    var notices = presentation.notices
    notices += TimelineNotices(presentation, timeline).all
    notices += try losses(presentation, layout)
    if edits.start.value > 0 {
      let text = "the presentation starts at \(edits.start); all tracks were moved so that it starts at 0"
      notices.append(Notice(.note, presentation.sources[0].name, text))
    }
    if edits.isRounded {
      let text = "the start of a track could not be expressed in the timescale of the movie and was rounded"
      notices.append(Notice(.warning, presentation.sources[0].name, text))
    }
    return try FileLayout(presentation, layout, edits).plan(notices)
  }

  /// Refuses what only a file that means harm can ask for, before anything goes through its samples: samples over and
  /// over the same bytes.
  private func checkClaims(_ presentation: Presentation) throws(MovieError) {
    let file = presentation.sources[0].name
    let available = presentation.sources.reduce(0) { $0 + ($1.byteCount ?? 0) }
    let claimed = presentation.fragments.store.runs.reduce(0) { min($0 + $1.byteCount, Int.max / 4) }
    guard claimed <= 1 << 20 || claimed / 2 <= available else {
      let reason = "its samples claim \(claimed) bytes of media, but there are \(available) bytes in all"
      throw .impossible(file: file, reason: reason)
    }
    var counts = Array(repeating: 0, count: presentation.movie.tracks.count)
    for fragment in presentation.fragments.trackFragments { counts[fragment.track] += fragment.sampleCount }
    for (track, count) in zip(presentation.movie.tracks, counts) where count > Int(UInt32.max) {
      throw .impossible(file: file, reason: "track \(track.id) has \(count) samples, too many for a sample table")
    }
  }

  /// What a progressive file has no place for, or what is not carried over.
  private func losses(_ presentation: Presentation, _ layout: MediaLayout) throws(MovieError) -> [Notice] {
    var notices: [Notice] = []
    let file = presentation.sources[0].name
    for (track, builder) in layout.builders.enumerated() {
      let id = presentation.movie.tracks[track].id
      if builder.sampleCount == 0 {
        notices.append(Notice(.note, file, "track \(id): no fragment has samples of it; it stays empty"))
      }
      if builder.cutDurations > 0 {
        let text = "track \(id): a gap is longer than a sample can last; what follows it comes too early"
        notices.append(Notice(.loss, file, text))
      }
    }
    var events: [FourCC: Int] = [:]
    for contents in presentation.contents { events.merge(contents.events) { $0 + $1 } }
    for (type, count) in events.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let text = "\(count) \(type) \(count == 1 ? "box has" : "boxes have") no place in a progressive file; left out"
      notices.append(Notice(.note, file, text))
    }
    return notices + presentation.fragments.droppedBoxes(file) + (try lostItems(presentation))
  }

  /// Items of metadata whose bytes lie elsewhere in the file, which are not copied.
  private func lostItems(_ presentation: Presentation) throws(MovieError) -> [Notice] {
    let source = presentation.sources[0]
    var metas = presentation.movie.box.boxes.filter { $0.type == "meta" }
    for header in presentation.contents[0].kept where header.type == "meta" {
      do throws(IOError) { metas += try [Box](reading: source, in: header.offset..<header.end) } catch {
        throw .io(error)
      }
    }
    var count = 0
    for iloc in metas.compactMap({ $0.first("iloc") }) {
      let locations = try MoviePayloads(source: source).payload(of: iloc, in: "meta/iloc", ItemLocationBox.self)
      count += locations.items.filter { $0.constructionMethod == 0 && !$0.extents.isEmpty }.count
    }
    guard count > 0 else { return [] }
    let text =
      "meta: \(count == 1 ? "1 item lies" : "\(count) items lie") outside of its box and cannot be carried over yet"
    return [Notice(.loss, source.name, text)]
  }
}
