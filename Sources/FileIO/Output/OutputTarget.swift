import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where an output goes, found out from its path.
enum OutputTarget {
  /// Written directly and in order: standard output, a device, a FIFO.
  case stream(Descriptor)
  /// A file that comes to be, or replaces `existing`, when it is complete.
  case file(folder: Path, name: Path, existing: FileStatus?)

  /// Finds out what `path` is and refuses what must not be written. `name` is what messages call it.
  init(_ path: Path, name: String, options: OutputFile.Options) throws(IOError) {
    if let number = path == "-" ? 1 : path.namedDescriptor {
      guard let descriptor = Descriptor(duplicating: number) else { throw IOError(.create, file: name) }
      if let status = FileStatus(of: number) { try OutputTarget.check(status, name: name, options: options) }
      self = .stream(descriptor)
    } else if let status = FileStatus(of: path) {
      try OutputTarget.check(status, name: name, options: options)
      self =
        try status.kind == .regular
        ? OutputTarget.replacing(status, at: path, name: name, options: options)
        : .stream(OutputTarget.open(path, name: name))
    } else if errno == ENOENT {
      let path = try path.followingLinks(name: name)
      if path.lastComponent.bytes.isEmpty { throw IOError(.create, file: name, errno: ENOENT) }
      if path.endsInSlash { throw IOError(.create, file: name, errno: EISDIR) }
      self = .file(folder: path.folder, name: path.lastComponent, existing: nil)
    } else {
      throw IOError(.create, file: name)
    }
  }

  /// The target that replaces the file `status` at `path`, or the file that this link leads to.
  private static func replacing(
    _ status: FileStatus, at path: Path, name: String, options: OutputFile.Options
  ) throws(IOError) -> OutputTarget {
    if !options.replacesExisting { throw IOError(.create, file: name, errno: EEXIST) }
    // Renaming needs no right to write the file, but who made it read-only wants it to stay.
    if unsafe faccessat(AT_FDCWD, path.cString, W_OK, AT_EACCESS) != 0 { throw IOError(.create, file: name) }
    let end = try path.followingLinks(name: name)
    // Links below /proc lead to files that their text does not name; those can only be written in place.
    guard let found = FileStatus(of: end, followingLinks: false), found.identity == status.identity else {
      throw IOError(.create, file: name, code: ENOENT, reason: "the link leads to a file that has no name")
    }
    return .file(folder: end.folder, name: end.lastComponent, existing: status)
  }

  private static func open(_ path: Path, name: String) throws(IOError) -> Descriptor {
    guard let descriptor = Descriptor(opening: path, O_WRONLY | O_NOCTTY) else { throw IOError(.create, file: name) }
    return descriptor
  }

  private static func check(_ status: FileStatus, name: String, options: OutputFile.Options) throws(IOError) {
    if status.kind == .directory { throw IOError(.create, file: name, errno: EISDIR) }
    try options.inputs.check(status, name: name)
  }
}

extension Path {
  /// The path at the end of all symbolic links that the last component leads through; nothing need be there.
  func followingLinks(name: String) throws(IOError) -> Path {
    var path = self
    for _ in 0..<40 {
      guard let status = FileStatus(of: path, followingLinks: false), status.kind == .link else { return path }
      var text = [CChar](repeating: 0, count: 4096)
      let count = unsafe readlink(path.cString, &text, text.count)
      guard count > 0, count < text.count, let target = Path(text[..<count].map(UInt8.init(bitPattern:))) else {
        throw IOError(.create, file: name, errno: count < 0 ? errno : ENAMETOOLONG)
      }
      path = path.folder.appending(target)
    }
    throw IOError(.create, file: name, errno: ELOOP)
  }
}
