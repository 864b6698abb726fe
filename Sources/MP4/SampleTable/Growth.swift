extension Array {
  /// Makes sure that `more` elements fit. A long array grows by a half instead of doubling, which costs little time
  /// and, of columns with millions of values, less memory.
  mutating func makeRoom(for more: Int) {
    guard count + more > capacity, count > 1 << 13 else { return }
    reserveCapacity(Swift.max(count + more, count + count / 2))
  }

  /// As `append`, with the growth of `makeRoom`.
  mutating func appendSparingly(_ element: Element) {
    if count == capacity { makeRoom(for: 1) }
    append(element)
  }
}
