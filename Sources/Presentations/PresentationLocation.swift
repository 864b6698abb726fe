public import Bytes
import FileIO
public import HLS
import Platform

/// A local or remote presentation: the location of its multivariant playlist, and how it is read.
public struct PresentationLocation: Sendable {
  /// The location of the multivariant playlist; after redirects once it has been read.
  public private(set) var playlist: PlaylistLocation
  /// The folder of the multivariant playlist, if it is a local file.
  public let folder: Pathname?
  /// The file or pipe from which a local multivariant playlist is read.
  package private(set) var input: Pathname?
  private let loader: PlaylistLoader

  /// The presentation whose multivariant playlist is at `playlist`.
  ///
  /// - Parameters:
  ///   - playlist: Its location, and what it may refer to.
  ///   - input: The file to read instead, such as `-` for standard input.
  ///   - transport: How remote resources are fetched.
  public init(_ playlist: PlaylistLocation, reading input: Pathname? = nil, _ transport: (any Transport)? = nil) {
    self.playlist = playlist
    let file = playlist.path.flatMap { Pathname($0) }
    folder = file?.folder
    self.input = file.map { input ?? $0 }
    loader = PlaylistLoader(transport)
  }

  /// The name in messages.
  public var name: String { input == "-" ? "standard input" : playlist.name }
  /// Whether it is on a server.
  public var isRemote: Bool { folder == nil }
  /// Whether its URL contains a user or password.
  public var hasUser: Bool { playlist.reference.authority?.utf8.contains(UInt8(ascii: "@")) == true }
  /// Its file name, or a default.
  public var fileName: Pathname {
    let path = playlist.reference.path
    let last = path.utf8.split(separator: 0x2f, omittingEmptySubsequences: false).last.map { String(Substring($0)) }
    let file = Pathname(URIReference.percentDecoded(last ?? ""))
    return file.flatMap { $0.bytes.isEmpty || $0.bytes.contains(0x2f) || $0.bytes.first == 0x2e ? nil : $0 }
      ?? "master.m3u8"
  }

  // MARK: Reading

  /// The maximum number of bytes of a segment that are read to find its start time.
  private static let mostOfSegment = 256 << 20

  /// The bytes of the playlist; its location is updated after redirects.
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

  /// The encryption of a whole segment of the playlist, and of its initialization section.
  func encryption(
    of segment: ResolvedSegment, line: Int
  ) throws(PresentationError) -> (segment: SegmentEncryption?, map: SegmentEncryption?) {
    var keys = SegmentKeys()
    do throws(SegmentError) {
      return (
        try keys.encryption(segment.keys, segment.mediaSequence, at: playlist, line: line),
        try keys.encryption(segment.mapKeys, segment.mapSequence, at: playlist, line: line)
      )
    } catch { throw .segment(file: name, error) }
  }

  /// The resource at this location, or a part of it; decrypted if it is encrypted as a whole.
  func segment(
    _ range: Range<Int>?, _ encryption: SegmentEncryption?, isMP4: Bool = true
  ) throws(PresentationError) -> any ByteSource {
    let source = try loader.source(at: playlist, range, limit: Self.mostOfSegment)
    guard let encryption else { return source }
    do throws(KeyProblem) {
      return try DecryptedSegment(source, encryption, loader.key(at: encryption.key.place), isMP4: isMP4)
    } catch { throw .key(file: name, line: encryption.key.line, error) }
  }

  /// The location for the URI in a line of the playlist, if it is allowed.
  func moved(to uri: String, line: @autoclosure () -> Int) throws(PresentationError) -> PresentationLocation {
    var other = self
    do throws(PlaylistLocation.Refusal) { other.playlist = try playlist.resolving(uri) } catch {
      throw .refused(file: name, line: line(), uri: uri, error)
    }
    other.input = nil
    if other.playlist.isLinkedOutside { throw .refusedLink(file: name, line: line(), uri: uri) }
    return other
  }

  // MARK: Moving the playlist to another folder

  /// How to change the URIs of the playlist when it is written to the folder `other`, which may not exist yet.
  ///
  /// - Throws: `IOError` if the parent folder of `other` is missing.
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
