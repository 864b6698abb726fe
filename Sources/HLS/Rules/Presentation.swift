/// A multivariant playlist with its media playlists, for checking that they match.
public struct Presentation: Hashable, Sendable {
  /// The multivariant playlist.
  public var main: MultivariantPlaylist
  /// The media playlists by their URIs in `main`; missing ones are not checked.
  public var media: [String: MediaPlaylist]

  /// The playlists of a presentation.
  public init(_ main: MultivariantPlaylist, media: [String: MediaPlaylist]) {
    self.main = main
    self.media = media
  }

  /// The rules that the playlists violate, individually and together (6.2.4).
  public var findings: [PlaylistFinding] {
    var findings = main.findings
    let members = self.members
    for member in members {
      findings += member.playlist.findings.map { finding in
        var finding = finding
        finding.playlist = member.uri
        return finding
      }
    }
    var checker = PresentationChecker(members: members)
    checker.check(main)
    return findings + checker.findings
  }

  /// The media playlists in the order of their references, without duplicates.
  private var members: [PresentationChecker.Member] {
    let variants = main.variants.map { ($0.uri, PresentationChecker.Role.variant) }
    let renditions = main.renditions.compactMap { rendition in
      rendition.uri.map { ($0, rendition.kind == .subtitles ? PresentationChecker.Role.subtitles : .rendition) }
    }
    let iFrames = main.iFrameVariants.map { ($0.uri, PresentationChecker.Role.iFrames) }
    var seen: Set<String> = []
    return (variants + renditions + iFrames).compactMap { uri, role in
      guard let playlist = media[uri], seen.insert(uri).inserted else { return nil }
      return PresentationChecker.Member(uri: uri, role: role, playlist: playlist)
    }
  }
}
