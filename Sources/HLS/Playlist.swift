/// A playlist of either kind.
public enum Playlist: Hashable, Sendable {
  /// A media playlist: segments.
  case media(MediaPlaylist)
  /// A multivariant playlist: variants and renditions.
  case multivariant(MultivariantPlaylist)

  /// Reads a playlist; its kind is that of the first tag about a segment or a variant.
  public init(_ bytes: [UInt8]) throws(PlaylistError) { try self.init(bytes, isTolerant: false) }

  /// Reads a playlist of either kind. If it `isTolerant`, tags and attributes that cannot be read are skipped and
  /// reported in ``findings``.
  package init(_ bytes: [UInt8], isTolerant: Bool) throws(PlaylistError) {
    let document = try PlaylistDocument(bytes, isTolerant: isTolerant)
    if document.firstTag(of: .multivariant) != nil {
      self = .multivariant(MultivariantPlaylist(document))
    } else {
      self = .media(MediaPlaylist(document))
    }
  }
  /// Reads a playlist of either kind.
  public init(_ text: String) throws(PlaylistError) { try self.init(Array(text.utf8)) }

  /// The media playlist; a multivariant playlist is an error.
  package func media() throws(PlaylistError) -> MediaPlaylist {
    switch self {
    case .media(let playlist): return playlist
    case .multivariant(let playlist):
      let index = playlist.lines.firstIndex { $0.tag?.place == .multivariant } ?? 0
      let tag = playlist.lines[index].tag?.rawValue ?? ""
      throw PlaylistError(.otherKind(tag: tag, expected: "a media playlist"), line: index + 1)
    }
  }

  /// The playlist as bytes.
  public var bytes: [UInt8] {
    switch self {
    case .media(let playlist): playlist.bytes
    case .multivariant(let playlist): playlist.bytes
    }
  }
  /// The rules that the playlist violates; empty if it is valid.
  public var findings: [PlaylistFinding] {
    switch self {
    case .media(let playlist): playlist.findings
    case .multivariant(let playlist): playlist.findings
    }
  }
}

extension PlaylistDocument {
  /// The tag that determines the kind of the playlist, and its line, if it is this kind.
  func firstTag(of kind: TagName.Place) -> (tag: TagName, line: Int)? {
    // Tags of a media playlist as a whole are often in multivariant playlists by mistake; segment tags are not.
    let found =
      firstLine { $0.tag?.place == .segment || $0.tag?.place == .multivariant } ?? firstLine { $0.tag?.place == .media }
    guard let (index, line) = found, let tag = line.tag else { return nil }
    return (tag.place == .multivariant) == (kind == .multivariant) ? (tag, index + 1) : nil
  }
}
