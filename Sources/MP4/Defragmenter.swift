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
      let (boxes, notRead) = try reader.information(number)
      var left = notRead
      do throws(IOError) {
        left.formUnion(try presentation.fragments.inform(&own, boxes, of: presentation.sources[group.source]))
      } catch { throw .io(error) }
      presentation.notices += notCarried(left, track, presentation)
      result += own
    }
    return result
  }

  /// What a movie box says of its own samples and is not read.
  private func notCarried(_ types: Set<FourCC>, _ track: Int, _ presentation: Presentation) -> [Notice] {
    guard !types.isEmpty else { return [] }
    let kind = Notice.Kind.notCarriedOfMovie(types.sorted { $0.rawValue < $1.rawValue })
    return [Notice(kind, presentation.name(ofTrack: track), presentation.tracks.reference(track))]
  }

  private func plan(_ presentation: inout Presentation) throws(MovieError) -> OutputPlan {
    try checkClaims(presentation)
    var timeline = try self.timeline(presentation)
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
    notices += losses(presentation, timeline, layout)
    if edits.start.value > 0 { notices.append(Notice(.rebased(edits.start), presentation.sources[0].name)) }
    if edits.isRounded { notices.append(Notice(.roundedStart, presentation.sources[0].name)) }
    for track in edits.shifted {
      notices.append(Notice(.shifted, presentation.name(ofTrack: track), tracks.reference(track)))
    }
    try checkSamples(layout, notices)
    var plan = try FileLayout(presentation, layout, edits, isMovieFirst: options.isMovieFirst).plan(notices)
    plan.decisions = DefragmentReport(presentation, timeline, layout, edits)
    return plan
  }

  /// Refuses to make a movie of nothing out of a file that has lost everything.
  private func checkSamples(_ layout: MediaLayout, _ notices: [Notice]) throws(MovieError) {
    guard layout.builders.allSatisfy({ $0.sampleCount == 0 }) else { return }
    guard let loss = notices.first(where: { $0.severity == .loss }) else { return }
    let lost = notices.reduce(0) { sum, notice in
      if case .missingData(let spans) = notice.kind { sum + spans.reduce(0) { $0 + $1.samples } } else { sum }
    }
    let reason =
      switch lost {
      case 0: "no sample in it can be used, so that nothing would be left: \(loss.text)"
      case 1: "its only sample has no data in it, so that nothing would be left"
      default: "none of its \(lost) samples has its data in it, so that nothing would be left"
      }
    throw .impossible(file: loss.file, reason: reason)
  }

  private func timeline(_ presentation: Presentation) throws(MovieError) -> FragmentTimeline {
    do throws(IOError) {
      return try FragmentTimeline(presentation.fragments, presentation.sources)
    } catch { throw .io(error) }
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
    timeline = try self.timeline(presentation)
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
    for fragment in presentation.fragments.trackFragments {
      counts[fragment.track] += fragment.sampleCount
      let track = presentation.tracks[fragment.track]
      guard !track.externalDescriptions.isEmpty, fragment.sampleCount > 0 else { continue }
      if track.externalDescriptions.contains(Int(fragment.descriptionIndex)) {
        throw .impossible(
          file: presentation.sources[fragment.source].name,
          reason: "track \(track.id): its samples lie in another file, which its dref names; take the other tracks only"
        )
      }
    }
    for (track, count) in zip(presentation.tracks, counts) where count > Int(UInt32.max) {
      throw .impossible(file: file, reason: "track \(track.id) has \(count) samples, too many for a sample table")
    }
  }

  /// What a progressive file has no place for, or what is not carried over.
  private func losses(_ presentation: Presentation, _ timeline: FragmentTimeline, _ layout: MediaLayout) -> [Notice] {
    var notices: [Notice] = []
    for (index, builder) in layout.builders.enumerated() {
      let (track, file) = (presentation.tracks.reference(index), presentation.name(ofTrack: index))
      if builder.sampleCount == 0 { notices.append(Notice(.emptyTrack, file, track)) }
      if builder.cutDurations > 0 {
        let time = timeline.tracks[index].firstGap(longerThan: Int64(UInt32.max))
        notices.append(Notice(.gapTooLong(count: builder.cutDurations, time: time), file, track))
      }
    }
    let file = presentation.sources[0].name
    var events: [FourCC: Int] = [:]
    for contents in presentation.contents { events.merge(contents.events) { $0 + $1 } }
    for (type, count) in events.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      notices.append(Notice(.noPlace(type, count: count), file))
    }
    return notices + presentation.fragments.droppedBoxes(file)
  }
}
