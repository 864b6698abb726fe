import ISOBMFF
import MP4Bytes

/// Hashes of the contents of the boxes of a file, for matching equal boxes.
final class BoxContents {
  private var window: ByteWindow
  /// Boxes up to this size are hashed completely; of larger ones, this number of bytes at each end.
  private static let sizes = (whole: 4096, end: 512)

  init(_ source: any ByteSource) { window = ByteWindow(source) }

  /// A hash of the bytes of a box. Of large boxes, only the ends are read, because matched boxes are compared
  /// completely.
  func digest(of box: Sibling) throws(IOError) -> Int {
    let (range, end) = (box.range, Self.sizes.end)
    var hasher = Hasher()
    hasher.combine(
      try window.slice(at: range.lowerBound, count: range.count > Self.sizes.whole ? end : range.count))
    if range.count > Self.sizes.whole { hasher.combine(try window.slice(at: range.upperBound - end, count: end)) }
    return hasher.finalize()
  }

  /// Sets the IDs of movie fragments, and of the media data after them, according to their start times, so that files
  /// with different fragment boundaries are matched at common ones.
  func numberingFragments(_ boxes: [Sibling], _ range: Range<Int>) throws(IOError) -> [Sibling] {
    guard range.contains(where: { boxes[$0].type == "moof" }) else { return boxes }
    var (boxes, last) = (boxes, Int?.none)
    for place in range {
      switch boxes[place].type {
      case "moof": last = try start(of: boxes[place])
      case "mdat": break
      default: continue
      }
      boxes[place].id = last
    }
    return boxes
  }

  /// A hash of the track and decode time with which a movie fragment starts; `nil` if it does not declare them.
  private func start(of fragment: Sibling) throws(IOError) -> Int? {
    let bytes = try window.slice(at: fragment.range.lowerBound, count: min(fragment.range.count, Self.sizes.whole))
    guard let track = Self.payload("traf", in: bytes.dropFirst(8)), let header = Self.payload("tfhd", in: track),
      let time = Self.payload("tfdt", in: track), let version = time.first
    else { return nil }
    let size = version == 1 ? 8 : 4
    guard header.count >= 8, time.count >= 4 + size else { return nil }
    var hasher = Hasher()
    hasher.combine(Array(header.dropFirst(4).prefix(4)))
    hasher.combine(time.dropFirst(4).prefix(size).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    return hasher.finalize()
  }

  /// The payload of the first box of a type, as far as it is present.
  private static func payload(_ type: FourCC, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while rest.count >= 8 {
      func number(_ at: Int) -> UInt32 { rest.dropFirst(at).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
      let size = Int(number(0))
      if size < 8 { return nil }
      if number(4) == type.rawValue { return rest.prefix(size).dropFirst(8) }
      rest = rest.dropFirst(size)
    }
    return nil
  }
}
