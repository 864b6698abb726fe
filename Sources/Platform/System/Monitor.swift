#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A value that several threads change one at a time; threads can wait for changes.
@safe package final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Uses a pointer because the lock already guarantees exclusive access; Swift's own checks would double the cost.
  private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

  package init(_ state: State) {
    unsafe self.state.initialize(to: state)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe pthread_cond_destroy(condition)
    unsafe state.deinitialize(count: 1)
    unsafe mutex.deallocate()
    unsafe condition.deallocate()
    unsafe state.deallocate()
  }

  /// Runs `body` with exclusive access to the value.
  package func callAsFunction<Result, Failure>(_ body: (inout State) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try unsafe body(&state.pointee)
  }

  /// Runs `body` with exclusive access to the value, then wakes the threads that wait for a change.
  package func change<Result, Failure>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
    defer { unsafe pthread_cond_broadcast(condition) }
    return try self(body)
  }

  /// Waits until `body` returns a value. It runs at once and after every `change`.
  package func wait<Result>(until body: (inout State) throws -> Result?) rethrows -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = try unsafe body(&state.pointee) { return result }
      unsafe pthread_cond_wait(condition, mutex)
    }
  }

  /// Like `wait`, but for at most `milliseconds`; `nil` if that was not enough.
  package func wait<Result>(
    milliseconds: Int, until body: (inout State) throws -> Result?
  ) rethrows -> Result? {
    let end = SystemClock.milliseconds + milliseconds
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = try unsafe body(&state.pointee) { return result }
      let rest = end - SystemClock.milliseconds
      if rest <= 0 { return nil }
      // The condition uses a clock that can be set. If it is set, the wait takes a little longer or checks once more.
      let wake = SystemClock.nanoseconds + min(rest, 1000) * 1_000_000
      var time = timespec()
      (time.tv_sec, time.tv_nsec) = (.init(wake / 1_000_000_000), .init(wake % 1_000_000_000))
      _ = unsafe pthread_cond_timedwait(condition, mutex, &time)
    }
  }
}
