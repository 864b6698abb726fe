package import MP4Bytes

/// An output that appears under its final name only when it is complete: a file or a folder.
package protocol SafeOutput: AnyObject {
  /// The path as given.
  var name: String { get }
  /// Called with the number of bytes written so far, every few megabytes; returns whether to continue.
  var onProgress: ((Int) -> Bool)? { get set }

  /// Fails if the disk has no room for an output of `byteCount` bytes.
  func expect(byteCount: Int) throws(IOError)
  /// Whether one of the two would overwrite the other.
  func isSame(as file: OutputFile) -> Bool
  /// Completes the output: it gets its final name.
  func commit() throws(IOError)
  /// Discards the output.
  func discard()
}
