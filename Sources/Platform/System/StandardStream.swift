import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a process has from the one that started it.
package enum Environment {
  /// The variable of the environment that is called `name`.
  package static subscript(name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}

/// One of the descriptors that a process is started with: 0, 1 or 2.
package struct StandardStream: Sendable {
  private let number: Int32

  package init(_ number: Int32) { self.number = number }

  /// Whether a person reads or writes at the other end.
  package var isTerminal: Bool { isatty(number) == 1 }

  /// The width of the terminal, or `nil` when it is none or does not say.
  package var columns: Int? {
    var size = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all of `bytes`, however many calls it takes.
  package func write(_ bytes: RawSpan) throws(Errno) {
    let descriptor = Descriptor(owning: number)
    // It stays open.
    defer { _ = descriptor.release() }
    try unsafe bytes.withUnsafeBytes { buffer throws(Errno) in try unsafe descriptor.writeAll(buffer) }
  }

  /// Writes all of `bytes`, however many calls it takes.
  package func write(_ bytes: [UInt8]) throws(Errno) { try unsafe write(bytes.span.bytes) }

  /// Makes sure that descriptors 0, 1 and 2 are taken, before anything is opened.
  ///
  /// A program that is started with one of them closed (`mp4tool … 2>&-`) would be given that number for the next file
  /// it opens, and messages would be written into the output. What takes their place here refuses the use that it
  /// stands for, so that reading and writing fail as they would have.
  package static func occupyAll() {
    for (number, refusing) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is given, and those below are taken.
      _ = unsafe open("/dev/null", refusing)
    }
  }
}

/// Ends the process.
package func exitProcess(_ status: Int32) -> Never { exit(status) }
