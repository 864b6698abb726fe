public import Bytes
import ISOBMFF

/// The writes by which a fragmented file becomes a progressive one in place, in their order.
///
/// After every one of them, and wherever the power is lost, the file is either still the same fragmented one or the
/// finished progressive one.
public struct InPlacePlan: Sendable {
  enum Step {
    /// These bytes in the place of those at an offset, all of them in one sector.
    case replace([UInt8], at: Int)
    /// All of this from an offset on.
    case append(OutputPlan, at: Int)
    /// The write after which the file is the progressive one.
    case commit([UInt8], at: Int)
    /// Later writes may reach the disk only after all earlier ones.
    case synchronize
  }
  var steps: [Step] = []
  /// Diagnostics: problems, decisions and losses.
  public internal(set) var diagnostics: [Diagnostic]
  var decisions: DefragmentReport?

  init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// The decisions, or the contents of a file that is already progressive; `nil` if its tables are damaged. The size of
  /// its output is that of the appended bytes.
  public var report: DefragmentReport? {
    guard var report = decisions else { return nil }
    report.diagnostics = diagnostics
    report.output.byteCount = byteCount
    return report
  }
  /// Whether there is nothing to be done, because the file is progressive already.
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
      case .commit(let bytes, let offset): try sink.commit(bytes, at: offset)
      case .synchronize: try sink.synchronize()
      }
    }
  }
}
