import ISOBMFF
import MP4
import MP4Bytes

/// Init segments of later keys, which FairPlay needs instead of sample groups.
extension PackagedRendition {
  /// The keys after the first one, if each has its own init segment.
  func initializationKeys(_ protection: Packager.Protection?) -> [[UInt8]] {
    guard let protection, protection.hasFairPlay, protection.keyPeriod != nil, scheme != nil else { return [] }
    var keyIDs: [[UInt8]] = []
    for index in fragments.segments.indices {
      for keyID in fragments.keyIDs(ofSegment: index) where !keyIDs.contains(keyID) { keyIDs.append(keyID) }
    }
    return Array(keyIDs.dropFirst())
  }

  /// The init segment with another key ID in `tenc`, and generated `pssh` boxes for it.
  func initialization(_ keyID: [UInt8], _ protection: Packager.Protection) throws(MovieError) -> [UInt8] {
    var bytes = try fragments.initializationBytes()
    var parser = BoxParser(MemorySource(bytes, name: folder))
    while let node = try io(parser.next()) {
      let payload = node.header.payload
      if node.type == "tenc", payload.count >= 24 {
        // Version, flags, reserved bits, the pattern, the protection flag and the size of vectors come before it.
        bytes.replaceSubrange(payload.lowerBound + 8..<payload.lowerBound + 24, with: keyID)
      } else if node.type == "pssh", node.depth == 1, payload.count >= 20 {
        let id = bytes[payload.lowerBound + 4..<payload.lowerBound + 20]
        let own = protection.generatedHeader(Array(id), keyID)
        if own.count == node.header.size { bytes.replaceSubrange(node.header.offset..<node.header.end, with: own) }
      }
    }
    return bytes
  }
}
