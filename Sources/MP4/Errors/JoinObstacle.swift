/// Why segments cannot be joined.
public enum JoinObstacle: Error, Equatable, Sendable {
  /// The only input is progressive.
  case progressive
  /// The only input is an init segment.
  case noSegments
}

extension JoinObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .progressive: "it is already progressive; nothing can be joined to it"
    case .noSegments: "no segments to join; name them too"
    }
  }
}
