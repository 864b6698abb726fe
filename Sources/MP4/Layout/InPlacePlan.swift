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
    /// The write that makes the file another.
    case commit([UInt8], at: Int)
    /// What comes next may only reach the disk when everything before it has.
    case synchronize
  }
  var steps: [Step] = []
  /// What was met, decided and lost.
  public internal(set) var diagnostics: [Diagnostic]
  var decisions: DefragmentReport?

  init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// What was decided, or what there is in a file that is progressive already; `nil` when its tables are damaged. Its
  /// output has the size of what is appended.
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

  /// Changes the file. When this fails before the last write, the sink has to take back what was done.
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
