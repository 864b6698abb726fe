/// A list of segments (RFC 8216, 4.3.2 and 4.3.3; draft-pantos-hls-rfc8216bis, 4.4.3 to 4.4.5).
///
/// Its lines are in three parts: those before the first segment, those of each segment, and those after the last one.
/// The properties read and change these lines; all other lines are written byte for byte as they were read.
///
/// Writing playlists in a packager:
///
/// ```swift
/// var segments: [Segment] = []
/// for number in 1...3 {
///   segments.append(Segment("segment\(number).m4s", duration: .units(540_540, timescale: 90_000)))
/// }
/// segments[0].map = InitializationSection("init.mp4")
/// var playlist = MediaPlaylist(segments, type: .vod, isEnded: true)
/// playlist.hasIndependentSegments = true
/// playlist.targetDuration = playlist.lowestTargetDuration  // or the largest of all renditions
/// playlist.version = playlist.lowestVersion
/// for finding in playlist.findings { print(finding) }  // none: it is valid
/// let bytes = playlist.bytes
/// ```
///
/// The multivariant playlist:
///
/// ```swift
/// var main = MultivariantPlaylist()
/// main.renditions = [Rendition(.audio, group: "aac", name: "English", uri: "en/index.m3u8")]
/// main.renditions[0].isDefault = true
/// var variant = Variant("video/index.m3u8", bandwidth: 2_400_000)
/// variant.codecs = "avc1.64001f,mp4a.40.2"
/// variant.resolution = Resolution(width: 1280, height: 720)
/// variant.frameRate = 30_000 / 1001
/// variant.audio = "aac"
/// main.variants = [variant]
/// let presentation = Presentation(main, media: ["video/index.m3u8": playlist, "en/index.m3u8": playlist])
/// for finding in presentation.findings { print(finding) }  // none: they match
/// ```
///
/// Reading playlists in a player:
///
/// ```swift
/// let base = URIReference("https://example.com/video/index.m3u8")
/// for segment in try MediaPlaylist(bytes).resolved() {
///   print(segment.mediaSequence, segment.start, URIReference(segment.uri).resolved(against: base))
///   print(segment.byteRange as Any, segment.map?.uri as Any, segment.keys.count)
/// }
/// ```
public struct MediaPlaylist: Hashable, Sendable {
  /// The lines before the first segment; the first one is `#EXTM3U`.
  public var header: [PlaylistLine]
  /// The segments with their lines.
  ///
  /// Removing a segment also removes its lines that apply to the following segments (EXT-X-KEY, EXT-X-MAP,
  /// EXT-X-BITRATE). To remove segments from the start, use ``removeFirstSegments(_:)``, which keeps them.
  public var segments: [Segment]
  /// The lines after the last segment.
  public var trailer: [PlaylistLine]
  /// Whether the file begins with a byte order mark, which is not allowed.
  public var hasByteOrderMark = false
  /// The line ending of new lines: that of the first line.
  public var lineEnding = PlaylistLine.Ending.lineFeed

  /// A playlist of segments with the lowest valid ``targetDuration`` and ``version``.
  public init(_ segments: [Segment] = [], type: PlaylistType? = nil, isEnded: Bool = false) {
    header = [PlaylistLine(.playlistHeader)]
    self.segments = segments
    trailer = []
    targetDuration = lowestTargetDuration
    playlistType = type
    self.isEnded = isEnded
    version = lowestVersion
  }
  /// Reads a media playlist; a multivariant playlist is an error.
  public init(_ bytes: [UInt8]) throws(PlaylistError) { try self.init(bytes, isTolerant: false) }

  /// Reads a media playlist. If it `isTolerant`, tags and attributes that cannot be read are skipped and reported in
  /// ``findings``.
  package init(_ bytes: [UInt8], isTolerant: Bool) throws(PlaylistError) {
    let document = try PlaylistDocument(bytes, isTolerant: isTolerant)
    if let (tag, line) = document.firstTag(of: .multivariant) {
      throw PlaylistError(.otherKind(tag: tag.rawValue, expected: "a media playlist"), line: line)
    }
    self.init(document)
  }
  /// Reads a media playlist; a multivariant playlist is an error.
  public init(_ text: String) throws(PlaylistError) { try self.init(Array(text.utf8)) }

  init(_ document: PlaylistDocument) {
    hasByteOrderMark = document.hasByteOrderMark
    lineEnding = document.lineEnding
    // The first group includes the header.
    let first = document.groups.first ?? []
    let start = first.firstIndex { $0.content == .uri || $0.tag?.place == .segment } ?? first.count
    header = Array(first[..<start])
    segments = []
    segments.reserveCapacity(document.groups.count)
    // In a playlist without segments, segment tags come after the header and belong to the trailer.
    trailer = document.groups.count < 2 ? Array(first[start...]) : document.groups.last ?? []
    for (index, group) in document.groups.dropLast().enumerated() {
      segments.append(Segment(lines: index == 0 ? Array(group[start...]) : group))
    }
  }

  /// All lines in order.
  public var lines: [PlaylistLine] { header + segments.flatMap(\.lines) + trailer }

  /// The number of the line with the URI of a segment; the first line is 1.
  public func lineNumber(ofSegment index: Int) -> Int {
    segments.prefix(index + 1).reduce(header.count) { $0 + $1.lines.count }
  }
  /// The number of the line with the EXT-X-MAP that applies to a segment, or of the segment if there is none.
  public func lineNumber(ofMapForSegment index: Int) -> Int {
    for (place, segment) in segments.prefix(index + 1).enumerated().reversed() {
      if let line = segment.lines.firstIndex(where: { $0.tag == .map }) {
        return lineNumber(ofSegment: place) - segment.lines.count + line + 1
      }
    }
    return lineNumber(ofSegment: index)
  }

  /// The playlist as bytes.
  public var bytes: [UInt8] {
    let parts = [header] + segments.map(\.lines) + [trailer]
    return PlaylistDocument.write(parts, byteOrderMark: hasByteOrderMark, lineEnding: lineEnding)
  }
  /// The playlist as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}
