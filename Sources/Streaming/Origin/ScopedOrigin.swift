import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Presentations
import MP4Serving

/// The part of an origin that is served, under the same paths.
struct ScopedOrigin: Sendable {
  let origin: Origin
  let scope: OriginScope

  /// The response to a request for `other`. The URIs of a redirected playlist are adjusted.
  func response(for other: WebAddress) -> Server.Response {
    let response = origin.response(for: other)
    guard response.status == 200, Self.isPlaylist(response.resource.mediaType, other) else { return response }
    do throws(FetchError) {
      let (bytes, location) = try origin.bytesAndLocation(of: other, limit: PresentationOpener.playlistLimit)
      guard let moved = scope.moved(bytes, from: location, to: other) else { return response }
      var result = Server.Response(
        Server.Resource(
          Server.MemoryContent(moved), mediaType: response.resource.mediaType,
          entityTag: String(moved.fingerprint, radix: 16)))
      result.fields = response.fields.filter { $0.name != "Content-Encoding" }
      return result
    } catch { return Server.Response(error) }
  }

  /// A playlist, as it is served at `other`.
  func playlist(at other: WebAddress) throws(FetchError) -> [UInt8] {
    let (bytes, location) = try origin.bytesAndLocation(of: other, limit: PresentationOpener.playlistLimit)
    return scope.moved(bytes, from: location, to: other) ?? bytes
  }

  private static func isPlaylist(_ mediaType: String, _ address: WebAddress) -> Bool {
    MediaType.isPlaylist(mediaType) || MediaType.isPlaylist(MediaType.named(address.reference.path.utf8))
  }
}
