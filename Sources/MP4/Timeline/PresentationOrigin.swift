import ISOBMFF

/// Where the presentation of a movie starts: the time of its media that is 0 in every list and in every output.
///
/// The media of fragments can start at any time. A presentation starts with its first track, without a delay that an
/// edit list declares; that of a progressive file starts at 0.
struct PresentationOrigin: Sendable {
  /// The time that becomes 0.
  let start: MediaTime
  /// Whether audio before it is priming that no edit list hides, as in the files of Apple's HLS writer.
  let hidesPriming: Bool
  /// The time at which tracks start whose times are relative to the start of the presentation.
  let followers: MediaTime

  /// Finds the start of a movie with these tracks.
  init(_ tracks: [EditPlan.TrackTimes], hidesPriming: Bool = true) {
    let own = tracks.filter { !$0.followsStart }
    if hidesPriming, let start = Self.startAfterPriming(tracks) {
      (self.start, self.hidesPriming, followers) = (start, true, start)
      return
    }
    start = own.compactMap(\.presentationStart).min() ?? MediaTime(0, 1)
    self.hidesPriming = false
    followers = max(Self.zero(of: own), start)
  }

  /// A presentation that starts at a time, without hidden priming.
  init(at start: MediaTime) { (self.start, hidesPriming, followers) = (start, false, start) }

  /// The time at which the media of a track starts, without empty edits; `nil` without samples.
  func start(of track: EditPlan.TrackTimes) -> MediaTime? {
    track.presentationStart.map { track.followsStart ? followers : $0 }
  }

  /// The presentation times of a track.
  func timeline(of track: EditPlan.TrackTimes) -> PresentationTimeline {
    guard track.followsStart, let own = track.presentationStart else {
      return PresentationTimeline(track, from: start, hidesPriming: hidesPriming)
    }
    return PresentationTimeline(track, from: own - (followers - start))
  }

  /// The visible start of the presentation: its first picture, unless audio starts much earlier. Audio slightly before
  /// the first picture is priming that no edit hides.
  private static func zero(of tracks: [EditPlan.TrackTimes]) -> MediaTime {
    let first = tracks.compactMap(\.firstPresented).min() ?? MediaTime(0, 1)
    guard let picture = tracks.filter(\.isVideo).compactMap(\.firstPresented).min() else { return first }
    return picture - first <= MediaTime(1, 2) ? picture : first
  }

  /// The start of the presentation if the times of the tracks follow the pattern of Apple's HLS writer, otherwise
  /// `nil`.
  ///
  /// Such files have no edit list. Video starts at a whole second other than 0 (the time offset, 10 seconds by
  /// default), and audio starts at most half a second earlier, which is its priming, or the decode times of video do.
  /// The sample groups of the audio declare that decoding must start earlier (`roll`).
  private static func startAfterPriming(_ tracks: [EditPlan.TrackTimes]) -> MediaTime? {
    let used = tracks.filter { $0.start != nil && !$0.followsStart }
    guard let start = used.filter(\.isVideo).compactMap(\.firstPresented).min(), start.value > 0,
      start.value % Int64(start.timescale) == 0,
      used.allSatisfy({ $0.edits.isEmpty && $0.movieDuration == nil })
    else { return nil }
    let early = used.filter { track in !track.isVideo && track.firstPresented.map { $0 < start } ?? false }
    // Without priming, decode times of reordered pictures are earlier.
    let isReordered = used.contains { track in
      track.isVideo && track.start.map { MediaTime($0, track.timescale) < start } ?? false
    }
    guard !early.isEmpty || isReordered,
      early.allSatisfy({ $0.isSoundWithPreRoll && $0.startsWithinHalfSecond(of: start) })
    else { return nil }
    return start
  }
}

extension EditPlan.TrackTimes {
  /// The presentation time at which its media would start, without empty edits; `nil` without samples.
  var presentationStart: MediaTime? {
    guard let start else { return nil }
    let mediaTime = firstMediaEdit.map { edits[$0].mediaTime } ?? 0
    return MediaTime(max(0, start - mediaTime), timescale)
  }

  fileprivate func startsWithinHalfSecond(of time: MediaTime) -> Bool {
    guard let first = firstPresented else { return false }
    return time.converted(to: timescale).value &- first.value <= Int64(timescale / 2)
  }

  /// The same track with an edit that starts the presentation at this media time.
  func presented(from time: MediaTime) -> EditPlan.TrackTimes {
    guard start != nil, !followsStart else { return self }
    var result = self
    result.edits = [EditListBox.Entry(segmentDuration: 0, mediaTime: time.converted(to: timescale).value)]
    return result
  }
}
