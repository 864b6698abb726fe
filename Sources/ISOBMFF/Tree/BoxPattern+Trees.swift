package import Bytes

/// Replacement of the boxes in a tree that a pattern matches.
extension BoxPattern {
  /// Where the boxes of one container are, on the way from the file.
  package struct Place {
    fileprivate var state: [UInt64]
    fileprivate var keys = MetadataKeys()
    /// The number of previous boxes of each type.
    fileprivate var counts: [FourCC: Int] = [:]

    /// The file.
    package init(_ pattern: BoxPattern) { state = pattern.start }
  }

  /// What of a box that is the next one in `place` can be meant: the box itself, or boxes in it.
  package func isMet(by type: FourCC, in place: inout Place) -> (itself: Bool, inside: Bool) {
    var next: [UInt64] = []
    place.counts[type, default: 0] += 1
    let isMatch = matches(type, place.counts[type] ?? 1, key: nil, in: place.state[...], next: &next)
    return (isMatch, next.contains { $0 != 0 })
  }

  /// Replaces each box of `boxes` that is meant by what `body` returns for it, from the outermost on: boxes in a box
  /// that is meant are not looked at. Returns how many there were.
  package func replace(
    in boxes: inout [Box], at place: inout Place, of source: any ByteSource, registry: BoxRegistry,
    _ body: (Box) throws -> [Box]
  ) throws -> Int {
    var (result, count): ([Box], Int) = ([], 0)
    result.reserveCapacity(boxes.count)
    for var box in boxes {
      var inner = Place(self)
      inner.state = []
      guard box.hasHeader else {
        result.append(box)
        continue
      }
      place.counts[box.type, default: 0] += 1
      let key = place.keys.name(of: box.type, in: box.context)
      if matches(box.type, place.counts[box.type] ?? 1, key: key, in: place.state[...], next: &inner.state) {
        result += try body(box)
        count += 1
        continue
      }
      if inner.state.contains(where: { $0 != 0 }), !box.boxes.isEmpty {
        inner.keys = box.type == "meta" && hasKeys ? try MetadataKeys(in: box, of: source) : place.keys
        let before = box.boxes.count
        count += try replace(in: &box.boxes, at: &inner, of: source, registry: registry, body)
        if box.boxes.count != before { try box.countBoxes(from: source, registry: registry) }
      }
      result.append(box)
    }
    boxes = result
    return count
  }
}
