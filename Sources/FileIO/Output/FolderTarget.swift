import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where an output folder goes, found out from its path.
struct FolderTarget {
  /// The folder that it will be in, and its name there.
  let parent: Path
  let name: Path
  /// The empty folder that it replaces.
  let existing: FileStatus?

  /// Finds out what `path` is and refuses what must stay. `label` is what messages call it.
  init(_ path: Path, label: String) throws(IOError) {
    let path = path.withoutSlashesAtEnd.bytes.isEmpty ? path : path.withoutSlashesAtEnd
    existing = FileStatus(of: path)
    let end: Path
    if let existing {
      end = try FolderTarget.replacing(existing, at: path, label: label)
    } else if errno == ENOENT {
      end = try path.followingLinks(name: label).withoutSlashesAtEnd
      if end.bytes.isEmpty { throw IOError(.create, file: label, errno: ENOENT) }
    } else {
      throw IOError(.create, file: label)
    }
    (parent, name) = (end.folder, end.lastComponent)
  }

  /// The true name of the empty folder `status` at `path`.
  private static func replacing(_ status: FileStatus, at path: Path, label: String) throws(IOError) -> Path {
    guard status.kind == .directory else { throw IOError(.create, file: label, errno: EEXIST) }
    guard let isEmpty = path.isEmptyFolder else { throw IOError(.create, file: label) }
    if !isEmpty { throw IOError(.create, file: label, errno: ENOTEMPTY) }
    // Who made it read-only wants it to stay.
    if unsafe faccessat(AT_FDCWD, path.cString, W_OK, AT_EACCESS) != 0 { throw IOError(.create, file: label) }
    guard let end = path.resolved else { throw IOError(.create, file: label) }
    // Programs that run in a folder stay in it when another one gets its name.
    if FileStatus(of: ".")?.identity == status.identity {
      throw IOError(
        .create, file: label, code: EBUSY, reason: "it is the current directory; give the name of a new one in it")
    }
    if FileStatus(of: end.folder)?.identity.device != status.identity.device {
      throw IOError(
        .create, file: label, code: EBUSY, reason: "a disk is mounted there; give the name of a new directory on it")
    }
    return end
  }
}
