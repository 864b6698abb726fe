#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

package enum SystemClock {
  /// The time of a monotonic clock.
  package static var uptime: Duration { time(of: CLOCK_MONOTONIC) }
  /// The time since the beginning of 1970.
  package static var timeOfDay: Duration { time(of: CLOCK_REALTIME) }

  /// The milliseconds of a monotonic clock.
  package static var milliseconds: Int { nanoseconds(of: CLOCK_MONOTONIC) / 1_000_000 }
  /// Seconds since 1970.
  package static var now: Int { nanoseconds / 1_000_000_000 }
  /// Nanoseconds since 1970.
  package static var nanoseconds: Int { nanoseconds(of: CLOCK_REALTIME) }

  /// Waits for this time; a signal ends the waiting.
  package static func sleep(milliseconds: Int) { _ = poll(nil, 0, Int32(clamping: max(milliseconds, 0))) }

  private static func time(of clock: clockid_t) -> Duration { .nanoseconds(nanoseconds(of: clock)) }

  private static func nanoseconds(of clock: clockid_t) -> Int {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
