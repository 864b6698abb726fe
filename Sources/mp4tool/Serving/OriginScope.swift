import Fetching
import FileIO
import HLS
import ISOBMFF
import Serving
import Streaming

/// What of an origin is given out, under the paths that it has there.
struct OriginScope: Sendable {
  let origin: Origin
  /// What was named, perhaps with a user and a password, which stay here.
  let address: WebAddress
  /// The names on the way to it; the last one of a folder is empty.
  let names: [[UInt8]]
  /// Whether everything that the host has is given out.
  let allowsOutside: Bool

  /// Whether names lead into the folder of what was named.
  func isInside(_ other: [[UInt8]]) -> Bool {
    let folder = names.dropLast()
    return other.count > folder.count && other.starts(with: folder)
  }

  /// The answer to a request for `other`. A playlist to which the origin redirected names everything so that it is found.
  func response(for other: WebAddress) -> Response {
    let response = origin.response(for: other)
    guard response.status == 200, Self.isPlaylist(response.resource.mediaType, other) else { return response }
    do throws(FetchError) {
      let (bytes, location) = try origin.bytesAndLocation(of: other, limit: PlaylistPlace.playlistLimit)
      guard let moved = moved(bytes, from: location, to: other) else { return response }
      return Response(
        Resource(Bytes(moved), mediaType: response.resource.mediaType, entityTag: String(moved.fingerprint, radix: 16)))
    } catch { return Response(error) }
  }

  /// A playlist, as it is served at `other`.
  func playlist(at other: WebAddress, limit: Int) throws(FetchError) -> [UInt8] {
    let (bytes, location) = try origin.bytesAndLocation(of: other, limit: limit)
    return moved(bytes, from: location, to: other) ?? bytes
  }

  /// The playlist `bytes` with other URIs, where `location`, at which it was in the end, has another folder or host than
  /// `other`, where it is served: what this server gives out by its path, and everything else by its whole address.
  private func moved(_ bytes: [UInt8], from location: WebAddress, to other: WebAddress) -> [UInt8]? {
    guard !isSameFolder(location, other), var playlist = try? Playlist(bytes) else { return nil }
    let change = { (uri: String) -> String in
      // What begins with a variable may be a whole address.
      let reference = URIReference(uri)
      guard !uri.hasPrefix("{$"), !reference.isAbsolute, let target = location.resolving(uri) else { return uri }
      guard isSameHost(target, address), let names = Request.names(inPath: Array(target.reference.path.utf8)[...]),
        allowsOutside || isInside(names)
      else { return "\(target)" }
      let query = target.reference.query.map { "?" + $0 } ?? ""
      return target.reference.path + query
    }
    switch playlist {
    case .media(var media):
      media.changeURIs(change)
      playlist = .media(media)
    case .multivariant(var multivariant):
      multivariant.changeURIs(change)
      playlist = .multivariant(multivariant)
    }
    return playlist.bytes
  }

  private func isSameHost(_ a: WebAddress, _ b: WebAddress) -> Bool {
    a.reference.scheme == b.reference.scheme
      && a.reference.authority.map(WebAddress.withoutUser) == b.reference.authority.map(WebAddress.withoutUser)
  }
  private func isSameFolder(_ a: WebAddress, _ b: WebAddress) -> Bool {
    func folder(_ address: WebAddress) -> Substring {
      address.reference.path.prefix(
        upTo: address.reference.path.lastIndex(of: "/") ?? address.reference.path.startIndex)
    }
    return isSameHost(a, b) && folder(a) == folder(b)
  }

  private static func isPlaylist(_ mediaType: String, _ address: WebAddress) -> Bool {
    mediaType.lowercased().contains("mpegurl") || MediaType.named(address.reference.path.utf8).contains("mpegurl")
  }
}
