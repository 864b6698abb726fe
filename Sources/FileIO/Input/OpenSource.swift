public import Bytes
import Platform

/// Opens `path` for reading, as a `FileSource` where it can be read at any offset and as a `PipeSource` where not.
///
/// `-` and `/dev/stdin` are standard input, `/dev/fd/N` is the open descriptor N. When such a descriptor is a file
/// (`mp4tool dump - < file`) the source begins where the descriptor stands, so that what a script has read before is
/// not seen again; the descriptor does not move.
///
/// - Parameters:
///   - path: What to read.
///   - spool: Whether a pipe is copied to a temporary file, so that it can be read again from any offset.
///   - onSpool: Called when that file is made, once the pipe has given more than fits in memory.
/// - Returns: The source, whose bytes begin at offset 0.
/// - Throws: `IOError` with `.open`, also for a directory.
public func openSource(
  _ path: Pathname, spool: Bool = false, onSpool: (() -> Void)? = nil
) throws(IOError) -> any ByteSource {
  let number = path == "-" ? 0 : path.namedDescriptor
  let name = path == "-" ? "standard input" : path.description
  let opened = try attempt(.open, name, number.descriptor(or: path))
  return try source(of: opened, name: name, isGiven: number != nil, spool: spool, onSpool: onSpool)
}

/// Reads what the descriptor `number` has open: a file from the position of the descriptor on, a pipe or a socket.
///
/// The descriptor is borrowed and duplicated: the caller closes its own, at any time from now on, and the position in a file
/// does not change. The duplicate is closed with the source.
///
/// - Parameters:
///   - number: An open descriptor, such as that of a file handle.
///   - name: What messages call the source.
///   - spool: Whether a pipe is copied to a temporary file, so that it can be read again from any offset.
///   - onSpool: Called when that file is made, once the pipe has given more than fits in memory.
/// - Throws: `IOError` with `.open`, also for a directory.
public func openSource(
  descriptor number: Int32, name: String, spool: Bool = false, onSpool: (() -> Void)? = nil
) throws(IOError) -> any ByteSource {
  let opened = try attempt(.open, name, Descriptor(duplicating: number))
  return try source(of: opened, name: name, isGiven: true, spool: spool, onSpool: onSpool)
}

/// A source of what is open; `isGiven` where others have read of it before.
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

/// As the other, for a path in a text; one with a NUL in it cannot be opened.
public func openSource(
  _ path: String, spool: Bool = false, onSpool: (() -> Void)? = nil
) throws(IOError) -> any ByteSource {
  guard let known = Pathname(path) else { throw IOError(.open, file: path, .invalidArgument) }
  return try openSource(known, spool: spool, onSpool: onSpool)
}
