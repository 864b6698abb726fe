#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The number of files that a process may have open.
package enum OpenFileLimit {
  package static var current: Int { read().map { Int(clamping: $0.rlim_cur) } ?? 1024 }

  /// Raises the limit as far as the system allows, because a join may read thousands of segments.
  package static func raise() {
    guard var limit = read(), limit.rlim_cur < limit.rlim_max else { return }
    #if canImport(Darwin)
      limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
    #else
      limit.rlim_cur = limit.rlim_max
    #endif
    _ = unsafe setrlimit(kind, &limit)
  }

  private static func read() -> rlimit? {
    var limit = rlimit()
    return unsafe getrlimit(kind, &limit) == 0 ? limit : nil
  }

  // Glibc declares an enumeration where others declare a number.
  #if canImport(Glibc)
    private static var kind: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
    private static var kind: Int32 { RLIMIT_NOFILE }
  #endif
}
