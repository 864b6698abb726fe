/// A problem in a subtitle file, and how it was handled.
public struct TextFinding: Hashable, Sendable {
  /// The kinds of problems.
  public enum Problem: Hashable, Sendable {
    /// Bytes that have no character in the encoding of the file, read as U+FFFD.
    case noCharacter(encoding: String)
    /// NUL characters, read as U+FFFD.
    case zero
    /// A line with an arrow whose times cannot be read; the cue is omitted.
    case times(String)
    /// Text without times, omitted.
    case strayText(String)
    /// A cue that does not end after its start, and is never shown.
    case neverShown
    /// A setting that players ignore.
    case setting(String)
    /// A style sheet or a region after the first cue, which players ignore.
    case late(String)
    /// An X-TIMESTAMP-MAP that cannot be read.
    case timestampMap(String)
    /// A tag or color of SubRip that WebVTT cannot express, omitted.
    case markup(String)
  }
  /// The line number; the first line is 1.
  public var line: Int
  /// The problem.
  public var problem: Problem

  /// A problem in a line.
  public init(_ problem: Problem, line: Int) {
    self.problem = problem
    self.line = line
  }

  /// Whether text is lost, not just formatting.
  public var isLoss: Bool {
    switch problem {
    case .noCharacter, .times, .strayText: true
    default: false
    }
  }
}

extension TextFinding: CustomStringConvertible {
  /// Such as `line 7: the times are "1 --> 2" but must look like 00:01.000 --> 00:02.500; cue omitted`.
  public var description: String {
    let reason =
      switch problem {
      case .noCharacter(let encoding): "some bytes have no character in \(encoding); replaced with U+FFFD"
      case .zero: "NUL characters were replaced with U+FFFD"
      case .times(let text):
        "the times are \(quoted(text)) but must look like 00:01.000 --> 00:02.500; cue omitted"
      case .strayText(let text): "there are no times before \(quoted(text)); omitted"
      case .neverShown: "the end of this cue is not after its start; omitted"
      case .setting(let text): "players ignore the setting \(quoted(text))"
      case .late(let kind): "\(kind) after the first cue; players ignore it"
      case .timestampMap(let text):
        "\(quoted(text)) must look like X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000; omitted"
      case .markup(let text): "WebVTT has no equivalent of \(quoted(text)); omitted"
      }
    return "line \(line): \(reason)"
  }
}

/// Why a subtitle file cannot be used, and in which line.
public struct TimedTextError: Error, Hashable, Sendable {
  /// The kinds of errors.
  public enum Problem: Hashable, Sendable {
    /// A file whose first line does not begin with `WEBVTT`.
    case notWebVTT(String)
    /// A file without any line of times.
    case notSubRip
    /// A file that is not UTF-8 and whose encoding is unknown.
    case notUTF8
    /// A UTF-16 file with unknown byte order.
    case noByteOrderMark
  }
  /// The line number; the first line is 1.
  public var line: Int
  /// The problem.
  public var problem: Problem

  /// A problem in a line.
  public init(_ problem: Problem, line: Int) {
    self.problem = problem
    self.line = line
  }
}

extension TimedTextError: CustomStringConvertible {
  /// Such as `line 1: a WebVTT file must begin with WEBVTT, not "1"`.
  public var description: String {
    switch problem {
    case .notWebVTT(let text): "line \(line): a WebVTT file must begin with WEBVTT, not \(quoted(text))"
    case .notSubRip: "line \(line): no SubRip times like 00:00:01,000 --> 00:00:02,500"
    case .notUTF8: "line \(line): some bytes are not UTF-8, and no encoding is given"
    case .noByteOrderMark: "line \(line): no byte order mark; use utf-16le or utf-16be"
    }
  }
}

/// A text in quotation marks, truncated to keep messages readable.
private func quoted(_ text: String) -> String {
  let visible = text.unicodeScalars.prefix(60).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }.joined()
  return "\"\(visible)\(text.unicodeScalars.dropFirst(60).isEmpty ? "" : "…")\""
}
