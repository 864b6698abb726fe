/// Why nothing can be recovered from a file.
public enum RecoveryObstacle: Error, Hashable, Sendable {
  /// The file has no usable movie box, and no reference file was given.
  case noPattern
  /// No sample of the tracks of the reference file was found.
  case nothingFound(pattern: String)
  /// The reference file is damaged, or not an MP4 file.
  case unusablePattern
  /// The reference file has no samples.
  case emptyPattern
  /// The samples of the reference file are encrypted and cannot be recognized.
  case encryptedPattern
  /// The file is its own reference file.
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
