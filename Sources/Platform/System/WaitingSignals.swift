#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Signals {
  /// Consumes a pending SIGINT, as inside `holdingStops`, so that it does not end the program. Returns whether there
  /// was one. Other pending signals keep their effect.
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
