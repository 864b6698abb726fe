public import MP4

/// Why subtitles cannot be added to a presentation.
public enum SubtitleError: Error, Sendable {
  /// There is no variant to which they could be added.
  case noVariants
  /// A name that a rendition of the group has already.
  case nameTwice(String)
  /// A second rendition that would be shown to those who chose nothing.
  case defaultTwice(String)
  /// A playlist that goes on.
  case live
  /// A playlist without segments.
  case noSegments
  /// There are so many cues in so many segments that no player could read them.
  case tooLarge(String)
  /// No MP4 can be made of them.
  case movie(MovieError)
}

extension SubtitleError: CustomStringConvertible {
  /// A sentence without the name of a file.
  public var description: String {
    switch self {
    case .noVariants: "it has no variant (EXT-X-STREAM-INF) to which subtitles could be added"
    case .nameTwice(let name):
      "there are subtitles with the name \"\(name)\" already, and names have to differ"
    case .defaultTwice(let name):
      "the subtitles \"\(name)\" are the default already, and there can be only one"
    case .live:
      "it is live, as it has no EXT-X-ENDLIST; the subtitles of a presentation can be added when it is complete"
    case .noSegments: "there are no segments in it"
    case .tooLarge(let name): "\(name): its cues last so long that all segments together would have more than 256 MiB"
    case .movie(let error): error.description
    }
  }
}
