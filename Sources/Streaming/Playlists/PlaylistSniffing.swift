package import MP4Bytes
package import MP4Fetching
package import MP4HLS

extension ByteSource {
  /// Whether the bytes begin like a playlist.
  package var isPlaylist: Bool {
    get throws(IOError) {
      var window = ByteWindow(self, readAhead: 0)
      return isStartOfPlaylist(Array(try window.slice(at: 0, count: 10)))
    }
  }
}

extension Fetcher {
  /// Whether there is a playlist at `address`, determined from its name or, if that is not conclusive, from its first
  /// bytes.
  package func isPlaylist(_ address: WebAddress) throws(FetchError) -> Bool {
    let path = address.reference.path.lowercased()
    if path.hasSuffix(".m3u8") || path.hasSuffix(".m3u") { return true }
    if path.hasSuffix(".mp4") || path.hasSuffix(".m4s") || path.hasSuffix(".mov") { return false }
    do throws(FetchError) { return isStartOfPlaylist(try bytes(address, range: 0..<10, limit: 10).bytes) } catch {
      guard case .compressed = error.problem else { throw error }
    }
    // A part of a compressed response cannot be examined.
    let stream = try stream(address, unpacks: true)
    var bytes: [UInt8] = []
    while bytes.count < 10, let next = try stream.next() { bytes += next }
    return isStartOfPlaylist(bytes)
  }
}

private func isStartOfPlaylist(_ bytes: [UInt8]) -> Bool {
  let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  return text.starts(with: "#EXTM3U".utf8)
}
