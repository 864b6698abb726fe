import Platform

/// Standard error: messages, and below them one line that comes and goes, such as progress.
final class ErrorStream {
  private let stream: StandardStream
  /// Whether it is a terminal, and one whose lines can be rewritten.
  let isTerminal: Bool
  let usesColour: Bool
  private var hasTransientLine = false
  /// Called before a message, so that what standard output still holds appears before it.
  var beforeMessage: () -> Void = {}

  /// A stream on `descriptor`; what is not given is found out from it and the environment.
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

  /// Colour is for terminals that can show it, and for people who did not say no (<https://no-color.org>).
  static func wantsColour(isTerminal: Bool, noColour: String?, terminal: String?) -> Bool {
    isTerminal && (noColour ?? "").isEmpty && terminal != nil && terminal != "dumb"
  }

  /// The same for a stream of which only this is known.
  static func wantsColour(onTerminal isTerminal: Bool) -> Bool {
    wantsColour(
      isTerminal: isTerminal, noColour: Environment["NO_COLOR"], terminal: Environment["TERM"])
  }

  var columns: Int { stream.columns ?? 80 }

  /// Writes one line of a message, in one call so that the lines of several programs do not mix.
  func writeLine(_ line: String) {
    beforeMessage()
    clearTransientLine()
    send(line + "\n")
  }

  /// Shows `line` below the messages, in place of the one before.
  func showTransientLine(_ line: String) {
    guard isTerminal else { return send(line + "\n") }
    hasTransientLine = true
    // The last column stays free: writing there would wrap on some terminals.
    send("\r" + line.prefix(max(columns - 1, 1)) + "\u{1b}[K")
  }

  func clearTransientLine() {
    guard hasTransientLine else { return }
    hasTransientLine = false
    send("\r\u{1b}[K")
  }

  /// There is no place left to report a failure here, so it is not looked at.
  private func send(_ text: String) {
    try? stream.write(Array(text.utf8))
  }
}
