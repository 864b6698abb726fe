public import BoxCatalog
public import ISOBMFF
public import MP4Bytes

/// Receives boxes and their fields: the text dump and the JSON dump are sinks.
package protocol BoxSink: FieldSink {
  /// A box begins, or bytes that are not a box. Its fields follow, then the boxes that it contains. `path` returns its
  /// path.
  func beginBox(_ node: BoxNode, path: () -> BoxPath)
  /// The bytes of the header and fields of the box begin, as they are in the file. Called only when bytes are
  /// requested; they arrive in pieces.
  func beginBytes()
  /// The next bytes of the box, which start at `offset`.
  func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int)
  /// The bytes end; `omitted` more are not shown.
  func endBytes(omitted: Int)
  /// The fields of the most recent box are complete; `rest` holds the bytes after the declared fields.
  func endFields(rest: ArraySlice<UInt8>, problem: BoxError?)
  /// The innermost open box ends.
  func endBox()
  /// Whether values that follow from several boxes are shown, such as the decode times of sample runs. They take time.
  var wantsDerivedValues: Bool { get }
  /// Passes on the output so far, because the next data may take long to arrive.
  func flush()
  /// The error of the output; once it is set, there is no point in continuing.
  var failure: IOError? { get }
}

/// Shows every box of a source to a sink. Apart from the largest single payload, memory use is constant.
public struct BoxDump {
  /// What a dump encountered.
  public struct Summary: Sendable {
    /// The number of boxes.
    public var boxes = 0
    /// The number of places that are damaged.
    public var problems = 0
    /// The first damaged place, with the path of its box.
    public var firstProblem: (path: BoxPath, error: BoxError)?
    /// The number of boxes with something unknown, which is not necessarily an error.
    public var notes = 0
    /// The first box with something unknown, with its path.
    public var firstNote: (path: BoxPath, error: BoxError)?
    /// The first track that has fragments but is missing from the movie box that was passed in.
    package var unknownTrack: (path: BoxPath, number: UInt32)?
  }
  private var parser: BoxParser
  /// The current box.
  private var node = BoxNode()
  /// Whether `node` is the first box, which was only inspected so far.
  private var isAtFirst = false
  private var openCount = 0
  private var summary = Summary()
  private var selector: BoxSelector
  private var keys = MetadataKeys()
  /// The ancestors of the current box, kept where their contents determine whether they are shown.
  private var around: [Surrounding] = []
  /// Whether the current box is the movie box or inside it.
  private var isInMovie = false

  /// A box that is shown as a bare line when something inside it is shown.
  private struct Surrounding {
    var node: BoxNode
    var path: BoxPath
    var header: FullBoxHeader?
  }

  /// A dump of the selected boxes of `source`. `movie` is what a movie box in another file says about the fragments.
  /// `registry` has the known boxes; by default, all boxes of this package.
  public init(
    _ source: any ByteSource, _ selection: BoxSelection = BoxSelection(), movie: MovieContext? = nil,
    registry: BoxRegistry = .standard
  ) {
    parser = BoxParser(source, movie: movie, registry: registry)
    selector = BoxSelector(selection)
  }

  /// Reads the beginning. Returns `nil` when there is a box somewhere, otherwise the reason why there is none.
  package mutating func reasonForNoBoxes() throws(IOError) -> String? {
    guard try parser.next(into: &node) else { return "the file is empty" }
    isAtFirst = true
    guard node.isRemainder, node.problem != nil, node.header.end == parser.source.byteCount else { return nil }
    if let format = try? ForeignFormat(of: parser.source) { return format.reason }
    return "this is not an MP4 file: its \(counted(node.header.end, "byte contains", "bytes contain")) no box"
  }

  /// Writes everything as text and returns a summary. Throws errors of the output as well as of the source.
  public mutating func run(to sink: TextSink) throws(IOError) -> Summary { try run(to: sink as any BoxSink) }

  /// Writes everything as JSON and returns a summary. Throws errors of the output as well as of the source.
  public mutating func run(to sink: JSONSink) throws(IOError) -> Summary { try run(to: sink as any BoxSink) }

  /// Shows everything and returns a summary. Throws errors of the output as well as of the source.
  package mutating func run(to sink: any BoxSink) throws(IOError) -> Summary {
    parser.followsTimes = sink.wantsDerivedValues
    let wantsKeys = sink.wantsDerivedValues || selector.selection.pattern?.hasKeys == true
    while try advance() {
      let isOfFile = node.depth == 0
      if isOfFile { isInMovie = node.type == "moov" }
      if wantsKeys { try keys.note(node, &parser) }
      let depth = selector.depth(of: node, key: wantsKeys ? keys.name(of: node) : nil)
      if let depth {
        node.depth = depth
        try show(to: sink)
      }
      // Fragments cannot be read without the movie box, even if its boxes are not shown.
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
    // A problem of the whole box explains the problems inside it.
    case .failure(let error):
      let rest = error.isNote ? parser.bytesAfterVersion(of: node) : 0..<0
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

  /// Stores a box that is shown only if something inside it is shown.
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

  /// Shows the header and the fields of a box as bytes. Every piece but the last is a multiple of a line.
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

  /// Moves to the next box, if there is one.
  private mutating func advance() throws(IOError) -> Bool {
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
