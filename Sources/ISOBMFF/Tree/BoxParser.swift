/// Finds the boxes of a source, one after the other and into each other, without reading media data.
///
/// Nothing is kept but the way from the file to the current box, so that the memory does not depend on the file.
/// Damage is reported in the nodes; only a failing read is thrown.
public struct BoxParser {
  /// How many boxes may enclose a box that is still looked at.
  public static let depthLimit = 1024
  /// The largest payload that is decoded in memory.
  public static let payloadLimit = 1 << 28
  /// File-level containers up to this size, such as movie fragments, are read at once.
  private static let prefetchLimit = 1 << 20

  /// What is parsed.
  public let source: any ByteSource
  private let registry: BoxRegistry
  var window: ByteWindow
  private var enclosing: [Frame]
  private var last: Last?
  /// The box of the file that came last, with everything in it.
  private var outermost: BoxHeader?
  private(set) var tracks = TrackContexts()
  /// Whether runs of samples are told their decode times, for which every run is read.
  var followsTimes = false

  /// What has to be known of the box that came last; a whole node takes longer to copy.
  private struct Last {
    var step: (type: FourCC, index: Int)
    var isRemainder: Bool
    /// Where the boxes in it start, if the parser goes into it.
    var boxesStart: Int?
    var end: Int
    var context: BoxContext

    init(_ node: BoxNode) {
      step = (node.type, node.index)
      isRemainder = node.isRemainder
      if case .boxes = node.content { boxesStart = node.boxesStart }
      end = node.header.end
      context = node.context
      context.parent = node.type
    }
  }
  private struct Frame {
    /// The box itself, and which of its type it is; none for the file.
    var step: (type: FourCC, index: Int)?
    var end: Int
    var context: BoxContext
  }
  private var counts = TypeCounts()
  private var position: Int

  /// A parser of the boxes in `range` of `source`, or of all of them. `movie` is what a movie box elsewhere says.
  public init(
    _ source: any ByteSource, in range: Range<Int>? = nil, context: BoxContext = BoxContext(),
    movie: MovieContext? = nil
  ) {
    self.source = source
    if let movie { tracks = movie.tracks }
    registry = .standard
    window = ByteWindow(source)
    position = range?.lowerBound ?? 0
    enclosing = [Frame(end: range?.upperBound ?? source.byteCount ?? .max, context: context)]
  }

  /// The next box in the order of the file, going into containers; `nil` at the end.
  public mutating func next() throws(IOError) -> BoxNode? {
    if let box = last {
      if let start = box.boxesStart {
        enclosing.append(Frame(step: box.step, end: box.end, context: box.context))
        counts.beginContainer()
        position = start
      } else {
        position = box.end
      }
    }
    last = nil
    while enclosing.count > 1, position >= enclosing[enclosing.count - 1].end {
      position = enclosing[enclosing.count - 1].end
      enclosing.removeLast()
      counts.endContainer()
    }
    if enclosing.count == 1, position >= enclosing[0].end { return nil }
    guard let node = try readNode() else { return nil }
    last = Last(node)
    if node.depth == 0 { outermost = node.header }
    return node
  }

  /// Goes on behind a box of the file that came last and is not what it was taken for.
  mutating func goOn(behind node: BoxNode) {
    while enclosing.count > node.depth + 1 {
      enclosing.removeLast()
      counts.endContainer()
    }
    (last, outermost) = (Last(node), node.header)
    skipBoxes()
  }

  /// Leaves out the boxes inside the one that came last.
  public mutating func skipBoxes() { last?.boxesStart = nil }

  /// The boxes from the file down to the one that came last, such as `moof[3]/traf/trun`; the first of a type has no number.
  public var path: BoxPath {
    // Bytes that are no box have no name.
    let current = last.flatMap { $0.isRemainder ? nil : $0.step }
    return BoxPath((enclosing.map(\.step) + [current]).compactMap(\.self))
  }

  // MARK: Nodes

  private mutating func readNode() throws(IOError) -> BoxNode? {
    let depth = enclosing.count - 1
    let left = enclosing[depth].end - position
    let bytes = try window.slice(at: position, count: min(32, left))
    if bytes.count < min(32, left) {
      endsAt(source.byteCount ?? (position + bytes.count))
      if bytes.isEmpty { return unexpectedEnd() }
    }
    guard var header = BoxHeader(bytes, at: position) else { return try remainder() }
    let form = registry.form(of: header.type, userType: header.userType, in: enclosing[depth].context)
    let isUnknown = depth == 0 && form == nil
    if isUnknown, enclosing[0].end == .max {
      // A pipe that ends soon tells now whether this can be a box at all.
      let ahead = try window.slice(at: position, count: 1 << 16)
      if ahead.count < 1 << 16 { endsAt(position + ahead.count) }
    }
    let inside = enclosing[depth].end - position
    var problem: BoxError?
    if header.form == .toEnd {
      guard header.type.rawValue != 0 else { return try remainder() }
      header.size = inside
    } else if header.declaredSize < UInt64(header.headerSize) {
      return try remainder(BoxError(.sizeTooSmall(header.declaredSize), field: "size", offset: position))
    } else if header.declaredSize > UInt64(inside) {
      // A size that cannot be, of a type that nobody knows, is not the header of a box.
      if isUnknown { return try remainder() }
      header.size = inside
      problem = BoxError(.sizeTooLarge(header.declaredSize, left: inside), field: "size", offset: position)
      if depth == 0, header.type == "mdat" { try shorten(&header) }
    } else {
      header.size = Int(header.declaredSize)
    }
    var node = BoxNode(
      header: header, content: .opaque, depth: depth, index: counts.count(header.type),
      context: enclosing[depth].context, problem: problem, boxesStart: header.payload.lowerBound)
    if header.form == .toEnd, enclosing[0].end == .max { try measureRest(&node) }
    if let form { try classify(&node, form) }
    if TrackContexts.needs(node.header) {
      tracks.note(&node, try payloadStart(of: node, count: TrackContexts.neededCount), &enclosing[depth].context)
    }
    if followsTimes, node.type == "tfdt" || node.type == "trun" {
      enclosing[depth].context.decodeTime = try decodeTime(behind: node)
    }
    return node
  }

  mutating func payloadStart(of node: BoxNode, count: Int) throws(IOError) -> ArraySlice<UInt8> {
    try window.slice(at: node.header.payload.lowerBound, count: min(node.header.payload.count, count))
  }

  private mutating func classify(_ node: inout BoxNode, _ definition: BoxRegistry.Form) throws(IOError) {
    guard definition.holdsBoxes else {
      if let payload = definition.payload { node.content = .payload(payload) }
      return
    }
    guard node.depth < Self.depthLimit else {
      node.problem = BoxError(.tooDeep(limit: Self.depthLimit), field: "box", offset: node.header.offset)
      return
    }
    if node.depth == 0, node.header.size <= Self.prefetchLimit {
      // The header of the next box, usually media data, is read along.
      try window.prefetch(node.header.offset..<(node.header.end + 16))
    }
    guard let payload = definition.payload else {
      if definition.isGuess {
        let bytes = try payloadStart(of: node, count: 8)
        guard Self.mayBeBox(bytes, left: node.header.payload.count) else { return }
      }
      return node.content = .boxes(payload: nil)
    }
    // The fields are short; only when they turn out not to be is more read.
    for count in [1024, Self.prefetchLimit] {
      let bytes = try payloadStart(of: node, count: count)
      guard let start = payload.boxesStart(bytes, context: node.context) else { continue }
      let left = node.header.payload.count - start
      if definition.isGuess, left > 0, !Self.mayBeBox(bytes.dropFirst(start), left: left) { break }
      node.boxesStart += start
      if node.type == "iref" { node.context.hasWideItemIDs = bytes.first != 0 }
      return node.content = .boxes(payload: payload)
    }
    // Showing the fields will meet the same error, and say so.
    node.content = .payload(payload)
  }

  /// Whether bytes begin like a box in a container with `left` bytes.
  private static func mayBeBox(_ bytes: ArraySlice<UInt8>, left: Int) -> Bool {
    guard let size: UInt32 = bytes.raw.bigEndian(at: 0), bytes.count >= 8 else { return false }
    return size >= 8 && Int(size) <= left && bytes.dropFirst(4).prefix(4).allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// Media data that claims more than there is may claim the fragments after it as well.
  private mutating func shorten(_ header: inout BoxHeader) throws(IOError) {
    let search = Resynchronization(end: header.end, onlyFragments: true)
    if let next = try search.nextBox(from: header.payload.lowerBound, &window) { header.size = next - header.offset }
  }

  /// The rest of the current container as one node; in a file, the bytes up to where boxes go on.
  private mutating func remainder(_ problem: BoxError? = nil) throws(IOError) -> BoxNode {
    let depth = enclosing.count - 1
    var end = enclosing[depth].end
    if depth == 0, let next = try Resynchronization(end: end).nextBox(from: position + 1, &window) {
      end = next
    } else if end == .max {
      endsAt(try window.end(from: position))
      end = enclosing[depth].end
    }
    let count = end - position
    let header = BoxHeader(
      type: FourCC(rawValue: 0), form: .compact, offset: position, declaredSize: UInt64(count), size: count)
    var node = BoxNode(
      header: header, content: .remainder, depth: depth, index: 1, context: enclosing[depth].context,
      problem: problem ?? BoxError(.notABox(count: count), field: "size", offset: position), boxesStart: position)
    // QuickTime ends lists of boxes with a zero, and some writers fill up with zeros.
    if depth > 0, try window.slice(at: position, count: min(count, 4096)).allSatisfy({ $0 == 0 }) { node.problem = nil }
    return node
  }

  // MARK: Sources whose size is not known

  /// The source ends at `end`: so does everything that is open.
  private mutating func endsAt(_ end: Int) {
    for i in enclosing.indices { enclosing[i].end = min(enclosing[i].end, end) }
  }

  /// The end of a source that ends before a box does, as a node that says so; `nil` when all boxes are complete.
  private mutating func unexpectedEnd() -> BoxNode? {
    let end = enclosing[0].end
    guard enclosing.count > 1 || position > end, let box = outermost else { return nil }
    let problem = BoxError(
      .sizeTooLarge(box.declaredSize, left: max(0, end - box.offset)), field: "size", offset: box.offset)
    let header = BoxHeader(type: FourCC(rawValue: 0), form: .compact, offset: end, declaredSize: 0, size: 0)
    while enclosing.count > 1 {
      enclosing.removeLast()
      counts.endContainer()
    }
    position = end
    return BoxNode(
      header: header, content: .remainder, depth: 0, index: 1, context: enclosing[0].context, problem: problem,
      boxesStart: end)
  }

  private mutating func measureRest(_ node: inout BoxNode) throws(IOError) {
    endsAt(try window.end(from: position))
    node.header.size = enclosing[0].end - position
  }
}
