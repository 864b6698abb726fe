#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Detached threads.
package enum Thread {
  /// The system only commits the pages that are used.
  private static let stackByteCount = 512 << 10

  /// Runs `body` in a new thread; returns whether the system could create one.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool { Work(body).start() }

  private final class Work: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() -> Bool {
      var attributes = pthread_attr_t()
      unsafe pthread_attr_init(&attributes)
      defer { unsafe pthread_attr_destroy(&attributes) }
      unsafe pthread_attr_setstacksize(&attributes, Thread.stackByteCount)
      unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
      let context = unsafe Unmanaged.passRetained(self).toOpaque()
      #if canImport(Darwin)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let code = unsafe pthread_create(
        &thread, &attributes,
        { context in
          #if canImport(Darwin)
            let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
          #else
            guard let context = unsafe context else { return nil }
            let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
          #endif
          work.run()
          return nil
        }, context)
      if code != 0 { unsafe Unmanaged<Work>.fromOpaque(context).release() }
      return code == 0
    }

    private func run() {
      // Writing to a disconnected client must be an error of that call; `sendfile` has no flag for that.
      var broken = sigset_t()
      unsafe sigemptyset(&broken)
      unsafe sigaddset(&broken, SIGPIPE)
      unsafe pthread_sigmask(SIG_BLOCK, &broken, nil)
      body()
    }
  }
}

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
    var values: [Value] = []
    values.reserveCapacity(items.count)
    forEach(items, width: width, body) { value in
      values.append(value)
      onEach()
    }
    return values
  }

  /// Passes the results of `body` for all items to `deliver` in the calling thread, in the order of the items, while
  /// threads process the next ones. After an error of `deliver`, no further item is begun.
  package static func forEach<Item: Sendable, Value: Sendable, Failure: Error>(
    _ items: [Item], width: Int, _ body: @escaping @Sendable (Item) -> Value,
    deliver: (Value) throws(Failure) -> Void
  ) throws(Failure) {
    let work = Monitor(MappedItems<Value>(count: items.count, width: width))
    let run: @Sendable () -> Void = {
      while let index = work.wait(until: { $0.begin() }) {
        let value = body(items[index])
        work.change { $0.results[index] = value }
      }
    }
    var started = 0
    while started < min(width, items.count), items.count > 1, Thread.start(run) { started += 1 }
    defer { work.change { $0.stop() } }
    for index in items.indices {
      // A single item needs no thread, and the system may refuse to create one.
      if started == 0 {
        try deliver(body(items[index]))
      } else {
        try deliver(work.wait { $0.results[index] })
        work.change { $0.take(index) }
      }
    }
  }
}

/// The items to process and their results.
private struct MappedItems<Value: Sendable> {
  var results: [Int: Value] = [:]
  private let count: Int
  private var next = 0
  /// The end of the items that are processed before an earlier result is taken, so that results do not pile up.
  private var limit: Int

  init(count: Int, width: Int) { (self.count, limit) = (count, max(64, 4 * width)) }

  /// The next item to process: none at the end, and `nil` if that is not known yet.
  mutating func begin() -> Int?? {
    if next >= count { return .some(nil) }
    if next >= limit { return nil }
    next += 1
    return next - 1
  }

  mutating func take(_ index: Int) {
    results[index] = nil
    limit += 1
  }

  mutating func stop() { next = count }
}
