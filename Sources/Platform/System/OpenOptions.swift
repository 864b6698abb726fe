#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How a file is opened. A program that is started later never gets the descriptor.
package struct OpenOptions: OptionSet, Sendable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let readOnly = OpenOptions(rawValue: O_RDONLY)
  package static let writeOnly = OpenOptions(rawValue: O_WRONLY)
  package static let readWrite = OpenOptions(rawValue: O_RDWR)
  /// Makes a file, and fails when there is one of that name.
  package static let createNew = OpenOptions(rawValue: O_CREAT | O_EXCL)
  /// Fails for what is no folder.
  package static let directory = OpenOptions(rawValue: O_DIRECTORY)
  /// Fails when the last component is a symbolic link.
  package static let noFollow = OpenOptions(rawValue: O_NOFOLLOW)
  /// Waits for nothing, such as the writer of a named pipe.
  package static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
  /// A terminal does not become that of this process.
  package static let noControllingTerminal = OpenOptions(rawValue: O_NOCTTY)
}

/// Who may do what with a file or folder: the nine bits of its mode.
package struct Permissions: Hashable, Sendable, ExpressibleByIntegerLiteral {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package init(integerLiteral rawValue: UInt32) { self.rawValue = rawValue }

  var mode: mode_t { mode_t(truncatingIfNeeded: rawValue) }
}
