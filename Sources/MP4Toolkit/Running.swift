// The long operations for asynchronous programs. They do not run on the caller's actor. Cancelling the task stops them
// and leaves no output.

/// The progress of a long operation.
public struct OperationProgress: Hashable, Sendable {
  /// The phase of an operation.
  public enum Phase: Hashable, Sendable {
    /// Reading the sample tables and fragments of the inputs.
    case reading
    /// Writing the output.
    case writing
  }
  /// The current phase.
  public var phase: Phase
  /// The number of bytes processed.
  public var completed: Int
  /// The total number of bytes.
  public var total: Int

  /// The fraction of the phase that is done, from 0 to 1.
  public var fraction: Double { total > 0 ? min(1, Double(completed) / Double(total)) : 1 }
}

/// An operation that reads the sample tables of its inputs and plans an output.
public protocol MediaOperation: Sendable {
  /// The plan: a ``FilePlan``, a ``FolderPlan``, or both.
  associatedtype Plan: Sendable

  /// Reads the inputs, but not their media. `onProgress` is called with the number of bytes read and returns whether to
  /// continue.
  func plan(_ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool) throws(MovieError) -> Plan
}

extension MediaOperation where Plan: FilePlan {
  /// Writes one file from `inputs`: a file, or an init segment and its media segments.
  ///
  /// - Parameters:
  ///   - inputs: The inputs. No input is ever replaced.
  ///   - output: The file to write; it appears under its final name when it is complete.
  ///   - options: How the output is written.
  ///   - onProgress: Called at the start and end of each phase, and in between; an error that it throws stops the
  ///     operation.
  /// - Returns: Diagnostics, including decisions, repairs and data loss.
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], to output: Pathname, options: OutputFile.Options = OutputFile.Options(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> [Diagnostic] {
    var options = options
    for case let file as FileSource in inputs { options.inputs.insert(file.identity) }
    let file = try io(OutputFile(output, options: options))
    let plan = try Running.read(inputs, onProgress) { try self.plan(inputs, onProgress: $0) }
    try Running.write(plan, to: file, onProgress)
    return plan.diagnostics
  }
}

extension MediaOperation where Plan: FolderPlan {
  /// Writes a folder of files from `inputs`, like `run(_:to:options:onProgress:)`. The folder must not exist, or must
  /// be empty.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], toFolder output: Pathname, syncs: Bool = false,
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> [Diagnostic] {
    let folder = try io(OutputFolder(output, syncs: syncs))
    let plan = try Running.read(inputs, onProgress) { try self.plan(inputs, onProgress: $0) }
    try Running.write(plan, to: folder, onProgress)
    return plan.diagnostics
  }
}

extension Defragmenter {
  /// Converts a fragmented file to a progressive one in place; see ``planInPlace(_:onProgress:)``. If the operation
  /// cannot be completed, the file is not changed.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  @discardableResult
  public func runInPlace(
    _ path: Pathname, onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> [Diagnostic] {
    let file = try io(InPlaceFile(path))
    let plan = try Running.read([file.source], onProgress) { try planInPlace(file.source, onProgress: $0) }
    do {
      try Running.phase(.writing, of: plan.byteCount, onProgress) { onWritten in
        file.onProgress = onWritten
        defer { file.onProgress = nil }
        try file.expect(byteCount: plan.byteCount)
        try plan.write(to: file)
      }
    } catch {
      try io(file.revert())
      throw error
    }
    return plan.diagnostics
  }
}

extension Movie {
  /// Reads the sample tables of `inputs`, which takes a while for very long recordings; see
  /// ``MediaOperation/run(_:to:options:onProgress:)``.
  public static func read(
    _ inputs: [any ByteSource], _ options: ReadingOptions = ReadingOptions(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> Movie {
    try Running.read(inputs, onProgress) { try Movie(reading: inputs, options, onProgress: $0) }
  }
}

extension FilePlan {
  /// Writes the file, which appears under its final name when it is complete; see
  /// ``MediaOperation/run(_:to:options:onProgress:)``.
  public func write(
    to output: Pathname, options: OutputFile.Options = OutputFile.Options(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws {
    try Running.write(
      self, to: io(OutputFile(output, options: options)), onProgress)
  }
}

extension FolderPlan {
  /// Writes the files to a folder, which appears under its final name when it is complete. The folder must not exist,
  /// or must be empty; see ``MediaOperation/run(_:to:options:onProgress:)``.
  public func write(
    toFolder output: Pathname, syncs: Bool = false,
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws {
    try Running.write(
      self, to: io(OutputFolder(output, syncs: syncs)), onProgress)
  }
}

/// The common part of the asynchronous variants.
private enum Running {
  typealias OnProgress = (OperationProgress) throws -> Void

  static func read<Value>(
    _ inputs: [any ByteSource], _ onProgress: OnProgress, _ body: (@escaping (Int) -> Bool) throws -> Value
  ) throws -> Value {
    try phase(.reading, of: inputs.reduce(0) { $0 + ($1.byteCount ?? 0) }, onProgress, body)
  }

  static func write(_ plan: some FilePlan, to file: OutputFile, _ onProgress: OnProgress) throws {
    try write(to: file, of: plan.byteCount, onProgress) {
      try plan.write(to: file)
      try file.flush()
    }
  }
  static func write(_ plan: some FolderPlan, to folder: OutputFolder, _ onProgress: OnProgress) throws {
    try write(to: folder, of: plan.folderByteCount, onProgress) {
      try plan.write(to: folder)
      try folder.flush()
    }
  }
  private static func write(
    to output: some SafeOutput, of byteCount: Int, _ onProgress: OnProgress, _ body: () throws -> Void
  ) throws {
    do {
      try phase(.writing, of: byteCount, onProgress) { onWritten in
        output.onProgress = onWritten
        defer { output.onProgress = nil }
        try output.expect(byteCount: byteCount)
        try body()
      }
      try io(output.commit())
    } catch {
      output.discard()
      throw error
    }
  }

  /// Runs one phase, and reports its start and end. The closure passed to `body` stops it if the task was cancelled
  /// or `onProgress` has thrown.
  static func phase<Value>(
    _ phase: OperationProgress.Phase, of total: Int, _ onProgress: OnProgress,
    _ body: (@escaping (Int) -> Bool) throws -> Value
  ) throws -> Value {
    try withoutActuallyEscaping(onProgress) { onProgress in
      var thrown: (any Error)?
      var reported = -1
      func report(_ completed: Int) -> Bool {
        do {
          try Task.checkCancellation()
          // Reported values only increase, so that the start and the end are reported once.
          if min(completed, total) > reported {
            reported = min(completed, total)
            try onProgress(OperationProgress(phase: phase, completed: reported, total: total))
            try Task.checkCancellation()
          }
        } catch { thrown = thrown ?? error }
        return thrown == nil
      }
      do {
        _ = report(0)
        if let thrown { throw thrown }
        let result = try body(report)
        _ = report(total)
        if let thrown { throw thrown }
        return result
      } catch let error as IOError where thrown == nil {
        throw MovieError.io(error)
      } catch {
        throw thrown ?? error
      }
    }
  }
}
