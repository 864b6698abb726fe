public import MP4

/// Why subtitles cannot be added to a presentation.
public enum SubtitleError: Error, Sendable {
  /// There is no variant to which they could be added.
  case noVariants
  /// A rendition of the group already has this name.
  case nameTwice(String)
  /// A second default rendition.
  case defaultTwice(String)
  /// The playlist is live.
  case live
  /// The playlist has no segments.
  case noSegments
  /// There are too many cues in too many segments.
  case tooLarge(String)
  /// No MP4 can be created from them.
  case movie(MovieError)
}

extension SubtitleError: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .noVariants: "it has no variant (EXT-X-STREAM-INF)"
    case .nameTwice(let name):
      "subtitles with the name \"\(name)\" already exist; names must differ"
    case .defaultTwice(let name):
      "the subtitles \"\(name)\" are already the default; there can be only one"
    case .live:
      "the stream is live (no EXT-X-ENDLIST); subtitles can be added when it is complete"
    case .noSegments: "it has no segments"
    case .tooLarge(let name): "\(name): its cues are so long that the segments would need more than 256 MiB"
    case .movie(let error): error.description
    }
  }
}
