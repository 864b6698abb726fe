import ISOBMFF
import MP4
import MP4HLS
import TimedText

/// Creates the segments and the playlist of subtitles in one language.
struct SubtitleSegments {
  /// The result: files, and the playlist that lists them.
  struct Output {
    var files: [SubtitlePlan.File] = []
    var playlist = MediaPlaylist()
    var diagnostics: [Diagnostic] = []
    /// The sizes of the segments.
    var byteCounts: [Int] = []

    /// The bandwidth.
    var bandwidth: Bandwidth {
      Bandwidth(
        zip(byteCounts, playlist.segments.map(\.duration)).map { ($0, $1) }, targetDuration: playlist.targetDuration)
    }

    mutating func addSegment(_ file: SubtitlePlan.File) {
      byteCounts.append(file.byteCount)
      files.append(file)
    }
  }
  private let subtitles: Subtitles
  private let timing: PresentationTiming
  private let folder: String
  /// The number of the first segment.
  private let firstNumber: Int
  /// The maximum size of cues in all segments together; cues that span segments are repeated in each.
  private static let limit = 1 << 28

  init(_ subtitles: Subtitles, _ timing: PresentationTiming, folder: String, firstNumber: Int = 1) {
    (self.subtitles, self.timing, self.folder, self.firstNumber) = (subtitles, timing, folder, firstNumber)
  }

  // MARK: WebVTT

  /// All cues in one file.
  func wholeFile() -> Output {
    let name = "subtitles.vtt"
    var document = subtitles.document
    document.timestampMap = map(timing.periods[0])
    var segment = Segment(name, duration: duration(of: 0..<timing.segments.count))
    segment.programDateTime = timing.segments[0].programDateTime
    var made = Output(playlist: playlist([segment]))
    made.addSegment(file(name, .bytes(document.bytes)))
    return made
  }

  /// A file for each group of segments, with all cues that are visible during the group. Media times change after a
  /// discontinuity, so a cue ends there and starts again.
  func webVTT(lasting duration: Duration) throws(SubtitleError) -> Output {
    var (made, segments): (Output, [Segment]) = (Output(), [])
    var cues = CuesByTime(subtitles.document.cues)
    var byteCount = 0
    for (number, period) in timing.periods.enumerated() {
      for group in timing.groups(of: period, lasting: goal(duration)) {
        let name = "segment\(firstNumber + segments.count).vtt"
        let shown = cues.shown(from: timing.milliseconds(group.lowerBound), to: timing.milliseconds(group.upperBound))
        byteCount += shown.reduce(0) { $0 + $1.text.utf8.count + 64 }
        guard byteCount <= Self.limit else { throw .tooLarge(subtitles.source) }
        var document = subtitles.document.with(cues: shown.map { clipped($0, toPeriod: number) })
        document.timestampMap = map(period)
        made.addSegment(file(name, .bytes(document.bytes)))
        let isFirst = group.lowerBound == period.segments.lowerBound
        segments.append(segment(name, group, isDiscontinuity: number > 0 && isFirst))
      }
    }
    made.playlist = playlist(segments)
    return made
  }

  /// A cue restricted to a period.
  private func clipped(_ cue: Cue, toPeriod number: Int) -> Cue {
    var cue = cue
    let segments = timing.periods[number].segments
    if number > 0 { cue.startMilliseconds = max(cue.startMilliseconds, timing.milliseconds(segments.lowerBound)) }
    if number + 1 < timing.periods.count {
      cue.endMilliseconds = min(cue.endMilliseconds, timing.milliseconds(segments.upperBound))
    }
    return cue
  }

  /// The times at which a period starts in the file and in its media.
  private func map(_ period: PresentationTiming.Period) -> TimestampMap {
    TimestampMap(
      localMilliseconds: timing.milliseconds(period.segments.lowerBound),
      mpegTS: MediaClock.mpegTS(period.mediaStart ?? MediaTime(0, 1)))
  }

  // MARK: MP4

  /// A fragmented MP4 segment for each group of segments. Each period has its own decode times, and therefore its own
  /// init segment.
  func fragments(lasting duration: Duration) throws(MovieError) -> Output {
    var (made, segments): (Output, [Segment]) = (Output(), [])
    for (number, period) in timing.periods.enumerated() {
      let groups = timing.groups(of: period, lasting: goal(duration))
      let plan = try fragments(period, groups, &made.diagnostics)
      let initialization = number == 0 ? "init.mp4" : "init\(number + 1).mp4"
      made.files.append(file(initialization, .initialization(plan)))
      for (index, group) in groups.enumerated() {
        let name = "segment\(firstNumber + segments.count).m4s"
        made.addSegment(file(name, .segment(plan, index)))
        var segment = segment(name, group, isDiscontinuity: number > 0 && index == 0)
        if index == 0 { segment.map = InitializationSection(initialization) }
        segments.append(segment)
      }
    }
    made.playlist = playlist(segments)
    return made
  }

  private func fragments(
    _ period: PresentationTiming.Period, _ groups: [Range<Int>], _ diagnostics: inout [Diagnostic]
  ) throws(MovieError) -> FragmentPlan {
    let start = timing.milliseconds(period.segments.lowerBound)
    var own = subtitles
    own.document.move(by: -start)
    let cuts = groups.map { timing.milliseconds($0.lowerBound) - start }
    let text = try SubtitleMovie(
      own, .webVTT, milliseconds: cuts, end: timing.milliseconds(period.segments.upperBound) - start)
    diagnostics += text.diagnostics
    var fragmenter = Fragmenter()
    fragmenter.options.profile = .cmf2
    fragmenter.options.cutting = .following(cuts.dropFirst().map { MediaTime($0, SubtitleMovie.timescale) })
    // Times are those of the presentation. Apple's profile is used for media that does not start at 0.
    let offset = (period.mediaStart ?? MediaTime(0, 1)).converted(to: SubtitleMovie.timescale).value
    if offset > 0 { fragmenter.options.profile = .apple(timeOffset: MediaTime(offset, SubtitleMovie.timescale)) }
    let plan = try fragmenter.plan(try Movie(reading: [text.source]))
    guard plan.segments.count == groups.count else {
      let text = "its segments cannot be cut at the segment boundaries of the presentation; use WebVTT"
      throw .impossible(file: subtitles.source, Obstacle("other_cuts", text))
    }
    return plan
  }

  // MARK: Playlists

  /// In a playlist that can grow, all target durations must be equal, so segments cannot be longer
  /// than those of the presentation: RFC 8216, 6.2.4.
  private func goal(_ duration: Duration) -> Duration { timing.type == .vod ? duration : .zero }

  private func duration(of group: Range<Int>) -> Duration {
    timing.segments[group].reduce(.zero) { $0 + $1.duration }
  }

  private func segment(_ name: String, _ group: Range<Int>, isDiscontinuity: Bool) -> Segment {
    var segment = Segment(name, duration: duration(of: group))
    segment.isDiscontinuity = isDiscontinuity
    if isDiscontinuity || group.lowerBound == 0 {
      segment.programDateTime = timing.segments[group.lowerBound].programDateTime
    }
    return segment
  }

  private func playlist(_ segments: [Segment]) -> MediaPlaylist {
    var playlist = MediaPlaylist(segments, type: timing.type, isEnded: true)
    if timing.type != .vod { playlist.targetDuration = max(playlist.lowestTargetDuration, timing.targetDuration) }
    playlist.discontinuitySequence = timing.discontinuitySequence
    playlist.version = playlist.lowestVersion
    return playlist
  }

  private func file(_ name: String, _ content: SubtitlePlan.Content) -> SubtitlePlan.File {
    SubtitlePlan.File(path: "\(folder)/\(name)", content: content)
  }
}

/// Finds cues in ascending time order.
struct CuesByTime {
  private let cues: [Cue]
  private var next = 0
  /// The cues before `next` that have not ended.
  private var open: [Cue] = []

  init(_ cues: [Cue]) {
    self.cues = cues.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  /// The cues that are visible at any time from `start` up to `end`, in the order in which they appear. `start` must
  /// not decrease between calls.
  mutating func shown(from start: Int64, to end: Int64) -> [Cue] {
    while next < cues.count, cues[next].startMilliseconds < end {
      open.append(cues[next])
      next += 1
    }
    open.removeAll { $0.endMilliseconds <= start }
    return open.filter { $0.isShown(from: start, to: end) }
  }
}
