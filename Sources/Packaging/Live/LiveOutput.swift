import ISOBMFF
public import MP4Bytes
public import MP4HLS

/// The destination of a live presentation: a folder from which players read while it is written.
public protocol LiveOutput: AnyObject {
  /// Appends bytes to the open segment, which is not visible to clients, or opens one.
  func append(_ bytes: ArraySlice<UInt8>) throws(IOError)
  /// Replaces bytes of the open segment.
  func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError)
  /// Truncates the open segment to `byteCount` bytes.
  func truncate(to byteCount: Int) throws(IOError)
  /// Completes the open segment: it appears as the file `name`.
  func finish(as name: String) throws(IOError)
  /// Discards the open segment, if there is one.
  func discard()
  /// Creates or atomically replaces a file.
  func write(_ bytes: [UInt8], as name: String) throws(IOError)
  /// Removes a file that no player needs any longer.
  func remove(_ name: String)
  /// Creates a folder in this one, for the files of another rendition.
  func makeFolder(_ name: String) throws(IOError) -> any LiveOutput
}

/// A moment on the two clocks of a live presentation.
public struct LiveTimestamp: Sendable {
  /// The time of a monotonic clock.
  public var uptime: Duration
  /// The time of day.
  public var date: DateTime

  /// A moment on both clocks.
  public init(uptime: Duration, date: DateTime) { (self.uptime, self.date) = (uptime, date) }
}
