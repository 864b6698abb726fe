/// Why the sample tables of a track cannot be taken as they are.
public enum TableProblem: Equatable, Sendable {
  /// A table is missing or damaged.
  case unreadable(MovieError)
  /// The table at a path contradicts the others.
  case contradiction(path: String, Contradiction)

  /// How a table contradicts those that have the sizes of so many samples.
  public enum Contradiction: Hashable, Sendable {
    /// It has the times of another number of samples.
    case times(of: UInt64, sizes: Int)
    /// It has the composition offsets of another number of samples.
    case compositionOffsets(of: UInt64, sizes: Int)
    /// Its chunks hold another number of samples.
    case chunks(of: UInt64, sizes: Int)
    /// It names a sample that is not there.
    case sample(UInt32, sizes: Int)
    /// Its sample numbers do not rise.
    case sampleNumbers
    /// Its chunk numbers do not rise from 1.
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
    case .times(let count, let sizes): "it has the times of \(count) samples, but there are \(sizes) sizes"
    case .compositionOffsets(let count, let sizes):
      "it has the composition offsets of \(count) samples, but there are \(sizes) sizes"
    case .chunks(let count, let sizes): "its chunks hold \(count) samples, but there are \(sizes) sizes"
    case .sample(let number, let sizes): "it names sample \(number), but there are \(sizes) sizes"
    case .sampleNumbers: "its sample numbers are not increasing"
    case .chunkNumbers: "its chunk numbers do not increase from 1"
    }
  }
}
