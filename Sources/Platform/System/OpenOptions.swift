#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How a file is opened. Programs started later never inherit the descriptor.
package struct OpenOptions: OptionSet, Sendable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let readOnly = OpenOptions(rawValue: O_RDONLY)
  package static let writeOnly = OpenOptions(rawValue: O_WRONLY)
  package static let readWrite = OpenOptions(rawValue: O_RDWR)
  /// Creates a file if the name does not exist.
  package static let create = OpenOptions(rawValue: O_CREAT)
  /// Creates a file; fails if the name exists.
  package static let createNew = OpenOptions(rawValue: O_CREAT | O_EXCL)
  /// Fails if it is not a folder.
  package static let directory = OpenOptions(rawValue: O_DIRECTORY)
  /// Fails when the last component is a symbolic link.
  package static let noFollow = OpenOptions(rawValue: O_NOFOLLOW)
  /// Does not block, for example until a named pipe has a writer.
  package static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
  /// Opening a terminal does not make it the controlling terminal of this process.
  package static let noControllingTerminal = OpenOptions(rawValue: O_NOCTTY)
}

/// The permissions of a file or folder: the nine bits of its mode.
package struct Permissions: Hashable, Sendable, ExpressibleByIntegerLiteral {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package init(integerLiteral rawValue: UInt32) { self.rawValue = rawValue }

  var mode: mode_t { mode_t(truncatingIfNeeded: rawValue) }
}
