import Bytes
import ISOBMFF

/// Chapters of a movie in time order.
public struct ChapterList: Equatable, Sendable {
  /// A chapter: a title from a time on.
  public struct Chapter: Equatable, Sendable {
    /// When it starts, in presentation time.
    public var time: MediaTime
    /// Its title.
    public var title: String

    /// A chapter that starts at `time`.
    public init(time: MediaTime, title: String) {
      self.time = time
      self.title = title
    }
  }
  /// The chapters, sorted by time.
  public let chapters: [Chapter]
  /// The maximum number of chapters in a file: their count has one byte.
  public static let limit = 255
  /// The maximum number of bytes of a title.
  private static let titleLimit = 255

  /// Sorts chapters by time.
  public init(_ chapters: [Chapter]) {
    let order = chapters.indices.sorted { (chapters[$0].time, $0) < (chapters[$1].time, $1) }
    self.chapters = order.map { chapters[$0] }
  }

  /// Nero's chapter list (`chpl`), with times in units of 100 ns. Titles that are too long are truncated at a character
  /// boundary.
  func box() -> Box {
    var writer = ByteWriter()
    // Version 1, no flags, and a field that is always 0.
    writer.integer(UInt32(0x0100_0000))
    writer.integer(UInt32(0))
    writer.integer(UInt8(clamping: chapters.count))
    for chapter in chapters.prefix(Self.limit) {
      writer.integer(UInt64(max(0, chapter.time.converted(to: 10_000_000).value)))
      let title = Array(Self.shortened(chapter.title, to: Self.titleLimit).utf8)
      writer.integer(UInt8(clamping: title.count))
      for byte in title { writer.integer(byte) }
    }
    return Box("chpl", bytes: writer.bytes)
  }

  /// The numbers of the chapters whose titles are too long, counted from 1.
  var shortenedTitles: [Int] {
    chapters.indices.filter { chapters[$0].title.utf8.count > Self.titleLimit }.map { $0 + 1 }
  }

  /// A title, truncated at a character boundary.
  static func shortened(_ title: String, to limit: Int) -> String {
    var (result, count) = ("", 0)
    for character in title {
      count += character.utf8.count
      if count > limit { break }
      result.append(character)
    }
    return result
  }
}
