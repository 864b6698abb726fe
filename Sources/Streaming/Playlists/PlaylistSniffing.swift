package import MP4Bytes
import MP4DASH
package import MP4Fetching
package import MP4HLS
import MP4Presentations

extension ByteSource {
  /// Whether the bytes begin like a playlist, or a DASH manifest.
  package var isPlaylist: Bool {
    get throws(IOError) {
      var window = ByteWindow(self, readAhead: 0)
      return isStartOfPlaylist(Array(try window.slice(at: 0, count: sniffed)))
    }
  }
}

extension Fetcher {
  /// Whether there is a playlist or a DASH manifest at `address`, determined from its name or, if that is not
  /// conclusive, from its first bytes.
  package func isPlaylist(_ address: WebAddress) throws(FetchError) -> Bool {
    let path = address.reference.path.lowercased()
    if path.hasSuffix(".m3u8") || path.hasSuffix(".m3u") || path.hasSuffix(".mpd") { return true }
    if path.hasSuffix(".mp4") || path.hasSuffix(".m4s") || path.hasSuffix(".mov") { return false }
    do throws(FetchError) {
      return isStartOfPlaylist(try bytes(address, range: 0..<sniffed, limit: sniffed).bytes)
    } catch {
      guard case .compressed = error.problem else { throw error }
    }
    // A part of a compressed response cannot be examined.
    let stream = try stream(address, unpacks: true)
    var bytes: [UInt8] = []
    while bytes.count < sniffed, let next = try stream.next() { bytes += next }
    return isStartOfPlaylist(bytes)
  }
}

/// The number of bytes examined. A manifest can have a comment before its element.
private let sniffed = 4096

private func isStartOfPlaylist(_ bytes: [UInt8]) -> Bool {
  let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  return text.starts(with: "#EXTM3U".utf8) || MPD.isStart(bytes)
    || XMLReader.rootName(bytes) == MoviePackage.rootName
}
