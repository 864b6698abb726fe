#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Work on its own thread: tests that wait for the other end of a pipe must not block the threads of the task pool.
@safe final class Background: @unchecked Sendable {
  private let body: () -> [UInt8]
  private var result: [UInt8] = []
  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> [UInt8]) {
    self.body = body
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    _ = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let work = unsafe Unmanaged<Background>.fromOpaque(context).takeRetainedValue()
        work.result = work.body()
        return nil
      }, context)
  }

  /// Waits for the end of the work and returns its result.
  func wait() -> [UInt8] {
    pthread_join(thread, nil)
    return result
  }
}
