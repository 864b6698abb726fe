/// A path as the system sees it (POSIX, 3.254): bytes without NUL, in no particular encoding.
public struct Pathname: Hashable, Sendable {
  /// The bytes of the path, none of them NUL.
  public let bytes: [UInt8]

  /// The path with these bytes, or `nil` if one of them is NUL.
  public init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    if self.bytes.contains(0) { return nil }
  }

  /// The path that is the UTF-8 of `string`, or `nil` if it contains NUL.
  public init?(_ string: String) { self.init(string.utf8) }

  /// The path in a C string, such as an argument of the program.
  @unsafe public init(cString: UnsafePointer<CChar>) {
    var bytes: [UInt8] = []
    var index = 0
    while case let byte = unsafe UInt8(bitPattern: cString[index]), byte != 0 {
      bytes.append(byte)
      index += 1
    }
    self.init(known: bytes)
  }

  /// The path with these `bytes`, which are known not to contain NUL.
  private init(known bytes: [UInt8]) { self.bytes = bytes }

  /// The path with the terminating NUL that system calls expect.
  package var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}

extension Pathname: ExpressibleByStringLiteral {
  /// A path literal; a NUL in it is a programmer error.
  public init(stringLiteral literal: String) {
    precondition(!literal.utf8.contains(0), "a path has no NUL")
    self.init(known: Array(literal.utf8))
  }
}

/// A name of a file: a path, or a text that is one.
public protocol PathnameConvertible {
  /// The path; a text with a NUL is none.
  var pathname: Pathname { get throws(IOError) }
}

extension Pathname: PathnameConvertible {
  /// The path itself.
  public var pathname: Pathname { self }
}

extension String: PathnameConvertible {
  /// The path that is the UTF-8 of the text.
  public var pathname: Pathname {
    get throws(IOError) {
      guard let path = Pathname(self) else { throw IOError(.open, file: self, reason: "a path cannot contain NUL") }
      return path
    }
  }
}

extension Pathname: CustomStringConvertible {
  /// The path as text; invalid UTF-8 is shown as U+FFFD.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension Pathname {
  private static let slash = UInt8(ascii: "/")

  /// Whether the path is absolute.
  public var isAbsolute: Bool { bytes.first == Pathname.slash }

  /// Whether the path ends in a slash, so that it can only name a directory.
  package var endsInSlash: Bool { bytes.last == Pathname.slash }

  /// The parent path: `a/b` of `a/b/c`, `.` of `c`, and `/` of `/c`.
  public var folder: Pathname {
    let trimmed = trimmedCount
    guard let slash = bytes[..<trimmed].lastIndex(of: Pathname.slash) else {
      return trimmed == 0 && isAbsolute ? "/" : "."
    }
    let end = bytes[..<slash].lastIndex { $0 != Pathname.slash }
    return end.map { Pathname(known: Array(bytes[...$0])) } ?? "/"
  }

  /// The last component: `c` of `a/b/c`, without trailing slashes; empty if there is none.
  public var lastComponent: Pathname {
    let trimmed = bytes[..<trimmedCount]
    let start = trimmed.lastIndex(of: Pathname.slash).map { $0 + 1 } ?? 0
    return Pathname(known: Array(trimmed[start...]))
  }

  /// The path without trailing slashes; empty for `/`.
  package var withoutSlashesAtEnd: Pathname { Pathname(known: Array(bytes[..<trimmedCount])) }

  /// `other` relative to this folder: appended after a slash, or itself if it is absolute.
  public func appending(_ other: Pathname) -> Pathname {
    if other.isAbsolute || bytes.isEmpty { return other }
    return Pathname(known: bytes + (endsInSlash ? [] : [Pathname.slash]) + other.bytes)
  }

  private var trimmedCount: Int { bytes.lastIndex { $0 != Pathname.slash }.map { $0 + 1 } ?? 0 }
}
