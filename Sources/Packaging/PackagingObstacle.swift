/// Why a presentation or movie cannot be created.
public enum PackagingObstacle: Error, Equatable, Sendable {
  /// There is no video or audio.
  case noMedia
  /// No usable fragment arrived.
  case noFragments
  /// No cue is visible.
  case noCues
  /// The samples of subtitles need more than this number of bytes.
  case largeSamples(limit: Int)
  /// Subtitle segments cannot start at the same times as those of the presentation.
  case otherCuts
}

extension PackagingObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .noMedia: "it has no video or audio"
    case .noFragments: "no usable fragment arrived"
    case .noCues: "it has no visible cues"
    case .largeSamples(let limit):
      "its samples need more than \(limit >> 20) MiB, because each contains all cues shown at its time"
    case .otherCuts: "its segments cannot be cut at the segment boundaries of the presentation; use WebVTT"
    }
  }
}
