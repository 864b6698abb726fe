public import MP4
public import MP4HLS

/// The playback times of the segments of a presentation, and the times of their media, to which subtitles are aligned.
public struct PresentationTiming: Sendable {
  /// Consecutive segments whose media is on one timeline: all segments, if there is no discontinuity.
  public struct Period: Sendable {
    /// The segments, as indices.
    public var segments: Range<Int>
    /// The media time at which the period starts; `nil` if unknown, which counts as 0.
    public var mediaStart: MediaTime?
  }
  /// The segments, with the one that determines the media times.
  public let segments: [ResolvedSegment]
  /// The segments between discontinuities; there is at least one period.
  public var periods: [Period]
  /// EXT-X-TARGETDURATION of the playlist.
  let targetDuration: Duration
  /// EXT-X-PLAYLIST-TYPE of the playlist.
  let type: PlaylistType?
  /// Whether the playlist is complete.
  let isEnded: Bool
  /// The number of discontinuities before the first segment.
  let discontinuitySequence: Int

  /// Reads the media playlist of video, or of audio if there is no video.
  ///
  /// - Throws: `PlaylistError` if variables are not defined; see `MediaPlaylist.resolved`.
  public init(_ playlist: MediaPlaylist) throws(PlaylistError) {
    self.init(playlist, try playlist.resolved())
  }

  /// The media playlist with these segments.
  package init(_ playlist: MediaPlaylist, _ segments: [ResolvedSegment]) {
    self.segments = segments
    targetDuration = playlist.targetDuration
    type = playlist.playlistType
    isEnded = playlist.isEnded
    discontinuitySequence = playlist.discontinuitySequence
    periods = []
    for (index, segment) in segments.enumerated() {
      if periods.isEmpty || segment.isDiscontinuity {
        periods.append(Period(segments: index..<index))
      }
      periods[periods.count - 1].segments = periods[periods.count - 1].segments.lowerBound..<(index + 1)
    }
  }

  /// The start of each segment in milliseconds, followed by the end.
  func milliseconds(_ index: Int) -> Int64 {
    guard index < segments.count else { return segments.last.map { ($0.start + $0.duration).milliseconds } ?? 0 }
    return segments[index].start.milliseconds
  }

  /// The segments of a period in groups of about `duration`, as closely as whole segments allow.
  func groups(of period: Period, lasting duration: Duration) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    var start = period.segments.lowerBound
    for index in period.segments {
      let length = segments[index].start + segments[index].duration - segments[start].start
      let next = index + 1 < period.segments.upperBound ? segments[index + 1].duration : .zero
      // The next segment would make the group longer than requested by more than it is now shorter.
      let isFull = length + length + next > duration + duration && length.milliseconds > 0
      guard isFull || index + 1 == period.segments.upperBound else { continue }
      groups.append(start..<(index + 1))
      if let last = groups.last, groups.count > 1, milliseconds(last.lowerBound) == milliseconds(last.upperBound) {
        // The period ends with a segment without a duration.
        groups.removeLast()
        groups[groups.count - 1] = groups[groups.count - 1].lowerBound..<(index + 1)
      }
      start = index + 1
    }
    return groups
  }
}

extension Duration {
  /// Rounded to milliseconds.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max / 2 : min(product &+ (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000, .max / 2)
  }
}
