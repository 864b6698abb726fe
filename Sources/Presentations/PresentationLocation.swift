public import Bytes
import FileIO
public import HLS
import Platform

/// A presentation on the disk or on a server: where its multivariant playlist is, and how that and what it names is read.
public struct PresentationLocation: Sendable {
  /// Where the multivariant playlist is; after redirections once it was read.
  public private(set) var playlist: PlaylistLocation
  /// The folder of the multivariant playlist, where it is in one.
  public let folder: Pathname?
  /// What the multivariant playlist is read from, unless it is on a server: it may be a pipe.
  package private(set) var input: Pathname?
  private let loader: PlaylistLoader

  /// The presentation whose multivariant playlist is at `playlist`.
  ///
  /// - Parameters:
  ///   - playlist: Where it is, and where it may lead.
  ///   - input: What it is read from in place of its own file, such as `-` for standard input.
  ///   - transport: How what is on servers is fetched.
  public init(_ playlist: PlaylistLocation, reading input: Pathname? = nil, _ transport: (any Transport)? = nil) {
    self.playlist = playlist
    let file = playlist.path.flatMap { Pathname($0) }
    folder = file?.folder
    self.input = file.map { input ?? $0 }
    loader = PlaylistLoader(transport)
  }

  /// What messages call the playlist.
  public var name: String { input == "-" ? "standard input" : playlist.name }
  /// Whether it is on a server.
  public var isRemote: Bool { folder == nil }
  /// Whether its address has a user or a password in it.
  public var hasUser: Bool { playlist.reference.authority?.utf8.contains(UInt8(ascii: "@")) == true }
  /// The name of its file, or one that it could have.
  public var fileName: Pathname {
    let path = playlist.reference.path
    let last = path.utf8.split(separator: 0x2f, omittingEmptySubsequences: false).last.map { String(Substring($0)) }
    let file = Pathname(URIReference.percentDecoded(last ?? ""))
    return file.flatMap { $0.bytes.isEmpty || $0.bytes.contains(0x2f) || $0.bytes.first == 0x2e ? nil : $0 }
      ?? "master.m3u8"
  }

  // MARK: Reading

  /// The most bytes that are read of a segment, to know when it starts.
  private static let mostOfSegment = 256 << 20

  /// The bytes of the playlist itself, whose location is that after redirections afterwards.
  mutating func playlistBytes() throws(PresentationError) -> [UInt8] {
    if let input {
      let source: any ByteSource
      do throws(IOError) { source = try openSource(input) } catch { throw .io(error) }
      return try source.bytes(limit: PlaylistLoader.playlistLimit)
    }
    let bytes: [UInt8]
    (bytes, playlist) = try loader.playlist(at: playlist)
    return bytes
  }

  /// What is here, or a part of it.
  func segment(_ range: Range<Int>?) throws(PresentationError) -> any ByteSource {
    try loader.source(at: playlist, range, limit: Self.mostOfSegment)
  }

  /// What the URI in a line of the playlist leads to, which has to be where playlists may lead.
  func moved(to uri: String, line: @autoclosure () -> Int) throws(PresentationError) -> PresentationLocation {
    var other = self
    do throws(PlaylistLocation.Refusal) { other.playlist = try playlist.resolving(uri) } catch {
      throw .refused(file: name, line: line(), uri: uri, error)
    }
    other.input = nil
    if other.playlist.isLinkedOutside { throw .refusedLink(file: name, line: line(), uri: uri) }
    return other
  }

  // MARK: Another folder for the playlist

  /// What has to be done to URIs of the playlist where it is written to the folder `other`, which may not be there yet.
  ///
  /// - Throws: `IOError` where the folder around `other` is missing.
  public func rebasing(to other: Pathname) throws(IOError) -> @Sendable (String) -> String {
    guard let folder else {
      var reference = playlist.reference
      reference.authority = reference.authority.map(WebAddress.withoutUser)
      return { [reference] uri in URIReference(uri).resolved(against: reference).description }
    }
    guard let from = other.resolved ?? other.folder.resolved?.appending(other.lastComponent), let to = folder.resolved
    else {
      throw IOError(.create, file: other.description, reason: "its folder does not exist")
    }
    let way = try to.relative(to: from).uriReference
    return { uri in
      let reference = URIReference(uri)
      let isRelative = !reference.isAbsolute && reference.authority == nil && reference.path.utf8.first != 0x2f
      return isRelative && !uri.isEmpty && way != "." ? "\(way)/\(uri)" : uri
    }
  }
}
