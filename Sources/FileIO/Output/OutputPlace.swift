import Bytes
import Platform

/// Where an output ends up, to find out whether two go to the same place.
struct OutputPlace {
  /// What is written directly, or the file that is replaced.
  private let identity: FileIdentity?
  private let isStream: Bool
  /// The folder and the name there of what gets its name when it is complete.
  private let folder: FileIdentity?
  private let name: Pathname?

  /// The place of what is written directly.
  init(of stream: Descriptor) {
    let status = try? FileStatus(of: stream)
    // A terminal or `/dev/null` takes whatever comes.
    identity = status.flatMap { $0.kind == .character ? nil : $0.identity }
    isStream = true
    (folder, name) = (nil, nil)
  }
  /// The place of a file or folder that comes to be or replaces another.
  init(of name: Pathname, in folder: Pathname, _ existing: FileStatus?) {
    identity = existing?.identity
    isStream = false
    self.folder = folder.identity
    self.name = name
  }

  /// Whether this is the place of a file in the folder that `other` replaces.
  func isInside(_ other: OutputPlace) -> Bool { folder != nil && folder == other.identity }

  func isSame(as other: OutputPlace) -> Bool {
    if let folder, folder == other.folder, name == other.name { return true }
    // Two names of one file become two files when they are replaced.
    guard let identity, isStream || other.isStream else { return false }
    return identity == other.identity
  }
}
