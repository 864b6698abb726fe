public import BoxCatalog
public import Bytes
public import ISOBMFF

/// Receives boxes and their fields: the text dump and the JSON dump are sinks.
package protocol BoxSink: FieldSink {
  /// A box begins, or bytes that are not one; its fields follow, then the boxes in it. `path` is the way to it.
  func beginBox(_ node: BoxNode, path: () -> BoxPath)
  /// Where bytes are asked for, the header and fields of the box as they are in the file begin; they come in pieces.
  func beginBytes()
  /// The next bytes of the box, which lie at `offset`.
  func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int)
  /// The bytes end; `omitted` more are not shown.
  func endBytes(omitted: Int)
  /// The fields of the box that began last are complete; `rest` are bytes after the declared ones.
  func endFields(rest: ArraySlice<UInt8>, problem: BoxError?)
  /// The innermost box that is open ends.
  func endBox()
  /// Whether what follows from several boxes is shown, such as the decode times of runs of samples; it costs time.
  var wantsDerivedValues: Bool { get }
  /// Hands on what was shown so far, before what comes next may take long to arrive.
  func flush()
  /// The error of the output, after which there is no point in going on.
  var failure: IOError? { get }
}

/// Shows every box of a source to a sink, in constant memory beside the largest single payload.
public struct BoxDump {
  /// How much was met.
  public struct Summary: Sendable {
    /// The number of boxes.
    public var boxes = 0
    /// The number of places where something is damaged.
    public var problems = 0
    /// The first of them, with the path of its box.
    public var firstProblem: (path: BoxPath, error: BoxError)?
    /// The number of boxes of which something is not known; nothing has to be wrong with them.
    public var notes = 0
    /// The first of them, with its path.
    public var firstNote: (path: BoxPath, error: BoxError)?
    /// The first track of which there are fragments, but nothing in the movie box that was handed over.
    package var unknownTrack: (path: BoxPath, number: UInt32)?
  }
  private var parser: BoxParser
  /// The box that came last.
  private var node = BoxNode()
  /// Whether that is the first box, which was only looked at so far.
  private var isAtFirst = false
  private var openCount = 0
  private var summary = Summary()
  private var selector: BoxSelector
  private var keys = MetadataKeys()
  /// The boxes around the one that came last, where it depends on what is in them whether they are shown.
  private var around: [Surrounding] = []
  /// Whether the box that came last is the movie box or in it.
  private var isInMovie = false

  /// A box that is shown as a bare line when something in it is shown.
  private struct Surrounding {
    var node: BoxNode
    var path: BoxPath
    var header: FullBoxHeader?
  }

  /// A dump of what is selected of `source`; `movie` is what a movie box elsewhere says of its fragments, and
  /// `registry` has the boxes that are known: every one of this package where it is not given.
  public init(
    _ source: any ByteSource, _ selection: BoxSelection = BoxSelection(), movie: MovieContext? = nil,
    registry: BoxRegistry = .standard
  ) {
    parser = BoxParser(source, movie: movie, registry: registry)
    selector = BoxSelector(selection)
  }

  /// Looks at the beginning: `nil` when there is a box somewhere, otherwise why there is none.
  package mutating func reasonForNoBoxes() throws(IOError) -> String? {
    guard try parser.next(into: &node) else { return "the file is empty" }
    isAtFirst = true
    guard node.isRemainder, node.problem != nil, node.header.end == parser.source.byteCount else { return nil }
    if let format = try? ForeignFormat(of: parser.source) { return format.reason }
    return "this is not an MP4 file: its \(counted(node.header.end, "byte holds", "bytes hold")) no box"
  }

  /// Writes everything as text and returns what was met. An error of the output is thrown as well as one of the source.
  public mutating func run(to sink: TextSink) throws(IOError) -> Summary { try run(to: sink as any BoxSink) }

  /// Writes everything as JSON and returns what was met. An error of the output is thrown as well as one of the source.
  public mutating func run(to sink: JSONSink) throws(IOError) -> Summary { try run(to: sink as any BoxSink) }

  /// Shows everything and returns what was met. An error of the output is thrown as well as one of the source.
  package mutating func run(to sink: any BoxSink) throws(IOError) -> Summary {
    parser.followsTimes = sink.wantsDerivedValues
    let wantsKeys = sink.wantsDerivedValues || selector.selection.pattern?.hasKeys == true
    while try goOn() {
      let isOfFile = node.depth == 0
      if isOfFile { isInMovie = node.type == "moov" }
      if wantsKeys { try keys.note(node, &parser) }
      let depth = selector.depth(of: node, key: wantsKeys ? keys.name(of: node) : nil)
      if let depth {
        node.depth = depth
        try show(to: sink)
      }
      // What the movie box says is needed to read the fragments, whatever of it is shown.
      if !isInMovie, selector.skipsBoxes(depth: depth) { parser.skipBoxes() }
      if isOfFile, parser.source.byteCount == nil { sink.flush() }
      if isOfFile, let failure = sink.failure { throw failure }
    }
    close(to: 0, sink)
    return summary
  }

  private mutating func show(to sink: any BoxSink) throws(IOError) {
    close(to: node.depth, sink)
    if !selector.selection.types.isEmpty {
      around.removeLast(max(0, around.count - node.depth))
      guard selector.selection.types.contains(node.type) else { return try keep() }
      for outer in around[openCount...] { show(outer, to: sink) }
      try keep()
    }
    sink.beginBox(node) { parser.path }
    switch try parser.show(&node, to: sink) {
    case .success(let rest): try endFields(rest: rest, problem: node.problem, to: sink)
    // What is wrong with the box as a whole explains what is wrong inside.
    case .failure(let error):
      let rest = error.isNote ? parser.bytesBehindVersion(of: node) : 0..<0
      try endFields(rest: rest, problem: node.problem ?? error, to: sink)
    }
    openCount += 1
  }

  private mutating func endFields(rest: Range<Int>, problem: BoxError?, to sink: any BoxSink) throws(IOError) {
    if sink.wantsDerivedValues, !node.isRemainder {
      if node.context.parent == "stsd", !node.isAdded {
        for (name, value) in try parser.derivedValues(of: node) { sink.derived(name, value) }
      }
      if let key = keys.name(of: node) { sink.derived("key", .text(key)) }
    }
    let bytes = try parser.bytes(in: rest)
    if let limit = selector.selection.byteLimit { try showBytes(limit, to: sink) }
    sink.endFields(rest: bytes, problem: problem)
    note(problem, isBox: !node.isRemainder)
  }

  /// Notes a box that is shown only if something in it is.
  private mutating func keep() throws(IOError) {
    guard case .boxes(let payload) = node.content else { return }
    let sink = HeaderSink()
    if payload != nil { _ = try parser.show(&node, to: sink) }
    around.append(Surrounding(node: node, path: parser.path, header: sink.header))
  }

  private mutating func show(_ outer: Surrounding, to sink: any BoxSink) {
    sink.beginBox(outer.node) { outer.path }
    if let header = outer.header { sink.fullBoxHeader(header, flags: "") }
    sink.endFields(rest: [], problem: outer.node.problem)
    note(outer.node.problem, isBox: true)
    openCount += 1
  }

  /// Shows the header and the fields of a box as bytes; a multiple of a line at a time.
  private mutating func showBytes(_ limit: Int, to sink: any BoxSink) throws(IOError) {
    let isContainer = if case .boxes = node.content { true } else { false }
    let end = isContainer ? node.boxesStart : node.header.end
    let shown = min(end, node.header.offset + min(limit, end - node.header.offset))
    sink.beginBytes()
    var at = node.header.offset
    while at < shown {
      let piece = try parser.bytes(in: at..<min(shown, at + 1 << 15))
      if piece.isEmpty { break }
      sink.bytes(piece, at: at)
      at += piece.count
    }
    sink.endBytes(omitted: end - at)
  }

  /// Goes on to the next box, if there is one.
  private mutating func goOn() throws(IOError) -> Bool {
    guard isAtFirst else { return try parser.next(into: &node) }
    isAtFirst = false
    return true
  }

  private mutating func close(to depth: Int, _ sink: any BoxSink) {
    while openCount > depth {
      openCount -= 1
      sink.endBox()
    }
  }

  private mutating func note(_ problem: BoxError?, isBox: Bool) {
    if isBox { summary.boxes += 1 }
    if let track = parser.unknownTrack, summary.unknownTrack == nil { summary.unknownTrack = (parser.path, track) }
    guard let problem else { return }
    if problem.isNote {
      summary.notes += 1
      if summary.firstNote == nil { summary.firstNote = (parser.path, problem) }
      return
    }
    summary.problems += 1
    if summary.firstProblem == nil { summary.firstProblem = (parser.path, problem) }
  }
}
