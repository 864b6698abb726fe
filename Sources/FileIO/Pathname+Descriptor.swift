import Bytes
import Platform

extension Pathname {
  /// The descriptor that `/dev/stdin`, `/dev/stdout`, `/dev/stderr` or `/dev/fd/N` names.
  ///
  /// The descriptor itself is used, not a second opening of what it refers to: that way its position and append mode
  /// count, and sockets work.
  var namedDescriptor: Int32? {
    switch self {
    case "/dev/stdin": return 0
    case "/dev/stdout": return 1
    case "/dev/stderr": return 2
    default:
      let prefix = Array("/dev/fd/".utf8)
      guard bytes.starts(with: prefix) else { return nil }
      return Int32(String(decoding: bytes[prefix.count...], as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
    }
  }
}

extension Int32? {
  /// What this descriptor has open, or without one the file at `path`, to be read.
  func descriptor(or path: Pathname) throws(Errno) -> Descriptor {
    if let self { try Descriptor(duplicating: self) } else { try Descriptor(opening: path, .readOnly) }
  }
}

extension Pathname {
  /// Which file has this name, links followed; `nil` where there is none.
  var identity: FileIdentity? { (try? FileStatus(of: self))?.identity }
}
