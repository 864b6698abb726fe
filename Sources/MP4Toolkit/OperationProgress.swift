import MP4
import MP4Bytes

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
  /// The fraction of the whole operation that is done, from 0 to 1. It never decreases; `nil` while it is unknown,
  /// because an input has no known size.
  public var fraction: Double?

  /// Receives the progress in a thread of the library, at most a thousand times; an error that it throws stops the
  /// operation.
  public typealias Handler = @Sendable (OperationProgress) throws -> Void
}

/// Calls a handler with the progress of one operation. The thread of the operation uses it.
final class ProgressReporter {
  private let onProgress: OperationProgress.Handler
  private var latest: OperationProgress?
  /// The fraction of the operation that the previous phases were.
  private var done = 0.0
  /// The error of the handler.
  private var failure: (any Error)?

  /// Smaller steps are not reported.
  private static let step = 0.001

  init(_ onProgress: @escaping OperationProgress.Handler) { self.onProgress = onProgress }

  /// Runs a phase that is this share of the operation. `body` gets a function for the number of bytes processed, out of
  /// `total`, that returns whether to continue.
  func phase<Value>(
    _ phase: OperationProgress.Phase, share: Double, of total: Int?, _ body: (@escaping (Int) -> Bool) throws -> Value
  ) throws -> Value {
    let start = done
    defer { done = start + share }
    func report(_ part: Double?) -> Bool {
      self.report(OperationProgress(phase: phase, fraction: part.map { start + share * min(1, $0) }))
    }
    do {
      let result =
        try !report(total == nil ? nil : 0)
        ? nil : body { count in report(total.map { $0 > 0 ? Double(count) / Double($0) : 1 }) }
      if let result, report(1) { return result }
    } catch {
      if let error = error as? IOError, failure == nil { throw MovieError.io(error) }
      throw failure ?? error
    }
    throw failure ?? CancellationError()
  }

  /// Calls the handler if the step is large enough; returns whether to continue.
  private func report(_ progress: OperationProgress) -> Bool {
    if Cancellation.current?.isRequested == true { return false }
    let isNew =
      if let latest, latest.phase == progress.phase, let before = latest.fraction {
        progress.fraction.map { $0 >= before + Self.step || $0 >= 1 && before < 1 } ?? false
      } else {
        latest != progress
      }
    guard isNew, failure == nil else { return failure == nil }
    latest = progress
    do { try onProgress(progress) } catch { failure = error }
    return failure == nil && Cancellation.current?.isRequested != true
  }
}

extension MediaThread {
  /// Runs work that only reads, out of a known number of bytes. `work` gets a function for the number of bytes read
  /// that returns whether to continue.
  static func read<Value: Sendable>(
    _ byteCount: Int?, _ onProgress: @escaping OperationProgress.Handler,
    _ work: @escaping @Sendable (@escaping (Int) -> Bool) throws -> Value
  ) async throws -> Value {
    try await run { try ProgressReporter(onProgress).phase(.reading, share: 1, of: byteCount, work) }
  }
}

extension [any ByteSource] {
  /// The number of bytes of all sources; `nil` if one of them is unknown.
  var byteCount: Int? {
    var sum = 0
    for source in self {
      guard let count = source.byteCount else { return nil }
      sum += count
    }
    return sum
  }
}
