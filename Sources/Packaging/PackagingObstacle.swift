/// Why no presentation or movie can be made.
public enum PackagingObstacle: Error, Equatable, Sendable {
  /// There is no video or audio.
  case noMedia
  /// No fragment arrived that could be used.
  case noFragments
  /// No cue is shown.
  case noCues
  /// The samples of subtitles take more than so many bytes.
  case largeSamples(limit: Int)
  /// Segments of subtitles cannot start where those of the presentation do.
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
      "its samples need more than \(limit >> 20) MiB, because each has all cues shown at its time"
    case .otherCuts: "its segments cannot be cut where those of the presentation are; use WebVTT"
    }
  }
}
