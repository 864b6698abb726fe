extension Thread {
  /// The results of `body` for all items, in the order of the items. Threads process several items at the same time.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - width: The number of items that are processed at the same time, at most.
  ///   - onEach: Called in the calling thread after each result, in order.
  ///   - body: Processes one item.
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
    // A single item needs no thread, and the system may refuse to create one.
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

/// The items to process and their results.
private struct MappedItems<Value: Sendable> {
  var results: [Value?]
  private var next = 0

  init(count: Int) { results = Array(repeating: nil, count: count) }

  /// The next item to process.
  mutating func begin() -> Int? {
    guard next < results.count else { return nil }
    next += 1
    return next - 1
  }
}
