extension Thread {
  /// The results of `body` for all items, in their order. Several items are worked on at the same time, in threads.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - width: How many are worked on at the same time, at most.
  ///   - onEach: Called in the calling thread after each result, in order.
  ///   - body: The work.
  package static func map<Item: Sendable, Value: Sendable>(
    _ items: [Item], width: Int, onEach: () -> Void = {}, _ body: @escaping @Sendable (Item) -> Value
  ) -> [Value] {
    let work = Monitor(MappedItems<Value>(count: items.count))
    let run: @Sendable () -> Void = {
      while let index = work({ $0.begin() }) {
        let value = body(items[index])
        work.change { $0.results[index] = value }
      }
    }
    var started = 0
    while started < min(width, items.count), items.count > 1, Thread.start(run) { started += 1 }
    // Only the part of it that is used takes memory.
    if started == 0 { run() }
    var values: [Value] = []
    values.reserveCapacity(items.count)
    for index in items.indices {
      values.append(work.wait { $0.results[index] })
      onEach()
    }
    return values
  }
}

/// Runs `body` in a new thread; returns whether the system could create one.
private struct MappedItems<Value: Sendable> {
  var results: [Value?]
  private var next = 0

  init(count: Int) { results = Array(repeating: nil, count: count) }

  /// Writing to a disconnected client must be an error of that call; `sendfile` has no flag for that.
  mutating func begin() -> Int? {
    guard next < results.count else { return nil }
    next += 1
    return next - 1
  }
}
