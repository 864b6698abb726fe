public import Bytes
import ISOBMFF

/// Ranges of sources to be copied one after the other; those that follow each other in a source are one.
struct CopyPlan: Sendable {
  struct Piece: Sendable {
    var source: Int
    var range: Range<Int>
  }
  private(set) var pieces: [Piece] = []
  /// The number of bytes of all ranges.
  private(set) var byteCount = 0

  /// Makes room for so many pieces, so that they are not moved as they become more.
  mutating func reserve(_ count: Int) { pieces.reserveCapacity(count) }

  mutating func append(_ range: Range<Int>, of source: Int) {
    guard !range.isEmpty else { return }
    byteCount += range.count
    if let last = pieces.indices.last, pieces[last].source == source, pieces[last].range.upperBound == range.lowerBound
    {
      pieces[last].range = pieces[last].range.lowerBound..<range.upperBound
    } else {
      pieces.append(Piece(source: source, range: range))
    }
  }

  func write(to sink: any ByteSink, from sources: [any ByteSource]) throws(IOError) {
    for piece in pieces { try sink.copy(piece.range, of: sources[piece.source]) }
  }
}

/// A file that is computed and can be written: boxes, ranges of sources, and what there is to say about it.
public struct OutputPlan: Sendable {
  /// One part after the other.
  enum Part {
    /// New bytes.
    case bytes([UInt8])
    /// Boxes, of which what was not edited is in the sources.
    case boxes(BoxSerializer)
    /// Ranges of the sources.
    case copies(CopyPlan)
  }
  var parts: [Part] = []
  let sources: [any ByteSource]
  /// What was met, decided and lost.
  public package(set) var diagnostics: [Diagnostic]
  /// What else was decided, without what the plan itself knows.
  var decisions: DefragmentReport?

  init(sources: [any ByteSource], diagnostics: [Diagnostic]) {
    self.sources = sources
    self.diagnostics = diagnostics
  }

  /// The number of bytes that `write` will write.
  public var byteCount: Int {
    parts.reduce(0) { sum, part in
      switch part {
      case .bytes(let bytes): sum + bytes.count
      case .boxes(let boxes): sum + boxes.size
      case .copies(let plan): sum + plan.byteCount
      }
    }
  }
  /// How much the most severe of the diagnostics matters; `nil` when there are none.
  public var severity: Diagnostic.Severity? { diagnostics.map(\.severity).max() }

  /// Adds a range of a source; one that continues where the last part ends becomes part of it.
  mutating func copy(_ range: Range<Int>, of source: Int) {
    if case .copies(var plan)? = parts.last {
      parts.removeLast()
      plan.append(range, of: source)
      parts.append(.copies(plan))
    } else {
      var plan = CopyPlan()
      plan.append(range, of: source)
      parts.append(.copies(plan))
    }
  }

  /// Writes the file.
  public func write(to sink: any ByteSink) throws(IOError) {
    for part in parts {
      switch part {
      case .bytes(let bytes): try sink.write(bytes)
      case .boxes(let boxes): try boxes.write(to: sink, from: sources)
      case .copies(let plan): try plan.write(to: sink, from: sources)
      }
    }
  }
}
