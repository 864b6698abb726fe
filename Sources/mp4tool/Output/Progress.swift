import Platform

/// How far long work is, on one line of standard error that goes away when the work ends.
///
/// It appears after a second and changes ten times a second at most, so short work shows nothing. Without a terminal it
/// is shown only when `--progress` asks for it, then as a line of its own each second, for logs.
final class Progress {
  /// Who decides whether it is shown.
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

  /// Begins to measure work on `total` bytes; `title` is the file that is made or read.
  func begin(_ title: String, total: Int?) {
    guard isShown else { return }
    self.title = Printable.escaped(title)
    self.total = total
    start = milliseconds()
    nextUpdate = start + 1000
  }

  /// Reports that `done` bytes of the work are done. Cheap enough to be called for every piece.
  func update(to done: Int) {
    guard isShown, nextUpdate != .max else { return }
    let now = milliseconds()
    guard now >= nextUpdate else { return }
    nextUpdate = now + (stream.isTerminal ? 100 : 1000)
    let line = ProgressLine(title: title, done: done, total: total, elapsedMilliseconds: now - start)
    stream.showTransientLine(line.text)
  }

  /// Reports that `done` bytes of about `total` are done.
  func update(to done: Int, of total: Int) {
    self.total = total
    update(to: done)
  }

  /// Ends the measuring and takes the line away.
  func end() {
    nextUpdate = .max
    stream.clearTransientLine()
  }
}
