#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Signals {
  /// Blocks SIGINT, SIGTERM and SIGHUP while `body` runs; they take effect when it has ended. `body` can check for a
  /// pending signal and finish early.
  ///
  /// A signal that is ignored, as under `nohup`, remains ignored. Only the calling thread and the threads that it
  /// starts are protected. If the signal only tells `body` that it is done, `takesThem` discards it afterwards.
  package static func holdingStops<Failure: Error>(
    takesThem: Bool = false, _ body: (_ isWaiting: @escaping () -> Bool) throws(Failure) -> Void
  ) throws(Failure) {
    let numbers = stops
    var held = sigset_t()
    var previous = sigset_t()
    unsafe sigemptyset(&held)
    for number in numbers { unsafe sigaddset(&held, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &held, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let isWaiting = {
      var waiting = sigset_t()
      unsafe sigemptyset(&waiting)
      unsafe sigpending(&waiting)
      return numbers.contains { unsafe sigismember(&waiting, $0) == 1 }
    }
    try body(isWaiting)
    while takesThem, isWaiting() { waitForStop() }
  }

  /// Waits until one of the signals that `holdingStops` blocks arrives, and consumes it. For use in its `body`.
  package static func waitForStop() {
    var awaited = sigset_t()
    unsafe sigemptyset(&awaited)
    for number in stops { unsafe sigaddset(&awaited, number) }
    var number: Int32 = 0
    // sigwait returns without a signal when the process was stopped and continued.
    while unsafe sigwait(&awaited, &number) != 0 {}
  }

  private static var stops: [Int32] { [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) } }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #elseif canImport(Glibc)
      let handler = unsafe action.__sigaction_handler.sa_handler
    #elseif canImport(Musl)
      let handler = unsafe action.__sa_handler.sa_handler
    #endif
    // SIG_IGN is the number 1, cast to a function pointer.
    return unsafe unsafeBitCast(handler, to: Int.self) == 1
  }
}
