import MP4Bytes
import MP4Platform

extension Pathname {
  /// The descriptor of `/dev/stdin`, `/dev/stdout`, `/dev/stderr` or `/dev/fd/N`.
  ///
  /// The descriptor itself is used instead of opening its file again, so that its position and append mode
  /// apply, and sockets work.
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
  /// This descriptor, or without one the file at `path`, opened for reading.
  func descriptor(or path: Pathname) throws(Errno) -> Descriptor {
    if let self { try Descriptor(duplicating: self) } else { try Descriptor(opening: path, .readOnly) }
  }
}

extension Pathname {
  /// The identity of the file with this name, following links; `nil` if there is none.
  var identity: FileIdentity? { (try? FileStatus(of: self))?.identity }
}
