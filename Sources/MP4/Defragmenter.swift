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

  /// Reads the fragments of `sources` and works out the file. `onProgress` is told how many bytes are behind,
  /// and says whether to go on. The times of `followers`, which are movies of their own such as subtitles, count from the
  /// start of the presentation, whenever that is.
  ///
  /// - Throws: `MovieError` when there is no movie, no fragment, or damage that leaves nothing to be used; or `stopped`.
  public func plan(
    _ sources: [any ByteSource], followers: [any ByteSource] = [], onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) -> OutputPlan {
    var presentation = try PresentationReader.read(
      sources, keepsSamples: true, options.tracks, followers: followers, onProgress: onProgress)
    try presentation.checkGroups()
    // In one file it is damage; in segments it is the wrong init, whose tracks describe something else.
    if presentation.sources.count > 1 { try presentation.checkTracks() }
    if presentation.sources.count == 1, presentation.fragments.headers.isEmpty, !options.arrangesSamples {
      return try ProgressiveLayout(presentation, presentation.groups[0]).plan()
    }
    try readMovieSamples(&presentation)
    return try plan(&presentation)
  }

  private func plan(_ presentation: inout Presentation) throws(MovieError) -> OutputPlan {
    let result = try layOut(&presentation)
    let files = try FileLayout(presentation, result.layout, result.edits, isMovieFirst: options.isMovieFirst)
    var plan = try files.plan(result.notices)
    plan.decisions = result.report
    return plan
  }

  /// Works out the sample tables and edits; with `keepsPlaces`, of samples that stay where they are.
  func layOut(_ presentation: inout Presentation, keepsPlaces: Bool = false) throws(MovieError)
    -> (layout: MediaLayout, edits: EditPlan, notices: [Notice], report: DefragmentReport)
  {
    try checkClaims(presentation)
    presentation.notices += describe(&presentation, keepsPlaces: keepsPlaces)
    var timeline = try self.timeline(presentation)
    // The sources of several movies are not interleaved with each other; events, which are added as one more, are put
    // between the fragments.
    let isApart = presentation.groups.count > 1 && !keepsPlaces
    if options.keepsEvents { try addEvents(to: &presentation, &timeline) }
    let layout = MediaLayout(
      timeline, presentation.fragments, keepsPlaces: keepsPlaces,
      interleave: options.interleave ?? (isApart ? MediaTime(1, 2) : nil), isCompact: options.isCompact)
    // The samples are in the tables now.
    presentation.fragments.store = RunStore()
    let compositions = layout.builders.map { ($0.compositionStart, $0.compositionEnd) }
    let edits = EditPlan(
      movieTimescale: presentation.groups[0].movie.timescale, keepsStart: options.keepsStart,
      isWritten: options.writesEdits, times(presentation, timeline, compositions))
    var notices = presentation.notices
    notices += TimelineNotices(presentation, timeline).all
    notices += losses(presentation, timeline, layout)
    if edits.start.value > 0 { notices.append(Notice(.rebased(edits.start), presentation.sources[0].name)) }
    if edits.isRounded { notices.append(Notice(.roundedStart, presentation.sources[0].name)) }
    for track in edits.shifted {
      notices.append(Notice(.shifted, presentation.name(ofTrack: track), presentation.tracks.reference(track)))
    }
    try checkSamples(layout, notices)
    return (layout, edits, notices, DefragmentReport(presentation, timeline, layout, edits))
  }

  func timeline(_ presentation: Presentation) throws(MovieError) -> FragmentTimeline {
    do throws(IOError) {
      return try FragmentTimeline(presentation.fragments, presentation.sources)
    } catch { throw .io(error) }
  }

  func times(
    _ presentation: Presentation, _ timeline: FragmentTimeline, _ compositions: [(start: Int64, end: Int64)]
  ) -> [EditPlan.TrackTimes] {
    let movieDurations = presentation.fragments.movieDurations
    return presentation.tracks.enumerated().map { index, track in
      EditPlan.TrackTimes(
        timescale: track.timescale, movieTimescale: presentation.group(of: index)?.movie.timescale ?? 1,
        edits: track.edits, start: timeline.tracks[index].entries.isEmpty ? nil : timeline.tracks[index].start,
        compositionStart: compositions[index].start, compositionEnd: compositions[index].end,
        movieDuration: movieDurations[index], isVideo: track.handler == "vide",
        followsStart: presentation.follows(track: index))
    }
  }

  /// Makes the events between the fragments a track of their own.
  private func addEvents(to presentation: inout Presentation, _ timeline: inout FragmentTimeline) throws(MovieError) {
    guard presentation.contents.contains(where: { !$0.eventMessages.isEmpty }) else { return }
    let tracks = times(presentation, timeline, presentation.tracks.map { _ in (0, 0) })
    let start = EditPlan(movieTimescale: 1, tracks).start
    let events = try EventTrack(
      presentation, EventClock(presentation.fragments, timeline, tracks, start: start))
    presentation.notices += events.notices
    events.add(to: &presentation)
    for index in presentation.contents.indices { presentation.contents[index].events["emsg"] = nil }
    timeline = try self.timeline(presentation)
  }
}
