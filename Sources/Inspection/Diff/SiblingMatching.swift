import Bytes

/// The boxes of two containers, matched with each other.
///
/// Boxes that are the only ones of their kind on both sides belong together wherever they are. Of others, those with
/// the same content do. What is left is matched in order between these, so that a box that was inserted leaves the
/// others alone. Movie fragments belong together if they start at the same time. The time is that of sorting.
struct SiblingMatching {
  /// What becomes of boxes, in the order of the first container; indices are those of the arrays.
  enum Step {
    case removed(Int)
    case added(Int)
    /// The same box on both sides, perhaps with another content.
    case pair(Int, Int, isMoved: Bool)
  }
  private(set) var steps: [Step] = []

  private let (boxes, others): ([Sibling], [Sibling])
  /// For each of `boxes` the one that it is matched with, and whether each of `others` is matched.
  private var matches: [Int?]
  private var isTaken: [Bool]
  /// Whether boxes were matched by their content.
  private var hasSameContent: [Bool]

  /// Matches boxes of which those before and after the given ranges are the same on both sides.
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
    // The last one first, to be taken from the end.
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

  /// Matches what is left between boxes that are matched and in the same order on both sides.
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

  /// Matches the boxes of a gap: those with the same ID, then those of the same kind, in order. A gap that ends with
  /// the same media is matched from its end, since what describes media comes before it.
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
    // Fragments of media that is cut otherwise have little in common.
    matchSame { $0.isFragment && count != otherCount ? nil : $0.kind }
  }

  /// Which matched boxes are in the same order on both sides: of all choices the one with the most bytes, so that media
  /// stays where it is and what is small is said to have moved.
  private func stays(_ range: Range<Int>) -> Set<Int> {
    let pairs = range.compactMap { place in matches[place].map { (place: place, other: $0) } }
    if zip(pairs, pairs.dropFirst()).allSatisfy({ $0.other < $1.other }) { return Set(pairs.map(\.place)) }
    // Of the chains that end before each place of the other side, the heaviest, in a Fenwick tree.
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
