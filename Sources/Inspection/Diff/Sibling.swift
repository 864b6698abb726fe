import ISOBMFF
import MP4Bytes

/// The properties of a box that determine its match in the other file. A file can have a million of them.
struct Sibling {
  /// The type; for `uuid` boxes, including the 16 bytes after it.
  let kind: Int
  /// A number that distinguishes it from others of its type: a track ID, an item ID, or a grouping type; for movie
  /// fragments and their media, a number for their start time.
  var id: Int?
  /// Its range, including its header.
  let range: Range<Int>
  /// Its number among the boxes of its type in its container, starting at 1.
  let index: Int
  /// Its index in the tree that it belongs to; for a top-level box, among the boxes of the file.
  let place: Int
  let type: FourCC

  init(_ node: BoxNode, id: Int?, end: Int, place: Int) {
    kind = node.isRemainder ? -1 : node.header.userType.map { $0.hashValue } ?? Int(node.type.rawValue)
    self.id = id
    range = node.header.offset..<max(node.header.offset, end)
    (index, self.place, type) = (node.index, place, node.type)
  }

  /// Whether it is a movie fragment with a time, or its media data.
  var isFragment: Bool { id != nil && (type == "moof" || type == "mdat") }

  /// Identifies a box that is the only one of its kind and ID among its siblings.
  struct Key: Hashable {
    let kind: Int
    let id: Int?
  }
  var key: Key { Key(kind: kind, id: id) }
}

/// Finds the numbers that distinguish boxes of the same type.
enum BoxIdentity {
  /// The number in the payload of a box; `nil` if it has none.
  static func number(in node: BoxNode, _ parser: inout BoxParser) throws(IOError) -> Int? {
    let parent = node.context.parent
    switch node.type {
    case "tkhd": return try value(of: node, version: 1, 20..<24, else: 12..<16, &parser)
    case "trex", "tfra", "tfhd", "sbgp", "sgpd", "csgp": return try value(of: node, 4..<8, &parser)
    // These have a type only if the first flag is set.
    case "saiz", "saio":
      guard let flags = try value(of: node, 0..<4, &parser), flags & 1 == 1 else { return nil }
      return try value(of: node, 4..<8, &parser)
    case "pssh": return try value(of: node, 4..<20, &parser)
    case "infe": return try value(of: node, version: 3, 4..<8, else: 4..<6, &parser)
    case _ where parent == "iref": return try value(of: node, node.context.hasWideItemIDs ? 0..<4 : 0..<2, &parser)
    default: return nil
    }
  }

  /// The big-endian number in a range of the payload, or a hash of a longer one.
  private static func value(
    of node: BoxNode, _ range: Range<Int>, _ parser: inout BoxParser
  ) throws(IOError) -> Int? {
    let payload = node.header.payload
    guard payload.count >= range.upperBound else { return nil }
    let bytes = try parser.bytes(in: payload.lowerBound + range.lowerBound..<payload.lowerBound + range.upperBound)
    guard bytes.count == range.count else { return nil }
    return range.count > 8 ? bytes.hashValue : bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private static func value(
    of node: BoxNode, version: Int, _ range: Range<Int>, else otherRange: Range<Int>, _ parser: inout BoxParser
  ) throws(IOError) -> Int? {
    guard let found = try value(of: node, 0..<1, &parser) else { return nil }
    return try value(of: node, found == version ? range : otherRange, &parser)
  }
}
