/// A multivariant (master) playlist: the variants of a presentation, and the renditions that they share
/// (4.4.6).
///
/// The properties read and change ``lines``; all other lines are written byte for byte as they were read.
public struct MultivariantPlaylist: Hashable, Sendable {
  /// The lines; the first one is `#EXTM3U`.
  public var lines: [PlaylistLine]
  /// Whether the file begins with a byte order mark, which is not allowed.
  public var hasByteOrderMark = false
  /// The line ending of new lines: that of the first line.
  public var lineEnding = PlaylistLine.Ending.lineFeed

  /// A playlist without variants.
  public init() { lines = [PlaylistLine(.playlistHeader)] }

  /// Reads a multivariant playlist; a media playlist is an error.
  public init(_ bytes: [UInt8]) throws(PlaylistError) {
    let document = try PlaylistDocument(bytes)
    if let (tag, line) = document.firstTag(of: .media) {
      throw PlaylistError(.otherKind(tag: tag.rawValue, expected: "a multivariant playlist"), line: line)
    }
    self.init(document)
  }
  /// Reads a multivariant playlist; a media playlist is an error.
  public init(_ text: String) throws(PlaylistError) { try self.init(Array(text.utf8)) }

  init(_ document: PlaylistDocument) {
    lines = document.lines
    hasByteOrderMark = document.hasByteOrderMark
    lineEnding = document.lineEnding
  }

  /// The playlist as bytes.
  public var bytes: [UInt8] {
    PlaylistDocument.write([lines], byteOrderMark: hasByteOrderMark, lineEnding: lineEnding)
  }
  /// The playlist as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Typed tags. Setting `nil`, `false` or an empty list removes them.
extension MultivariantPlaylist {
  /// EXT-X-VERSION, 1 if missing; setting 1 removes the tag.
  public var version: Int {
    get { lines.integer(.version) ?? 1 }
    set { lines.set(.version, newValue > 1 ? .integer(newValue) : nil) }
  }
  /// EXT-X-INDEPENDENT-SEGMENTS: every segment of every media playlist can be decoded on its own.
  public var hasIndependentSegments: Bool {
    get { lines.value(.independentSegments) != nil }
    set { lines.set(.independentSegments, newValue ? TagValue.none : nil) }
  }
  /// EXT-X-START: where playback starts.
  public var startPoint: StartPoint? {
    get { lines.attributes(.start, as: StartPoint.self) }
    set { lines.set(.start, newValue.map { .attributes($0.attributes) }) }
  }
  /// EXT-X-DEFINE: variables.
  public var definitions: [VariableDefinition] {
    get { lines.all(.define, as: VariableDefinition.self) }
    set { lines.setAll(.define, newValue) }
  }
  /// EXT-X-CONTENT-STEERING.
  public var contentSteering: ContentSteering? {
    get { lines.attributes(.contentSteering, as: ContentSteering.self) }
    set { lines.set(.contentSteering, newValue.map { .attributes($0.attributes) }) }
  }
  /// EXT-X-SESSION-DATA.
  public var sessionData: [SessionData] {
    get { lines.all(.sessionData, as: SessionData.self) }
    set { lines.setAll(.sessionData, newValue) }
  }
  /// EXT-X-SESSION-KEY: keys that can be loaded before the media playlists.
  public var sessionKeys: [EncryptionKey] {
    get { lines.all(.sessionKey, as: EncryptionKey.self) }
    set { lines.setAll(.sessionKey, newValue) }
  }
  /// EXT-X-MEDIA: the renditions of all groups.
  public var renditions: [Rendition] {
    get { lines.all(.rendition, as: Rendition.self) }
    set { lines.setAll(.rendition, newValue) }
  }
  /// EXT-X-I-FRAME-STREAM-INF.
  public var iFrameVariants: [IFrameVariant] {
    get { lines.all(.iFrameVariant, as: IFrameVariant.self) }
    set { lines.setAll(.iFrameVariant, newValue) }
  }
}
