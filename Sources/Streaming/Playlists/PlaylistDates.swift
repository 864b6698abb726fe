public import MP4HLS

/// The dates of a media playlist.
public struct PlaylistDates: Sendable {
  /// The date and time of its start, according to its first EXT-X-PROGRAM-DATE-TIME.
  public private(set) var start: DateTime?
  /// Its date ranges, by their first tags and with the attributes that later tags with the same ID add.
  public private(set) var ranges: [DateRange] = []
  private var isFirst = true

  init() {}

  /// Takes the dates of the playlist, or those of a later version of it.
  mutating func take(_ playlist: MediaPlaylist) {
    var elapsed = Duration.zero
    for segment in playlist.segments {
      for range in segment.dateRanges {
        guard let index = ranges.firstIndex(where: { $0.id == range.id }) else {
          ranges.append(range)
          continue
        }
        for attribute in range.attributes.attributes where ranges[index].attributes[attribute.name] == nil {
          ranges[index].attributes[attribute.name] = attribute
        }
      }
      if isFirst, start == nil, let date = segment.programDateTime { start = date - elapsed }
      elapsed += segment.duration
    }
    isFirst = false
  }
}
