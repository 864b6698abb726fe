import ISOBMFF

extension EditPlan {
  /// When the presentation starts, where the times of the tracks are laid as Apple's writer for HLS lays them; else `nil`.
  ///
  /// Such files have no edit list: pictures start at a whole second that is not 0 (the time offset, 10 seconds unless
  /// another was asked for), and the sound at most half a second earlier, which is its priming. The sample groups of the
  /// sound say that decoding has to start earlier (`roll`).
  static func startBehindPriming(_ tracks: [TrackTimes]) -> MediaTime? {
    let used = tracks.filter { $0.start != nil }
    guard let start = used.filter(\.isVideo).compactMap(\.firstPresented).min(), start.value > 0,
      start.value % Int64(start.timescale) == 0,
      used.allSatisfy({ $0.edits.isEmpty && $0.movieDuration == nil && !$0.followsStart })
    else { return nil }
    let early = used.filter { track in !track.isVideo && track.firstPresented.map { $0 < start } ?? false }
    guard !early.isEmpty, early.allSatisfy({ $0.isSoundWithPreRoll && $0.startsWithinHalfSecond(of: start) }) else {
      return nil
    }
    return start
  }
}

extension EditPlan.TrackTimes {
  fileprivate func startsWithinHalfSecond(of time: MediaTime) -> Bool {
    guard let first = firstPresented else { return false }
    return time.converted(to: timescale).value &- first.value <= Int64(timescale / 2)
  }

  /// The same track with an edit that presents it from this time of its media on.
  func presented(from time: MediaTime) -> EditPlan.TrackTimes {
    guard start != nil else { return self }
    var result = self
    result.edits = [EditListBox.Entry(segmentDuration: 0, mediaTime: time.converted(to: timescale).value)]
    return result
  }
}
