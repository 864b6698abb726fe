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
    var presentation = try PresentationReader.read(
      sources, keepsSamples: true, options.tracks, onProgress: onProgress)
    try presentation.checkGroups()
    // In one file it is damage; in segments it is the wrong init, whose tracks describe something else.
    if sources.count > 1 { try presentation.checkTracks() }
    if sources.count == 1, presentation.fragments.headers.isEmpty, !options.arrangesSamples {
      return try ProgressiveLayout(presentation, presentation.groups[0]).plan()
    }
    try readMovieSamples(&presentation)
    return try plan(&presentation)
  }

  /// Samples that movie boxes describe come before the fragments.
  private func readMovieSamples(_ presentation: inout Presentation) throws(MovieError) {
    var first: [TrackFragment] = []
    var headers: [FragmentHeader] = []
    var ranges: [(source: Int, indices: Range<Int>)] = []
    for group in presentation.groups where group.movie.tracks.contains(where: \.hasSamples) {
      let start = first.count
      first += try movieSamples(of: group, fragment: headers.count, &presentation)
      headers.append(FragmentHeader(source: group.source, offset: group.header.offset, sequenceNumber: 0))
      ranges.append((group.source, start..<first.count))
    }
    presentation.fragments.insert(first, headers)
    for (source, indices) in ranges {
      presentation.notices += presentation.fragments.cut(
        indices, toEndOf: presentation.sources[source], places: presentation.contents[source].places)
    }
  }

  private func movieSamples(of group: MovieGroup, fragment: Int, _ presentation: inout Presentation)
    throws(MovieError) -> [TrackFragment]
  {
    var reader = MovieSamples(group, presentation.sources[group.source])
    var result: [TrackFragment] = []
    for number in group.movie.tracks.indices where group.movie.tracks[number].hasSamples {
      let track = group.tracks.lowerBound + number
      var own = try reader.read(number, fragment: fragment, into: &presentation.fragments.store)
      var left = reader.typesNotRead(number)
      left.formUnion(try addGroups(number, of: reader, to: &own, of: track, &presentation))
      presentation.notices += notCarried(left, track, presentation)
      result += own
    }
    return result
  }

  /// Puts samples of a movie box into their groups; returns the boxes that could not be understood.
  private func addGroups(
    _ number: Int, of reader: MovieSamples, to own: inout [TrackFragment], of track: Int,
    _ presentation: inout Presentation
  ) throws(MovieError) -> Set<FourCC> {
    var left: Set<FourCC> = []
    for box in try reader.groups(number)
    where !presentation.fragments.addGroups(GroupMembers(box), to: &own, of: track) { left.insert("sbgp") }
    let sampleCount = own.reduce(0) { $0 + $1.sampleCount }
    let byteCount = presentation.sources.reduce(0) { $0 + ($1.byteCount ?? 0) }
    for box in try reader.compactGroups(number) {
      let members = presentation.fragments.information[track].members(
        box, sampleCount: sampleCount, byteCount: byteCount)
      guard let members, presentation.fragments.addGroups(members, to: &own, of: track) else {
        left.insert("csgp")
        continue
      }
    }
    return left
  }

  /// What a movie box says of its own samples and is not read.
  private func notCarried(_ types: Set<FourCC>, _ track: Int, _ presentation: Presentation) -> [Notice] {
    guard !types.isEmpty else { return [] }
    let names = types.sorted { $0.rawValue < $1.rawValue }.map(\.description).joined(separator: ", ")
    let text =
      "track \(presentation.tracks[track].id): what \(names) in the movie box says of its samples cannot be "
      + "carried over yet; left out"
    return [Notice(.loss, presentation.sources[0].name, text)]
  }

  private func plan(_ presentation: inout Presentation) throws(MovieError) -> OutputPlan {
    try checkClaims(presentation)
    var timeline = FragmentTimeline(presentation.fragments)
    if options.keepsEvents { try addEvents(to: &presentation, &timeline) }
    let layout = MediaLayout(timeline, presentation.fragments)
    // The samples are in the tables now.
    presentation.fragments.store = RunStore()
    let tracks = presentation.tracks
    let ends = layout.builders.map(\.compositionEnd)
    let edits = EditPlan(
      movieTimescale: presentation.groups[0].movie.timescale, keepsStart: options.keepsStart,
      isWritten: options.writesEdits, times(presentation, timeline, compositionEnds: ends))
    var notices = presentation.notices
    notices += TimelineNotices(presentation, timeline).all
    notices += losses(presentation, layout)
    if edits.start.value > 0 {
      let text = "the presentation starts at \(edits.start); all tracks were moved so that it starts at 0"
      notices.append(Notice(.note, presentation.sources[0].name, text))
    }
    if edits.isRounded {
      let text = "the start of a track could not be expressed in the timescale of the movie and was rounded"
      notices.append(Notice(.warning, presentation.sources[0].name, text))
    }
    for track in edits.shifted {
      let text = "track \(tracks[track].id): without an edit list it is presented at another time than before"
      notices.append(Notice(.warning, presentation.sources[0].name, text))
    }
    return try FileLayout(presentation, layout, edits, isMovieFirst: options.isMovieFirst).plan(notices)
  }

  private func times(_ presentation: Presentation, _ timeline: FragmentTimeline, compositionEnds: [Int64])
    -> [EditPlan.TrackTimes]
  {
    presentation.tracks.enumerated().map { index, track in
      EditPlan.TrackTimes(
        timescale: track.timescale, movieTimescale: presentation.group(of: index)?.movie.timescale ?? 1,
        edits: track.edits, start: timeline.tracks[index].entries.isEmpty ? nil : timeline.tracks[index].start,
        compositionEnd: compositionEnds[index], movieDuration: presentation.fragments.movieDuration(of: index))
    }
  }

  /// Makes the events between the fragments a track of their own.
  private func addEvents(to presentation: inout Presentation, _ timeline: inout FragmentTimeline) throws(MovieError) {
    guard presentation.contents.contains(where: { !$0.eventMessages.isEmpty }) else { return }
    let tracks = times(presentation, timeline, compositionEnds: presentation.tracks.map { _ in 0 })
    let start = EditPlan(movieTimescale: 1, tracks).start
    let events = try EventTrack(
      presentation, EventClock(presentation.fragments, timeline, tracks, start: start))
    presentation.notices += events.notices
    events.add(to: &presentation)
    for index in presentation.contents.indices { presentation.contents[index].events["emsg"] = nil }
    timeline = FragmentTimeline(presentation.fragments)
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
    var counts = Array(repeating: 0, count: presentation.tracks.count)
    for fragment in presentation.fragments.trackFragments { counts[fragment.track] += fragment.sampleCount }
    for (track, count) in zip(presentation.tracks, counts) where count > Int(UInt32.max) {
      throw .impossible(file: file, reason: "track \(track.id) has \(count) samples, too many for a sample table")
    }
  }

  /// What a progressive file has no place for, or what is not carried over.
  private func losses(_ presentation: Presentation, _ layout: MediaLayout) -> [Notice] {
    var notices: [Notice] = []
    let file = presentation.sources[0].name
    for (track, builder) in layout.builders.enumerated() {
      let id = presentation.tracks[track].id
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
    return notices + presentation.fragments.droppedBoxes(file)
  }
}
