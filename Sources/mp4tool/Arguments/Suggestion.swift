import MP4HLS

/// Finds names that are similar to a mistyped one.
enum Suggestion {
  /// At most three of `names` that the user may have meant by `word`, the closest first.
  static func names(like word: String, from names: [String]) -> [String] {
    let typed = Array(word.lowercased())
    guard !typed.isEmpty else { return [] }
    var found: [(name: String, distance: Int)] = []
    for name in names {
      let candidate = Array(name)
      let isBeginning = typed.count >= 2 && candidate.starts(with: typed)
      let isLonger = candidate.count >= 4 && typed.starts(with: candidate)
      let distance = Spelling.distance(typed, candidate)
      // At most a third of the letters may be wrong.
      if isBeginning || isLonger || distance <= max(1, min(typed.count, candidate.count) / 3) {
        found.append((name, distance))
      }
    }
    return found.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }
}
