// The long operations in tasks. They work in threads of the library, while the task is suspended. Cancelling the task
// stops them and leaves no output.

/// An operation that reads the sample tables of its inputs and plans an output.
public protocol MediaOperation: Sendable {
  /// The plan: a ``FilePlan``, a ``FolderPlan``, or both.
  associatedtype Plan: Sendable

  /// Reads the inputs, but not their media. `onProgress` is called with the number of bytes read and returns whether to
  /// continue.
  func plan(_ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool) throws(MovieError) -> Plan

  /// The operation for an output with this name, where the name matters.
  func writing(to name: String) -> Self
}

extension MediaOperation {
  /// The operation itself: its output does not depend on the name.
  public func writing(to name: String) -> Self { self }
}

/// Reading takes this part of an operation that also writes: the tables of a movie are small compared with its media.
private let readingShare = 0.1

extension MediaOperation {
  /// Reads the inputs, but not their media, in a thread of the library.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  public func plan(
    _ inputs: [any ByteSource], onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> Plan {
    try await MediaThread.read(inputs.byteCount, onProgress) { try plan(inputs, onProgress: $0) }
  }

  fileprivate func plan(_ inputs: [any ByteSource], _ share: Double, _ progress: ProgressReporter) throws -> Plan {
    try progress.phase(.reading, share: share, of: inputs.byteCount) { try plan(inputs, onProgress: $0) }
  }
}

extension MediaOperation where Plan: FilePlan {
  /// Writes one file from `inputs`: a file, or an init segment and its media segments.
  ///
  /// - Parameters:
  ///   - inputs: The inputs. No input is ever replaced.
  ///   - output: The file to write; it appears under its final name when it is complete.
  ///   - options: How the output is written.
  ///   - onProgress: Receives the progress.
  /// - Returns: Diagnostics, including decisions, repairs and data loss.
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], to output: some PathnameConvertible & Sendable,
    options: OutputFile.Options = OutputFile.Options(), onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> [Diagnostic] {
    try await MediaThread.run {
      var options = options
      for case let file as FileSource in inputs { options.inputs.insert(file.identity) }
      let (file, progress) = (try io(OutputFile(output.pathname, options: options)), ProgressReporter(onProgress))
      let plan = try writing(to: output.pathname.description).plan(inputs, readingShare, progress)
      try plan.write(to: file, 1 - readingShare, progress)
      return plan.diagnostics
    }
  }

  /// Writes one file from the files at these paths, like the same function for sources. Every path is a file name, even
  /// `-`.
  @discardableResult
  public func run<Path: PathnameConvertible & Sendable>(
    _ paths: [Path], to output: some PathnameConvertible & Sendable,
    options: OutputFile.Options = OutputFile.Options(), onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> [Diagnostic] {
    let inputs = try await MediaThread.run { try openSources(paths) }
    return try await run(inputs, to: output, options: options, onProgress: onProgress)
  }

  /// Writes one file from `inputs` to a sink, like `run(_:to:options:onProgress:)`.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], to sink: any ByteSink & Sendable,
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> [Diagnostic] {
    try await MediaThread.run {
      let progress = ProgressReporter(onProgress)
      let plan = try plan(inputs, readingShare, progress)
      try plan.write(to: sink, 1 - readingShare, progress)
      return plan.diagnostics
    }
  }

  /// Makes one file from `inputs` in memory, like `run(_:to:options:onProgress:)`; returns its bytes and the
  /// diagnostics.
  public func run(
    inMemory inputs: [any ByteSource], onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> (bytes: [UInt8], diagnostics: [Diagnostic]) {
    try await MediaThread.run {
      let progress = ProgressReporter(onProgress)
      let plan = try plan(inputs, readingShare, progress)
      return (try plan.bytes(1 - readingShare, progress), plan.diagnostics)
    }
  }
}

extension MediaOperation where Plan: FolderPlan {
  /// Writes a folder of files from `inputs`, like `run(_:to:options:onProgress:)`. The folder must not exist, or must
  /// be empty.
  @discardableResult
  public func run(
    _ inputs: [any ByteSource], toFolder output: some PathnameConvertible & Sendable, syncs: Bool = false,
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> [Diagnostic] {
    try await MediaThread.run {
      let (folder, progress) = (try io(OutputFolder(output.pathname, syncs: syncs)), ProgressReporter(onProgress))
      // Segments are MP4 files.
      let plan = try writing(to: "init.mp4").plan(inputs, readingShare, progress)
      try plan.write(to: folder, 1 - readingShare, progress)
      return plan.diagnostics
    }
  }
}

extension MediaOperation where Plan: FolderPlan {
  /// Writes a folder of files from the files at these paths, like the same function for sources.
  @discardableResult
  public func run<Path: PathnameConvertible & Sendable>(
    _ paths: [Path], toFolder output: some PathnameConvertible & Sendable, syncs: Bool = false,
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> [Diagnostic] {
    let inputs = try await MediaThread.run { try openSources(paths) }
    return try await run(inputs, toFolder: output, syncs: syncs, onProgress: onProgress)
  }
}

extension Defragmenter {
  /// Converts a fragmented file to a progressive one in place; see ``planInPlace(_:onProgress:)``. If the operation
  /// cannot be completed, the file is not changed.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  @discardableResult
  public func run(
    inPlace path: some PathnameConvertible & Sendable, onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> [Diagnostic] {
    try await MediaThread.run {
      let (file, progress) = (try io(InPlaceFile(path.pathname)), ProgressReporter(onProgress))
      let plan = try progress.phase(.reading, share: readingShare, of: file.source.size) {
        try planInPlace(file.source, onProgress: $0)
      }
      do {
        try progress.phase(.writing, share: 1 - readingShare, of: plan.byteCount) { onWritten in
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
}

extension Movie {
  /// Reads the sample tables of `inputs`, one movie or an init segment and its media segments, in a thread of the
  /// library.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  public init(
    reading inputs: [any ByteSource], _ options: ReadingOptions = ReadingOptions(),
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    self = try await MediaThread.read(inputs.byteCount, onProgress) {
      try Movie(reading: inputs, options, onProgress: $0)
    }
  }

  /// Reads the files at these paths, like `init(reading:_:onProgress:)` for sources. Every path is a file name, even
  /// `-`.
  public init<Path: PathnameConvertible & Sendable>(
    reading paths: [Path], _ options: ReadingOptions = ReadingOptions(),
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    self = try await Movie(reading: MediaThread.run { try openSources(paths) }, options, onProgress: onProgress)
  }
}

extension FilePlan {
  /// Writes the file, which appears under its final name when it is complete.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  public func write(
    to output: some PathnameConvertible & Sendable, options: OutputFile.Options = OutputFile.Options(),
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    try await MediaThread.run {
      try write(to: io(OutputFile(output.pathname, options: options)), 1, ProgressReporter(onProgress))
    }
  }

  /// Writes the file to a sink, in a thread of the library.
  public func write(
    to sink: any ByteSink & Sendable, onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    try await MediaThread.run { try write(to: sink, 1, ProgressReporter(onProgress)) }
  }

  /// The bytes of the file.
  public func bytes(onProgress: @escaping OperationProgress.Handler = { _ in }) async throws -> [UInt8] {
    try await MediaThread.run { try bytes(1, ProgressReporter(onProgress)) }
  }

  fileprivate func write(to file: OutputFile, _ share: Double, _ progress: ProgressReporter) throws {
    try complete(file, of: byteCount, share, progress) {
      try write(to: file)
      try file.flush()
    }
  }

  fileprivate func write(to sink: any ByteSink, _ share: Double, _ progress: ProgressReporter) throws {
    try progress.phase(.writing, share: share, of: byteCount) { try write(to: CountedSink(sink, $0)) }
  }

  fileprivate func bytes(_ share: Double, _ progress: ProgressReporter) throws -> [UInt8] {
    let sink = MemorySink(capacity: byteCount)
    try write(to: sink, share, progress)
    return sink.bytes
  }
}

extension FolderPlan {
  /// Writes the files to a folder, which appears under its final name when it is complete. The folder must not exist,
  /// or must be empty.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  public func write(
    toFolder output: some PathnameConvertible & Sendable, syncs: Bool = false,
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    try await MediaThread.run {
      try write(to: io(OutputFolder(output.pathname, syncs: syncs)), 1, ProgressReporter(onProgress))
    }
  }

  fileprivate func write(to folder: OutputFolder, _ share: Double, _ progress: ProgressReporter) throws {
    try complete(folder, of: folderByteCount, share, progress) {
      try write(to: folder)
      try folder.flush()
    }
  }
}

/// Writes a file or a folder, and completes it; after an error, nothing of it remains.
private func complete(
  _ output: some SafeOutput, of byteCount: Int, _ share: Double, _ progress: ProgressReporter,
  _ body: () throws -> Void
) throws {
  do {
    try progress.phase(.writing, share: share, of: byteCount) { onWritten in
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

/// Counts the bytes that another sink gets.
private final class CountedSink: ByteSink {
  private let sink: any ByteSink
  private let onProgress: (Int) -> Bool
  private(set) var position = 0
  var name: String { sink.name }
  /// The number of bytes per copy, so that progress is reported in between.
  private static let step = 4 << 20

  init(_ sink: any ByteSink, _ onProgress: @escaping (Int) -> Bool) {
    (self.sink, self.onProgress) = (sink, onProgress)
  }

  func write(_ bytes: RawSpan) throws(IOError) {
    try sink.write(bytes)
    try advance(bytes.byteCount)
  }
  func write(_ bytes: [UInt8]) throws(IOError) {
    try sink.write(bytes)
    try advance(bytes.count)
  }
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    var start = range.lowerBound
    while start < range.upperBound {
      let part = start..<min(start + Self.step, range.upperBound)
      try sink.copy(part, of: source)
      try advance(part.count)
      start = part.upperBound
    }
  }
  private func advance(_ count: Int) throws(IOError) {
    position += count
    if !onProgress(position) { throw IOError(.write, file: name, reason: "the operation was stopped") }
  }
}
