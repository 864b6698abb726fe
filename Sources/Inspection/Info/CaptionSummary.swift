import MP4
import MP4Bytes
public import MP4Packaging
package import MP4Records
public import TimedText

/// The closed captions of a track.
public struct CaptionSummary: Sendable, Hashable {
  /// The channels that have text, in order; empty if none was found where they were looked for.
  public let channels: [CaptionChannel]
  /// Where they were looked for.
  public let search: CaptionSearch

  /// Looks for captions; `nil` if the format of the track cannot have any, or the search is `none`.
  init?(_ track: Track, _ search: CaptionSearch) throws(MovieError) {
    guard let channels = try track.captionChannels(search) else { return nil }
    (self.channels, self.search) = (channels, search)
  }

  /// The channels in words: `CC1, SERVICE1`, or `none in the first 10 s`.
  public var words: String {
    let place = search.seconds.map { " in the first \($0) s" } ?? ""
    return channels.isEmpty ? "none\(place)" : channels.map(\.description).joined(separator: ", ")
  }
}

extension CaptionSummary: Record {
  package static let summary = "The closed captions of a track."
  package static let members: [RecordMember<CaptionSummary>] = [
    RecordMember("channels", "the channels that have text: `CC1` to `CC4`, and `SERVICE1` to `SERVICE63`") {
      $0.channels.map(\.description)
    },
    RecordMember("searched_seconds", "how much of the start was searched; missing if all of it was") {
      $0.search.seconds
    },
  ]
}
