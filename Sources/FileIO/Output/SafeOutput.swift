package import Bytes

/// An output that bears its name only when it is complete: a file or a folder.
package protocol SafeOutput: AnyObject {
  /// The path as it was given.
  var name: String { get }
  /// Called with the number of bytes written so far, every few megabytes; what it returns says whether to go on.
  var onProgress: ((Int) -> Bool)? { get set }

  /// Fails when the disk has no room for an output of `byteCount` bytes.
  func expect(byteCount: Int) throws(IOError)
  /// Whether one of the two would destroy what the other has written.
  func isSame(as file: OutputFile) -> Bool
  /// Completes the output: it gets its name.
  func commit() throws(IOError)
  /// Gives the output up and removes what there is of it.
  func discard()
}
