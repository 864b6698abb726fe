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
    case .noMedia: "there is no video or audio in it"
    case .noFragments: "no fragment came that could be used"
    case .noCues: "there is no cue in it that is shown"
    case .largeSamples(let limit):
      "its samples take more than \(limit >> 20) MiB, as each has all cues that are shown at its time"
    case .otherCuts: "its segments cannot be cut where those of the presentation are; use WebVTT"
    }
  }
}
