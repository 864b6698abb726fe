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
  /// The DASH manifest from which it was made; messages name lines of that instead of lines of the playlist.
  package var source: ManifestOutline?

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

extension MultivariantPlaylist {
  /// The role of a media playlist in a presentation: an index into a list of the multivariant playlist.
  public enum Role: Hashable, Sendable {
    /// A variant, in ``MultivariantPlaylist/variants``.
    case variant(Int)
    /// A rendition, in ``MultivariantPlaylist/renditions``.
    case rendition(Int)
    /// An I-frame playlist, in ``MultivariantPlaylist/iFrameVariants``.
    case iFrames(Int)
  }

  /// The line of the tag that declares a variant, a rendition or an I-frame playlist; `nil` if there is none.
  package func line(of role: Role) -> Int? {
    if source != nil { return references.first { $0.role == role }?.line }
    let (tag, index) =
      switch role {
      case .variant(let index): (TagName.variant, index)
      case .rendition(let index): (TagName.rendition, index)
      case .iFrames(let index): (TagName.iFrameVariant, index)
      }
    return lines.indices.lazy.filter { lines[$0].tag == tag }.dropFirst(index).first.map { $0 + 1 }
  }

  /// The media playlists of variants, renditions and I-frames, in this order: their URIs as written, and the lines that
  /// declare them. Those without a URI are omitted.
  package var references: [(role: Role, uri: String, line: Int)] {
    let main = zip(variants, variantPlaces).enumerated().map { index, variant in
      (role: Role.variant(index), uri: variant.0.uri, line: (variant.1.uri ?? variant.1.tag) + 1)
    }
    let others = lines.indexed(.rendition, as: Rendition.self).enumerated().map { index, rendition in
      (role: Role.rendition(index), uri: rendition.view.uri ?? "", line: rendition.index + 1)
    }
    let pictures = lines.indexed(.iFrameVariant, as: IFrameVariant.self).enumerated().map { index, variant in
      (role: Role.iFrames(index), uri: variant.view.uri, line: variant.index + 1)
    }
    return (main + others + pictures).filter { !$0.uri.isEmpty }.map { reference in
      (reference.role, reference.uri, source?.lines[reference.uri] ?? reference.line)
    }
  }
}

extension MultivariantPlaylist {
  /// Replaces all URIs: of playlists, keys, session data and the steering manifest. Lines whose URIs do not change keep
  /// every byte.
  ///
  /// - Parameter change: Receives a URI as written, with variables, and returns a new URI or the same one.
  public mutating func changeURIs(_ change: (String) throws -> String) rethrows { try lines.changeURIs(change) }
}

extension MediaPlaylist {
  /// Replaces all URIs: of segments, init segments, parts, keys and other playlists. Lines whose URIs do not change
  /// keep every byte.
  ///
  /// - Parameter change: Receives a URI as written, with variables, and returns a new URI or the same one.
  public mutating func changeURIs(_ change: (String) throws -> String) rethrows {
    try header.changeURIs(change)
    for index in segments.indices { try segments[index].lines.changeURIs(change) }
    try trailer.changeURIs(change)
  }
}

extension [PlaylistLine] {
  fileprivate mutating func changeURIs(_ change: (String) throws -> String) rethrows {
    for index in indices {
      switch self[index].content {
      case .uri:
        guard let uri = self[index].uri else { break }
        self.change(index, to: PlaylistLine(uri: try change(uri)))
      case .tag(let name, .attributes(var list)):
        var isChanged = false
        for attribute in Self.uriAttributes[name] ?? [] {
          guard let uri = list[attribute, .uri] else { continue }
          list[attribute, .uri] = try change(uri)
          isChanged = true
        }
        if isChanged { self.change(index, to: PlaylistLine(name, .attributes(list))) }
      default: break
      }
    }
  }
  private static let uriAttributes: [TagName: [String]] = {
    var names: [TagName: [String]] = [:]
    for tag in TagName.allCases { names[tag] = tag.attributes.filter(\.form.isURI).map(\.name) }
    // Attributes of interstitials, which the tag does not define.
    names[.dateRange] = ["X-ASSET-URI", "X-ASSET-LIST"]
    return names
  }()
}

extension MultivariantPlaylist {
  /// EXT-X-STREAM-INF with the URI after it.
  public var variants: [Variant] {
    get {
      variantPlaces.map { place in
        guard case .attributes(let list) = lines[place.tag].value else { return Variant(attributes: AttributeList()) }
        var variant = Variant(attributes: list)
        variant.uri = place.uri.flatMap { lines[$0].uri } ?? ""
        return variant
      }
    }
    set { replaceVariants(variants, with: newValue) }
  }

  /// The lines of the tags and of their URIs.
  var variantPlaces: [(tag: Int, uri: Int?)] {
    var places: [(tag: Int, uri: Int?)] = []
    var isOpen = false
    for (index, line) in lines.enumerated() {
      if line.tag == .variant {
        places.append((index, nil))
        isOpen = true
      } else if line.content == .uri, isOpen {
        places[places.count - 1].uri = index
        isOpen = false
      }
    }
    return places
  }

  /// Changes only the variants between the first and the last difference.
  private mutating func replaceVariants(_ old: [Variant], with new: [Variant]) {
    let places = variantPlaces
    let (start, oldEnd, newEnd) = changes(old.count, new.count) { old[$0] == new[$1] }
    let common = min(oldEnd, newEnd)
    // Changes start at the end, so that earlier positions stay valid.
    if newEnd > common {
      let added = new[common..<newEnd].flatMap { [MultivariantPlaylist.tag($0), PlaylistLine(uri: $0.uri)] }
      lines.insert(contentsOf: added, at: position(after: common, of: places))
    } else if oldEnd > common {
      let gone = Set(places[common..<oldEnd].flatMap { [$0.tag, $0.uri ?? $0.tag] })
      lines = lines.indices.filter { !gone.contains($0) }.map { lines[$0] }
    }
    for index in (start..<common).reversed() { change(places[index], from: old[index], to: new[index]) }
  }
  private mutating func change(_ place: (tag: Int, uri: Int?), from old: Variant, to new: Variant) {
    if old.uri != new.uri {
      if let uri = place.uri {
        lines.change(uri, to: PlaylistLine(uri: new.uri))
      } else {
        lines.insert(PlaylistLine(uri: new.uri), at: place.tag + 1)
      }
    }
    lines.change(place.tag, to: MultivariantPlaylist.tag(new))
  }
  /// The position of a new variant after the first `count` ones.
  private func position(after count: Int, of places: [(tag: Int, uri: Int?)]) -> Int {
    if count > 0 { return (places[count - 1].uri ?? places[count - 1].tag) + 1 }
    return places.first?.tag ?? lines.place(of: .variant)
  }
  private static func tag(_ variant: Variant) -> PlaylistLine {
    PlaylistLine(.variant, .attributes(variant.attributes))
  }
}
