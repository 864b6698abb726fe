/// Tells the library to stop reading and writing.
package struct Cancellation: Sendable {
  private let request: @Sendable () -> Bool
  /// A cancellation that is requested when `request` returns true.
  package init(_ request: @escaping @Sendable () -> Bool) { self.request = request }

  /// Whether it is requested.
  package var isRequested: Bool { request() }

  /// That of the operation of this thread or task; `nil` if it cannot be cancelled.
  ///
  /// An optional closure as a task-local value crashes in optimized programs of Swift 6.3.
  @TaskLocal package static var current: Cancellation?

  /// Fails if the operation of this thread or task is cancelled.
  package static func check(_ operation: IOError.Operation, of name: @autoclosure () -> String) throws(IOError) {
    guard let current, current.isRequested else { return }
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
