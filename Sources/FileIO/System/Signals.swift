#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How a program behaves when it is asked to stop. A program calls these once, when it starts; the library never does.
public enum Signals {
  /// Makes SIGINT, SIGTERM and SIGHUP remove the temporary files of unfinished outputs before they end the program, in
  /// the way that the exit status says so (128 + the number of the signal in a shell).
  ///
  /// A signal that the program was started to ignore, as under `nohup`, stays ignored.
  public static func removeTemporaryFilesWhenStopped() {
    PendingNames.prepare()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let previous = signal(number, removeAndStop)
      // SIG_IGN is no function but the number 1 in the place of one.
      if unsafe unsafeBitCast(previous, to: Int.self) == 1 { signal(number, SIG_IGN) }
    }
  }

  /// Makes writing to a pipe that is not read any more fail with `EPIPE` in place of ending the program.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Allows as many open files as the system lets the program have, since a join may read thousands of segments.
  public static func raiseOpenFileLimit() {
    var limit = rlimit()
    #if canImport(Glibc)
      let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let kind = RLIMIT_NOFILE
    #endif
    guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    #if canImport(Darwin)
      limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
    #else
      limit.rlim_cur = limit.rlim_max
    #endif
    _ = unsafe setrlimit(kind, &limit)
  }
}

/// Runs inside a signal handler: only `unlinkat`, `signal` and `raise` are called, nothing is allocated.
private func removeAndStop(_ number: Int32) {
  PendingNames.removeAll()
  signal(number, SIG_DFL)
  raise(number)
}
