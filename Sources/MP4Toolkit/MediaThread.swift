import MP4Bytes
import MP4Platform

/// Threads in which this library reads and writes while a task is suspended.
///
/// The asynchronous forms of functions use them. With ``run(_:)``, a task can call any other function that reads or
/// writes:
///
/// ```swift
/// func firstBytes(of track: Track) async throws -> [[UInt8]] {
///   try await MediaThread.run { try track.samples.prefix(100).map { try $0.bytes(16) } }
/// }
/// ```
public enum MediaThread {
  /// Runs `work` in a thread, and suspends the task meanwhile. If the task is cancelled, the next read or write fails.
  ///
  /// - Throws: The error of `work`, or `CancellationError`.
  public static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let cancellation = Monitor(CancellationState())
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Workers.run {
          let result = Cancellation.$current.withValue(Cancellation { cancellation { $0.observe() } }) {
            Result {
              if cancellation({ $0.observe() }) { throw CancellationError() }
              return try work()
            }
          }
          // Work that has noticed the cancellation may be incomplete even if it has not failed.
          let isStopped = cancellation { $0.isObserved }
          continuation.resume(with: isStopped ? .failure(CancellationError()) : result)
        }
      }
    } onCancel: {
      cancellation { $0.isRequested = true }
    }
  }

  private struct CancellationState {
    var isRequested = false
    private(set) var isObserved = false

    mutating func observe() -> Bool {
      isObserved = isRequested
      return isRequested
    }
  }
}
