import MP4FileIO
import MP4Platform
import MP4Processes

/// Concurrent downloads, a few at a time, in the order in which they were added.
public final class Downloads {
  private let options: FetchOptions
  private var waiting: [Download] = []
  private var next = 0
  private var running: [Download] = []
  private var receivedByEnded = 0

  /// No downloads.
  public init(_ options: FetchOptions = FetchOptions()) { self.options = options }

  /// Whether all downloads have ended.
  public var isEmpty: Bool { running.isEmpty && next == waiting.count }
  /// The total number of bytes received.
  public var received: Int { running.reduce(receivedByEnded) { $0 + $1.received } }

  /// Adds a download after the others, or before those that have not started.
  public func add(_ download: Download, isFirst: Bool = false) {
    if isFirst { waiting.insert(download, at: next) } else { waiting.append(download) }
  }

  /// Cancels all downloads.
  public func stop() {
    for download in running { download.stop() }
    (running, waiting, next) = ([], [], 0)
  }

  /// Waits until at least one download has ended, or for this number of milliseconds; returns the ended downloads.
  public func wait(milliseconds: Int) -> [Download] {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while true {
      start()
      for download in running where (download.wakeTime ?? .now) <= .now { download.step(options) }
      let ended = running.filter { $0.result != nil }
      if !ended.isEmpty {
        receivedByEnded += ended.reduce(0) { $0 + $1.received }
        running.removeAll { $0.result != nil }
        return ended
      }
      let rest = end - .now
      if rest <= .zero || isEmpty { return [] }
      let wake = running.compactMap(\.wakeTime).map { $0 - .now }.min() ?? rest
      ChildProcess.wait(
        for: running.compactMap(\.transfer?.process), milliseconds: min(rest, max(wake, .zero)).milliseconds + 1)
    }
  }

  private func start() {
    while running.count < max(options.atOnce, 1), next < waiting.count {
      running.append(waiting[next])
      next += 1
    }
    if next == waiting.count { (waiting, next) = ([], 0) }
  }
}

extension Duration {
  fileprivate var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue)
      + Int(attoseconds / 1_000_000_000_000_000)
  }
}
