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
    case .progressive: "it is progressive already; there is nothing to join to it"
    case .noSegments: "there is nothing to join to it; give the segments as well"
    }
  }
}
