import Bytes

/// Sources of unknown size.
extension BoxParser {
  /// Ends the source, and all open boxes, at `end`.
  mutating func endsAt(_ end: Int) {
    // A box that extends to the end of the file is complete wherever the file ends.
    if enclosing.count > 1, enclosing[1].end > end, enclosing[1].end < .max { isCutOff = true }
    for i in enclosing.indices { enclosing[i].end = min(enclosing[i].end, end) }
  }

  /// Reports in `node` that the source ends inside a box. Returns false if all boxes are complete.
  mutating func unexpectedEnd(_ node: inout BoxNode) -> Bool {
    let end = enclosing[0].end
    guard isCutOff || enclosing.count > 1 || position > end, let box = outermost else { return false }
    isCutOff = false
    let problem = BoxError(
      .sizeTooLarge(box.declaredSize, left: max(0, end - box.offset)), field: "size", offset: box.offset)
    while enclosing.count > 1 { closeContainer() }
    node = BoxNode(remainder: end..<end, depth: 0, enclosing[0].context, problem)
    return true
  }

  /// Sets the size of a box that extends to the end of the source.
  mutating func measureRest(_ node: inout BoxNode) throws(IOError) {
    endsAt(try window.end(from: position))
    node.header.size = enclosing[0].end - position
  }

  /// Looks for the end of the source inside the box or soon after it, so that the box is shown as it would be for a
  /// file. For media data and possible non-boxes, fewer bytes are awaited.
  mutating func lookForEnd(of node: BoxNode, _ form: BoxRegistry.Form?) throws(IOError) {
    let isLong = form.map { $0.payload != nil || $0.holdsBoxes } ?? false
    let most = isLong ? Self.prefetchLimit : 1 << 16
    let count = Int(clamping: min(node.header.declaredSize, UInt64(most))) + (node.type == "mdat" ? 0 : Self.lookahead)
    let ahead = try window.look(at: position, count: count).byteCount
    if ahead < count { endsAt(position + ahead) }
  }

  /// Looks for the end of the source soon after a box before the box is judged by the bytes after it, as in a file: the
  /// bytes may be cut off. All bytes that are necessary for the judgement are read, because a pipe cannot seek back.
  mutating func lookFarForEnd() throws(IOError) {
    let count = 2 * Self.prefetchLimit
    let ahead = try window.look(at: position, count: count).byteCount
    if ahead < count { endsAt(position + ahead) }
  }
}
