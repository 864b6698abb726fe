import MP4Platform

/// The progress of long work, on one temporary line of standard error.
///
/// It appears after a second and is updated at most ten times per second. Without a terminal it
/// is shown only with `--progress`, as a separate line each second, for logs.
final class Progress {
  /// When it is shown.
  enum Mode: Sendable {
    /// Shown on a terminal.
    case automatic
    /// Shown even if standard error is not a terminal.
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

  /// Starts work on `total` units, by default bytes; `title` is the file that is read or written.
  func begin(_ title: String, total: Int?, in unit: ProgressLine.Unit = .bytes) {
    guard isShown else { return }
    self.title = Printable.escaped(title)
    (self.total, self.unit) = (total, unit)
    start = milliseconds()
    nextUpdate = start + 1000
  }

  /// Reports the amount of work done. Cheap enough for frequent calls.
  func update(to done: Int) {
    guard isShown, nextUpdate != .max else { return }
    let now = milliseconds()
    guard now >= nextUpdate else { return }
    nextUpdate = now + (stream.isTerminal ? 100 : 1000)
    let line = ProgressLine(title: title, done: done, total: total, unit: unit, elapsedMilliseconds: now - start)
    stream.showTransientLine(line.text)
  }

  /// Reports the amount of work done, of about `total`.
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
