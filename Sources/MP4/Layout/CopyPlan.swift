import ISOBMFF
public import MP4Bytes

/// Ranges of sources to be copied in order; adjacent ranges of a source are merged.
struct CopyPlan: Sendable {
  struct CopiedRange: Sendable {
    var source: Int
    var range: Range<Int>
  }
  private(set) var pieces: [CopiedRange] = []
  /// The number of bytes of all ranges.
  private(set) var byteCount = 0

  /// Reserves memory for this number of pieces, so that they are not moved when more are added.
  mutating func reserve(_ count: Int) { pieces.reserveCapacity(count) }

  mutating func append(_ range: Range<Int>, of source: Int) {
    guard !range.isEmpty else { return }
    byteCount += range.count
    if let last = pieces.indices.last, pieces[last].source == source, pieces[last].range.upperBound == range.lowerBound
    {
      pieces[last].range = pieces[last].range.lowerBound..<range.upperBound
    } else {
      pieces.append(CopiedRange(source: source, range: range))
    }
  }

  func write(to sink: any ByteSink, from sources: [any ByteSource]) throws(IOError) {
    let cancellation = Cancellation.current
    for piece in pieces {
      if let cancellation, cancellation.isRequested { try Cancellation.check(.write, of: sink.name) }
      try sink.copyMedia(piece.range, of: sources[piece.source])
    }
  }
}

extension ByteSink {
  /// Copies a range of a source; of a planned file, the parts of its sources, which the system can copy.
  func copyMedia(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    switch source {
    case let source as DecryptedSource: try source.copy(range, to: self)
    case let source as PlannedSource: try source.copy(range, to: self)
    default: try copy(range, of: source)
    }
  }
}

/// A planned file: boxes, ranges of sources, and diagnostics.
public struct OutputPlan: Sendable {
  /// A part of the file.
  enum Part {
    /// New bytes.
    case bytes([UInt8])
    /// Boxes, whose unedited parts are copied from the sources.
    case boxes(BoxSerializer)
    /// Ranges of the sources.
    case copies(CopyPlan)
  }
  var parts: [Part] = []
  let sources: [any ByteSource]
  /// Diagnostics, including decisions and data loss.
  public package(set) var diagnostics: [Diagnostic]
  /// Other decisions, without those that the plan itself contains.
  var decisions: DefragmentReport?

  init(sources: [any ByteSource], diagnostics: [Diagnostic]) {
    self.sources = sources
    self.diagnostics = diagnostics
  }

  /// The number of bytes that `write` writes.
  public var byteCount: Int {
    parts.reduce(0) { sum, part in
      switch part {
      case .bytes(let bytes): sum + bytes.count
      case .boxes(let boxes): sum + boxes.size
      case .copies(let plan): sum + plan.byteCount
      }
    }
  }
  /// The highest severity of the diagnostics; `nil` if there are none.
  public var severity: Diagnostic.Severity? { diagnostics.map(\.severity).max() }

  /// Adds a range of a source; merged with the last part if they are adjacent.
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

  /// The planned file, which can be read without being written.
  public func preview(name: String) throws(IOError) -> any ByteSource { try PlannedSource(self, name: name) }

  /// Writes the file to `sink`.
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
