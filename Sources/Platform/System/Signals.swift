#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How a program reacts to signals that stop it. A program calls these functions once when it starts; the library never
/// does.
package enum Signals {
  /// Removes the temporary files of unfinished outputs on SIGINT, SIGTERM and SIGHUP, and then lets the signal end the
  /// program, so that the exit status reports it (128 + the signal number in a shell).
  ///
  /// A signal that was ignored when the program started, as under `nohup`, remains ignored.
  package static func removeTemporaryFilesWhenStopped() {
    SignalCleanup.prepare()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let previous = signal(number, removeAndStop)
      // SIG_IGN is the number 1, cast to a function pointer.
      if unsafe unsafeBitCast(previous, to: Int.self) == 1 { signal(number, SIG_IGN) }
    }
  }

  /// Makes writing to a closed pipe fail with `EPIPE` instead of ending the program.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}

/// Runs inside a signal handler: it only calls `unlinkat`, `signal` and `raise`, and allocates nothing.
private func removeAndStop(_ number: Int32) {
  SignalCleanup.removeAll()
  signal(number, SIG_DFL)
  raise(number)
}
