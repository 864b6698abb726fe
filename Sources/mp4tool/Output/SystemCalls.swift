#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the command line asks of the system: the only place in this folder that does.
enum SystemCalls {
  /// The `errno` of writing to a pipe whose reader went away.
  static let brokenPipe: Int32 = EPIPE

  /// Writes all of `bytes`, however many calls it takes; returns 0 or the `errno` of the call that failed.
  static func write(_ bytes: RawSpan, to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        guard let start = buffer.baseAddress else { return 0 }
        let count = unsafe systemWrite(descriptor, start + written, buffer.count - written)
        if count >= 0 {
          written += count
        } else if errno == EAGAIN {
          // A process that shares the descriptor made it non-blocking; wait instead of spinning.
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = unsafe poll(&waiting, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The width of the terminal of `descriptor`, or `nil` when it is none or does not say.
  static func terminalColumns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Milliseconds of a clock that never goes back.
  static func milliseconds() -> Int {
    let (seconds, attoseconds) = uptime().components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
  /// The time by that clock.
  static func uptime() -> Duration { time(of: CLOCK_MONOTONIC) }
  /// The time of day, since the beginning of 1970.
  static func timeOfDay() -> Duration { time(of: CLOCK_REALTIME) }

  private static func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// Makes sure that descriptors 0, 1 and 2 are taken, before anything is opened.
  ///
  /// A program that is started with one of them closed (`mp4tool … 2>&-`) would be given that number for the next file it
  /// opens, and messages would be written into the output. What takes their place here refuses the use that it stands
  /// for, so that reading and writing fail as they would have.
  static func occupyStandardStreams() {
    for (descriptor, refusing) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is given, and those below are taken.
      _ = unsafe open("/dev/null", refusing)
    }
  }

  static func exit(_ code: ExitCode) -> Never { systemExit(code.rawValue) }
}

// Names that the members above hide.
private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  unsafe write(descriptor, start, count)
}
private func systemExit(_ code: Int32) -> Never { exit(code) }
