// The long operations for programs with tasks. They run on no actor, so that the caller's is free; cancelling the task
// stops them, and then nothing is left of the output.

/// How far a long operation is.
public struct OperationProgress: Hashable, Sendable {
  /// What it is doing.
  public enum Phase: Hashable, Sendable {
    /// It reads what the inputs say of their media.
    case reading
    /// It writes the output.
    case writing
  }
  /// What it is doing.
  public var phase: Phase
  /// How many bytes are done.
  public var completed: Int
  /// How many bytes there are to do.
  public var total: Int

  /// How much of the phase is done, from 0 to 1.
  public var fraction: Double { total > 0 ? min(1, Double(completed) / Double(total)) : 1 }
}

extension Defragmenter {
  /// Writes one progressive file from `inputs`: a file, or an init segment and its segments.
  ///
  /// - Parameters:
  ///   - inputs: What is read. No input is ever replaced.
  ///   - output: The file that is written; it appears under its name when it is complete.
  ///   - options: How the output is made.
  ///   - onProgress: Called at the start and at the end of each phase and in between; an error that it throws stops the
  ///     operation.
  /// - Returns: What was met, decided and lost.
  /// - Throws: `MovieError` or `IOError`; `CancellationError` where the task was cancelled; what `onProgress` throws.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], to output: Path, options: OutputFile.Options = OutputFile.Options(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> [Notice] {
    try Operation.write(inputs, to: output, options, onProgress) { try plan(inputs, onProgress: $0) }
  }
}

extension Joiner {
  /// Writes the segments of one init into one file; see `Defragmenter.run`.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], to output: Path, options: OutputFile.Options = OutputFile.Options(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> [Notice] {
    try Operation.write(inputs, to: output, options, onProgress) { try plan(inputs, onProgress: $0) }
  }
}

extension Movie {
  /// Reads what `inputs` say of their samples, which takes a while for very long recordings; see `Defragmenter.run`.
  public static func read(
    _ inputs: [any ByteSource], _ options: Defragmenter.Options = Defragmenter.Options(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> Movie {
    try Operation.read(inputs, onProgress) { try Movie(reading: inputs, options, onProgress: $0) }
  }
}

/// What the asynchronous forms of all operations share.
private enum Operation {
  static func read<Value>(
    _ inputs: [any ByteSource], _ onProgress: (OperationProgress) throws -> Void,
    _ body: (@escaping (Int) -> Bool) throws -> Value
  ) throws -> Value {
    let total = inputs.reduce(0) { $0 + ($1.byteCount ?? 0) }
    let value = try reporting(.reading, of: total, onProgress, body)
    try Task.checkCancellation()
    return value
  }

  static func write(
    _ inputs: [any ByteSource], to output: Path, _ options: OutputFile.Options,
    _ onProgress: (OperationProgress) throws -> Void,
    _ makePlan: (@escaping (Int) -> Bool) throws -> OutputPlan
  ) throws -> [Notice] {
    for case let file as FileSource in inputs { options.inputs.add(file.identity) }
    let file = try OutputFile(output, options: options)
    let plan = try read(inputs, onProgress, makePlan)
    try reporting(.writing, of: plan.byteCount, onProgress) { onWritten in
      file.onProgress = onWritten
      defer { file.onProgress = nil }
      try plan.write(to: file)
      // A small file is written before progress is reported again.
      guard onWritten(plan.byteCount) else { throw CancellationError() }
      try file.commit()
    }
    return plan.notices
  }

  /// Does one phase. Its closure for progress stops it where the task was cancelled or `onProgress` has thrown.
  private static func reporting<Value>(
    _ phase: OperationProgress.Phase, of total: Int, _ onProgress: (OperationProgress) throws -> Void,
    _ body: (@escaping (Int) -> Bool) throws -> Value
  ) throws -> Value {
    try withoutActuallyEscaping(onProgress) { onProgress in
      var thrown: (any Error)?
      func report(_ completed: Int) -> Bool {
        do {
          try Task.checkCancellation()
          try onProgress(OperationProgress(phase: phase, completed: completed, total: total))
          return true
        } catch {
          thrown = thrown ?? error
          return false
        }
      }
      guard report(0) else { throw thrown ?? CancellationError() }
      do {
        // The end is reported once, also where the operation does.
        let result = try body { $0 <= 0 || $0 >= total ? thrown == nil && !Task.isCancelled : report($0) }
        if !report(total), let thrown, !(thrown is CancellationError) { throw thrown }
        return result
      } catch {
        throw thrown ?? (Task.isCancelled ? CancellationError() : error)
      }
    }
  }
}
