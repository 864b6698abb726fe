/// Why what a file says of a sample cannot be understood.
public struct SampleObstacle: Error, Equatable, Sendable {
  /// Which of the samples of its track.
  public var index: Int
  /// Where its bytes are in the file.
  public var offset: Int
  /// What is wrong.
  public var problem: Problem

  /// What can be wrong.
  public enum Problem: Hashable, Sendable {
    /// It has no initialization vector.
    case noInitializationVector
    /// Its subsamples have another size than their number says.
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
