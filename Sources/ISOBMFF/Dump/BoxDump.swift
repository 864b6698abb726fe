/// Receives boxes and their fields: the text dump and the JSON dump are sinks.
public protocol BoxSink: FieldSink {
  /// A box begins, or bytes that are not one; its fields follow, then the boxes in it.
  func beginBox(_ node: BoxNode)
  /// The fields of the box that began last are complete; `rest` are bytes after the declared ones.
  func endFields(rest: ArraySlice<UInt8>, problem: BoxError?)
  /// The innermost box that is open ends.
  func endBox()
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

  /// A dump of `source`.
  public init(_ source: any ByteSource) { parser = BoxParser(source) }

  /// Looks at the beginning: `nil` when there is a box somewhere, otherwise why there is none.
  public mutating func reasonForNoBoxes() throws(IOError) -> String? {
    guard let node = try parser.next() else { return "the file is empty" }
    first = node
    guard node.isRemainder, node.problem != nil, node.header.end == parser.source.byteCount else { return nil }
    return "this is not an MP4 file: its \(node.header.end) bytes hold no box"
  }

  /// Shows everything and says what was met. An error of the output is thrown as well as one of the source.
  public mutating func run(to sink: any BoxSink) throws(IOError) -> Summary {
    while let node = try nextNode() {
      close(to: node.depth, sink)
      sink.beginBox(node)
      let (rest, problem) = try showFields(of: node, to: sink)
      sink.endFields(rest: rest, problem: problem)
      note(node, problem)
      openCount += 1
      if node.depth == 0, let failure = sink.failure { throw failure }
    }
    close(to: 0, sink)
    return summary
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
