#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Measures the processor time of this thread, independently of the load of the machine, for limits on runaway work.
public struct WorkClock {
  private let start = Self.now

  /// Starts the measurement.
  public init() {}

  /// The processor time of this thread since the start.
  public var elapsed: Duration { Self.now - start }

  private static var now: Duration {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
