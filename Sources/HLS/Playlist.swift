/// A playlist of either kind.
public enum Playlist: Hashable, Sendable {
  /// Segments.
  case media(MediaPlaylist)
  /// Variants and renditions, each with a media playlist of its own.
  case multivariant(MultivariantPlaylist)

  /// Reads a playlist and finds out which kind it is, by the first tag that is about a segment or a variant.
  public init(_ bytes: [UInt8]) throws(PlaylistError) {
    let document = try PlaylistDocument(bytes)
    if document.firstTag(of: .multivariant) != nil {
      self = .multivariant(MultivariantPlaylist(document))
    } else {
      self = .media(MediaPlaylist(document))
    }
  }
  /// Reads a playlist and finds out which kind it is.
  public init(_ text: String) throws(PlaylistError) { try self.init(Array(text.utf8)) }

  /// The playlist as it is written.
  public var bytes: [UInt8] {
    switch self {
    case .media(let playlist): playlist.bytes
    case .multivariant(let playlist): playlist.bytes
    }
  }
  /// The rules that the playlist breaks; none when it is as the standard wants it.
  public var findings: [PlaylistFinding] {
    switch self {
    case .media(let playlist): playlist.findings
    case .multivariant(let playlist): playlist.findings
    }
  }
}

extension PlaylistDocument {
  /// The tag that says which kind of playlist it is, and its line, if it is this kind.
  func firstTag(of kind: TagName.Place) -> (tag: TagName, line: Int)? {
    // Tags of a whole media playlist are put into multivariant playlists by mistake; those of segments are not.
    let found =
      firstLine { $0.tag?.place == .segment || $0.tag?.place == .multivariant } ?? firstLine { $0.tag?.place == .media }
    guard let (index, line) = found, let tag = line.tag else { return nil }
    return (tag.place == .multivariant) == (kind == .multivariant) ? (tag, index + 1) : nil
  }
}
