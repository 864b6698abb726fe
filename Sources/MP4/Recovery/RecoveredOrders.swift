import MP4Bytes

/// A recovered picture whose time depends on the following ones.
struct RecoveredPicture {
  var offset: Int
  var size: Int
  var isSync: Bool
  /// Its output order.
  var order: Int
  /// Whether unknown bytes precede it, in which pictures may be missing.
  var isAfterHole: Bool
  /// Whether an IDR picture is missing before it, at which the output order restarted.
  var followsIDR = false
}

/// Derives times of pictures from their output order: each is presented when the previous one in output order ends.
///
/// At the end of a recording that was cut off, the pictures between the last ones are missing. The distances of the
/// orders leave room for them.
struct RecoveredOrders {
  /// The difference of the orders of adjacent pictures; 0 if it is unknown.
  let step: Int
  /// The largest difference by which the order of a picture is lower than that of an earlier one.
  private(set) var depth: Int
  /// The smallest difference of orders.
  private var smallest = Int.max

  init(step: Int = 0, depth: Int = 0) { (self.step, self.depth) = (step, depth) }

  /// The maximum number of pictures that a decoder reorders: ISO/IEC 14496-10, A.3.1.
  private static let reorderedLimit = 16
  /// The maximum number of adjacent pictures for which room is left.
  private static let missingLimit = 1 << 10
  /// The number of pictures on each side of a hole that are compared.
  private static let compared = 64

  /// The presentation times of pictures in decoding order, as numbers of pictures.
  struct Places: Equatable {
    var numbers: [Int] = []
    /// The number of pictures that are missing directly before each one in decoding order.
    var missing: [Int] = []
  }

  /// The order restarts at the first of the pictures, and may have restarted in a hole. With `isEnd`, pictures may be
  /// missing after them.
  mutating func places(_ pictures: [RecoveredPicture], isEnd: Bool) -> Places {
    let holes = pictures.indices.filter { $0 > 0 && pictures[$0].isAfterHole }
    for (start, end) in zip([0] + holes, holes + [pictures.count]) { learnDepth(pictures[start..<end]) }
    var (result, start) = (Places(), 0)
    for (hole, end) in zip(holes, holes.dropFirst() + [pictures.count]) {
      let (before, after) = (pictures[start..<hole].suffix(Self.compared), pictures[hole..<end].prefix(Self.compared))
      guard isRestart(before, after) else { continue }
      add(pictures[start..<hole], isEnd: false, to: &result)
      start = hole
    }
    add(pictures[start...], isEnd: isEnd, to: &result)
    return result
  }

  /// Learns from pictures between which none are missing.
  private mutating func learnDepth(_ pictures: ArraySlice<RecoveredPicture>) {
    guard var highest = pictures.first?.order else { return }
    for picture in pictures {
      highest = max(highest, picture.order)
      depth = max(depth, highest &- picture.order)
    }
  }

  /// Whether the order restarted in a hole: orders after it also occur before it, or are lower than reordering
  /// explains.
  private func isRestart(_ before: ArraySlice<RecoveredPicture>, _ after: ArraySlice<RecoveredPicture>) -> Bool {
    if after.first?.followsIDR == true { return true }
    let known = Set(before.map(\.order))
    guard let highest = known.max(), let lowest = after.map(\.order).min() else { return false }
    return highest &- lowest > depth || after.contains { known.contains($0.order) }
  }

  /// Adds pictures between which the order does not restart.
  private mutating func add(_ pictures: ArraySlice<RecoveredPicture>, isEnd: Bool, to result: inout Places) {
    let start = result.numbers.count + result.missing.reduce(0, +)
    let order = pictures.indices.sorted { (pictures[$0].order, $0) < (pictures[$1].order, $1) }
    for (index, next) in zip(order, order.dropFirst()) {
      smallest = min(smallest, pictures[next].order &- pictures[index].order)
    }
    var numbers = Array(repeating: 0, count: pictures.count)
    var missing = Array(repeating: 0, count: pictures.count)
    let holes = pictures.indices.dropFirst().filter { pictures[$0].isAfterHole }
    var (shift, endCount) = (0, 0)
    for (rank, index) in order.enumerated() {
      defer { numbers[index - pictures.startIndex] = start + rank + shift }
      guard rank > 0, step > 0, smallest == step else { continue }
      let previous = order[rank - 1]
      let (distance, rest) = (pictures[index].order &- pictures[previous].order).quotientAndRemainder(dividingBy: step)
      guard rest == 0, distance > 1, distance <= Self.missingLimit else { continue }
      if isEnd, rank >= order.count - Self.reorderedLimit, endCount + distance <= Self.reorderedLimit {
        endCount += distance - 1
      } else if let hole = Self.hole(holes, near: previous, index) {
        missing[hole - pictures.startIndex] += distance - 1
      } else {
        continue
      }
      shift += distance - 1
    }
    result.numbers += numbers
    result.missing += missing
  }

  /// The hole at which pictures are missing that would be presented between two others; `nil` if there is none near
  /// them.
  private static func hole(_ holes: [Int], near first: Int, _ second: Int) -> Int? {
    let last = holes.partition { $0 > max(first, second) + reorderedLimit } - 1
    guard last >= 0, holes[last] >= min(first, second) - reorderedLimit else { return nil }
    func distance(_ hole: Int) -> Int { min(abs(hole - first), abs(hole - second)) }
    var nearest = holes[last]
    for hole in holes[...last].reversed() {
      if hole < min(first, second) - reorderedLimit { break }
      if distance(hole) < distance(nearest) { nearest = hole }
    }
    return nearest
  }
}
