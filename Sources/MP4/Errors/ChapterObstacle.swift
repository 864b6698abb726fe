/// Why chapters cannot be read or written.
public enum ChapterObstacle: Error, Equatable, Sendable {
  /// A line is not UTF-8.
  case notUTF8(line: Int)
  /// A line is not valid; an example of a valid one.
  case syntax(line: Int, expected: String)
  /// There is no chapter.
  case noChapters
  /// There are more chapters than a chapter list can have.
  case tooMany(Int)
  /// The chapters are a track, and movie fragments may contain samples of it.
  case fragments
}

extension ChapterObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .notUTF8(let line): "line \(line) is not UTF-8; convert the file with a tool such as iconv"
    case .syntax(let line, let expected): "line \(line) must be \(expected)"
    case .noChapters: "it has no chapters"
    case .tooMany(let count): "there are \(count) chapters; a chapter list has at most \(ChapterList.limit)"
    case .fragments: "its chapters are a track of a fragmented file; run `mp4tool defrag` first"
    }
  }
}
