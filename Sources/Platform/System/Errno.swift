#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The reason why a system call failed.
package struct Errno: Error, Hashable, Sendable {
  /// The system's error number.
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The error of this thread's latest failed call.
  static var current: Errno { Errno(rawValue: errno) }
}

extension Errno {
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  package static let addressNotAvailable = Errno(rawValue: EADDRNOTAVAIL)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  package static let canceled = Errno(rawValue: ECANCELED)
  package static let connectionAborted = Errno(rawValue: ECONNABORTED)
  package static let directoryNotEmpty = Errno(rawValue: ENOTEMPTY)
  package static let diskQuotaExceeded = Errno(rawValue: EDQUOT)
  package static let fileExists = Errno(rawValue: EEXIST)
  package static let fileNameTooLong = Errno(rawValue: ENAMETOOLONG)
  package static let fileTooLarge = Errno(rawValue: EFBIG)
  package static let illegalSeek = Errno(rawValue: ESPIPE)
  package static let interrupted = Errno(rawValue: EINTR)
  package static let invalidArgument = Errno(rawValue: EINVAL)
  package static let ioError = Errno(rawValue: EIO)
  package static let isDirectory = Errno(rawValue: EISDIR)
  package static let noBufferSpace = Errno(rawValue: ENOBUFS)
  package static let noFunction = Errno(rawValue: ENOSYS)
  package static let noMemory = Errno(rawValue: ENOMEM)
  package static let noSpace = Errno(rawValue: ENOSPC)
  /// No call failed.
  package static let none = Errno(rawValue: 0)
  package static let noSuchFileOrDirectory = Errno(rawValue: ENOENT)
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  package static let notPermitted = Errno(rawValue: EPERM)
  package static let notSupported = Errno(rawValue: ENOTSUP)
  package static let permissionDenied = Errno(rawValue: EACCES)
  package static let protocolError = Errno(rawValue: EPROTO)
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
  package static let resourceBusy = Errno(rawValue: EBUSY)
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  package static let tooManyOpenFilesInSystem = Errno(rawValue: ENFILE)
  package static let tooManySymbolicLinks = Errno(rawValue: ELOOP)
  /// Nothing to read or no room to write yet, a lock held by another process, or no thread available.
  package static let wouldBlock = Errno(rawValue: EAGAIN)
}

extension Errno: CustomStringConvertible {
  /// What the error means, as a phrase that continues "cannot read: ".
  package var description: String {
    switch self {
    case .noSuchFileOrDirectory: "no such file or directory"
    case .permissionDenied, .notPermitted: "permission denied"
    case .isDirectory: "it is a directory"
    case .notDirectory: "a part of the path is not a directory"
    case .fileExists: "the file exists"
    case .directoryNotEmpty: "the directory is not empty"
    case .tooManySymbolicLinks: "symbolic links form a loop"
    case .noSpace: "the disk is full"
    case .diskQuotaExceeded: "the disk quota is exceeded"
    case .fileTooLarge: "the file system or a limit does not allow a file of this size"
    case .readOnlyFileSystem: "the file system is read-only"
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "too many files are open"
    case .fileNameTooLong: "the name is too long"
    case .brokenPipe: "the reader has closed the pipe"
    default: systemText
    }
  }

  /// The system's text for the error.
  package var systemText: String {
    var text = [CChar](repeating: 0, count: 256)
    if unsafe strerror_r(rawValue, &text, text.count) != 0 { return "system error \(rawValue)" }
    return String(text)
  }
}

/// The result of a system call, or its error.
@inline(__always)
package func checked<Result: SignedInteger>(_ result: Result) throws(Errno) -> Result {
  if result == -1 { throw .current }
  return result
}

/// Repeats a system call while signals interrupt it.
@inline(__always)
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    if errno != EINTR { throw .current }
  }
}

extension String {
  /// The text that a system call wrote to a buffer, up to the first NUL.
  init(_ buffer: [CChar]) {
    self.init(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
