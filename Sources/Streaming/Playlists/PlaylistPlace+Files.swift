package import Bytes
package import Fetching
package import FileIO
package import HLS

extension PlaylistPlace {
  /// What messages call it.
  package var name: String {
    if let path { return path }
    return WebAddress(reference)?.description ?? reference.description
  }

  /// The most bytes that a playlist can have: a million segments with long names.
  package static let playlistLimit = 256 << 20

  /// Opens the file at this place, which has to be in `folder`, also through links; anywhere, where there is none.
  package func open(in folder: Path?) throws(StreamingError) -> FileSource {
    guard let text = path, let path = Path(text) else {
      throw .io(IOError(.open, file: name, reason: "it is no name of a file"))
    }
    if isLinked(outOf: folder) { throw .linkedOutside(file: text) }
    do throws(IOError) { return try FileSource(path) } catch { throw .io(error) }
  }

  /// The bytes of the playlist in the file at this place, as ``open(in:)`` finds it.
  package func playlist(in folder: Path?) throws(StreamingError) -> [UInt8] {
    try open(in: folder).bytes(limit: Self.playlistLimit)
  }

  /// Whether there is a file at this place, but a symbolic link leads to it out of `folder`.
  package func isLinked(outOf folder: Path?) -> Bool {
    guard let folder, let path = path.flatMap({ Path($0) }), FileIdentity(of: path) != nil else { return false }
    return !path.isBelow(folder)
  }
}

extension ByteSource {
  /// All bytes, when there are no more than so many.
  package func bytes(limit: Int) throws(StreamingError) -> [UInt8] {
    if byteCount ?? 0 <= limit {
      var window = ByteWindow(self, readAhead: 0)
      do throws(IOError) {
        let bytes = Array(try window.slice(at: 0, count: byteCount ?? limit + 1))
        if bytes.count <= limit { return bytes }
      } catch { throw .io(error) }
    }
    throw .tooLong(file: name, limit: limit)
  }

  /// Whether it begins as a playlist does.
  package var isPlaylist: Bool {
    get throws(IOError) {
      var window = ByteWindow(self, readAhead: 0)
      return isStartOfPlaylist(Array(try window.slice(at: 0, count: 10)))
    }
  }
}

extension Fetcher {
  /// Whether there is a playlist at `address`: a name that says so is believed; else the first bytes are asked for.
  package func isPlaylist(_ address: WebAddress) throws(FetchError) -> Bool {
    let path = address.reference.path.lowercased()
    if path.hasSuffix(".m3u8") || path.hasSuffix(".m3u") { return true }
    if path.hasSuffix(".mp4") || path.hasSuffix(".m4s") || path.hasSuffix(".mov") { return false }
    do throws(FetchError) { return isStartOfPlaylist(try bytes(address, range: 0..<10, limit: 10).bytes) } catch {
      guard case .compressed = error.problem else { throw error }
    }
    // A part of what is compressed says nothing.
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
