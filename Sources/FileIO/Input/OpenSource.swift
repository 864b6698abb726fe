public import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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
  _ path: Path, spool: Bool = false, onSpool: (() -> Void)? = nil
) throws(IOError) -> any ByteSource {
  let number = path == "-" ? 0 : path.namedDescriptor
  let name = path == "-" ? "standard input" : path.description
  let opened =
    if let number { Descriptor(duplicating: number) } else { Descriptor(opening: path, O_RDONLY) }
  guard let opened, let status = FileStatus(of: opened.number) else { throw IOError(.open, file: name) }
  if status.kind == .directory { throw IOError(.open, file: name, errno: EISDIR) }

  let stand = number == nil ? 0 : Int(lseek(opened.number, 0, SEEK_CUR))
  if stand >= 0, let place = FileSource.Place(opened, status, base: stand) {
    return FileSource(place, name: name)
  }
  return PipeSource(opened, name: name, spool: spool, onSpool: onSpool)
}

/// As the other, for a path in a text; one with a NUL in it cannot be opened.
public func openSource(
  _ path: String, spool: Bool = false, onSpool: (() -> Void)? = nil
) throws(IOError) -> any ByteSource {
  guard let known = Path(path) else { throw IOError(.open, file: path, errno: EINVAL) }
  return try openSource(known, spool: spool, onSpool: onSpool)
}
