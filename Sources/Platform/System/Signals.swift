#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How a program behaves when it is asked to stop. A program calls these once, when it starts; the library never does.
package enum Signals {
  /// Makes SIGINT, SIGTERM and SIGHUP remove the temporary files of unfinished outputs before they end the program, in
  /// the way that the exit status says so (128 + the number of the signal in a shell).
  ///
  /// A signal that the program was started to ignore, as under `nohup`, stays ignored.
  package static func removeTemporaryFilesWhenStopped() {
    SignalCleanup.prepare()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let previous = signal(number, removeAndStop)
      // SIG_IGN is no function but the number 1 in the place of one.
      if unsafe unsafeBitCast(previous, to: Int.self) == 1 { signal(number, SIG_IGN) }
    }
  }

  /// Makes writing to a pipe that is not read any more fail with `EPIPE` in place of ending the program.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}

/// Runs inside a signal handler: only `unlinkat`, `signal` and `raise` are called, nothing is allocated.
private func removeAndStop(_ number: Int32) {
  SignalCleanup.removeAll()
  signal(number, SIG_DFL)
  raise(number)
}
