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
  /// The representation of a DASH manifest from which it was made; messages name its line instead of lines of the
  /// playlist.
  package var source: ManifestSource?

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

  /// The playlist as bytes.
  public var bytes: [UInt8] {
    let parts = [header] + segments.map(\.lines) + [trailer]
    return PlaylistDocument.write(parts, byteOrderMark: hasByteOrderMark, lineEnding: lineEnding)
  }
  /// The playlist as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Whether a playlist can change (4.4.3.5).
public enum PlaylistType: String, Hashable, Sendable {
  /// Segments can only be appended.
  case event = "EVENT"
  /// The playlist cannot change.
  case vod = "VOD"
}

/// The tags that apply to a media playlist as a whole. Setting `nil`, `false` or an empty list removes them.
extension MediaPlaylist {
  /// EXT-X-VERSION, 1 if missing; setting 1 removes the tag.
  public var version: Int {
    get { integer(.version) ?? 1 }
    set { set(.version, newValue > 1 ? .integer(newValue) : nil) }
  }
  /// EXT-X-TARGETDURATION: the maximum duration of segments in whole seconds; new values are rounded. 0 if
  /// missing.
  public var targetDuration: Duration {
    get { .seconds(targetSeconds) }
    set { targetSeconds = newValue.roundedSeconds }
  }
  /// The lowest valid target duration: the duration of the longest segment, rounded to the nearest second, and at least
  /// 1 second.
  public var lowestTargetDuration: Duration { .seconds(lowestTargetSeconds) }

  /// The value of ``targetDuration``.
  package var targetSeconds: Int {
    get { integer(.targetDuration) ?? 0 }
    set { set(.targetDuration, .integer(newValue)) }
  }
  /// The value of ``lowestTargetDuration``.
  package var lowestTargetSeconds: Int { max(1, segments.lazy.map(\.duration.roundedSeconds).max() ?? 1) }

  /// EXT-X-MEDIA-SEQUENCE: the media sequence number of the first segment.
  public var mediaSequence: Int {
    get { integer(.mediaSequence) ?? 0 }
    set { set(.mediaSequence, .integer(newValue)) }
  }
  /// EXT-X-DISCONTINUITY-SEQUENCE: the number of discontinuities before the first segment. Setting 0 adds no tag.
  public var discontinuitySequence: Int {
    get { integer(.discontinuitySequence) ?? 0 }
    set { set(.discontinuitySequence, newValue > 0 || hasDiscontinuitySequence ? .integer(newValue) : nil) }
  }
  /// Whether EXT-X-DISCONTINUITY-SEQUENCE is present. A playlist from which segments are removed needs it from the
  /// start.
  public var hasDiscontinuitySequence: Bool {
    get { value(.discontinuitySequence) != nil }
    set { set(.discontinuitySequence, newValue ? .integer(discontinuitySequence) : nil) }
  }
  /// EXT-X-PLAYLIST-TYPE.
  public var playlistType: PlaylistType? {
    get {
      if case .word(let word) = value(.playlistType) { PlaylistType(rawValue: word) } else { nil }
    }
    set { set(.playlistType, newValue.map { .word($0.rawValue) }) }
  }
  /// EXT-X-ENDLIST: no segments will be added.
  public var isEnded: Bool {
    get { value(.end) != nil }
    set { set(.end, newValue ? TagValue.none : nil) }
  }
  /// EXT-X-I-FRAMES-ONLY: each segment is one I-frame.
  public var isIFramesOnly: Bool {
    get { value(.iFramesOnly) != nil }
    set { set(.iFramesOnly, newValue ? TagValue.none : nil) }
  }
  /// EXT-X-INDEPENDENT-SEGMENTS: every segment can be decoded on its own.
  public var hasIndependentSegments: Bool {
    get { value(.independentSegments) != nil }
    set { set(.independentSegments, newValue ? TagValue.none : nil) }
  }
  /// EXT-X-START: where playback starts.
  public var startPoint: StartPoint? {
    get { attributes(.start) }
    set { set(.start, newValue.map { .attributes($0.attributes) }) }
  }
  /// EXT-X-PART-INF: the maximum duration of partial segments.
  public var partInformation: PartInformation? {
    get { attributes(.partInformation) }
    set { set(.partInformation, newValue.map { .attributes($0.attributes) }) }
  }
  /// EXT-X-SERVER-CONTROL: the features of the server.
  public var serverControl: ServerControl? {
    get { attributes(.serverControl) }
    set { set(.serverControl, newValue.map { .attributes($0.attributes) }) }
  }
  /// EXT-X-SKIP: the segments that a delta update omits at its start.
  public var skipped: SkippedSegments? {
    get { attributes(.skip) }
    set { set(.skip, newValue.map { .attributes($0.attributes) }) }
  }
  /// EXT-X-DEFINE: variables.
  public var definitions: [VariableDefinition] {
    get { header.all(.define, as: VariableDefinition.self) }
    set { header.setAll(.define, newValue) }
  }
  /// EXT-X-DATERANGE, all of them; each is among the lines of a segment, or after the last one.
  public var dateRanges: [DateRange] {
    segments.flatMap(\.dateRanges) + trailer.all(.dateRange, as: DateRange.self)
  }
  /// EXT-X-PART after the last segment: the parts of the segment in progress.
  public var parts: [PartialSegment] {
    get { trailer.all(.part, as: PartialSegment.self) }
    set { trailer.setAll(.part, newValue) }
  }
  /// EXT-X-PRELOAD-HINT: resources that will be needed next.
  public var preloadHints: [PreloadHint] {
    get { trailer.all(.preloadHint, as: PreloadHint.self) }
    set { trailer.setAll(.preloadHint, newValue) }
  }
  /// EXT-X-RENDITION-REPORT: the state of the other renditions.
  public var renditionReports: [RenditionReport] {
    get { trailer.all(.renditionReport, as: RenditionReport.self) }
    set { trailer.setAll(.renditionReport, newValue) }
  }

  // These tags are usually in the header or after the last segment, but they can be anywhere.
  private func value(_ name: TagName) -> TagValue? {
    if let value = header.value(name) ?? trailer.value(name) { return value }
    for segment in segments {
      if let value = segment.lines.value(name) { return value }
    }
    return nil
  }
  private func integer(_ name: TagName) -> Int? {
    if case .integer(let value) = value(name) { value } else { nil }
  }
  private func attributes<T: AttributeView>(_ name: TagName) -> T? {
    if case .attributes(let list) = value(name) { T(attributes: list) } else { nil }
  }
  private mutating func set(_ name: TagName, _ value: TagValue?) {
    let isInHeader = header.value(name) != nil
    if !isInHeader, value == nil || trailer.value(name) == nil,
      let index = segments.firstIndex(where: { $0.lines.value(name) != nil })
    {
      segments[index].lines.set(name, value)
    } else if !isInHeader, name == .end || trailer.value(name) != nil {
      trailer.set(name, value)
    } else {
      header.set(name, value)
    }
  }
}
