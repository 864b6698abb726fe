/// Finds the intended names of misspelled ones.
package enum Spelling {
  /// The one of `names` that `word` most likely means; `nil` if there is none. One letter may be wrong, or two in names
  /// of at least twelve letters, because short names that differ more are different names. The `prefixes` of names are
  /// not counted.
  package static func name(meantBy word: String, of names: [String], prefixes: [String] = []) -> String? {
    let typed = Array(word.uppercased())
    var best: (name: String, distance: Int)?
    for name in names {
      let candidate = Array(name)
      let prefix = prefixes.first { name.hasPrefix($0) } ?? ""
      let limit = candidate.count - prefix.count < 12 ? 1 : 2
      guard abs(candidate.count - typed.count) <= limit else { continue }
      let distance = distance(typed, candidate)
      if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
    }
    return best?.name
  }

  /// At most three of `names` that the user may have meant by `word`, the closest first.
  package static func names(like word: String, from names: [String]) -> [String] {
    let typed = Array(word.lowercased())
    guard !typed.isEmpty else { return [] }
    var found: [(name: String, distance: Int)] = []
    for name in names {
      let candidate = Array(name)
      let isBeginning = typed.count >= 2 && candidate.starts(with: typed)
      let isLonger = candidate.count >= 4 && typed.starts(with: candidate)
      let distance = distance(typed, candidate)
      // At most a third of the letters may be wrong.
      if isBeginning || isLonger || distance <= max(1, min(typed.count, candidate.count) / 3) {
        found.append((name, distance))
      }
    }
    return found.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }

  /// The number of letters to insert, remove, replace or swap with their neighbor to turn `a` into `b`.
  package static func distance(_ a: [Character], _ b: [Character]) -> Int {
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
