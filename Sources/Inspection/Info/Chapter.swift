public import MP4

/// A chapter of a movie.
public struct Chapter: Sendable {
  /// Its start time.
  public let time: MediaTime
  /// Its title.
  public let title: String

  /// The chapters of a movie: those of the track that another one refers to, or else of Nero's list.
  public static func list(of movie: Movie) throws(MovieError) -> [Chapter] {
    try movie.chapters().map { Chapter(time: $0.time, title: $0.title) }
  }
}
