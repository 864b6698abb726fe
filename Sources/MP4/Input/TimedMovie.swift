import MP4Bytes

/// A movie with the samples of all tracks on their timelines. Every operation on samples starts with it.
struct TimedMovie {
  var input: MovieInput
  private(set) var timeline: FragmentTimeline
  /// Whether there are several movies, whose samples are not interleaved. Events are: they come from a movie of their
  /// own, but are between the fragments of the others.
  let hasSeveralMovies: Bool

  /// Reads a movie and its samples.
  init(
    reading sources: [any ByteSource], parts: [SourcePart] = [], _ options: ReadingOptions, needsSamples: Bool = true,
    onProgress: @escaping (Int) -> Bool
  ) throws(MovieError) {
    try self.init(
      MovieInput(reading: sources, parts: parts, options, needsSamples: needsSamples, onProgress: onProgress), options)
  }

  /// Reads the samples of a movie whose boxes have been read.
  init(_ given: consuming MovieInput, _ options: ReadingOptions = ReadingOptions()) throws(MovieError) {
    if options.takesWholeFragments { given.omitTruncatedFragments() }
    try given.readMovieSamples()
    let parts = given.parts
    if options.keepsEvents, let other = parts.firstIndex(where: { $0.period != parts[0].period }) {
      let text = "events cannot be kept across the discontinuity before it; process the parts separately"
      throw .impossible(file: given.sources[other].name, Obstacle("discontinuity", text))
    }
    try PeriodConcatenator.place(&given)
    given.describe()
    try given.checkClaims()
    timeline = try given.timeline()
    hasSeveralMovies = given.groups.count > 1
    input = given
    if options.keepsEvents { try addEvents() }
  }

  /// Converts the events between fragments to a track.
  private mutating func addEvents() throws(MovieError) {
    guard input.contents.contains(where: { !$0.eventMessages.isEmpty }) else { return }
    let tracks = input.times(timeline, input.tracks.map { _ in (0, 0) })
    let start = EditPlan(movieTimescale: 1, tracks).start
    let events = try EventTrack(input, EventClock(input.fragments, timeline, tracks, start: start))
    input.diagnostics += events.diagnostics
    events.add(to: &input)
    for index in input.contents.indices { input.contents[index].events["emsg"] = nil }
    timeline = try input.timeline()
  }

  /// The samples of each track, in runs.
  func samples() -> [TrackSamples] { timeline.samples(input.fragments) }

  /// The samples of each track.
  func lists() -> [SampleList] {
    timeline.tracks.enumerated().map { SampleList($1, input.fragments, track: $0) }
  }

  /// The information about tracks for planning edits.
  func times(_ lists: [SampleList]) -> [EditPlan.TrackTimes] {
    input.times(timeline, lists.map { ($0.compositionStart, $0.compositionEnd) })
  }

  /// The repairs and losses of reading, and of placing the samples on the timelines.
  var diagnostics: [Diagnostic] { input.diagnostics(after: timeline) + TimelineDiagnostics(input, timeline).all }

  /// Tracks without samples, and durations that are too long.
  func losses(_ lists: [SampleList]) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for (index, list) in lists.enumerated() {
      let (track, file) = (input.tracks.reference(index), input.name(ofTrack: index))
      if list.count == 0 { diagnostics.append(Diagnostic(.emptyTrack, file, track)) }
      if list.cutDurations > 0 {
        let time = timeline.tracks[index].firstGap(longerThan: Int64(UInt32.max))
        diagnostics.append(Diagnostic(.gapTooLong(count: list.cutDurations, time: time), file, track))
      }
    }
    return diagnostics
  }

  /// What a progressive file cannot contain, or what is not carried over.
  var leftBoxes: [Diagnostic] {
    input.deliveryBoxes().map { Diagnostic(.noPlace($0.type, count: $0.count), $0.file) } + input.droppedBoxes()
  }
}
