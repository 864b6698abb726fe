import Bytes

/// What becomes of sizes that cannot be right, and of bytes that are not a box.
///
/// The size of a box is doubted when it reaches over the end of what encloses it, or when neither that end nor a box
/// follows. What has no boxes in it then ends before the first box that belongs beside it. What has boxes in it ends
/// before the first box that does not belong in it, but beside it or farther outside. No byte is looked at more often
/// than a few times: a search ends where it finds something, and what it did not find anything in is done with.
extension BoxParser {
  /// Whether the size of a box is believed.
  enum Doubt {
    case none
    /// It is not, but nothing was said of it.
    case silent
    /// It is not, and the node of the box says so.
    case told
  }

  /// What each look after a box in vain costs, besides the bytes that are looked at.
  private static let doubtCost = 1 << 16

  /// How many bytes after a box are looked at: a header, or enough zeros to take them for the end of a list of boxes.
  static let lookBehind = 64

  /// How many containers around the innermost one a box may belong to that turns up in it. No real file has so many
  /// around each other; and what is looked at is compared with each of them.
  private static let outwardLimit = 32

  /// Whether what follows a box, whose size fits in what encloses it, does not look like another one.
  mutating func isDoubted(_ header: BoxHeader) throws(IOError) -> Bool {
    let depth = enclosing.count - 1
    let left = enclosing[depth].end - header.end
    guard left > 0, header.form != .toEnd, header.type != "mdat" else { return false }
    // A pipe cannot go back to the fields.
    let isPipe = enclosing[depth].end == .max || source.byteCount == nil
    if isPipe, header.size > Self.prefetchLimit { return false }
    if (doubted - doubtLimit) / 4 > position { return false }
    // What is not much is read with the fields.
    let skipped = isPipe || header.size <= 1 << 16 ? header.size : 0
    let next = try start(at: header.end - skipped, count: skipped + min(Self.lookBehind, left), behind: skipped)
    if registry.mayFollow(next, left: left, in: enclosing[depth].context.parent) { return false }
    doubted += min(header.size, 1 << 40) + Self.doubtCost
    if enclosing[0].end == .max { try lookFarForEnd() }
    return true
  }

  /// What starts `skipped` bytes after `offset`, of `count` bytes that are read at once.
  private mutating func start(at offset: Int, count: Int, behind skipped: Int = 0) throws(IOError) -> BoxStart {
    let bytes = try window.look(at: offset, count: count)
    return BoxStart(bytes, at: skipped)
  }

  /// Finds where a box ends whose size cannot be right.
  mutating func settle(_ node: inout BoxNode) throws(IOError) {
    let isTooLarge = node.header.form != .toEnd && !node.header.isSizeRight
    if !isTooLarge, try !isDoubted(node.header) { return }
    switch node.content {
    case .remainder: return
    case .boxes:
      doubt = isTooLarge ? .told : .silent
      if node.depth == 0, let end = try endOfContainer(node) {
        doubt = .none
        try endBox(&node, before: end, isTooLarge)
      }
    case .payload, .opaque:
      var end = node.header.end
      if source.byteCount == nil {
        end = min(end, position + Self.prefetchLimit)
        try window.prefetch(position..<end)
      }
      var search = search
      if node.type == "mdat" { search.isInMedia = true }
      if let next = try search.nextBox(from: node.header.payload.lowerBound, upTo: end, &window) {
        try endBox(&node, before: next, isTooLarge)
      }
    }
  }

  private mutating func endBox(_ node: inout BoxNode, before end: Int, _ isTooLarge: Bool) throws(IOError) {
    node.header.size = end - node.header.offset
    if isTooLarge { return }
    let next = try start(at: end, count: 8)
    let problem = BoxError.Problem.reachesOver(node.header.declaredSize, next.type, at: end)
    node.problem = BoxError(problem, field: "size", offset: node.header.offset)
  }

  /// Where the first box of the file starts that a box of the file reaches over.
  private mutating func endOfContainer(_ node: BoxNode) throws(IOError) -> Int? {
    var ahead = self
    var inner = node
    (ahead.isLookingAhead, ahead.followsTimes, ahead.doubt) = (true, false, .told)
    ahead.enter(&inner)
    while try ahead.next(into: &inner) {}
    window.handled = ahead.window.handled
    return ahead.position < node.header.end ? ahead.position : nil
  }

  /// Leaves the containers that end before the box whose header was read, whatever they say, since it belongs into one
  /// around them. Returns whether the node is the news that one of them does, which comes first.
  mutating func leaveContainers(before node: inout BoxNode) throws(IOError) -> Bool {
    let header = node.header
    let depth = enclosing.count - 1
    if registry.belongs(header.type, in: enclosing[depth].context.parent) { return false }
    var level = depth
    let bytes = try window.slice(at: position, count: 32)
    let span = bytes.raw
    repeat {
      guard level > 0, depth - level < Self.outwardLimit, isDoubtful(level, before: header) else { return false }
      level -= 1
    } while !place(level).mayStart(span, 0, at: position, registry)
    for inner in stride(from: depth, to: level, by: -1) where enclosing[inner].doubt != .told {
      let declared = enclosing[inner].declared
      let problem = BoxError.Problem.reachesOver(declared.size, header.type, at: position)
      enclosing[inner].doubt = .told
      node = BoxNode(
        remainder: position..<position, depth: inner, enclosing[inner].context,
        BoxError(problem, field: "size", offset: declared.offset))
      return true
    }
    while enclosing.count - 1 > level { closeContainer(at: position) }
    return false
  }

  /// Whether the size of a container is doubted, or should be because a box in it reaches over its end.
  func isDoubtful(_ level: Int, before header: BoxHeader) -> Bool {
    enclosing[level].doubt != .none || header.declaredSize > UInt64(max(0, enclosing[level].end - position))
  }

  private func place(_ level: Int) -> Resynchronization.Place {
    Resynchronization.Place(parent: enclosing[level].context.parent, end: enclosing[level].end)
  }

  /// Looks for boxes that belong into the innermost container, and into those around it while their sizes are doubted.
  private var search: Resynchronization {
    let depth = enclosing.count - 1
    var level = depth
    var places = [place(level)]
    while level > 0, depth - level < Self.outwardLimit, enclosing[level].doubt != .none {
      level -= 1
      places.append(place(level))
    }
    return Resynchronization(registry: registry, places: places)
  }

  /// The bytes up to where boxes go on as one node, or those up to the end of the container. It has the problem, if
  /// that is known already.
  mutating func remainder(_ node: inout BoxNode) throws(IOError) -> Bool {
    let depth = enclosing.count - 1
    var end = enclosing[depth].end
    let problem = node.problem
    let start = try depth > 0 ? window.slice(at: position, count: min(end - position, 4096)) : [1]
    let isZero = start.allSatisfy { $0 == 0 }
    let next = try search.nextBox(from: position + 1, upTo: end, &window)
    if let next {
      end = next
    } else if end == .max {
      endsAt(try window.end(from: position))
      end = enclosing[depth].end
    }
    node = BoxNode(
      remainder: position..<end, depth: depth, enclosing[depth].context,
      problem ?? BoxError(.notABox(count: end - position), field: "size", offset: position))
    // QuickTime ends lists of boxes with a zero, and some writers fill up with zeros.
    if isZero, next == nil { node.problem = nil }
    return true
  }
}
