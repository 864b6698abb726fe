/// Runs work that may wait for a disk or a network in threads of the library, so that tasks do not wait with it.
package enum Workers {
  /// The number of threads that work at the same time, at most, and with those that wait for a task.
  private static let (limit, totalLimit) = (32, 256)
  /// The time in milliseconds for which a thread without work waits for more: starting a thread takes longer than
  /// reading a sample.
  private static let patience = 1000

  private struct State {
    /// The number of threads, of those that work, and of those that wait for work.
    var (count, workingCount, idleCount) = (0, 0, 0)
    /// Work that no thread has begun, the first piece last.
    var waiting: [@Sendable () -> Void] = []

    mutating func beginsThread() -> Bool {
      guard waiting.count > idleCount, workingCount < Workers.limit, count < Workers.totalLimit else { return false }
      (count, workingCount) = (count + 1, workingCount + 1)
      return true
    }
    /// The next work of a thread; it begins to wait for work if there is none.
    mutating func next() -> (@Sendable () -> Void)? {
      // More threads than the limit can work after one of them has waited for a task.
      if workingCount <= Workers.limit, let body = waiting.popLast() { return body }
      (workingCount, idleCount) = (workingCount - 1, idleCount + 1)
      return nil
    }
    /// The next work of a thread that waits for it.
    mutating func nextAfterWaiting() -> (@Sendable () -> Void)? {
      guard workingCount < Workers.limit, let body = waiting.popLast() else { return nil }
      (workingCount, idleCount) = (workingCount + 1, idleCount - 1)
      return body
    }
    /// The same at the end of the waiting; the thread ends if there is no work.
    mutating func last() -> (@Sendable () -> Void)? {
      if let body = nextAfterWaiting() { return body }
      (count, idleCount) = (count - 1, idleCount - 1)
      return nil
    }
  }
  private static let state = Monitor(State())

  /// Runs `body` in a thread as soon as fewer than the maximum number of threads work. The caller runs it if the system
  /// creates no thread.
  package static func run(_ body: @escaping @Sendable () -> Void) {
    state.change { $0.waiting.insert(body, at: 0) }
    begin()
  }

  /// Runs `body`, which waits for a task, while another thread works instead of this one: the task may itself be
  /// waiting for a thread.
  package static func whileWaiting<Value>(_ body: () -> Value) -> Value {
    state.change { $0.workingCount -= 1 }
    begin()
    defer { state { $0.workingCount += 1 } }
    return body()
  }

  /// Starts a thread for the next work, if there can be one more.
  private static func begin() {
    guard state({ $0.beginsThread() }) else { return }
    if !Thread.start(work) { work() }
  }

  /// Works until there has been nothing to do for a while.
  @Sendable private static func work() {
    while let body = state({ $0.next() })
      ?? state.wait(milliseconds: patience, until: { $0.nextAfterWaiting() }) ?? state({ $0.last() })
    {
      body()
    }
  }
}
