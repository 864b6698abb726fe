import Bytes

/// How many boxes of each type came so far in each of the containers that are open.
struct TypeCounts {
  /// The counts of all open containers, one after the other, so that opening one takes no memory of its own.
  private var counts: [(type: FourCC, count: Int)] = []
  /// Where the counts of each container inside the file start.
  private var starts: [Int] = []
  /// By the depth of the container, what does not fit: a container with more types than anything real has.
  private var more: [Int: [FourCC: Int]] = [:]
  private static let limit = 16

  mutating func beginContainer() { starts.append(counts.count) }

  mutating func endContainer() {
    if !more.isEmpty { more[starts.count] = nil }
    counts.removeLast(counts.count - (starts.popLast() ?? 0))
  }

  /// Counts a box in the innermost container, and returns which of its type it is.
  mutating func count(_ type: FourCC) -> Int {
    let start = starts.last ?? 0
    for index in start..<counts.count where counts[index].type == type {
      counts[index].count += 1
      return counts[index].count
    }
    guard counts.count - start >= Self.limit else {
      counts.append((type, 1))
      return 1
    }
    more[starts.count, default: [:]][type, default: 0] += 1
    return more[starts.count]?[type] ?? 1
  }
}
