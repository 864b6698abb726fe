import ISOBMFF

/// Maps the samples of a track to the timeline of a fragmented movie, with an edit list that keeps presentation times.
struct TrackTimeMapping: Sendable {
  /// The media timescale.
  let timescale: UInt32
  /// The decode time of the first sample.
  private(set) var start: Int64 = 0
  /// The value subtracted from every composition offset.
  private(set) var offsetShift: Int64 = 0
  /// The edit list in the movie box, in the movie timescale.
  private(set) var edits: [EditListBox.Entry] = []
  /// The offset from the time of a sample in the track, where the first one is 0, to its presentation time.
  private(set) var presentationShift: Int64 = 0
  /// The same for the presentation time in the output, which is later in Apple's profile.
  private(set) var presentedShift: Int64 = 0
  /// How much later the media times in the output are than the presentation times.
  var mediaOffset: MediaTime { MediaTime(start &- offsetShift &- presentedShift, timescale) }
  /// The amount of media at the end that is not presented.
  private(set) var hiddenAtEnd: Int64 = 0
  /// Edits that could not be kept.
  private(set) var problems: [Problem] = []

  /// Edits that a fragmented movie cannot express.
  enum Problem: Sendable, Equatable {
    /// A start in movie time units is not a whole number of media time units.
    case roundedStart
    /// This amount of media at the start, in media time units, is presented although an edit hides it.
    case presentsStart(Int64)
    /// The same at the end.
    case presentsEnd(Int64)
    /// There is more than one media edit, or one has another speed.
    case severalEdits
    /// The media would start this long before 0.
    case startsBeforeZero(Int64)
  }

  /// The times of a track in its sources.
  struct Source {
    /// The decode time of the first sample.
    var start: Int64
    /// The edit list, in `movieTimescale`.
    var edits: [EditListBox.Entry]
    var movieTimescale: UInt32
    /// The time at which the presentation starts.
    var presentationStart: MediaTime
  }

  /// A mapping of a track with `edits`, in the movie timescale, for media that starts at 0. `source` has its times in
  /// the sources, and `isSound` is whether it can have priming.
  init(
    _ list: SampleList, timescale: UInt32, edits: [EditListBox.Entry], movieTimescale: UInt32,
    _ profile: FragmentProfile, source: Source, isSound: Bool
  ) {
    self.timescale = max(timescale, 1)
    let simple = SimpleEdit(edits, list, timescale: timescale, movieTimescale: movieTimescale)
    switch profile {
    case .source:
      // Without edits, none are to be written.
      placeAsInSource(edits.isEmpty ? source.withoutEdits : source, simple, movieTimescale)
    case .cmaf, .cmf2:
      guard let simple else {
        self.edits = edits
        presentationShift = Self.shift(of: edits, timescale, movieTimescale)
        presentedShift = presentationShift
        problems = [.severalEdits]
        return
      }
      if profile == .cmf2 { removeDelay(list) }
      placeForCMAF(simple, list)
    case .apple(let timeOffset):
      if simple == nil { problems.append(.severalEdits) }
      placeForApple(
        simple ?? SimpleEdit(), list, timeOffset.converted(to: timescale),
        priming: isSound ? Int64(timescale) / 2 : 0)
    }
  }

  /// A mapping of a track whose decode times, from `start` on, and composition offsets do not change.
  init(_ list: SampleList, timescale: UInt32, start: Int64) {
    self.timescale = max(timescale, 1)
    self.start = start
    presentationShift = start &- list.compositionStart
    presentedShift = presentationShift
  }

  /// A mapping of a track without edits, whose times become presentation times by adding `shift` and, in the output,
  /// also `timeOffset`. Composition offsets are negative only if they are signed: then the first decode time is that of
  /// the first presentation.
  init(_ list: SampleList, timescale: UInt32, shift: Int64, timeOffset: MediaTime, isSigned: Bool) {
    self.timescale = max(timescale, 1)
    let offset = timeOffset.converted(to: timescale)
    offsetShift = isSigned ? list.compositionStart : min(0, list.compositionOffsets.lowerBound)
    presentationShift = shift
    presentedShift = shift &+ offset.value
    start = presentedShift &+ offsetShift
    if start < 0 {
      problems.append(.startsBeforeZero(0 &- start))
      start = 0
    }
    if !offset.isExact { problems.append(.roundedStart) }
  }

  private mutating func placeAsInSource(_ source: Source, _ simple: SimpleEdit?, _ movieTimescale: UInt32) {
    start = source.start
    edits = source.edits.map { entry in
      var entry = entry
      let duration = MediaTime(Int64(clamping: entry.segmentDuration), source.movieTimescale)
      entry.segmentDuration = UInt64(clamping: duration.converted(to: movieTimescale).value)
      return entry
    }
    // In a fragmented movie, 0 means up to the end of the fragments.
    if let simple, simple.duration == nil, let last = edits.indices.last { edits[last].segmentDuration = 0 }
    if simple == nil { problems = [.severalEdits] }
    hiddenAtEnd = simple?.cutAtEnd ?? 0
    presentedShift = start &+ Self.shift(of: source.edits, timescale, source.movieTimescale)
    presentationShift = presentedShift &- source.presentationStart.converted(to: timescale).value
  }

  /// Removes the delay of reordered pictures, whose composition offsets are such that none is decoded too late.
  /// Without the offset of the first picture, it is presented at its decode time and needs no edit.
  private mutating func removeDelay(_ list: SampleList) {
    offsetShift = list.compositionStart
    // Offsets that would not fit into 32 bits are not changed.
    if offsetShift < 0, list.compositionOffsets.upperBound > Int64(Int32.max) &+ offsetShift { offsetShift = 0 }
  }

  private mutating func placeForCMAF(_ edit: SimpleEdit, _ list: SampleList) {
    presentationShift = edit.delay &- edit.mediaTime
    presentedShift = presentationShift
    hiddenAtEnd = edit.cutAtEnd
    let trim = edit.mediaTime &- offsetShift
    if trim <= list.compositionStart &- offsetShift || list.count == 0 {
      // No media is hidden at the start, so that a track that starts later needs no empty edit.
      let mediaTime = max(trim, 0)
      start = edit.delay &- (trim &- mediaTime)
      if !edit.isDelayExact { problems.append(.roundedStart) }
      if let duration = edit.duration {
        edits = [EditListBox.Entry(segmentDuration: edit.movieDelay &+ duration, mediaTime: mediaTime)]
      } else if mediaTime > 0 {
        edits = [EditListBox.Entry(segmentDuration: 0, mediaTime: mediaTime)]
      }
      return
    }
    if edit.movieDelay > 0 { edits = [EditListBox.Entry(segmentDuration: edit.movieDelay, mediaTime: -1)] }
    edits.append(EditListBox.Entry(segmentDuration: edit.duration ?? 0, mediaTime: trim))
  }

  private mutating func placeForApple(
    _ edit: SimpleEdit, _ list: SampleList, _ offset: (value: Int64, isExact: Bool), priming: Int64
  ) {
    presentationShift = edit.delay &- edit.mediaTime
    start = offset.value &+ presentationShift
    if start < 0 {
      problems.append(.startsBeforeZero(0 &- start))
      start = 0
    }
    presentedShift = start
    if !edit.isDelayExact || !offset.isExact { problems.append(.roundedStart) }
    // In this profile, the priming of audio is presented before the start. Video before the first picture, or more
    // audio than any codec needs for priming, is not expected.
    let hidden = edit.mediaTime &- list.compositionStart
    if hidden > priming { problems.append(.presentsStart(hidden)) }
    if edit.duration != nil { problems.append(.presentsEnd(edit.cutAtEnd)) }
  }

  /// The presentation time of media time 0 in the first edit.
  private static func shift(of edits: [EditListBox.Entry], _ timescale: UInt32, _ movieTimescale: UInt32) -> Int64 {
    var delay: UInt64 = 0
    for edit in edits {
      if edit.mediaTime >= 0 {
        return MediaTime(Int64(clamping: delay), movieTimescale).converted(to: timescale).value &- edit.mediaTime
      }
      delay = min(delay + min(edit.segmentDuration, 1 << 61), 1 << 61)
    }
    return 0
  }
}

extension TrackTimeMapping.Source {
  fileprivate var withoutEdits: Self {
    var result = self
    result.edits = []
    return result
  }
}

/// An edit list that only declares the start of a track, a trimmed start, and possibly an end.
struct SimpleEdit: Sendable {
  /// The delay of the track after the start of the movie, in media and in movie time units.
  var delay: Int64 = 0
  var movieDelay: UInt64 = 0
  var isDelayExact = true
  /// The media time that is presented first.
  var mediaTime: Int64 = 0
  /// The presented duration in movie time units, if it ends before the samples do.
  var duration: UInt64?
  /// The amount of media after that end.
  var cutAtEnd: Int64 = 0

  /// An edit that presents all media from the start of the movie.
  init() {}

  /// Reads edits; `nil` if there are other ones.
  init?(_ edits: [EditListBox.Entry], _ list: SampleList, timescale: UInt32, movieTimescale: UInt32) {
    let media = edits.drop { $0.mediaTime < 0 }
    guard let edit = media.first else {
      guard edits.isEmpty else { return nil }
      return
    }
    guard media.count == 1, edit.mediaRateInteger == 1, edit.mediaRateFraction == 0 else { return nil }
    movieDelay = edits.dropLast().reduce(0) { min($0 + min($1.segmentDuration, 1 << 61), 1 << 61) }
    (delay, isDelayExact) = MediaTime(Int64(movieDelay), movieTimescale).converted(to: timescale)
    mediaTime = edit.mediaTime
    guard edit.segmentDuration > 0 else { return }
    let length = MediaTime(Int64(clamping: edit.segmentDuration), movieTimescale)
    let end = length.converted(to: timescale).value &+ mediaTime
    // Writers round durations to a movie time unit.
    let unit = MediaTime(1, movieTimescale).converted(to: timescale).value
    guard end < list.compositionEnd &- max(unit, 1) else { return }
    duration = edit.segmentDuration
    cutAtEnd = list.compositionEnd &- end
  }
}
