package import MP4Bytes
package import MP4Platform

extension IOError {
  /// The error of a system call that failed with `errno`.
  package init(_ operation: Operation, file: String, offset: Int? = nil, _ errno: Errno) {
    var reason = errno.description
    // A URL that was not recognized earlier was treated as a file name.
    if errno == .noSuchFileOrDirectory, operation == .open || operation == .change, let scheme = Self.scheme(file) {
      reason = "no such file, and \(scheme) URLs are not supported here"
    }
    self.init(operation, file: file, offset: offset, errno, reason: reason)
  }

  /// An error with its own message.
  package init(_ operation: Operation, file: String, offset: Int? = nil, _ errno: Errno, reason: String) {
    self.init(operation, file: file, offset: offset, code: errno.rawValue, reason: reason)
  }

  /// The scheme of a URL with a host, such as `ftp://`; `nil` if `name` is not a URL.
  private static func scheme(_ name: String) -> String? {
    let scheme = name.prefix { $0.isASCII && $0.isLetter }
    return !scheme.isEmpty && name.dropFirst(scheme.count).hasPrefix("://") ? scheme + "://" : nil
  }
}

extension IOError {
  /// The error of the system call that failed.
  package var errno: Errno { Errno(rawValue: code) }
  /// Whether the file or program does not exist.
  package var isMissingFile: Bool { errno == .noSuchFileOrDirectory }
  /// Whether the disk is full, at least for this user.
  package var isFullDisk: Bool { errno == .noSpace || errno == .diskQuotaExceeded }
  /// Whether the reader of a pipe has closed it.
  package var isBrokenPipe: Bool { errno == .brokenPipe }

  /// An error if `needed` bytes do not fit on the disk of `descriptor`, or `nil` as far as can be determined.
  static func noSpace(for needed: Int, on descriptor: Descriptor, file: String) -> IOError? {
    guard let free = descriptor.freeByteCount, needed > free else { return nil }
    return IOError(
      .create, file: file, .noSpace,
      reason: "\(counted(needed, "byte is", "bytes are")) needed, but \(counted(free, "is", "are")) free on the disk")
  }
}

/// The result of `body`; a failing system call becomes an error of `operation` on the file called `name`.
func attempt<Result>(
  _ operation: IOError.Operation, _ name: String, offset: Int? = nil, _ body: @autoclosure () throws(Errno) -> Result
) throws(IOError) -> Result {
  do throws(Errno) { return try body() } catch { throw IOError(operation, file: name, offset: offset, error) }
}
