package import Bytes
package import Platform

extension IOError {
  /// The error of a system call that failed with `errno`.
  package init(_ operation: Operation, file: String, offset: Int? = nil, _ errno: Errno) {
    var reason = errno.description
    // An address that comes so far is taken as the name of a file.
    if errno == .noSuchFileOrDirectory, operation == .open || operation == .change, let scheme = Self.scheme(file) {
      reason = "no such file, and \(scheme) URLs are not supported here"
    }
    self.init(operation, file: file, offset: offset, errno, reason: reason)
  }

  /// An error with a sentence of its own.
  package init(_ operation: Operation, file: String, offset: Int? = nil, _ errno: Errno, reason: String) {
    self.init(operation, file: file, offset: offset, code: errno.rawValue, reason: reason)
  }

  /// What an address with a host starts with, such as `ftp://`; `nil` where `name` is none.
  private static func scheme(_ name: String) -> String? {
    let scheme = name.prefix { $0.isASCII && $0.isLetter }
    return !scheme.isEmpty && name.dropFirst(scheme.count).hasPrefix("://") ? scheme + "://" : nil
  }
}

extension IOError {
  /// The error of the system call that failed.
  package var errno: Errno { Errno(rawValue: code) }
  /// Whether there is no such file or program.
  package var isMissingFile: Bool { errno == .noSuchFileOrDirectory }
  /// Whether there is no room on the disk, for this user at least.
  package var isFullDisk: Bool { errno == .noSpace || errno == .diskQuotaExceeded }
  /// Whether the reader of a pipe went away.
  package var isBrokenPipe: Bool { errno == .brokenPipe }

  /// The error of `needed` bytes not fitting on the disk of `descriptor`, or `nil` when they do as far as one can see.
  static func noSpace(for needed: Int, on descriptor: Descriptor, file: String) -> IOError? {
    guard let free = descriptor.freeByteCount, needed > free else { return nil }
    return IOError(
      .create, file: file, .noSpace,
      reason: "\(counted(needed, "byte is", "bytes are")) needed, but \(counted(free, "is", "are")) free on the disk")
  }
}

/// What `body` returns; a system call in it that fails is an error of `operation` on the file called `name`.
func attempt<Result>(
  _ operation: IOError.Operation, _ name: String, offset: Int? = nil, _ body: @autoclosure () throws(Errno) -> Result
) throws(IOError) -> Result {
  do throws(Errno) { return try body() } catch { throw IOError(operation, file: name, offset: offset, error) }
}
