import ISOBMFF

/// Plans the edits of all tracks of a movie whose media starts at 0, so that presentation times do not change.
///
/// In a fragmented movie, a sample is presented at its composition time minus the media time of its track's edit. The
/// media of a progressive file starts at 0, so a track that starts later than the earliest one gets an empty edit.
struct EditPlan: Sendable {
  /// The edits of each track in the new movie timescale; empty for tracks that need none.
  private(set) var edits: [[EditListBox.Entry]] = []
  /// The movie timescale, raised if the old one cannot express the start of every track.
  private(set) var timescale: UInt32
  /// The time that becomes 0: the start of the first track, or slightly earlier.
  let start: MediaTime
  /// The new start of the first track.
  let rest: MediaTime
  /// Whether the start of a track had to be rounded.
  private(set) var isRounded = false

  /// The start of the presentation in files with priming before it and no edit list. New edits hide the priming.
  private(set) var hiddenPriming: MediaTime?

  /// The tracks whose presentation times change because no edits are written.
  private(set) var shifted: [Int] = []

  /// The information about a track that the plan needs.
  struct TrackTimes {
    var timescale: UInt32
    /// The timescale of its movie, which its edits use.
    var movieTimescale: UInt32
    var edits: [EditListBox.Entry]
    /// The decode time of the first sample, which becomes 0; `nil` without samples.
    var start: Int64?
    /// The smallest composition time, relative to the first decode time.
    var compositionStart: Int64 = 0
    /// The largest composition end of a sample, relative to the first decode time.
    var compositionEnd: Int64
    /// The duration of the samples that the movie box describes; `nil` if it describes none.
    var movieDuration: Int64?
    /// Whether fragments continue after the samples of the movie box.
    var continuesInFragments = false
    var isVideo = false
    /// Whether it is audio whose decoding must start at an earlier sample (`roll` sample group).
    var isSoundWithPreRoll = false
    /// Whether its times are relative to the start of the presentation.
    var followsStart = false

    /// The presentation time of its first sample, without empty edits.
    var firstPresented: MediaTime? {
      let mediaTime = firstMediaEdit.map { edits[$0].mediaTime } ?? 0
      return start.map { MediaTime(max(0, $0 &+ compositionStart &- mediaTime), timescale) }
    }

    /// Whether part of the media before or between its edits is not presented, or there are empty edits.
    fileprivate var hidesMedia: Bool {
      guard let start else { return false }
      return edits.count > 1 || edits.contains { $0.mediaTime > start || $0.mediaTime < 0 }
    }
    /// The first edit that presents samples. An edit of media that ends before the first sample presents none.
    var firstMediaEdit: Int? {
      edits.firstIndex { $0.mediaTime >= 0 && !isBeforeStart($0) }
        ?? edits.firstIndex { $0.mediaTime >= 0 }
    }
    fileprivate func isBeforeStart(_ edit: EditListBox.Entry) -> Bool {
      guard let start, edit.mediaTime >= 0, edit.segmentDuration > 0 else { return false }
      let duration = MediaTime(Int64(clamping: edit.segmentDuration), movieTimescale)
      return duration <= MediaTime(start - edit.mediaTime, timescale)
    }

    /// Whether an edit extends to the end of the samples in the movie box, and fragments follow. Such an edit was
    /// written before the fragments, and covers all of the media.
    func endsBeforeFragments(_ entry: EditListBox.Entry) -> Bool {
      guard continuesInFragments, let movieDuration, entry.segmentDuration > 0 else { return false }
      // Writers round durations to a movie time unit or more. A fiftieth of a second is less than the duration of a
      // sample.
      let unit = MediaTime(1, min(movieTimescale, 50)).converted(to: timescale).value
      let duration = MediaTime(Int64(clamping: entry.segmentDuration), movieTimescale)
      let length = duration.converted(to: timescale).value
      let (end, overflow) = length.addingReportingOverflow(max(0, entry.mediaTime))
      return overflow || end >= movieDuration - unit
    }
  }

  /// Plans the edits of `tracks` in a movie of this timescale. With `keepsStart`, times do not change, so a
  /// presentation that did not start at 0 begins with an empty edit. Unless `isWritten` is true, there are no edits.
  /// With `startsInUnits`, the presentation starts up to a fiftieth of a second after 0 if that makes the start of
  /// every track a whole number of its media time units. The tracks can be some of those of `origin`.
  init(
    movieTimescale: UInt32, keepsStart: Bool = false, isWritten: Bool = true, startsInUnits: Bool = false,
    from origin: PresentationOrigin? = nil, _ given: [TrackTimes]
  ) {
    timescale = movieTimescale
    let origin = origin ?? PresentationOrigin(given, hidesPriming: !keepsStart && isWritten)
    hiddenPriming = origin.hidesPriming ? origin.start : nil
    let tracks = hiddenPriming.map { start in given.map { $0.presented(from: start) } } ?? given
    var starts = given.map(origin.start)
    let earliest = origin.hidesPriming ? MediaTime(0, 1) : origin.start
    if origin.hidesPriming { starts = tracks.map(\.presentationStart) }
    var first = keepsStart ? MediaTime(0, 1) : earliest
    if startsInUnits, let exact = Self.start(before: first, tracks, starts) { first = exact }
    self.start = first
    rest = keepsStart ? MediaTime(0, 1) : MediaTime(earliest.value &- first.value, earliest.timescale)
    let delays = starts.map { [first] start -> (time: MediaTime, isExact: Bool) in
      start.map { $0.subtracting(first) } ?? (MediaTime(0, 1), true)
    }
    guard isWritten else {
      edits = tracks.map { _ in [] }
      shifted = tracks.indices.filter { starts[$0] != nil && (delays[$0].time.value > 0 || tracks[$0].hidesMedia) }
      return
    }
    isRounded = delays.contains { !$0.isExact }
    // Edits of other movies are exact in a common timescale.
    for track in tracks where !track.edits.isEmpty {
      timescale = commonTimescale(timescale, track.movieTimescale) ?? timescale
    }
    raiseTimescale(delays.map(\.time))
    for (track, delay) in zip(tracks, delays) { edits.append(edits(of: track, delay: delay.time)) }
  }

  /// A plan with these edits, which are in this timescale.
  init(_ edits: [[EditListBox.Entry]], timescale: UInt32) {
    (self.edits, self.timescale) = (edits, timescale)
    (start, rest) = (MediaTime(0, 1), MediaTime(0, 1))
  }

  /// The last time before `first` that is a whole number of time units of every track; `nil` if every track starts a
  /// whole number of its units after `first`, or if the last such time is much earlier.
  private static func start(before first: MediaTime, _ tracks: [TrackTimes], _ starts: [MediaTime?]) -> MediaTime? {
    let isExact = zip(tracks, starts).allSatisfy { track, start in
      start.map { ($0 - first).converted(to: track.timescale).isExact } ?? true
    }
    if isExact { return nil }
    let common = tracks.reduce(0) { $1.start == nil ? $0 : greatestCommonDivisor($0, UInt64($1.timescale)) }
    guard common > 0, UInt64(first.timescale) % common == 0 else { return nil }
    let rest = first.value % Int64(UInt64(first.timescale) / common)
    return rest <= Int64(first.timescale) / 50 ? MediaTime(first.value - rest, first.timescale) : nil
  }

  private mutating func raiseTimescale(_ delays: [MediaTime]) {
    for delay in delays where !delay.converted(to: timescale).isExact {
      // The timescale is raised only as far as this delay requires.
      let divisor = greatestCommonDivisor(delay.value.magnitude, UInt64(delay.timescale))
      if let common = commonTimescale(timescale, UInt32(UInt64(delay.timescale) / divisor)) {
        timescale = common
      } else {
        isRounded = true
      }
    }
  }

  private func edits(of track: TrackTimes, delay: MediaTime) -> [EditListBox.Entry] {
    guard let start = track.start else { return track.edits.map { scaled($0, track.movieTimescale) } }
    let delayed = delay.converted(to: timescale).value
    var result: [EditListBox.Entry] = []
    if delayed > 0 { result.append(EditListBox.Entry(segmentDuration: UInt64(delayed), mediaTime: -1)) }
    if track.edits.isEmpty {
      guard delayed > 0 else { return [] }
      return result + [
        EditListBox.Entry(segmentDuration: inMovie(track.compositionEnd, track.timescale), mediaTime: 0)
      ]
    }
    let first = track.firstMediaEdit
    for (index, entry) in track.edits.enumerated() {
      var edit = scaled(entry, track.movieTimescale)
      if index != first, track.isBeforeStart(entry) {
        edit.mediaTime = -1
      } else if entry.mediaTime >= 0 {
        // There is no media before the first sample; the edit is shortened by that part.
        let cut = max(0, start - entry.mediaTime)
        edit.mediaTime = max(0, entry.mediaTime - start)
        if edit.segmentDuration > 0 {
          edit.segmentDuration -= min(edit.segmentDuration, inMovie(cut, track.timescale))
        }
        if track.endsBeforeFragments(entry) { edit.segmentDuration = 0 }
        if edit.segmentDuration == 0, edit.mediaRateInteger != 0 {
          edit.segmentDuration = inMovie(max(0, track.compositionEnd - edit.mediaTime), track.timescale)
        }
      }
      // Consecutive empty edits are merged.
      if edit.mediaTime < 0, let last = result.last, last.mediaTime < 0 {
        // Neither exceeds 2^63.
        result[result.count - 1].segmentDuration = min(last.segmentDuration + edit.segmentDuration, UInt64(Int64.max))
      } else {
        result.append(edit)
      }
    }
    return result
  }

  private func scaled(_ entry: EditListBox.Entry, _ oldTimescale: UInt32) -> EditListBox.Entry {
    var result = entry
    result.segmentDuration = inMovie(Int64(clamping: entry.segmentDuration), oldTimescale)
    return result
  }
  /// A duration in the timescale of the movie, to the nearest unit.
  func inMovie(_ value: Int64, _ timescale: UInt32) -> UInt64 {
    UInt64(max(0, MediaTime(value, timescale).converted(to: self.timescale).value))
  }
}

extension EditPlan {
  /// A part of the media of a track in the presentation.
  struct PlacedEdit {
    /// Its presentation time.
    var start: MediaTime
    var end: MediaTime
    /// The entry, whose media time is -1 if nothing is presented; its duration is ignored.
    var entry: EditListBox.Entry
    /// The media time at which it ends.
    var mediaEnd: Int64 = -1
  }

  /// A plan with these edits, in `movieTimescale` or in a timescale that expresses all of their times exactly.
  init(_ tracks: [[PlacedEdit]], movieTimescale: UInt32) {
    timescale = movieTimescale
    (start, rest) = (MediaTime(0, 1), MediaTime(0, 1))
    raiseTimescale(tracks.flatMap { $0.flatMap { [$0.start, $0.end] } })
    edits = tracks.map { placed in
      placed.map { edit in
        var entry = edit.entry
        // 0 would mean all of the media.
        let duration = edit.end.converted(to: timescale).value &- edit.start.converted(to: timescale).value
        entry.segmentDuration = UInt64(max(1, duration))
        return entry
      }
    }
  }
}
