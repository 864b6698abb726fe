/// Why the sample tables of a track cannot be used unchanged.
public enum TableProblem: Equatable, Sendable {
  /// A table is missing or damaged.
  case unreadable(MovieError)
  /// The table at a path contradicts the others.
  case contradiction(path: String, Contradiction)

  /// How a table contradicts the number of sample sizes.
  public enum Contradiction: Hashable, Sendable {
    /// It has times for a different number of samples.
    case times(of: UInt64, sizes: Int)
    /// It has composition offsets for a different number of samples.
    case compositionOffsets(of: UInt64, sizes: Int)
    /// Its chunks have a different number of samples.
    case chunks(of: UInt64, sizes: Int)
    /// It refers to a sample that does not exist.
    case sample(UInt32, sizes: Int)
    /// Its sample numbers are not increasing.
    case sampleNumbers
    /// Its chunk numbers do not increase from 1.
    case chunkNumbers
  }
}

extension TableProblem: CustomStringConvertible {
  /// A sentence that names the table.
  public var description: String {
    switch self {
    case .unreadable(let error): error.reason
    case .contradiction(let path, let contradiction): "\(path): \(contradiction)"
    }
  }
}

extension TableProblem.Contradiction: CustomStringConvertible {
  /// A sentence about the table.
  public var description: String {
    switch self {
    case .times(let count, let sizes): "it declares the times of \(count) samples, but there are \(sizes) sizes"
    case .compositionOffsets(let count, let sizes):
      "it declares the composition offsets of \(count) samples, but there are \(sizes) sizes"
    case .chunks(let count, let sizes): "its chunks contain \(count) samples, but there are \(sizes) sizes"
    case .sample(let number, let sizes): "it lists sample \(number), but there are \(sizes) sizes"
    case .sampleNumbers: "its sample numbers are not increasing"
    case .chunkNumbers: "its chunk numbers do not increase from 1"
    }
  }
}
