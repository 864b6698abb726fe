/// Receives boxes and their fields: the text dump and the JSON dump are sinks.
public protocol BoxSink: FieldSink {
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
  }
  private var parser: BoxParser
  /// The first box, when it was looked at already.
  private var first: BoxNode?
  private var openCount = 0
  private var summary = Summary()
  private var selector: BoxSelector
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

  /// A dump of what is selected of `source`; `movie` is what a movie box elsewhere says of its fragments.
  public init(_ source: any ByteSource, _ selection: BoxSelection = BoxSelection(), movie: MovieContext? = nil) {
    parser = BoxParser(source, movie: movie)
    selector = BoxSelector(selection)
  }

  /// Looks at the beginning: `nil` when there is a box somewhere, otherwise why there is none.
  public mutating func reasonForNoBoxes() throws(IOError) -> String? {
    guard let node = try parser.next() else { return "the file is empty" }
    first = node
    guard node.isRemainder, node.problem != nil, node.header.end == parser.source.byteCount else { return nil }
    return "this is not an MP4 file: its \(node.header.end) bytes hold no box"
  }

  /// Shows everything and says what was met. An error of the output is thrown as well as one of the source.
  public mutating func run(to sink: any BoxSink) throws(IOError) -> Summary {
    parser.followsTimes = sink.wantsDerivedValues
    while let node = try nextNode() {
      if node.depth == 0 { isInMovie = node.type == "moov" }
      let depth = selector.depth(of: node)
      if let depth { try show(node, depth: depth, to: sink) }
      // What the movie box says is needed to read the fragments, whatever of it is shown.
      if !isInMovie, selector.skipsBoxes(depth: depth) { parser.skipBoxes() }
      if node.depth == 0, let failure = sink.failure { throw failure }
    }
    close(to: 0, sink)
    return summary
  }

  private mutating func show(_ node: BoxNode, depth: Int, to sink: any BoxSink) throws(IOError) {
    var node = node
    node.depth = depth
    close(to: depth, sink)
    let types = selector.selection.types
    if !types.isEmpty {
      around.removeLast(max(0, around.count - depth))
      guard types.contains(node.type) else { return try keep(node) }
      for outer in around[openCount...] { show(outer, to: sink) }
      try keep(node)
    }
    sink.beginBox(node) { parser.path }
    let (rest, problem) = try showFields(of: node, to: sink)
    if sink.wantsDerivedValues, node.context.parent == "stsd", !node.isRemainder {
      for (name, value) in try parser.derivedValues(of: node) { sink.derived(name, value) }
    }
    if let limit = selector.selection.byteLimit { try showBytes(of: node, limit, to: sink) }
    sink.endFields(rest: rest, problem: problem)
    note(node, problem)
    openCount += 1
  }

  /// Notes a box that is shown only if something in it is.
  private mutating func keep(_ node: BoxNode) throws(IOError) {
    guard case .boxes(let payload) = node.content else { return }
    let sink = HeaderSink()
    if payload != nil { _ = try parser.show(node, to: sink) }
    around.append(Surrounding(node: node, path: parser.path, header: sink.header))
  }

  private mutating func show(_ outer: Surrounding, to sink: any BoxSink) {
    sink.beginBox(outer.node) { outer.path }
    if let header = outer.header { sink.fullBoxHeader(header, flags: "") }
    sink.endFields(rest: [], problem: outer.node.problem)
    note(outer.node, outer.node.problem)
    openCount += 1
  }

  /// Shows the header and the fields of a box as bytes; a multiple of a line at a time.
  private mutating func showBytes(of node: BoxNode, _ limit: Int, to sink: any BoxSink) throws(IOError) {
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

  private mutating func nextNode() throws(IOError) -> BoxNode? {
    guard let node = first else { return try parser.next() }
    first = nil
    return node
  }

  private mutating func showFields(of node: BoxNode, to sink: any BoxSink) throws(IOError)
    -> (rest: ArraySlice<UInt8>, problem: BoxError?)
  {
    switch try parser.show(node, to: sink) {
    case .success(let range): return (try parser.bytes(in: range), node.problem)
    // What is wrong with the box as a whole explains what is wrong inside.
    case .failure(let error): return ([], node.problem ?? error)
    }
  }

  private mutating func close(to depth: Int, _ sink: any BoxSink) {
    while openCount > depth {
      openCount -= 1
      sink.endBox()
    }
  }

  private mutating func note(_ node: BoxNode, _ problem: BoxError?) {
    if case .remainder = node.content {} else { summary.boxes += 1 }
    guard let problem else { return }
    summary.problems += 1
    if summary.firstProblem == nil { summary.firstProblem = (parser.path, problem) }
  }
}
