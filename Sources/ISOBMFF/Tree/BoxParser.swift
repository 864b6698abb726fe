public import Bytes

/// Finds the boxes of a source, one after the other and into each other, without reading media data.
///
/// Nothing is kept but the way from the file to the current box, so that the memory does not depend on the file.
/// Damage is reported in the nodes; only a failing read is thrown.
public struct BoxParser {
  /// How many boxes may enclose a box that is still looked at.
  package static let depthLimit = 1024
  /// The largest payload that is decoded in memory.
  package static let payloadLimit = 1 << 28
  /// File-level containers up to this size, such as movie fragments, are read at once.
  static let prefetchLimit = 1 << 20

  /// What is parsed.
  public let source: any ByteSource
  let registry: BoxRegistry
  /// The definitions in the box language that were met, ready to run.
  private var definitions: [ObjectIdentifier: BoxDeclaration] = [:]
  var window: ByteWindow
  /// The file, and the boxes around what comes next.
  var enclosing: [Frame]
  /// The box that came last.
  private var last = Last.none
  /// The box of the file that came last, with everything in it: where it starts, and the size that it declares.
  private(set) var outermost: (offset: Int, declaredSize: UInt64)?
  private(set) var tracks = TrackContexts()
  /// The first track that has a fragment, but nothing in any movie box.
  package var unknownTrack: UInt32? { tracks.unknown }
  /// Whether runs of samples get their decode times, for which every run is read.
  package var followsTimes = false

  /// What has to be known of the box that came last.
  private enum Last {
    /// There is none, or it is bytes that are no box.
    case none
    /// It has no boxes in it, or they are left out.
    case closed(type: FourCC, index: Int)
    /// It is the innermost of those that enclose what comes next.
    case open
  }
  struct Frame {
    /// The box itself, and which of its type it is; none for the file.
    var step: (type: FourCC, index: Int)?
    var end: Int
    var context: BoxContext
    /// Where the box starts, and the size that it declares.
    var declared: (offset: Int, size: UInt64) = (0, 0)
    var doubt = Doubt.none
  }
  private var counts = TypeCounts()
  var position: Int
  /// Whether the source ended before a box that is open did.
  var isCutOff = false
  /// Whether the size of the box that is read now is believed.
  var doubt = Doubt.none
  /// How much was looked at in vain after boxes.
  var doubted = 0
  /// How much of that is allowed before any of the source is done with.
  package var doubtLimit = 16 << 20
  /// How many bytes were read, moved or searched so far, those for which that was done again included.
  package var handled: Int { window.handled }
  /// Boxes deeper than this are left out until one comes that is not.
  private var deepest = Int.max
  /// Whether only the end of the outermost box is looked for.
  var isLookingAhead = false

  /// A parser of the boxes in `range` of `source`, or of all of them. `movie` is what a movie box elsewhere says, and
  /// `registry` has the boxes that are known.
  public init(
    _ source: any ByteSource, in range: Range<Int>? = nil, context: BoxContext = BoxContext(),
    movie: MovieContext? = nil, registry: BoxRegistry = .core
  ) {
    self.source = source
    if let movie { tracks = movie.tracks }
    self.registry = registry
    window = ByteWindow(source)
    position = range?.lowerBound ?? 0
    enclosing = [Frame(end: range?.upperBound ?? source.byteCount ?? .max, context: context)]
  }

  /// The next box in the order of the file, going into containers; `nil` at the end.
  public mutating func next() throws(IOError) -> BoxNode? {
    var node = BoxNode()
    return try next(into: &node) ? node : nil
  }

  /// Goes on after a box of the file that came last and is not what it was taken for.
  mutating func goOn(behind node: BoxNode) {
    while enclosing.count > node.depth + 1 { closeContainer() }
    (last, position) = (.closed(type: node.type, index: node.index), node.header.end)
    outermost = (node.header.offset, node.header.declaredSize)
  }

  /// As `next`, into a node that is there, since copying one takes as long as finding it; whether there is a next box.
  package mutating func next(into node: inout BoxNode) throws(IOError) -> Bool {
    repeat {
      last = .none
      while enclosing.count > 1, position >= enclosing[enclosing.count - 1].end { closeContainer() }
      if enclosing.count == 1 {
        if isLookingAhead { return false }
        if position >= enclosing[0].end { return isCutOff && unexpectedEnd(&node) }
      }
      guard try read(&node) else { return false }
      enter(&node)
    } while node.depth > deepest
    deepest = .max
    return true
  }

  /// What comes next is in a box, if the parser goes into it, or else after it. The node is passed without a copy.
  mutating func enter(_ node: inout BoxNode) {
    if node.depth == 0 { outermost = (node.header.offset, node.header.declaredSize) }
    switch node.content {
    case .boxes:
      last = .open
      position = node.boxesStart
      enclosing.append(Frame(step: (node.type, node.index), end: node.header.end, context: node.context))
      let depth = enclosing.count - 1
      enclosing[depth].context.parent = node.type
      enclosing[depth].declared = (node.header.offset, node.header.declaredSize)
      enclosing[depth].doubt = doubt
      counts.beginContainer()
    case .payload, .opaque:
      last = .closed(type: node.type, index: node.index)
      position = node.header.end
    case .remainder: position = node.header.end
    }
  }

  /// Goes on after the innermost container, or at `place` in what encloses it.
  mutating func closeContainer(at place: Int? = nil) {
    guard enclosing.count > 1, let frame = enclosing.popLast() else { return }
    position = place ?? frame.end
    counts.endContainer()
  }

  /// Leaves out the boxes inside the one that came last.
  public mutating func skipBoxes() {
    guard case .open = last else { return }
    if enclosing[enclosing.count - 1].doubt != .none {
      // Where it ends is found on the way.
      deepest = enclosing.count - 2
      return
    }
    if let step = enclosing[enclosing.count - 1].step { last = .closed(type: step.type, index: step.index) }
    closeContainer()
  }

  /// The boxes from the file down to the one that came last, such as `moof[3]/traf/trun`; the first of a type has no
  /// number.
  public var path: BoxPath {
    var steps = enclosing.compactMap(\.step)
    if case .closed(let type, let index) = last { steps.append((type, index)) }
    return BoxPath(steps)
  }

  // MARK: Nodes

  private mutating func read(_ node: inout BoxNode) throws(IOError) -> Bool {
    let wanted = min(32, enclosing[enclosing.count - 1].end - position)
    let (isHeader, count) = try read(&node.header, count: wanted)
    if count < wanted {
      endsAt(source.byteCount ?? (position + count))
      if count == 0 { return unexpectedEnd(&node) }
    }
    (node.problem, doubt) = (nil, .none)
    guard isHeader else { return try remainder(&node) }
    if enclosing.count > 1, isDoubtful(enclosing.count - 1, before: node.header) {
      if try leaveContainers(before: &node) { return true }
      if enclosing.count == 1, isLookingAhead { return false }
    }
    let depth = enclosing.count - 1
    let form = registry.form(of: node.type, userType: node.header.userType, in: enclosing[depth].context)
    guard try measure(&node, form) else { return try remainder(&node) }
    (node.content, node.depth, node.index) = (.opaque, depth, counts.count(node.type))
    node.boxesStart = node.header.payload.lowerBound
    node.context = enclosing[depth].context
    if node.header.form == .toEnd, enclosing[0].end == .max { try measureRest(&node) }
    if let form { try classify(&node, form) }
    try settle(&node)
    if TrackContexts.needs(node.header) {
      tracks.note(&node, try payloadStart(of: node, count: TrackContexts.neededCount), &enclosing[depth].context)
    }
    if followsTimes, node.type == "tfdt" || node.type == "trun" {
      enclosing[depth].context.decodeTime = try decodeTime(behind: node)
    }
    return true
  }

  /// Reads the header of the next box. Returns whether it can be one, and how many of these `count` bytes there are.
  private mutating func read(_ header: inout BoxHeader, count: Int) throws(IOError) -> (isHeader: Bool, count: Int) {
    let offset = position
    let bytes = try window.look(at: offset, count: count)
    return (header.read(bytes, at: offset), bytes.byteCount)
  }

  /// Finds the size of a box whose header was read. Returns whether it is one at all; if not, the node has the problem.
  private mutating func measure(_ node: inout BoxNode, _ form: BoxRegistry.Form?) throws(IOError) -> Bool {
    let depth = enclosing.count - 1
    if enclosing[0].end == .max { try lookForEnd(of: node, form) }
    let inside = enclosing[depth].end - position
    let declared = node.header.declaredSize
    let isNameable = registry.isNameable(node.type, in: enclosing[depth].context.parent)
    if node.header.form == .toEnd {
      guard isNameable else { return false }
      node.header.size = inside
    } else if declared < UInt64(node.header.headerSize) {
      node.problem = BoxError(.sizeTooSmall(declared), field: "size", offset: position)
      return false
    } else if declared > UInt64(inside) {
      // A size that cannot be, of a type that is not known, is not the header of a box.
      if form == nil { return false }
      node.header.size = inside
      node.problem = BoxError(.sizeTooLarge(declared, left: inside), field: "size", offset: position)
    } else {
      node.header.size = Int(declared)
      if !isNameable, try isDoubted(node.header) { return false }
    }
    return true
  }

  private mutating func classify(_ node: inout BoxNode, _ definition: BoxRegistry.Form) throws(IOError) {
    let payload = definition.payload.map { prepared($0) }
    guard definition.holdsBoxes else {
      if let payload { node.content = .payload(payload) }
      return
    }
    guard node.depth < Self.depthLimit else {
      node.problem = BoxError(.tooDeep(limit: Self.depthLimit), field: "box", offset: node.header.offset)
      return
    }
    if node.depth == 0, node.header.size <= Self.prefetchLimit {
      // The header of the next box, usually media data, is read along.
      try window.prefetch(node.header.offset..<min(node.header.end + 16, enclosing[0].end))
    }
    guard let payload else {
      if definition.isGuess {
        let bytes = try payloadStart(of: node, count: 8)
        guard BoxHeader.mayStart(bytes, left: node.header.payload.count) else { return }
      }
      return node.content = .boxes(payload: nil)
    }
    // The fields are short; only when they turn out not to be is more read.
    for count in [1024, Self.prefetchLimit] {
      let bytes = try payloadStart(of: node, count: count)
      guard
        let start = payload.boxesStart(
          bytes, context: node.context, bytesAfter: node.header.payload.count - bytes.count)
      else { continue }
      let left = node.header.payload.count - start
      if definition.isGuess, left > 0, !BoxHeader.mayStart(bytes.dropFirst(start), left: left) { break }
      node.boxesStart += start
      if node.type == "iref" { node.context.hasWideItemIDs = bytes.first != 0 }
      return node.content = .boxes(payload: payload)
    }
    // Showing the fields will meet the same error, and say so.
    node.content = .payload(payload)
  }

  /// A declaration that runs fast: each definition in the box language is read once.
  private mutating func prepared(_ declaration: BoxDeclaration) -> BoxDeclaration {
    guard let definition = declaration.definition else { return declaration }
    if let known = definitions[ObjectIdentifier(definition)] { return known }
    var prepared = BoxDeclaration(definition.prepared)
    prepared.isAdded = declaration.isAdded
    definitions[ObjectIdentifier(definition)] = prepared
    return prepared
  }
}
