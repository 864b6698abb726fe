import MP4Bytes

/// Handles impossible sizes, and bytes that are not a box.
///
/// The size of a box is in doubt if the box extends past the end of its container, or if it is followed by neither that
/// end nor another box. A box without children then ends before the first box that belongs beside it. A container ends
/// before the first box that belongs beside it or in an outer container, and not in it. Bytes are examined only a few
/// times: a search ends when it finds something, and bytes in which it found nothing are not searched again.
extension BoxParser {
  /// Whether the size of a box is in doubt.
  enum Doubt {
    case none
    /// The size is in doubt, but this was not reported.
    case silent
    /// The size is in doubt, and the node of the box reports it.
    case reported
  }

  /// The cost of each unsuccessful look after a box, in addition to the bytes that are examined.
  private static let doubtCost = 1 << 16

  /// The number of bytes that are examined after a box: a header, or enough zeros to recognize the end of a list of
  /// boxes.
  static let lookahead = 64

  /// The maximum number of containers around the innermost one that a box found in it can belong to. No real file is
  /// nested more deeply, and the box is compared with each container.
  private static let outwardLimit = 32

  /// Whether the bytes after a box do not look like another box, although its size fits in its container.
  mutating func isDoubted(_ header: BoxHeader) throws(IOError) -> Bool {
    let depth = enclosing.count - 1
    let left = enclosing[depth].end - header.end
    guard left > 0, header.form != .toEnd, header.type != "mdat" else { return false }
    // A pipe cannot seek back to the fields.
    let isPipe = enclosing[depth].end == .max || source.byteCount == nil
    if isPipe, header.size > Self.prefetchLimit { return false }
    if (doubted - doubtLimit) / 4 > position { return false }
    // A small box is read together with these bytes.
    let skipped = isPipe || header.size <= 1 << 16 ? header.size : 0
    let next = try start(at: header.end - skipped, count: skipped + min(Self.lookahead, left), after: skipped)
    if registry.mayFollow(next, left: left, in: enclosing[depth].context.parent) { return false }
    doubted += min(header.size, 1 << 40) + Self.doubtCost
    if enclosing[0].end == .max { try lookFarForEnd() }
    return true
  }

  /// The start of a possible box `skipped` bytes after `offset`; `count` bytes are read at once.
  private mutating func start(at offset: Int, count: Int, after skipped: Int = 0) throws(IOError) -> BoxStart {
    let bytes = try window.look(at: offset, count: count)
    return BoxStart(bytes, at: skipped)
  }

  /// Determines the end of a box whose size is wrong or in doubt.
  mutating func settle(_ node: inout BoxNode) throws(IOError) {
    let isTooLarge = node.header.form != .toEnd && !node.header.isSizeRight
    if !isTooLarge, try !isDoubted(node.header) { return }
    switch node.content {
    case .remainder: return
    case .boxes:
      doubt = isTooLarge ? .reported : .silent
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

  /// The offset of the first file-level box that a file-level container extends over.
  private mutating func endOfContainer(_ node: BoxNode) throws(IOError) -> Int? {
    var ahead = self
    var inner = node
    (ahead.isLookingAhead, ahead.followsTimes, ahead.doubt) = (true, false, .reported)
    ahead.enter(&inner)
    while try ahead.next(into: &inner) {}
    window.handled = ahead.window.handled
    return ahead.position < node.header.end ? ahead.position : nil
  }

  /// Leaves the containers that must end before the current box header, regardless of their declared sizes, because the
  /// box belongs to an outer container. Returns whether `node` is a report about one of these containers, which
  /// precedes the box.
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
    for inner in stride(from: depth, to: level, by: -1) where enclosing[inner].doubt != .reported {
      let declared = enclosing[inner].declared
      let problem = BoxError.Problem.reachesOver(declared.size, header.type, at: position)
      enclosing[inner].doubt = .reported
      node = BoxNode(
        remainder: position..<position, depth: inner, enclosing[inner].context,
        BoxError(problem, field: "size", offset: declared.offset))
      return true
    }
    while enclosing.count - 1 > level { closeContainer(at: position) }
    return false
  }

  /// Whether the size of a container is in doubt, or a box in it extends past its end.
  func isDoubtful(_ level: Int, before header: BoxHeader) -> Bool {
    enclosing[level].doubt != .none || header.declaredSize > UInt64(max(0, enclosing[level].end - position))
  }

  private func place(_ level: Int) -> Resynchronization.Place {
    Resynchronization.Place(parent: enclosing[level].context.parent, end: enclosing[level].end)
  }

  /// A search for boxes that belong in the innermost container, or in outer ones while the container sizes are in
  /// doubt.
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

  /// Sets `node` to the bytes up to the next box or the end of the container. It keeps its problem if it has one.
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
    // QuickTime ends lists of boxes with a zero, and some writers pad with zeros.
    if isZero, next == nil { node.problem = nil }
    return true
  }
}
