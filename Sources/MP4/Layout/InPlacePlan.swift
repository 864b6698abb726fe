import ISOBMFF
public import MP4Bytes

/// The writes that change a file in place, in order.
///
/// After each write, and after a power failure at any point, the file reads either as before or as after all writes.
/// Locations in samples are an exception, because they are overwritten one after another before the other changes: some
/// of them can be overwritten and others not. The samples can be read at any time.
public struct InPlacePlan: Sendable {
  enum Step {
    /// Overwrites bytes at an offset, all of them in one sector.
    case replace([UInt8], at: Int)
    /// Writes a file from an offset on.
    case append(OutputPlan, at: Int)
    /// Overwrites bytes in free space.
    case fill([UInt8], at: Int)
    /// Overwrites a part of a sample, as it already is in the source of the edit.
    case blank([UInt8], at: Int)
    /// Overwrites a range in free space with zeros.
    case clear(Range<Int>)
    /// The write that makes the change effective.
    case commit([UInt8], at: Int)
    /// Later writes must not reach the disk before all earlier ones.
    case synchronize
  }
  var steps: [Step] = []
  /// Whether the movie box moves after the media data.
  var movesMovie = false
  /// Diagnostics, including decisions and data loss.
  public internal(set) var diagnostics: [Diagnostic]
  var decisions: DefragmentReport?

  /// The number of zeros per write.
  private static let zeroCount = 1 << 20

  init(diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// The decisions, or the contents of a file that is already progressive; `nil` if its tables are damaged. The size of
  /// its output is the number of appended bytes.
  public var report: DefragmentReport? {
    guard var report = decisions else { return nil }
    report.diagnostics = diagnostics
    report.output.byteCount = byteCount
    return report
  }
  /// Whether nothing needs to be written.
  public var isEmpty: Bool { steps.isEmpty }
  /// The number of bytes that are appended.
  public var byteCount: Int {
    steps.reduce(0) { sum, step in if case .append(let plan, _) = step { sum + plan.byteCount } else { sum } }
  }
  /// The highest severity of the diagnostics; `nil` if there are none.
  public var severity: Diagnostic.Severity? { diagnostics.map(\.severity).max() }

  /// Changes the file. If this fails before the last write, the sink must undo the changes.
  public func write(to sink: any InPlaceSink) throws(IOError) {
    for step in steps {
      switch step {
      case .replace(let bytes, let offset): try sink.replace(bytes, at: offset)
      case .append(let plan, let offset):
        try sink.append(at: offset)
        try plan.write(to: sink)
      case .fill(let bytes, let offset), .blank(let bytes, let offset): try sink.overwrite(bytes, at: offset)
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
      // Cleared bytes are not read.
      case .clear, .blank, .synchronize: break
      }
    }
    return PlannedSource(result.file, name: source.name)
  }
}
