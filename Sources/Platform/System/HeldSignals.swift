#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Signals {
  /// Runs `body` while SIGINT, SIGTERM and SIGHUP wait; they do what they do when it has ended. `body` can ask whether
  /// one waits, and bring what it does to an end.
  ///
  /// A signal that is ignored, as under `nohup`, stays ignored. Only the calling thread is protected, and those that it
  /// starts. Where the signal is how `body` learns that it is done, `takesThem` lets it do nothing else.
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

  /// Waits until one of the signals comes that `holdingStops` holds, and takes it away; for use in its `body`.
  package static func waitForStop() {
    var awaited = sigset_t()
    unsafe sigemptyset(&awaited)
    for number in stops { unsafe sigaddset(&awaited, number) }
    var number: Int32 = 0
    // It returns without one when the process was stopped and continues.
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
    // SIG_IGN is no function but the number 1 in the place of one.
    return unsafe unsafeBitCast(handler, to: Int.self) == 1
  }
}
