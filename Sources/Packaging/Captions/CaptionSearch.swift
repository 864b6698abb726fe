public import MP4
import MP4Bytes
public import TimedText

/// Where closed captions are looked for. They are in the media, so that a search reads a part of it.
public enum CaptionSearch: Sendable, Hashable {
  /// Nowhere.
  case none
  /// In the first 10 seconds of the presentation.
  case start
  /// Everywhere.
  case all

  /// The end of the search in seconds; `nil` if it has none.
  package var seconds: Int? { self == .start ? 10 : nil }
}

extension Track {
  /// The channels of closed captions that have text where `search` looks for them, in order; `nil` if nothing is known:
  /// the format cannot have captions, the track is encrypted, or the search is `none`.
  ///
  /// - Throws: `MovieError` if the media cannot be read, or has too many captions.
  public func captionChannels(_ search: CaptionSearch) throws(MovieError) -> [CaptionChannel]? {
    guard search != .none, canHaveCaptions, try readProtectionScheme() == nil else { return nil }
    return try captions(before: search.seconds.map { MediaTime(seconds: $0) }).channels
  }
}
