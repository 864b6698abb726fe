/// How long clients and shared caches, such as those of a CDN, may use responses without asking the server again.
///
/// Names of segments do not change when a presentation is re-created, so a longer time saves requests and delays
/// changes.
public struct CachePolicy: Sendable {
  /// The time for media segments, and for all files of packages besides playlists, in seconds.
  public var segments: Int
  /// The time for playlists and manifests of packages, in seconds. Playlists in folders may be live, and are always
  /// revalidated.
  public var playlists: Int

  /// Segments for this number of seconds, and playlists of packages for at most a minute; 0 means that everything is
  /// revalidated.
  public init(segments: Int = 3600) { (self.segments, playlists) = (segments, min(segments, 60)) }

  /// `Cache-Control` for a file in a folder. Of other files than segments, the name is often given to new content.
  func field(forFile name: [UInt8]) -> String {
    let point = name.lastIndex(of: UInt8(ascii: ".")) ?? name.count
    let suffix = String(decoding: name[point...].map(\.lowercased), as: UTF8.self)
    return Self.field([".m4s", ".cmfv", ".cmfa", ".cmft"].contains(suffix) ? segments : 0)
  }

  /// `Cache-Control` for a file of a package.
  func field(forPackaged name: [UInt8]) -> String {
    let type = MediaType.named(name)
    if MediaType.isPlaylist(type) || type == "application/dash+xml" { return Self.field(playlists) }
    // Shared caches must not give keys to everybody.
    return type == MediaType.unknown ? "no-store" : Self.field(segments)
  }

  private static func field(_ age: Int) -> String { age > 0 ? "public, max-age=\(age)" : "no-cache" }
}
