package import Bytes

/// Boxes that declare a size that is too large, according to code that knows their contents.
extension BoxParser {
  /// The maximum number of boxes before a movie fragment that belong to it.
  private static let mostBoxesBefore = 8

  /// Whether there is a movie fragment at `offset`, or boxes that belong to one and then the fragment.
  package mutating func isFragment(at offset: Int) throws(IOError) -> Bool {
    var at = offset
    for _ in 0..<Self.mostBoxesBefore {
      let start = try window.slice(at: at, count: 16)
      let bytes = start.raw
      guard let size: UInt32 = bytes.bigEndian(at: 0), let type: UInt32 = bytes.bigEndian(at: 4), size >= 8 else {
        return false
      }
      switch FileBox(FourCC(rawValue: type)) {
      case .fragment: return bytes.bigEndian(at: 12) == FourCC("mfhd").rawValue
      case .segmentType, .index, .event: at += Int(size)
      default: return false
      }
    }
    return false
  }

  /// Ends the latest file-level box, or the one that contains the latest box, at `end`, regardless of its declared
  /// size.
  package mutating func endBox(_ node: inout BoxNode, at end: Int) {
    node.end(at: end)
    resume(after: node)
  }
}

extension BoxNode {
  /// Ends the box at `end`, regardless of its declared size.
  package mutating func end(at end: Int) {
    let declared = max(header.declaredSize, UInt64(header.size))
    header.size = end - header.offset
    problem = BoxError(.sizeTooLarge(declared, left: header.size), field: "size", offset: header.offset)
  }
}
