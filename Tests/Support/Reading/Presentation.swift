/// The presentation of a sample or of a part of it.
public struct Presented: Equatable, Sendable, CustomStringConvertible {
  /// The index of the sample, counted from 0.
  public var sample: Int
  /// The start on the timeline of the movie.
  public var start: Seconds
  /// The end on the timeline of the movie.
  public var end: Seconds

  /// A sample with its presentation times.
  public init(sample: Int, start: Seconds, end: Seconds) {
    (self.sample, self.start, self.end) = (sample, start, end)
  }

  /// The values on one line.
  public var description: String { "sample \(sample) from \(start) to \(end)" }
}

extension MovieReading {
  /// The presentation times of each sample of each track, according to the edits, all of which must have the speed 1.
  public var presented: [UInt32: [Presented]] {
    Dictionary(tracks.map { ($0.id, presented($0)) }, uniquingKeysWith: { first, _ in first })
  }

  private func presented(_ track: TrackReading) -> [Presented] {
    let edits = track.edits.isEmpty ? [.media(from: 0)] : track.edits
    var result: [Presented] = []
    var clock = Seconds(0, 1)
    for edit in edits {
      let length = Seconds(Int(edit.duration), timescale)
      if edit.mediaTime >= 0 {
        let start = Seconds(Int(edit.mediaTime), track.timescale)
        for (index, sample) in track.samples.enumerated() {
          var shown = Presented(
            sample: index, start: Seconds(sample.compositionTime, track.timescale),
            end: Seconds(sample.compositionTime + sample.duration, track.timescale))
          shown.start = max(shown.start, start)
          // A duration of 0 means to the end.
          if edit.duration > 0 { shown.end = min(shown.end, start + length) }
          guard shown.start < shown.end else { continue }
          shown.start = shown.start - start + clock
          shown.end = shown.end - start + clock
          result.append(shown)
        }
      }
      clock = clock + length
    }
    return result
  }
}
