import MP4Platform

/// A gate at which threads wait until it is opened.
public final class Gate: Sendable {
  private let state = Monitor((isOpen: false, count: 0))

  /// A closed gate.
  public init() {}

  /// The number of threads that have passed the gate or wait at it.
  public var count: Int { state { $0.count } }

  /// Waits until the gate is open.
  public func pass() {
    state { $0.count += 1 }
    state.wait { $0.isOpen ? () : nil }
  }

  /// Opens the gate for all threads.
  public func open() { state.change { $0.isOpen = true } }

  /// Waits in a task until this many threads have reached the gate.
  public func waitForReaders(_ count: Int) async { while self.count < count { await Task.yield() } }
}
