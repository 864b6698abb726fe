import MP4Bytes
import MP4Platform

/// The destination of an output, to detect two outputs with the same destination.
struct OutputPlace {
  /// A file or device that is written directly, or the file that is replaced.
  private let identity: FileIdentity?
  private let isStream: Bool
  /// The folder, and the name in it that the complete output gets.
  private let folder: FileIdentity?
  private let name: Pathname?

  /// The destination of direct output.
  init(of stream: Descriptor) {
    let status = try? FileStatus(of: stream)
    // A terminal or `/dev/null` accepts several outputs.
    identity = status.flatMap { $0.kind == .character ? nil : $0.identity }
    isStream = true
    (folder, name) = (nil, nil)
  }
  /// The destination of a new file or folder, or of one that replaces another.
  init(of name: Pathname, in folder: Pathname, _ existing: FileStatus?) {
    identity = existing?.identity
    isStream = false
    self.folder = folder.identity
    self.name = name
  }

  /// Whether a file is this output, which is written directly.
  func isWritten(_ file: FileIdentity) -> Bool { isStream && identity == file }

  /// Whether this is a file in the folder that `other` replaces.
  func isInside(_ other: OutputPlace) -> Bool { folder != nil && folder == other.identity }

  func isSame(as other: OutputPlace) -> Bool {
    if let folder, folder == other.folder, name == other.name { return true }
    // Two hard links to a file become two separate files when they are replaced.
    guard let identity, isStream || other.isStream else { return false }
    return identity == other.identity
  }
}
