import MP4Bytes
import MP4Platform

/// The destination of an output folder, determined from its path.
struct FolderTarget {
  /// Its parent folder, and its name.
  let parent: Pathname
  let name: Pathname
  /// The empty folder that it replaces.
  let existing: FileStatus?

  /// Examines `path` and rejects folders that must not be replaced. `label` is the name in messages.
  init(_ path: Pathname, label: String) throws(IOError) {
    let path = path.withoutSlashesAtEnd.bytes.isEmpty ? path : path.withoutSlashesAtEnd
    existing = try path.existing(name: label)
    let end: Pathname
    if let existing {
      end = try FolderTarget.replacing(existing, at: path, label: label)
    } else {
      end = try path.followingLinks(name: label).withoutSlashesAtEnd
      if end.bytes.isEmpty { throw IOError(.create, file: label, .noSuchFileOrDirectory) }
    }
    (parent, name) = (end.folder, end.lastComponent)
  }

  /// The resolved path of the empty folder `status` at `path`.
  private static func replacing(_ status: FileStatus, at path: Pathname, label: String) throws(IOError) -> Pathname {
    guard status.kind == .directory else { throw IOError(.create, file: label, .fileExists) }
    guard try attempt(.create, label, path.isEmptyFolder()) else {
      throw IOError(.create, file: label, .directoryNotEmpty)
    }
    // A user who made the folder read-only wants to keep it.
    try attempt(.create, label, path.checkWritable())
    guard let end = path.resolved else { throw IOError(.create, file: label, .noSuchFileOrDirectory) }
    // Programs whose working directory is this folder would stay in the old one after it is replaced.
    if Pathname(".").identity == status.identity {
      throw IOError(
        .create, file: label, .resourceBusy, reason: "it is the current directory; use a new directory in it")
    }
    if end.folder.identity?.device != status.identity.device {
      throw IOError(
        .create, file: label, .resourceBusy, reason: "it is a mount point; use a new directory in it")
    }
    return end
  }
}
