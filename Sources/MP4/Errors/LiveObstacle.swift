/// Why the movie box of a stream cannot be used.
public enum LiveObstacle: Error, Equatable, Sendable {
  /// It contains samples itself.
  case samples(offset: Int)
  /// No fragments belong to it.
  case noFragments(offset: Int)
}

extension LiveObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    let (offset, reason) =
      switch self {
      case .samples(let offset): (offset, "it contains samples itself")
      case .noFragments(let offset): (offset, "it has no fragments")
      }
    return "moov at byte \(offset): \(reason); a live input must be fragmented, for example with "
      + "`ffmpeg … -f mp4 -movflags frag_keyframe+empty_moov -`"
  }
}
