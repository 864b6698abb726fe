import MP4Platform

/// Standard error: messages, and below them one temporary line, such as progress.
final class ErrorStream {
  private let stream: StandardStream
  /// Whether it is a terminal whose lines can be rewritten.
  let isTerminal: Bool
  let usesColour: Bool
  private var hasTransientLine = false
  /// Called before a message, so that buffered standard output appears before it.
  var beforeMessage: () -> Void = {}

  /// A stream on `descriptor`; other properties are determined from it and the environment by default.
  init(descriptor: Int32 = 2, isTerminal: Bool? = nil, usesColour: Bool? = nil) {
    stream = StandardStream(descriptor)
    let isDumb = Environment["TERM"] == "dumb"
    self.isTerminal = isTerminal ?? (stream.isTerminal && !isDumb)
    self.usesColour =
      usesColour
      ?? Self.wantsColour(
        isTerminal: self.isTerminal, noColour: Environment["NO_COLOR"],
        terminal: Environment["TERM"])
  }

  /// Color is used on terminals that support it, unless the user has disabled it (<https://no-color.org>).
  static func wantsColour(isTerminal: Bool, noColour: String?, terminal: String?) -> Bool {
    isTerminal && (noColour ?? "").isEmpty && terminal != nil && terminal != "dumb"
  }

  /// The same for another stream.
  static func wantsColour(onTerminal isTerminal: Bool) -> Bool {
    wantsColour(
      isTerminal: isTerminal, noColour: Environment["NO_COLOR"], terminal: Environment["TERM"])
  }

  var columns: Int { stream.columns ?? 80 }

  /// Writes a line of a message in one call, so that lines of several programs do not mix.
  func writeLine(_ line: String) {
    beforeMessage()
    clearTransientLine()
    send(line + "\n")
  }

  /// Shows `line` below the messages, replacing the previous one.
  func showTransientLine(_ line: String) {
    guard isTerminal else { return send(line + "\n") }
    hasTransientLine = true
    // The last column stays empty: writing there would wrap on some terminals.
    send("\r" + line.prefix(max(columns - 1, 1)) + "\u{1b}[K")
  }

  func clearTransientLine() {
    guard hasTransientLine else { return }
    hasTransientLine = false
    send("\r\u{1b}[K")
  }

  /// A failure cannot be reported anywhere, so it is ignored.
  private func send(_ text: String) {
    try? stream.write(Array(text.utf8))
  }
}
