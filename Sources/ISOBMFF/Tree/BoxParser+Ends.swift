import Bytes

/// Sources whose size is not known before their end is met.
extension BoxParser {
  /// The source ends at `end`: so does everything that is open.
  mutating func endsAt(_ end: Int) {
    // A box that goes on to the end of the file, however far that is, is complete.
    if enclosing.count > 1, enclosing[1].end > end, enclosing[1].end < .max { isCutOff = true }
    for i in enclosing.indices { enclosing[i].end = min(enclosing[i].end, end) }
  }

  /// The end of a source that ends before a box does, as a node that says so; none when all boxes are complete.
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

  /// A box that goes on to the end, wherever that is.
  mutating func measureRest(_ node: inout BoxNode) throws(IOError) {
    endsAt(try window.end(from: position))
    node.header.size = enclosing[0].end - position
  }

  /// Whether the source ends before a box does, or soon after it, is known before the box is shown: then it is shown as
  /// it is of a file. Of media data, and of what may be no box, less is waited for.
  mutating func lookForEnd(of node: BoxNode, _ form: BoxRegistry.Form?) throws(IOError) {
    let isLong = form.map { $0.payload != nil || $0.holdsBoxes } ?? false
    let most = isLong ? Self.prefetchLimit : 1 << 16
    let count = Int(clamping: min(node.header.declaredSize, UInt64(most))) + (node.type == "mdat" ? 0 : Self.lookBehind)
    let ahead = try window.look(at: position, count: count).byteCount
    if ahead < count { endsAt(position + ahead) }
  }

  /// Before a box is judged by what follows it, a source that ends soon after it is given its end, as a file has it:
  /// what is found in it may be cut off. All that the judgement may look at is read, since a pipe cannot go back.
  mutating func lookFarForEnd() throws(IOError) {
    let count = 2 * Self.prefetchLimit
    let ahead = try window.look(at: position, count: count).byteCount
    if ahead < count { endsAt(position + ahead) }
  }
}
