package import Bytes

/// Replacement of the boxes in a tree that a pattern matches.
extension BoxPattern {
  /// A position in the containers of a file, for matching a pattern.
  package struct Place {
    fileprivate var state: [UInt64]
    fileprivate var keys = MetadataKeys()
    /// The number of previous boxes of each type.
    fileprivate var counts: [FourCC: Int] = [:]

    /// The file.
    package init(_ pattern: BoxPattern) { state = pattern.start }
  }

  /// Whether the next box in `place` matches, or a box in it could match.
  package func isMet(by type: FourCC, in place: inout Place) -> (itself: Bool, inside: Bool) {
    var next: [UInt64] = []
    place.counts[type, default: 0] += 1
    let isMatch = matches(type, place.counts[type] ?? 1, key: nil, in: place.state[...], next: &next)
    return (isMatch, next.contains { $0 != 0 })
  }

  /// Replaces each matching box of `boxes` with the result of `body`. Boxes inside a matching box are not examined.
  /// Returns the number of matches.
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
