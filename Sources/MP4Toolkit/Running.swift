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

/// An operation that reads what its inputs say of their media and works out what is written.
public protocol MediaOperation: Sendable {
  /// What is worked out: a ``FilePlan``, a ``FolderPlan``, or both.
  associatedtype Plan: Sendable

  /// Reads the inputs, in which no media is read. `onProgress` is called with how many bytes have been read, and says whether
  /// to go on.
  func plan(_ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool) throws(MovieError) -> Plan
}

extension MediaOperation where Plan: FilePlan {
  /// Writes one file from `inputs`: a file, or an init segment and its segments.
  ///
  /// - Parameters:
  ///   - inputs: What is read. No input is ever replaced.
  ///   - output: The file that is written; it appears under its name when it is complete.
  ///   - options: How the output is made.
  ///   - onProgress: Called at the start and at the end of each phase and in between; an error that it throws stops the
  ///     operation.
  /// - Returns: What was met, decided and lost.
  /// - Throws: `MovieError`; `CancellationError` where the task was cancelled; what `onProgress` throws.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], to output: Pathname, options: OutputFile.Options = OutputFile.Options(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> [Notice] {
    for case let file as FileSource in inputs { options.inputs.add(file.identity) }
    let file = try Running.opening { () throws(IOError) in try OutputFile(output, options: options) }
    let plan = try Running.read(inputs, onProgress) { try self.plan(inputs, onProgress: $0) }
    try Running.write(plan, to: file, onProgress)
    return plan.notices
  }
}

extension MediaOperation where Plan: FolderPlan {
  /// Writes a folder of files from `inputs`, as `run(_:to:options:onProgress:)` writes one file. There must be nothing of
  /// its name, or an empty folder.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], toFolder output: Pathname, syncs: Bool = false,
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> [Notice] {
    let folder = try Running.opening { () throws(IOError) in try OutputFolder(output, syncs: syncs) }
    let plan = try Running.read(inputs, onProgress) { try self.plan(inputs, onProgress: $0) }
    try Running.write(plan, to: folder, onProgress)
    return plan.notices
  }
}

extension Defragmenter {
  /// Makes a fragmented file progressive where it stands; see ``planInPlace(_:onProgress:)``. A file of which not
  /// everything could be done is what it was before.
  ///
  /// - Throws: `MovieError`; `CancellationError` where the task was cancelled; what `onProgress` throws.
  @discardableResult
  public func runInPlace(
    _ path: Pathname, onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> [Notice] {
    let file = try Running.opening { () throws(IOError) in try InPlaceFile(path) }
    let plan = try Running.read([file.source], onProgress) { try planInPlace(file.source, onProgress: $0) }
    do {
      try Running.phase(.writing, of: plan.byteCount, onProgress) { onWritten in
        file.onProgress = onWritten
        defer { file.onProgress = nil }
        try file.expect(byteCount: plan.byteCount)
        try plan.write(to: file)
      }
    } catch {
      try Running.opening { () throws(IOError) in try file.takeBack() }
      throw error
    }
    return plan.notices
  }
}

extension Movie {
  /// Reads what `inputs` say of their samples, which takes a while for very long recordings; see
  /// ``MediaOperation/run(_:to:options:onProgress:)``.
  public static func read(
    _ inputs: [any ByteSource], _ options: Defragmenter.Options = Defragmenter.Options(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws -> Movie {
    try Running.read(inputs, onProgress) { try Movie(reading: inputs, options, onProgress: $0) }
  }
}

extension FilePlan {
  /// Writes the file, which appears under its name when it is complete; see
  /// ``MediaOperation/run(_:to:options:onProgress:)``.
  public func write(
    to output: Pathname, options: OutputFile.Options = OutputFile.Options(),
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws {
    try Running.write(
      self, to: Running.opening { () throws(IOError) in try OutputFile(output, options: options) }, onProgress)
  }
}

extension FolderPlan {
  /// Writes the files to a folder, which appears under its name when it is complete. There must be nothing of its name, or
  /// an empty folder; see ``MediaOperation/run(_:to:options:onProgress:)``.
  public func write(
    toFolder output: Pathname, syncs: Bool = false,
    onProgress: @Sendable (OperationProgress) throws -> Void = { _ in }
  ) async throws {
    try Running.write(
      self, to: Running.opening { () throws(IOError) in try OutputFolder(output, syncs: syncs) }, onProgress)
  }
}

/// What the asynchronous forms of all operations share.
private enum Running {
  typealias OnProgress = (OperationProgress) throws -> Void

  /// Opens an output; all errors of an operation are of one type.
  static func opening<Output>(_ body: () throws(IOError) -> Output) throws(MovieError) -> Output {
    do throws(IOError) { return try body() } catch { throw .io(error) }
  }

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
      try opening { () throws(IOError) in try output.commit() }
    } catch {
      output.discard()
      throw error
    }
  }

  /// Does one phase, and reports its start and its end. The closure that `body` gets stops it where the task was cancelled
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
          // What is reported rises, so that the start and the end are reported once.
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
