/// "Did you mean": names that are similar to a mistyped one.
enum Suggestion {
  /// At most three of `names` that `word` may mean, the closest first.
  static func names(like word: String, from names: [String]) -> [String] {
    let typed = Array(word.lowercased())
    guard !typed.isEmpty else { return [] }
    var found: [(name: String, distance: Int)] = []
    for name in names {
      let candidate = Array(name)
      let isBeginning = typed.count >= 2 && candidate.starts(with: typed)
      let isLonger = candidate.count >= 4 && typed.starts(with: candidate)
      let distance = distance(typed, candidate)
      // A third of the letters may be wrong: more than that is another word.
      if isBeginning || isLonger || distance <= max(1, min(typed.count, candidate.count) / 3) {
        found.append((name, distance))
      }
    }
    return found.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }

  /// The number of letters to insert, remove, replace or swap with their neighbor to turn `a` into `b`.
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for row in a.indices {
      var current = [row + 1]
      for column in b.indices {
        var best = min(last[column + 1], current[column]) + 1
        best = min(best, last[column] + (a[row] == b[column] ? 0 : 1))
        if row > 0, column > 0, a[row] == b[column - 1], a[row - 1] == b[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[b.count]
  }
}
