/// Why nothing can be recovered from a file.
public enum RecoveryObstacle: Error, Hashable, Sendable {
  /// There is no usable movie box in it, and no other file as a pattern.
  case noPattern
  /// No sample of the tracks of the pattern was found.
  case nothingFound(pattern: String)
  /// The pattern is damaged, or no MP4 file.
  case unusablePattern
  /// The pattern has no samples to learn from.
  case emptyPattern
  /// The samples of the pattern are encrypted, so that they cannot be recognized.
  case encryptedPattern
  /// The file is its own pattern.
  case noMedia
}

extension RecoveryObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .noPattern: "it has no usable moov, and there is no reference file"
    case .nothingFound(let pattern): "no samples like those of \(pattern) were found"
    case .unusablePattern: "it has no usable samples; use an intact file from the same device as the reference"
    case .emptyPattern: "it has no samples, so it cannot be the reference"
    case .encryptedPattern: "its samples are encrypted, so it cannot be the reference"
    case .noMedia: "it has no media data"
    }
  }
}
