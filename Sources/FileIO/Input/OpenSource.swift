public import MP4Bytes
import MP4Platform

extension FileSource {
  /// Opens `path` for reading, as a `FileSource` if random access is possible and otherwise as a `PipeSource`.
  ///
  /// `-` and `/dev/stdin` are standard input, `/dev/fd/N` is the open descriptor N. If such a descriptor is a file
  /// (`mp4tool dump - < file`), the source begins at its current position, so that bytes read by a script are
  /// not read again; the position does not change.
  ///
  /// - Parameters:
  ///   - path: The file to read.
  ///   - spool: Whether a pipe is copied to a temporary file, so that it can be read again from any offset.
  ///   - onSpool: Called when the temporary file is created, after the pipe has exceeded the memory buffer.
  /// - Returns: The source, whose bytes begin at offset 0.
  /// - Throws: `IOError` with `.open`, also for a directory.
  public static func open(
    _ path: some PathnameConvertible, spool: Bool = false, onSpool: (() -> Void)? = nil
  ) throws(IOError) -> any ByteSource {
    let path = try path.pathname
    let number = path == "-" ? 0 : path.namedDescriptor
    let name = path == "-" ? "standard input" : path.description
    let opened = try attempt(.open, name, number.descriptor(or: path))
    return try source(of: opened, name: name, isGiven: number != nil, spool: spool, onSpool: onSpool)
  }

  /// Reads an open descriptor: a file from its current position on, a pipe or a socket.
  ///
  /// The descriptor is duplicated: the caller can close its own at any time, and the position in a file
  /// does not change. The duplicate is closed with the source.
  ///
  /// - Parameters:
  ///   - number: An open descriptor, such as that of a file handle.
  ///   - name: The name of the source in messages.
  ///   - spool: Whether a pipe is copied to a temporary file, so that it can be read again from any offset.
  ///   - onSpool: Called when the temporary file is created, after the pipe has exceeded the memory buffer.
  /// - Throws: `IOError` with `.open`, also for a directory.
  public static func open(
    descriptor number: Int32, name: String, spool: Bool = false, onSpool: (() -> Void)? = nil
  ) throws(IOError) -> any ByteSource {
    let opened = try attempt(.open, name, Descriptor(duplicating: number))
    return try source(of: opened, name: name, isGiven: true, spool: spool, onSpool: onSpool)
  }
}

/// A source for an open descriptor. `isGiven` is true if it may have been read from before.
private func source(
  of opened: Descriptor, name: String, isGiven: Bool, spool: Bool, onSpool: (() -> Void)?
) throws(IOError) -> any ByteSource {
  let status = try attempt(.open, name, FileStatus(of: opened))
  if status.kind == .directory { throw IOError(.open, file: name, .isDirectory) }

  let position = isGiven ? try? opened.position() : 0
  if let position, let place = FileSource.Place(opened, status, base: position) {
    return FileSource(place, name: name)
  }
  return PipeSource(opened, name: name, spool: spool, onSpool: onSpool)
}
