import MP4Bytes
public import MP4FileIO

/// A file that a browser may be able to play.
public struct PlayableItem: Sendable {
  /// The components of its path.
  public let names: [[UInt8]]
  /// Its media type, derived from its name, such as `video/mp4`.
  public let mediaType: String
  /// Its relative link on the page.
  public let link: String

  /// The item with this path from the root of the server.
  public init(_ names: [[UInt8]]) { self.init(names, link: names.map(Self.encoded).joined(separator: "/")) }

  /// The item with its own link.
  public init(_ names: [[UInt8]], link: String) {
    self.names = names
    self.link = link
    mediaType = MediaType.named(names.last ?? [])
  }

  /// Whether it is a playlist.
  public var isPlaylist: Bool { mediaType == "application/vnd.apple.mpegurl" }

  /// Whether it is a media file.
  public var isMedia: Bool { mediaType.hasPrefix("video/") || mediaType.hasPrefix("audio/") }

  /// The displayed name.
  public var text: String { names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/") }

  private static func encoded(_ name: [UInt8]) -> String {
    var result = ""
    for byte in name {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (byte < 16 ? "0" : "") + digits
      }
    }
    return result
  }
}

extension PlayableItem {
  /// Limits how much of a folder is scanned, so that the page responds quickly.
  private enum Limit {
    static let depth = 6
    static let folders = 200
    static let entries = 20_000
    static let items = 500
  }

  /// The playable files in a folder: the multivariant playlist of each presentation, and the files that belong to none.
  /// Also returns whether the list may be incomplete. A folder that several links lead to is scanned once.
  public static func all(in folder: SourceFolder, under prefix: [[UInt8]] = []) -> (items: [PlayableItem], isCut: Bool)
  {
    var items: [PlayableItem] = []
    var waiting: [[Pathname]] = [[]]
    var folders = 0
    var seen: Set<FileIdentity> = []
    var isCut = false
    // Folders closer to the root come first.
    while folders < waiting.count, folders < Limit.folders, items.count < Limit.items {
      let place = waiting[folders]
      folders += 1
      if let identity = folder.identity(of: place), !seen.insert(identity).inserted { continue }
      guard let entries = try? folder.entries(of: place, limit: Limit.entries) else { continue }
      if entries.count == Limit.entries { isCut = true }
      let files = entries.filter { !$0.isFolder }.map(\.name.bytes)
      let here = prefix + place.map(\.bytes)
      let playlists = files.filter { PlayableItem([$0]).isPlaylist }
      if playlists.isEmpty {
        items += files.map { PlayableItem(here + [$0]) }.filter(\.isMedia)
        let inner = entries.filter(\.isFolder).map { place + [$0.name] }
        if place.count < Limit.depth { waiting += inner } else if !inner.isEmpty { isCut = true }
      } else {
        // The files beside or below a playlist are its segments and renditions.
        let main = playlists.filter { $0 == Array("master.m3u8".utf8) }
        let others = playlists.filter { $0 != Array("iframes.m3u8".utf8) }
        items += (main.isEmpty ? others : main).map { PlayableItem(here + [$0]) }
      }
    }
    if folders < waiting.count || items.count > Limit.items { isCut = true }
    return (Array(items.prefix(Limit.items)), isCut)
  }
}
