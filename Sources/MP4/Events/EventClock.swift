import ISOBMFF

/// The presentation times of movie fragments, to which the times of some events are relative.
struct EventClock {
  /// The start and end of the presentation.
  let start: MediaTime
  let end: MediaTime
  /// The earliest presentation time of a sample of each movie fragment, but not before the start of the presentation;
  /// `nil` if none of its samples are used.
  let fragments: [MediaTime?]
  /// The movie fragments in time order.
  let order: [UInt32]
  /// The start time of the segment that each movie fragment belongs to or, after the last fragment, the end.
  private let segmentStarts: [MediaTime]

  /// Reads the times from the timelines of `tracks`, whose first presentation time is `start`.
  init(_ table: FragmentTable, _ timeline: FragmentTimeline, _ tracks: [EditPlan.TrackTimes], start: MediaTime) {
    self.start = start
    order = timeline.order
    var fragments = [MediaTime?](repeating: nil, count: table.headers.count)
    var end = start
    for (track, times) in zip(tracks, timeline.tracks) {
      let shift = Self.shift(track)
      for entry in times.entries {
        let fragment = table.trackFragments[entry.index]
        let span = table.samples[fragment.track].composition(of: entry.first..<(entry.first + entry.used))
        let time = max(start, MediaTime(entry.start &+ span.start &+ shift, track.timescale))
        fragments[fragment.fragment] = fragments[fragment.fragment].map { min($0, time) } ?? time
        end = max(end, MediaTime(entry.end &+ span.overhang &+ shift, track.timescale))
      }
    }
    self.fragments = fragments
    self.end = end
    var starts = [end]
    starts.reserveCapacity(fragments.count + 1)
    for time in fragments.reversed() { starts.append(time ?? starts[starts.count - 1]) }
    segmentStarts = starts.reversed()
  }

  /// The offset that the edit list of a track adds to its media times.
  private static func shift(_ track: EditPlan.TrackTimes) -> Int64 {
    guard let first = track.firstMediaEdit else { return 0 }
    let empty = track.edits[..<first].reduce(0) { $0 &+ ($1.mediaTime < 0 ? $1.segmentDuration : 0) }
    let delay = MediaTime(Int64(clamping: empty), track.movieTimescale).converted(to: track.timescale).value
    return min(delay, 1 << 61) - min(track.edits[first].mediaTime, 1 << 61)
  }

  /// The start time of the segment that a movie fragment belongs to; after the last fragment, the end of the
  /// presentation.
  func segmentStart(_ fragment: Int) -> MediaTime { segmentStarts[min(fragment, segmentStarts.count - 1)] }
}

extension SampleColumns {
  /// The earliest composition time of some samples, relative to the decode time of the first one, and how much later
  /// composition ends than decoding.
  func composition(of samples: Range<Int>) -> (start: Int64, overhang: Int64) {
    var least: Int64?
    var greatestEnd: Int64 = 0
    var decodeTime: Int64 = 0
    var index = samples.lowerBound
    while index < samples.upperBound {
      let (duration, offset) = (durations.run(at: index), compositionOffsets.run(at: index))
      let end = min(duration.end, offset.end, samples.upperBound)
      // In a run of equal samples, the first one is the earliest and the last one the latest.
      let time = decodeTime &+ offset.value
      least = min(least ?? time, time)
      decodeTime = decodeTime &+ duration.value &* Int64(end - index)
      greatestEnd = max(greatestEnd, decodeTime &+ offset.value)
      index = end
    }
    return (least ?? 0, max(0, greatestEnd &- decodeTime))
  }
}
