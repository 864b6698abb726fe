import MP4Bytes

/// The tags of RFC 8216 and its second edition, in the order in which they are written to new playlists.
public enum TagName: String, CaseIterable, Hashable, Sendable {
  // Tags of both kinds of playlists.
  case playlistHeader = "EXTM3U"
  case version = "EXT-X-VERSION"
  case define = "EXT-X-DEFINE"
  case independentSegments = "EXT-X-INDEPENDENT-SEGMENTS"
  case start = "EXT-X-START"

  // Tags of a media playlist as a whole.
  case targetDuration = "EXT-X-TARGETDURATION"
  case partInformation = "EXT-X-PART-INF"
  case serverControl = "EXT-X-SERVER-CONTROL"
  case mediaSequence = "EXT-X-MEDIA-SEQUENCE"
  case discontinuitySequence = "EXT-X-DISCONTINUITY-SEQUENCE"
  case playlistType = "EXT-X-PLAYLIST-TYPE"
  case iFramesOnly = "EXT-X-I-FRAMES-ONLY"
  case allowCache = "EXT-X-ALLOW-CACHE"
  case skip = "EXT-X-SKIP"

  // Tags of a segment.
  case discontinuity = "EXT-X-DISCONTINUITY"
  case key = "EXT-X-KEY"
  case map = "EXT-X-MAP"
  case programDateTime = "EXT-X-PROGRAM-DATE-TIME"
  case dateRange = "EXT-X-DATERANGE"
  case gap = "EXT-X-GAP"
  case bitrate = "EXT-X-BITRATE"
  case part = "EXT-X-PART"
  case segment = "EXTINF"
  case byteRange = "EXT-X-BYTERANGE"

  // Tags after the last segment.
  case preloadHint = "EXT-X-PRELOAD-HINT"
  case renditionReport = "EXT-X-RENDITION-REPORT"
  case end = "EXT-X-ENDLIST"

  // Tags of a multivariant playlist.
  case contentSteering = "EXT-X-CONTENT-STEERING"
  case sessionData = "EXT-X-SESSION-DATA"
  case sessionKey = "EXT-X-SESSION-KEY"
  case rendition = "EXT-X-MEDIA"
  case variant = "EXT-X-STREAM-INF"
  case iFrameVariant = "EXT-X-I-FRAME-STREAM-INF"

  /// The kinds of playlists in which a tag is allowed.
  enum Place { case both, media, segment, multivariant }

  /// Where the tag is allowed.
  var place: Place {
    switch self {
    case .playlistHeader, .version, .define, .independentSegments, .start: .both
    case .targetDuration, .partInformation, .serverControl, .mediaSequence, .discontinuitySequence, .playlistType,
      .iFramesOnly, .allowCache, .skip, .preloadHint, .renditionReport, .end:
      .media
    case .discontinuity, .key, .map, .programDateTime, .dateRange, .gap, .bitrate, .part, .segment, .byteRange:
      .segment
    case .contentSteering, .sessionData, .sessionKey, .rendition, .variant, .iFrameVariant: .multivariant
    }
  }
  /// Whether a playlist can contain it only once.
  var isSingle: Bool {
    switch place {
    case .both: self != .define
    case .media: self != .preloadHint && self != .renditionReport
    case .segment: false
    case .multivariant: self == .contentSteering
    }
  }
  /// The position in the order of tags.
  var rank: Int { TagName.ranks[self] ?? 0 }

  private static let ranks = Dictionary(
    uniqueKeysWithValues: zip(TagName.allCases, TagName.allCases.indices))
  /// The tags by name.
  static let byName = Dictionary(uniqueKeysWithValues: TagName.allCases.map { ($0.rawValue, $0) })
}

extension TagName {
  /// The tag that is almost the one in a line; `nil` if there is none, or if the line has a valid tag.
  init?(misspelledIn line: String) {
    let (name, names) = (Self.name(in: line), Self.allCases.map(\.rawValue))
    guard Self.byName[name] == nil,
      let meant = Spelling.name(meantBy: name, of: names, prefixes: ["EXT-X-", "EXT"])
    else { return nil }
    self.init(rawValue: meant)
  }
  /// The name in a line that starts with `#`.
  static func name(in line: String) -> String { line.utf8.dropFirst().halves(at: ":").0.trimmed.text }
}

extension TagName: CustomStringConvertible {
  /// The name as playlists write it, without `#`.
  public var description: String { rawValue }
}
