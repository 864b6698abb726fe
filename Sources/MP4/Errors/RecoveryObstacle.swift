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
    case .noPattern: "it has no usable moov, and there is no other file to compare it with"
    case .nothingFound(let pattern): "nothing in it looks like the samples of \(pattern)"
    case .unusablePattern: "it has no usable samples; give a whole file of the same device to compare with"
    case .emptyPattern: "it has no samples that others could be compared with"
    case .encryptedPattern: "its samples are encrypted, so that others cannot be compared with them"
    case .noMedia: "it has no media data"
    }
  }
}
