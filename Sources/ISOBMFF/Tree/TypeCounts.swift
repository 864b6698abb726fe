import MP4Bytes

/// The number of boxes of each type so far in each open container.
struct TypeCounts {
  /// The counts of all open containers, concatenated, so that opening a container does not allocate memory.
  private var counts: [(type: FourCC, count: Int)] = []
  /// The start of the counts of each container in the file.
  private var starts: [Int] = []
  /// The counts that do not fit, by container depth, for containers with more types than real files have.
  private var more: [Int: [FourCC: Int]] = [:]
  private static let limit = 16

  mutating func beginContainer() { starts.append(counts.count) }

  mutating func endContainer() {
    if !more.isEmpty { more[starts.count] = nil }
    counts.removeLast(counts.count - (starts.popLast() ?? 0))
  }

  /// Counts a box in the innermost container, and returns its index among boxes of its type.
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
