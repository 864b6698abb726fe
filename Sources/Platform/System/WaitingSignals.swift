#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Signals {
  /// Takes a SIGINT that waits, as inside `holdingStops`, so that it ends nothing; returns whether there was one. What
  /// else waits does what it does.
  package static func takeInterrupt() -> Bool {
    var waiting = sigset_t()
    unsafe sigemptyset(&waiting)
    unsafe sigpending(&waiting)
    guard unsafe sigismember(&waiting, SIGINT) == 1 else { return false }
    var interrupt = sigset_t()
    unsafe sigemptyset(&interrupt)
    unsafe sigaddset(&interrupt, SIGINT)
    var number: Int32 = 0
    return unsafe sigwait(&interrupt, &number) == 0
  }
}
