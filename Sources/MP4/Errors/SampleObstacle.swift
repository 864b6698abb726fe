/// Why the information about a sample cannot be interpreted.
public struct SampleObstacle: Error, Equatable, Sendable {
  /// The index of the sample in its track.
  public var index: Int
  /// The file offset of its data.
  public var offset: Int
  /// The problem.
  public var problem: Problem

  /// The kinds of problems.
  public enum Problem: Hashable, Sendable {
    /// It has no initialization vector.
    case noInitializationVector
    /// Its subsamples do not have the declared size.
    case subsamples
    /// The description of its group (`seig`) is damaged.
    case group
  }
}

extension SampleObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    let reason =
      switch problem {
      case .noInitializationVector: "it has no initialization vector"
      case .subsamples: "its subsamples do not have the declared size"
      case .group: "the description of its group (seig) is damaged"
      }
    return "sample \(index) at byte \(offset): \(reason)"
  }
}
