import Platform

/// The progress of long work, on one temporary line of standard error.
///
/// It appears after a second and is updated at most ten times per second. Without a terminal it
/// is shown only with `--progress`, as a separate line each second, for logs.
final class Progress {
  /// When it is shown.
  enum Mode: Sendable {
    /// Shown on a terminal.
    case automatic
    /// Shown wherever standard error goes.
    case always
    case never
  }

  private let stream: ErrorStream
  private let isShown: Bool
  private let milliseconds: () -> Int
  private var title = ""
  private var total: Int?
  private var unit = ProgressLine.Unit.bytes
  private var start = 0
  private var nextUpdate = Int.max

  init(stream: ErrorStream, mode: Mode, milliseconds: @escaping () -> Int = { SystemClock.milliseconds }) {
    self.stream = stream
    self.milliseconds = milliseconds
    isShown =
      switch mode {
      case .automatic: stream.isTerminal
      case .always: true
      case .never: false
      }
  }

  /// Begins work on `total` bytes, or what else is counted; `title` is the file that is written or read.
  func begin(_ title: String, total: Int?, in unit: ProgressLine.Unit = .bytes) {
    guard isShown else { return }
    self.title = Printable.escaped(title)
    (self.total, self.unit) = (total, unit)
    start = milliseconds()
    nextUpdate = start + 1000
  }

  /// Reports that so much is done. Cheap enough for frequent calls.
  func update(to done: Int) {
    guard isShown, nextUpdate != .max else { return }
    let now = milliseconds()
    guard now >= nextUpdate else { return }
    nextUpdate = now + (stream.isTerminal ? 100 : 1000)
    let line = ProgressLine(title: title, done: done, total: total, unit: unit, elapsedMilliseconds: now - start)
    stream.showTransientLine(line.text)
  }

  /// Reports that so much of about `total` is done.
  func update(to done: Int, of total: Int) {
    self.total = total
    update(to: done)
  }

  /// Ends the work and removes the line.
  func end() {
    nextUpdate = .max
    stream.clearTransientLine()
  }
}
