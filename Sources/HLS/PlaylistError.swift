/// Why a playlist cannot be read, and in which line.
public struct PlaylistError: Error, Hashable, Sendable {
  /// The kinds of errors.
  public enum Problem: Hashable, Sendable {
    /// Bytes that are not UTF-8.
    case notUTF8
    /// A file whose first line is not `#EXTM3U`.
    case notAPlaylist(text: String)
    /// A playlist of the other kind, recognized by this tag.
    case otherKind(tag: String, expected: String)
    /// An invalid value of a tag, and the valid ones.
    case value(tag: String, text: String, possible: String)
    /// An invalid value of an attribute, and the valid ones.
    case attribute(tag: String, name: String, text: String, possible: String)
    /// A variable that is used but not defined.
    case undefinedVariable(String)
    /// Variables whose expansion is too long.
    case tooLong(limit: Int)
    /// More lines than any real playlist has.
    case tooManyLines(limit: Int)
    /// More concurrent key formats than any real playlist has.
    case tooManyKeys(limit: Int)
  }
  /// The problem.
  public var problem: Problem
  /// The line number, starting at 1; 0 if it is not about a line.
  public var line: Int

  /// A problem in a line.
  public init(_ problem: Problem, line: Int) {
    self.problem = problem
    self.line = line
  }
}

extension PlaylistError: CustomStringConvertible {
  /// Such as `line 7: EXTINF is "six" but can only be a number of seconds`.
  public var description: String { line > 0 ? "line \(line): \(reason)" : reason }

  /// The problem and the valid values, without the line.
  public var reason: String {
    switch problem {
    case .notUTF8: "some bytes are not UTF-8, but playlists must be UTF-8"
    case .notAPlaylist(let text):
      if text.isEmpty {
        "it is empty or starts with an empty line; a playlist must begin with #EXTM3U"
      } else if ["<!doctype html", "<html"].contains(where: { text.lowercased().hasPrefix($0) }) {
        "it is an HTML page, not a playlist"
      } else {
        "a playlist must begin with #EXTM3U, not \(quoted(text))"
      }
    case .otherKind(let tag, let expected): "it has \(tag), so it is not \(expected)"
    case .value(let tag, let text, let possible): "\(tag) is \(quoted(text)) but can only be \(possible)"
    case .attribute(let tag, let name, let text, let possible):
      "\(name) of \(tag) is \(quoted(text)) but can only be \(possible)"
    case .undefinedVariable(let name): "the variable \(quoted(name)) is not defined"
    case .tooLong(let limit): "variables expand to more than \(limit) bytes"
    case .tooManyLines(let limit): "there are more than \(limit) lines"
    case .tooManyKeys(let limit): "there are keys of more than \(limit) formats at once"
    }
  }
}

/// A text in quotation marks, truncated to keep messages readable.
func quoted(_ text: String) -> String {
  let visible = text.unicodeScalars.prefix(60).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }.joined()
  return "\"\(visible)\(text.unicodeScalars.dropFirst(60).isEmpty ? "" : "…")\""
}
