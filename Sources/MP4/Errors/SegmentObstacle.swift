/// Why a movie cannot be divided into the requested fragments or segments.
public enum SegmentObstacle: Error, Equatable, Sendable {
  /// There is no sync sample at a time where a segment should start; the nearest ones before and after it.
  case noSync(at: MediaTime, before: MediaTime?, after: MediaTime?)
  /// Without an edit list, several parts of a track or another speed cannot be expressed.
  case severalEdits(track: UInt32)
  /// A track would start before 0, by this duration.
  case startsBeforeZero(track: UInt32, MediaTime)
  /// A segment, counted from 0, has a fragment of more than 2 GB.
  case largeFragment(segment: Int)
  /// An index (`sidx`) cannot express the segments.
  case noIndex(IndexLimit)

  /// What exceeds the limits of an index.
  public enum IndexLimit: Hashable, Sendable {
    /// The number of segments, or of fragments in a segment.
    case count(Int)
    /// The size of a segment.
    case size
    /// The duration of a segment.
    case duration
  }
}

extension SegmentObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .noSync(let time, let before, let after):
      let nearest = [before, after].compactMap { $0.map(\.description) }.joined(separator: " and ")
      return "no sync sample at \(time), where a segment should start"
        + (nearest.isEmpty ? "" : "; the nearest are at \(nearest)")
    case .severalEdits(let track):
      return "track \(track): its edit list has several parts or a speed other than 1, which this profile cannot "
        + "express; use the CMAF profile, or write no edits"
    case .startsBeforeZero(let track, let amount):
      return "track \(track) would start \(amount) before 0; use a larger time offset"
    case .largeFragment(let segment):
      return "segment \(segment + 1) has a fragment of more than 2 GB, which offsets cannot express; "
        + "use shorter fragments or only one track"
    case .noIndex(let limit):
      let reason =
        switch limit {
        case .count(let count): "there are \(count) segments or fragments in a segment"
        case .size: "a segment has more than 2 GB"
        case .duration: "a segment is too long"
        }
      return "\(reason), which an index (sidx) cannot express; use other segments or no index"
    }
  }
}
