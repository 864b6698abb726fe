import Support

/// The expected samples of overlapping fragments of one track, derived sample by sample from the rule: at every time,
/// the last declared fragment is used.
struct LastDeclared {
  /// The samples of every fragment in declaration order; none is empty, and every sample has a duration.
  let fragments: [[SampleRecord]]

  /// The used samples, in time order.
  var samples: [SampleRecord] {
    fragments.indices.flatMap { number in fragments[number].filter { isUsed($0, of: number) } }
      .sorted { $0.decodeTime < $1.decodeTime }
  }

  private func start(_ number: Int) -> Int { fragments[number][0].decodeTime }
  private func end(_ number: Int) -> Int { fragments[number].last.map { $0.decodeTime + $0.duration } ?? 0 }

  /// The last fragment that declares this time.
  private func winner(at time: Int) -> Int? {
    fragments.indices.last { start($0) <= time && time < end($0) }
  }

  private func isUsed(_ sample: SampleRecord, of number: Int) -> Bool {
    guard let winner = winner(at: sample.decodeTime) else { return false }
    if winner == number { return true }
    // It starts before the previous one ends, but less than half of it is declared again.
    let times = fragments.indices.flatMap { [start($0), end($0)] }.sorted()
    guard let over = times.first(where: { $0 > sample.decodeTime && self.winner(at: $0) != winner }) else {
      return false
    }
    var begin = start(winner)
    for time in times where time <= sample.decodeTime && self.winner(at: time - 1) != winner { begin = time }
    let last = fragments[winner].last?.decodeTime ?? 0
    return self.winner(at: over) == number && (over - sample.decodeTime) * 2 < sample.duration
      && sample.decodeTime > max(begin, last)
  }
}
