/// Tells the library to stop reading and writing.
package enum Cancellation {
  /// Whether the operation of this thread or task is cancelled; `nil` if it cannot be.
  @TaskLocal package static var isRequested: (@Sendable () -> Bool)?

  /// Fails if the operation of this thread or task is cancelled.
  package static func check(_ operation: IOError.Operation, of name: @autoclosure () -> String) throws(IOError) {
    guard let isRequested, isRequested() else { return }
    throw IOError(operation, file: name(), reason: "the operation was cancelled")
  }
}

extension ByteSource {
  /// Reads unless the operation is cancelled. All operations read sources with this function.
  package func readOn(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    try Cancellation.check(.read, of: name)
    return try read(at: offset, into: &buffer)
  }
}
