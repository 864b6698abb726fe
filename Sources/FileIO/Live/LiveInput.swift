package import MP4Bytes
import MP4Platform

/// An event of an input that is still being written.
package enum LiveInputEvent: Sendable {
  /// More bytes of the current file have arrived.
  case bytes(ArraySlice<UInt8>)
  /// The current file is complete, and the one with this path begins.
  case file(String)
  /// Nothing has arrived in the given time.
  case nothing
  /// The input has ended.
  case end
}

/// An input that is read while it is written: a stream, or the files of a folder.
package protocol LiveInput: AnyObject {
  /// Its name in messages.
  var name: String { get }
  /// Waits for the next event, at most for this time.
  func next(waiting time: Duration) throws(IOError) -> LiveInputEvent
  /// Whether the input ends with its movie: nothing follows the boxes that only occur at the end of a file.
  var endsWithMovie: Bool { get }
}

extension LiveInput {
  /// Streams and folders can continue with another movie.
  package var endsWithMovie: Bool { false }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: min(seconds, 1 << 40)) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}

/// Opens `path` to be read while it is written: a folder as a ``WatchedFolder``, a file as a ``GrowingFile``, and
/// anything else as a stream. `-` is standard input.
///
/// - Parameters:
///   - path: The input.
///   - follows: Whether to follow a growing file or folder, instead of reading only to its current end.
///   - idle: The time without growth after which a file is considered complete.
///   - isBefore: Compares the names of two files in a folder.
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
