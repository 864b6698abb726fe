import Ciphers
package import MP4
import MP4Bytes

/// What a server needs to know about a plan that it keeps.
extension PackagePlan {
  /// An estimate of the memory that the plan takes, in bytes.
  package var memoryByteCount: Int {
    var result = 64 << 10
    for rendition in renditions {
      result += rendition.fragments.memoryByteCount + (rendition.keyFrames?.memoryByteCount ?? 0)
      // The places of encrypted samples.
      if rendition.scheme != nil { result += rendition.fragments.tracks.reduce(0) { $0 + $1.samples.count * 32 } }
    }
    // A playlist is kept as values and as bytes.
    for case .bytes(let bytes) in files.map(\.content) { result += bytes.count * 4 }
    return result
  }

  /// A hash of everything that decides about the bytes of the files, apart from the inputs: playlists, init segments
  /// and keys. Keys cannot be derived from it.
  package func fingerprint() throws(MovieError) -> [UInt8] {
    var hash = SHA256()
    for file in files {
      hash.update(file.path + "\n\(file.byteCount)\n")
      switch file.content {
      case .bytes(let bytes): hash.update(bytes)
      case .key(let key): hash.update(key.bytes)
      case .initialization, .keyInitialization:
        let sink = MemorySink(name: file.path)
        try write(file, to: sink)
        hash.update(sink.bytes)
      case .segment, .all, .keyFrames, .image: break
      }
    }
    for key in protection?.keys ?? [] { hash.update(key.key.keyID + key.key.bytes) }
    return hash.digest()
  }
}

extension SHA256 {
  mutating func update(_ bytes: [UInt8]) {
    let all = bytes[...]
    update(all.raw)
  }
  mutating func update(_ text: String) { update(Array(text.utf8)) }
}
