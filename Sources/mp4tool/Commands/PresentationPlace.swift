import Bytes
import Fetching
import FileIO
import HLS
import ISOBMFF
import MP4
import Platform
import Streaming

/// Where a playlist lies, what it may name, and how that is read: from the folder of the multivariant playlist, or from
/// servers.
struct PresentationPlace {
  /// Gets what is on a server, or a part of it, and says where it was found.
  typealias Fetching = (_ address: WebAddress, _ range: Range<Int>?, _ limit: Int) throws -> ([UInt8], WebAddress)

  /// Where it is.
  private(set) var place: PlaylistPlace
  /// The folder of the multivariant playlist, where it is in one.
  let folder: Path?
  /// The multivariant playlist as the user names it, unless it is on a server: it may be a pipe, and anywhere.
  private(set) var operand: Path?
  /// Whether what a playlist names may be outside the folder.
  private let allowsOutside: Bool
  private let fetch: Fetching

  /// A multivariant playlist as a user names it: a file or an address.
  init(_ operand: Argument, allowsOutside: Bool, _ fetching: FetchOptions = FetchOptions()) throws(UsageError) {
    let file = operand.isDash ? Argument("master.m3u8") : operand
    place = try PlaylistPlace(file, allowsOutside: allowsOutside)
    folder = place.path.flatMap { Path($0)?.folder }
    self.operand = folder == nil ? nil : Path(operand.bytes)
    self.allowsOutside = allowsOutside
    var options = fetching
    options.start = WebAddress(place.reference)
    fetch = { [options] address, range, limit in
      let answer = try Fetcher(options).bytes(address, range: range, limit: limit)
      return (answer.bytes, answer.response.address)
    }
  }

  /// A multivariant playlist on a server, which is read in a way of its own.
  init(_ address: WebAddress, fetch: @escaping Fetching) {
    place = PlaylistPlace(address.reference)
    (folder, operand, allowsOutside) = (nil, nil, false)
    self.fetch = fetch
  }

  /// What messages call the playlist.
  var name: String { operand == "-" ? "standard input" : place.name }
  var isRemote: Bool { folder == nil }
  /// Whether its address has a user or a password in it.
  var hasUser: Bool { place.reference.authority?.utf8.contains(UInt8(ascii: "@")) == true }
  /// The name of its file.
  var fileName: Path {
    let path = place.reference.path
    let last = path.utf8.split(separator: 0x2f, omittingEmptySubsequences: false).last.map { String(Substring($0)) }
    let file = Path(URIReference.percentDecoded(last ?? ""))
    return file.flatMap { $0.bytes.isEmpty || $0.bytes.contains(0x2f) || $0.bytes.first == 0x2e ? nil : $0 }
      ?? "master.m3u8"
  }

  // MARK: Reading

  /// The most bytes that are read of a segment, to know when it starts.
  private static let mostOfSegment = 256 << 20

  /// The bytes of the playlist itself, whose place is after redirections afterwards.
  mutating func playlist() throws -> [UInt8] {
    if let operand { return try openSource(operand).bytes(limit: PlaylistPlace.playlistLimit) }
    guard let address = WebAddress(place.reference) else {
      return try place.playlist(in: confinement)
    }
    let (bytes, found) = try fetch(address, nil, PlaylistPlace.playlistLimit)
    place = place.moved(to: found.reference)
    return bytes
  }

  /// What is here, or a part of it.
  func segment(_ range: Range<Int>?) throws -> any ByteSource {
    guard let address = WebAddress(place.reference) else {
      let file = try place.open(in: confinement)
      return range.map { file.part($0, name: name) } ?? file
    }
    let part = range.map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + min($0.count, Self.mostOfSegment)) }
    return MemorySource(try fetch(address, part, Self.mostOfSegment).0, name: name)
  }

  /// What the URI in a line of the playlist leads to, which has to be where playlists may lead.
  func moved(to uri: String, line: @autoclosure () -> Int) throws(StreamingError) -> PresentationPlace {
    var other = self
    do throws(PlaylistPlace.Refusal) { other.place = try place.resolving(uri) } catch {
      throw .refused(file: name, line: line(), uri: uri, error)
    }
    other.operand = nil
    if other.place.isLinked(outOf: confinement) { throw .refusedLink(file: name, line: line(), uri: uri) }
    return other
  }
  private var confinement: Path? { allowsOutside ? nil : folder }

  // MARK: Another place for the playlist

  /// What has to be done to URIs of the playlist where it is written to the folder `other`, which may not be there yet.
  func rebasing(to other: Path) throws -> (String) -> String {
    guard let folder else {
      var reference = place.reference
      reference.authority = reference.authority.map(WebAddress.withoutUser)
      return { uri in URIReference(uri).resolved(against: reference).description }
    }
    guard let from = other.resolved ?? other.folder.resolved?.appending(other.lastComponent), let to = folder.resolved
    else {
      throw IOError(.create, file: other.description, reason: "the folder that it would be in is missing")
    }
    let way = try to.relative(to: from).uriReference
    return { uri in
      let reference = URIReference(uri)
      let isRelative = !reference.isAbsolute && reference.authority == nil && reference.path.utf8.first != 0x2f
      return isRelative && !uri.isEmpty && way != "." ? "\(way)/\(uri)" : uri
    }
  }
}
