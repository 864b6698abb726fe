import MP4Toolkit

/// Progress values that a closure received. One task calls it, and the values are read afterwards.
final class Steps: @unchecked Sendable {
  private(set) var all: [OperationProgress] = []
  func append(_ step: OperationProgress) { all.append(step) }
}

/// Runs `body` in a task, which the function that it gets cancels.
func runCancelling<Value: Sendable>(
  _ body: @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) async throws -> Value
) async throws -> Value {
  // The function needs the task, so the task starts with it.
  let (tasks, continuation) = AsyncStream.makeStream(of: Task<Value, any Error>.self)
  let task = Task {
    var iterator = tasks.makeAsyncIterator()
    guard let own = await iterator.next() else { throw CancellationError() }
    return try await body { own.cancel() }
  }
  continuation.yield(task)
  return try await task.value
}
