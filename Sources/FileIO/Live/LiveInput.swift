package import Bytes
import Platform

/// What came of an input that is still being written.
package enum LiveInputEvent: Sendable {
  /// More bytes of the current file.
  case bytes(ArraySlice<UInt8>)
  /// The current file is complete, and the one with this path begins.
  case file(String)
  /// Nothing in the time that was given.
  case nothing
  /// The input has ended.
  case end
}

/// Something that is read while it is written: a stream, or the files of a folder.
package protocol LiveInput: AnyObject {
  /// What messages call it.
  var name: String { get }
  /// Waits for what comes next, at most for so long.
  func next(waiting time: Duration) throws(IOError) -> LiveInputEvent
  /// Whether it ends with its movie: nothing comes after boxes that only a complete file has.
  var endsWithMovie: Bool { get }
}

extension LiveInput {
  /// Streams and folders can go on with another movie.
  package var endsWithMovie: Bool { false }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: min(seconds, 1 << 40)) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}

/// Opens `path` to be read while it is written: a folder as a ``WatchedFolder``, a file as a ``GrowingFile``, and anything
/// else as a stream, of which `-` is standard input.
///
/// - Parameters:
///   - path: What to read.
///   - follows: Whether a file is followed while it grows, and a folder while files come, and not only read to the
///     present end.
///   - idle: How long a file may stay as it is before it has ended.
///   - isBefore: Which of two names of files in a folder comes first.
package func openLiveInput(
  _ path: Pathname, follows: Bool = true, idle: Duration = .seconds(10),
  _ isBefore: @escaping (Pathname, Pathname) -> Bool
) throws(IOError) -> any LiveInput {
  let number = path == "-" ? 0 : path.namedDescriptor
  let name = path == "-" ? "standard input" : path.description
  let opened = try attempt(.open, name, number.descriptor(or: path))
  let status = try attempt(.open, name, FileStatus(of: opened))
  if status.kind == .directory { return try WatchedFolder(path, follows: follows, isBefore) }
  if status.kind == .regular, number == nil, follows {
    return GrowingFile(opened, name: name, FileChanges(path), idle: idle) { SystemClock.uptime }
  }
  return LiveStream(opened, name: name)
}
