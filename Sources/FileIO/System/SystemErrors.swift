package import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension IOError {
  /// The error of a system call that failed with `code`, by default the current `errno`.
  package init(_ operation: Operation, file: String, offset: Int? = nil, errno code: Int32 = errno) {
    var reason = phrase(ofErrno: code)
    // An address that comes so far is taken as the name of a file.
    if code == ENOENT, operation == .open || operation == .change, let scheme = Self.scheme(file) {
      reason = "there is no such file, and an address with \(scheme) cannot be used here"
    }
    self.init(operation, file: file, offset: offset, code: code, reason: reason)
  }
}

extension IOError {
  /// What an address with a host starts with, such as `ftp://`; `nil` where `name` is none.
  private static func scheme(_ name: String) -> String? {
    let scheme = name.prefix { $0.isASCII && $0.isLetter }
    return !scheme.isEmpty && name.dropFirst(scheme.count).hasPrefix("://") ? scheme + "://" : nil
  }

  /// Whether there is no such file or program.
  package var isMissingFile: Bool { code == ENOENT }
  /// Whether there is no room on the disk, for this user at least.
  package var isFullDisk: Bool { code == ENOSPC || code == EDQUOT }
}

/// What an `errno` means to the reader of a message.
func phrase(ofErrno code: Int32) -> String {
  switch code {
  case ENOENT: "there is no such file or directory"
  case EACCES, EPERM: "permission denied"
  case EISDIR: "it is a directory"
  case ENOTDIR: "a part of the path is not a directory"
  case EEXIST: "the file exists"
  case ENOTEMPTY: "the directory is not empty"
  case ELOOP: "symbolic links lead in a circle"
  case ENOSPC: "the disk is full"
  case EDQUOT: "the disk quota is used up"
  case EFBIG: "the file system or a limit does not allow a file of this size"
  case EROFS: "the file system is read-only"
  case EMFILE, ENFILE: "too many files are open"
  case ENAMETOOLONG: "the name is too long"
  case EPIPE: "the reader has closed the pipe"
  default: systemText(ofErrno: code)
  }
}

private func systemText(ofErrno code: Int32) -> String {
  var text = [CChar](repeating: 0, count: 256)
  if unsafe strerror_r(code, &text, text.count) != 0 { return "system error \(code)" }
  return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
