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
    let declared = max(node.header.declaredSize, UInt64(node.header.size))
    node.header.size = end - node.header.offset
    node.problem = BoxError(
      .sizeTooLarge(declared, left: node.header.size), field: "size", offset: node.header.offset)
    resume(after: node)
  }
}
