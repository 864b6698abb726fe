public import Bytes
import ISOBMFF

/// The samples of all tracks of a movie on one timeline that starts at 0, whatever kind of file they were in: what
/// fragments and segments are made of. No media is read.
public struct Movie: Sendable {
  var input: MovieInput
  /// The samples of each track.
  private(set) var lists: [SampleList]
  /// What else is said of them.
  private(set) var details: [SampleDetails]
  /// The edits of each track in the timescale of the movie, for media that starts at 0.
  private(set) var edits: [[EditListBox.Entry]]
  let timescale: UInt32
  /// The events between the fragments.
  private(set) var events: MovieEvents
  /// When the presentation starts by the times of the sources, which is 0 here.
  let start: MediaTime
  /// The movie fragments of the sources.
  private(set) var fragments: SourceFragments
  /// When the first sample of each track is presented in its sources, before all were moved to 0; `nil` without samples.
  public private(set) var starts: [MediaTime?]
  /// What was met, repaired and lost.
  public private(set) var notices: [Notice]

  /// The tracks in the order of the file.
  public var tracks: [TrackDescription] { input.tracks }

  /// Reads a progressive or fragmented file, or an init and its segments; `onProgress` is called with how many bytes have been read,
  /// and says whether to go on. Of `options` what concerns the output of a defragmenter has no meaning here.
  ///
  /// - Throws: `MovieError` when there is no movie or no sample, or damage that leaves nothing to be used; or `stopped`.
  public init(
    reading sources: [any ByteSource], _ options: Defragmenter.Options = Defragmenter.Options(),
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    var input = try MovieInput(
      reading: sources, options.tracks, takesAllSegments: options.takesAllSegments, onProgress: onProgress)
    if options.outputKind == .iso { try input.convertQuickTime() }
    input.overlaps = options.overlaps
    if options.takesWholeFragments { input.leaveOutCutFragments() }
    try input.readMovieSamples()
    try input.checkClaims()
    input.describe()
    let timeline = try input.timeline()
    let lists = timeline.tracks.enumerated().map { SampleList($1, input.fragments, track: $0) }
    details = zip(input.fragments.information, timeline.tracks).map {
      SampleDetails($0, $1, input.fragments.trackFragments)
    }
    let times = input.times(timeline, lists.map { ($0.compositionStart, $0.compositionEnd) })
    let plan = EditPlan(
      movieTimescale: input.groups[0].movie.timescale, keepsStart: options.keepsStart,
      isWritten: options.writesEdits, startsInUnits: true, times)
    events = try MovieEvents(of: &input, timeline, times, start: plan.start)
    starts = times.map(\.firstPresented)
    notices = input.notices(after: timeline) + TimelineNotices(input, timeline).all
    notices += Self.losses(input, timeline, lists, plan)
    guard lists.contains(where: { $0.count > 0 }) else {
      throw .impossible(file: sources[0].name, reason: "there are no samples in it that can be used")
    }
    (edits, timescale, start) = (plan.edits, plan.timescale, plan.start)
    fragments = SourceFragments(input.fragments, timeline)
    // The samples are in the lists now.
    input.fragments.releaseSamples()
    input.fragments.trackFragments = []
    self.input = input
    self.lists = lists
  }

  private static func losses(
    _ input: MovieInput, _ timeline: FragmentTimeline, _ lists: [SampleList], _ edits: EditPlan
  ) -> [Notice] {
    var notices: [Notice] = []
    for (index, list) in lists.enumerated() {
      let (track, file) = (input.tracks.reference(index), input.name(ofTrack: index))
      if list.count == 0 { notices.append(Notice(.emptyTrack, file, track)) }
      if list.cutDurations > 0 {
        let time = timeline.tracks[index].firstGap(longerThan: Int64(UInt32.max))
        notices.append(Notice(.gapTooLong(count: list.cutDurations, time: time), file, track))
      }
    }
    notices += input.deliveryBoxes().map { Notice(.leftOut($0.type, count: $0.count), $0.file) }
    notices += input.droppedBoxes()
    return notices + input.notices(of: edits)
  }

  /// The movie with only these of its tracks, which keep their times; its notices are those of all. Events stay with
  /// pictures; where there are none, with everything.
  public func keeping(tracks indices: [Int]) -> Movie {
    var result = self
    result.input.keep(tracks: Set(indices))
    func kept<Value>(_ values: [Value]) -> [Value] { values.indices.filter(indices.contains).map { values[$0] } }
    result.lists = kept(lists)
    result.details = kept(details)
    result.edits = kept(edits)
    if tracks.contains(where: { $0.handler == "vide" }), !result.tracks.contains(where: { $0.handler == "vide" }) {
      result.events = MovieEvents()
    }
    result.fragments.tracks = kept(fragments.tracks)
    result.starts = kept(starts)
    return result
  }

  /// The movie with samples of `bytes` after the last one of its only track, which end at `times`; `nil` where the track
  /// lasts as long already, or its edits or its encryption leave no place for them.
  public func extended(until times: [MediaTime], with bytes: [UInt8]) -> Movie? {
    guard tracks.count == 1, lists[0].count > 0, details[0].auxiliaryKind == nil,
      let edit = simpleEdit(ofTrack: 0), edit.duration == nil
    else { return nil }
    var (result, last) = (self, end(ofTrack: 0).value)
    for time in times {
      // Not before the time, where a segment may start.
      let (rounded, isExact) = time.converted(to: tracks[0].timescale)
      let next = isExact ? rounded : rounded &+ 1
      guard next > last else { continue }
      guard let duration = UInt32(exactly: next &- last) else { return nil }
      result.lists[0].append(
        duration: duration, size: UInt32(clamping: bytes.count), source: input.sources.count)
      last = next
    }
    guard result.lists[0].count > lists[0].count else { return nil }
    result.input.sources.append(MemorySource(bytes, name: name))
    // An edit that lasts as long as the track does is longer too.
    for index in result.edits[0].indices where result.edits[0][index].mediaTime >= 0 {
      result.edits[0][index].segmentDuration = 0
    }
    // The movie fragments do not hold all of it.
    result.fragments.tracks[0].obstacle = result.fragments.tracks[0].obstacle ?? "its track is made longer"
    return result
  }

  /// The edits of a track where they are not more than a delay, a cut at the start and one at the end.
  func simpleEdit(ofTrack index: Int) -> SimpleEdit? {
    SimpleEdit(edits[index], lists[index], timescale: tracks[index].timescale, movieTimescale: timescale)
  }

  /// A movie of the sync samples of one track only, each of which is presented until the next one is: what players show
  /// while they seek.
  public func keyFrames(ofTrack index: Int) -> Movie {
    var result = keeping(tracks: [index])
    let (list, samples) = SampleList.keyFrames(of: lists[index])
    result.lists = [list]
    result.details = [details[index].keeping(samples)]
    result.events = MovieEvents()
    result.fragments.tracks = result.fragments.keeping(samples, of: lists[index].count)
    return result
  }
}

extension MovieInput {
  /// Drops all tracks but those at these places.
  fileprivate mutating func keep(tracks indices: Set<Int>) {
    var kept: [MovieGroup] = []
    var count = 0
    for var group in groups {
      let isKept = group.tracks.map(indices.contains)
      group.movie.keep(isKept)
      guard !group.movie.tracks.isEmpty else { continue }
      group.tracks = count..<(count + group.movie.tracks.count)
      count = group.tracks.upperBound
      kept.append(group)
    }
    fragments.keep(tracks: indices)
    groups = kept
  }
}
