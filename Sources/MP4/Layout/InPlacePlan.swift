public import Bytes
import ISOBMFF

/// The writes by which a file is changed in place, in their order.
///
/// After every one of them, and wherever the power is lost, the file reads either as it did before or as it will when
/// all of them are done.
public struct InPlacePlan: Sendable {
  enum Step {
    /// These bytes in the place of those at an offset, all of them in one sector.
    case replace([UInt8], at: Int)
    /// All of this from an offset on.
    case append(OutputPlan, at: Int)
    /// These bytes in free space.
    case fill([UInt8], at: Int)
    /// Zeros in free space.
    case clear(Range<Int>)
    /// The write after which the file reads as it will.
    case commit([UInt8], at: Int)
    /// Later writes may reach the disk only after all earlier ones.
    case synchronize
  }
  var steps: [Step] = []
  /// Diagnostics: problems, decisions and losses.
  public internal(set) var diagnostics: [Diagnostic]
  var decisions: DefragmentReport?

  /// The number of zeros that are written at once.
  private static let zeroCount = 1 << 20

  init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// The decisions, or the contents of a file that is already progressive; `nil` if its tables are damaged. The size of
  /// its output is that of the appended bytes.
  public var report: DefragmentReport? {
    guard var report = decisions else { return nil }
    report.diagnostics = diagnostics
    report.output.byteCount = byteCount
    return report
  }
  /// Whether there is nothing to be done.
  public var isEmpty: Bool { steps.isEmpty }
  /// The number of bytes that are appended.
  public var byteCount: Int {
    steps.reduce(0) { sum, step in if case .append(let plan, _) = step { sum + plan.byteCount } else { sum } }
  }
  /// How much the most severe of the diagnostics matters; `nil` when there are none.
  public var severity: Diagnostic.Severity? { diagnostics.map(\.severity).max() }

  /// Changes the file. If this fails before the last write, the sink has to undo the changes.
  public func write(to sink: any InPlaceSink) throws(IOError) {
    for step in steps {
      switch step {
      case .replace(let bytes, let offset): try sink.replace(bytes, at: offset)
      case .append(let plan, let offset):
        try sink.append(at: offset)
        try plan.write(to: sink)
      case .fill(let bytes, let offset): try sink.overwrite(bytes, at: offset)
      case .clear(let range):
        let zeros = [UInt8](repeating: 0, count: min(range.count, Self.zeroCount))
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.zeroCount) {
          try sink.overwrite(Array(zeros.prefix(range.upperBound - start)), at: start)
        }
      case .commit(let bytes, let offset): try sink.commit(bytes, at: offset)
      case .synchronize: try sink.synchronize()
      }
    }
  }
}

extension InPlacePlan {
  /// The contents of the file after all changes.
  func finished(_ source: any ByteSource) throws(IOError) -> PlannedSource {
    let result = PlannedSink(name: source.name)
    try result.copy(0..<(source.byteCount ?? 0), of: source)
    for step in steps {
      switch step {
      case .replace(let bytes, let offset), .commit(let bytes, let offset), .fill(let bytes, let offset):
        result.replace(bytes, at: offset)
      case .append(let plan, let offset):
        result.truncate(to: offset)
        try result.append(plan)
      // Nothing reads what is cleared.
      case .clear, .synchronize: break
      }
    }
    return PlannedSource(result.file, name: source.name)
  }
}
