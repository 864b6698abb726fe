/// A recovered picture whose time depends on the following ones.
struct RecoveredPicture {
  var offset: Int
  var size: Int
  var isSync: Bool
  /// Its output order.
  var order: Int
  /// Whether unknown bytes precede it, in which pictures may be missing.
  var isAfterHole: Bool
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
  /// The number of pictures on each side of a hole that are compared.
  private static let compared = 64

  /// For each of the pictures in decoding order, the number of its presentation time. The order restarts at the first
  /// one, and may have restarted in a hole. With `isEnd`, pictures may be missing after them.
  mutating func places(_ pictures: [RecoveredPicture], isEnd: Bool) -> [Int] {
    let holes = pictures.indices.filter { $0 > 0 && pictures[$0].isAfterHole }
    for (start, end) in zip([0] + holes, holes + [pictures.count]) { learnDepth(pictures[start..<end]) }
    var (result, start): ([Int], Int) = ([], 0)
    for (hole, end) in zip(holes, holes.dropFirst() + [pictures.count]) {
      let (before, after) = (pictures[start..<hole].suffix(Self.compared), pictures[hole..<end].prefix(Self.compared))
      guard isRestart(before, after) else { continue }
      result += ranks(pictures[start..<hole], isEnd: false).map { $0 + start }
      start = hole
    }
    return result + ranks(pictures[start...], isEnd: isEnd).map { $0 + start }
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
    let known = Set(before.map(\.order))
    guard let highest = known.max(), let lowest = after.map(\.order).min() else { return false }
    return highest &- lowest > depth || after.contains { known.contains($0.order) }
  }

  /// The places of pictures in output order.
  private mutating func ranks(_ pictures: ArraySlice<RecoveredPicture>, isEnd: Bool) -> [Int] {
    let order = pictures.indices.sorted { (pictures[$0].order, $0) < (pictures[$1].order, $1) }
    var result = Array(repeating: 0, count: order.count)
    for (rank, index) in order.enumerated() { result[index - pictures.startIndex] = rank }
    for (index, next) in zip(order, order.dropFirst()) {
      smallest = min(smallest, pictures[next].order &- pictures[index].order)
    }
    guard isEnd, step > 0, smallest == step else { return result }
    let last = order.suffix(Self.reorderedLimit)
    var missingCount = 0
    for (index, next) in zip(last, last.dropFirst()) {
      let (distance, rest) = (pictures[next].order &- pictures[index].order).quotientAndRemainder(dividingBy: step)
      guard rest == 0, distance > 0, distance <= Self.reorderedLimit - missingCount else { break }
      missingCount += distance - 1
      result[next - pictures.startIndex] += missingCount
    }
    return result
  }
}
