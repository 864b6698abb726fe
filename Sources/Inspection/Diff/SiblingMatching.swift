import MP4Bytes

/// Matches the child boxes of two containers.
///
/// Boxes that are the only ones of their kind on both sides are matched regardless of their position. Others are
/// matched by content. The rest is matched in order between these, so that an inserted box does not affect the others.
/// Movie fragments are matched by their start times. The cost is that of sorting.
struct SiblingMatching {
  /// The result for boxes, in the order of the first container, as indices of the arrays.
  enum Step {
    case removed(Int)
    case added(Int)
    /// The same box on both sides, possibly with different contents.
    case pair(Int, Int, isMoved: Bool)
  }
  private(set) var steps: [Step] = []

  private let (boxes, others): ([Sibling], [Sibling])
  /// For each of `boxes` its match, and for each of `others` whether it is matched.
  private var matches: [Int?]
  private var isTaken: [Bool]
  /// Whether boxes were matched by their content.
  private var hasSameContent: [Bool]

  /// Matches boxes in the given ranges; boxes outside of the ranges are equal on both sides.
  init(
    _ boxes: [Sibling], _ others: [Sibling], _ range: Range<Int>, _ otherRange: Range<Int>,
    _ contents: BoxContents, _ otherContents: BoxContents
  ) throws(IOError) {
    self.boxes = try contents.numberingFragments(boxes, range)
    self.others = try otherContents.numberingFragments(others, otherRange)
    matches = Array(repeating: nil, count: boxes.count)
    isTaken = Array(repeating: false, count: others.count)
    hasSameContent = Array(repeating: false, count: boxes.count)
    matchSingles(range, otherRange)
    try matchContents(range, otherRange, contents, otherContents)
    matchInOrder(range, otherRange)
    writeSteps(range, otherRange, stays(range))
  }

  private mutating func match(_ box: Int, _ other: Int) { (matches[box], isTaken[other]) = (other, true) }

  private mutating func matchSingles(_ range: Range<Int>, _ otherRange: Range<Int>) {
    func singles(_ siblings: [Sibling], _ range: Range<Int>) -> [Sibling.Key: Int?] {
      var places: [Sibling.Key: Int?] = [:]
      for place in range {
        let key = siblings[place].key
        places.updateValue(places[key] == nil ? place : nil, forKey: key)
      }
      return places
    }
    let otherPlaces = singles(others, otherRange)
    for (key, place) in singles(boxes, range) {
      if let place, case let other?? = otherPlaces[key] { match(place, other) }
    }
  }

  private mutating func matchContents(
    _ range: Range<Int>, _ otherRange: Range<Int>, _ contents: BoxContents, _ otherContents: BoxContents
  ) throws(IOError) {
    struct Content: Hashable {
      let kind: Int
      let size: Int
      let hash: Int
    }
    let left = range.filter { matches[$0] == nil }
    let right = otherRange.filter { !isTaken[$0] }
    if left.isEmpty || right.isEmpty { return }
    // In reverse order, so that they can be removed from the end.
    var places: [Content: [Int]] = [:]
    for place in left.reversed() {
      let box = boxes[place]
      let key = Content(kind: box.kind, size: box.range.count, hash: try contents.digest(of: box))
      places[key, default: []].append(place)
    }
    for other in right {
      let box = others[other]
      let key = Content(kind: box.kind, size: box.range.count, hash: try otherContents.digest(of: box))
      guard let place = places[key]?.popLast() else { continue }
      match(place, other)
      hasSameContent[place] = true
    }
  }

  /// Matches the remaining boxes between matched boxes that are in the same order on both sides.
  private mutating func matchInOrder(_ range: Range<Int>, _ otherRange: Range<Int>) {
    let fixed = stays(range)
    var (left, right): ([Int], [Int]) = ([], [])
    var other = otherRange.lowerBound
    for place in range {
      if matches[place] == nil { left.append(place) }
      guard fixed.contains(place), let end = matches[place] else { continue }
      right = (other..<end).filter { !isTaken[$0] }
      matchGap(left, right, fromEnd: hasSameContent[place])
      (left, other) = ([], end + 1)
    }
    matchGap(left, (other..<max(other, otherRange.upperBound)).filter { !isTaken[$0] }, fromEnd: false)
  }

  /// Matches the boxes of a gap: by ID, then by kind, in order. A gap that ends with the same media is matched from its
  /// end, because descriptions precede their media.
  private mutating func matchGap(_ left: [Int], _ right: [Int], fromEnd: Bool) {
    if left.isEmpty || right.isEmpty { return }
    func matchSame<Key: Hashable>(_ key: (Sibling) -> Key?) {
      var places: [Key: [Int]] = [:]
      for place in fromEnd ? left : left.reversed() where matches[place] == nil {
        if let key = key(boxes[place]) { places[key, default: []].append(place) }
      }
      for other in fromEnd ? right.reversed() : right where !isTaken[other] {
        if let key = key(others[other]), let place = places[key]?.popLast() { match(place, other) }
      }
    }
    matchSame(\.key)
    let count = left.count { matches[$0] == nil && boxes[$0].isFragment }
    let otherCount = right.count { !isTaken[$0] && others[$0].isFragment }
    // Fragments with different boundaries have little in common.
    matchSame { $0.isFragment && count != otherCount ? nil : $0.kind }
  }

  /// The matched boxes that are in the same order on both sides: the choice with the most bytes, so that media stays in
  /// place and small boxes are reported as moved.
  private func stays(_ range: Range<Int>) -> Set<Int> {
    let pairs = range.compactMap { place in matches[place].map { (place: place, other: $0) } }
    if zip(pairs, pairs.dropFirst()).allSatisfy({ $0.other < $1.other }) { return Set(pairs.map(\.place)) }
    // For each end position on the other side, the heaviest chain, in a Fenwick tree.
    var heaviest: [(weight: Int, pair: Int)] = Array(repeating: (0, -1), count: others.count + 1)
    var before = Array(repeating: -1, count: pairs.count)
    var (best, end) = (0, -1)
    for (number, pair) in pairs.enumerated() {
      var (at, chain) = (pair.other, (weight: 0, pair: -1))
      while at > 0 {
        if heaviest[at].weight > chain.weight { chain = heaviest[at] }
        at &= at - 1
      }
      before[number] = chain.pair
      let weight = chain.weight + boxes[pair.place].range.count + others[pair.other].range.count
      if weight > best { (best, end) = (weight, number) }
      at = pair.other + 1
      while at < heaviest.count {
        if weight > heaviest[at].weight { heaviest[at] = (weight, number) }
        at += at & -at
      }
    }
    var result: Set<Int> = []
    while end >= 0 {
      result.insert(pairs[end].place)
      end = before[end]
    }
    return result
  }

  private mutating func writeSteps(_ range: Range<Int>, _ otherRange: Range<Int>, _ fixed: Set<Int>) {
    var other = otherRange.lowerBound
    func added(until end: Int) -> [Step] { (other..<max(other, end)).filter { !isTaken[$0] }.map { .added($0) } }
    for place in range {
      guard let match = matches[place] else {
        steps.append(.removed(place))
        continue
      }
      if fixed.contains(place) {
        steps += added(until: match)
        other = match + 1
      }
      steps.append(.pair(place, match, isMoved: !fixed.contains(place)))
    }
    steps += added(until: otherRange.upperBound)
  }
}
