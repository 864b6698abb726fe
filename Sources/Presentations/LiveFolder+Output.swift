public import MP4Bytes
public import MP4FileIO
import MP4HLS
public import MP4Packaging
import MP4Platform

extension LiveFolder: LiveOutput {
  /// Completes the open segment: it appears as the file `name`.
  public func finish(as name: String) throws(IOError) { try finish(as: path(name)) }
  /// Creates or atomically replaces a file.
  public func write(_ bytes: [UInt8], as name: String) throws(IOError) { try write(bytes, as: path(name)) }
  /// Removes a file that no player needs any longer.
  public func remove(_ name: String) { if let path = Pathname(name) { remove(path) } }
  /// Creates a folder in this one, for the files of another rendition.
  public func makeFolder(_ name: String) throws(IOError) -> any LiveOutput {
    let folder: LiveFolder = try makeFolder(path(name))
    return folder
  }

  private func path(_ name: String) throws(IOError) -> Pathname {
    guard let path = Pathname(name) else { throw IOError(.create, file: name, reason: "it is not a file name") }
    return path
  }
}

extension LiveTimestamp {
  /// The current time.
  public static var now: LiveTimestamp {
    LiveTimestamp(uptime: SystemClock.uptime, date: DateTime(sinceEpoch: SystemClock.timeOfDay))
  }
}
