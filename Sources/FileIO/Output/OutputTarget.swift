import MP4Bytes
import MP4Platform

/// The destination of an output file, determined from its path.
enum OutputTarget {
  /// Written directly and in order: standard output, a device, a FIFO.
  case stream(Descriptor)
  /// An existing or new file that is written directly, because the options say so. It was not emptied yet.
  case direct(Descriptor)
  /// A new file, or one that replaces `existing` when it is complete.
  case file(folder: Pathname, name: Pathname, existing: FileStatus?)

  /// Examines `path` and rejects files that must not be written. `name` is its name in messages.
  init(_ path: Pathname, name: String, options: OutputFile.Options) throws(IOError) {
    if let number = path == "-" ? 1 : path.namedDescriptor {
      let descriptor = try attempt(.create, name, Descriptor(duplicating: number))
      if let status = try? FileStatus(of: number) { try OutputTarget.check(status, name: name, options: options) }
      self = .stream(descriptor)
    } else if let status = try path.existing(name: name) {
      try OutputTarget.check(status, name: name, options: options)
      if status.kind != .regular {
        self = .stream(try OutputTarget.open(path, name: name))
      } else if options.writesDirectly, options.replacesExisting {
        let file = try OutputTarget.open(path, name: name)
        // Another program can have replaced it.
        try OutputTarget.check(attempt(.create, name, FileStatus(of: file)), name: name, options: options)
        self = .direct(file)
      } else {
        self = try OutputTarget.replacing(status, at: path, name: name, options: options)
      }
    } else if options.writesDirectly {
      self = .direct(try attempt(.create, name, Descriptor(opening: path, [.writeOnly, .createNew], 0o666)))
    } else {
      let path = try path.followingLinks(name: name)
      if path.lastComponent.bytes.isEmpty { throw IOError(.create, file: name, .noSuchFileOrDirectory) }
      if path.endsInSlash { throw IOError(.create, file: name, .isDirectory) }
      self = .file(folder: path.folder, name: path.lastComponent, existing: nil)
    }
  }

  /// The target that replaces the file `status` at `path`, or the file that this link leads to.
  private static func replacing(
    _ status: FileStatus, at path: Pathname, name: String, options: OutputFile.Options
  ) throws(IOError) -> OutputTarget {
    if !options.replacesExisting { throw IOError(.create, file: name, .fileExists) }
    // Renaming does not require write permission for the file, but a user who made it read-only wants to keep it.
    try attempt(.create, name, path.checkWritable())
    let end = try path.followingLinks(name: name)
    // Links in /proc lead to files that their text does not name; such files can only be written in place.
    guard let found = try? FileStatus(of: end, followingLinks: false), found.identity == status.identity else {
      throw IOError(.create, file: name, .noSuchFileOrDirectory, reason: "the link refers to a file without a name")
    }
    return .file(folder: end.folder, name: end.lastComponent, existing: status)
  }

  private static func open(_ path: Pathname, name: String) throws(IOError) -> Descriptor {
    try attempt(.create, name, Descriptor(opening: path, [.writeOnly, .noControllingTerminal]))
  }

  static func check(_ status: FileStatus, name: String, options: OutputFile.Options) throws(IOError) {
    if status.kind == .directory { throw IOError(.create, file: name, .isDirectory) }
    for files in options.registries { try files.check(status, name: name) }
  }
}

extension Pathname {
  /// The status of the file with this name, following links; `nil` if there is none.
  func existing(name: String) throws(IOError) -> FileStatus? {
    do throws(Errno) { return try FileStatus(of: self) } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw IOError(.create, file: name, error)
    }
  }

  /// The path after resolving the symbolic links of its last component; it need not exist.
  func followingLinks(name: String) throws(IOError) -> Pathname {
    var path = self
    for _ in 0..<40 {
      guard let status = try? FileStatus(of: path, followingLinks: false), status.kind == .link else { return path }
      path = path.folder.appending(try attempt(.create, name, path.linkTarget()))
    }
    throw IOError(.create, file: name, .tooManySymbolicLinks)
  }
}
