import MP4Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The environment that a process inherits.
package enum Environment {
  /// The environment variable `name`.
  package static subscript(name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}

/// One of the descriptors that a process is started with: 0, 1 or 2.
package struct StandardStream: Sendable {
  private let number: Int32

  package init(_ number: Int32) { self.number = number }

  /// Whether it is connected to a terminal.
  package var isTerminal: Bool { isatty(number) == 1 }

  /// The width of the terminal; `nil` if it is not a terminal or the width is unknown.
  package var columns: Int? {
    var size = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all of `bytes`, with as many calls as needed.
  package func write(_ bytes: RawSpan) throws(Errno) {
    let descriptor = Descriptor(owning: number)
    // The descriptor must stay open.
    defer { _ = descriptor.release() }
    try unsafe bytes.withUnsafeBytes { buffer throws(Errno) in try unsafe descriptor.writeAll(buffer) }
  }

  /// Writes all of `bytes`, with as many calls as needed.
  package func write(_ bytes: [UInt8]) throws(Errno) { try unsafe write(bytes.span.bytes) }

  /// Makes sure that descriptors 0, 1 and 2 are in use before any file is opened.
  ///
  /// If a program is started with one of them closed (`mp4tool … 2>&-`), the next file that it opens gets that number,
  /// and messages are written into the output. The replacements opened here refuse the normal use of the descriptor, so
  /// that reading and writing fail as they would have.
  package static func occupyAll() {
    for (number, refusing) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] where fcntl(number, F_GETFD) < 0 {
      // The system assigns the lowest free number, and all lower ones are in use.
      _ = unsafe open("/dev/null", refusing)
    }
  }
}

/// Ends the process.
package func exitProcess(_ status: Int32) -> Never { exit(status) }
