import ISOBMFF
import MP4Bytes

/// The boxes of a file to check.
package final class CheckedFile {
  /// The kind of a file, according to its boxes.
  enum Kind: Sendable {
    /// A movie with its samples, fragmented or not.
    case movie
    /// A movie box without samples, for segments.
    case initSegment
    /// Fragments without a movie box.
    case segment
    /// Still images.
    case images
    /// None of these.
    case other
  }
  let source: any ByteSource
  /// The places of all boxes of the file.
  private(set) var places: [BoxPlace] = []
  /// The boxes of the file, without media data and movie fragments, because long files have many.
  private(set) var boxes: [CheckedBox] = []
  /// The movie fragments in file order.
  private(set) var fragments: [CheckedFragment] = []
  /// Their track fragments.
  private(set) var trackFragments: [CheckedFragment.Track] = []

  init(_ source: any ByteSource) { self.source = source }

  /// The number of bytes; `Int.max` if it is unknown, as for a pipe.
  var size: Int { source.byteCount ?? .max }

  /// The name of the file.
  var name: String { source.name }
  /// The first top-level box of this type, which is one of `boxes`.
  func first(_ type: FourCC) -> CheckedBox? { boxes.first { $0.type == type } }
  /// The place of the first top-level box of this type.
  func firstPlace(_ type: FourCC) -> BoxPlace? { places.first { $0.type == type } }
  /// The track fragments of a movie fragment.
  func tracks(of fragment: CheckedFragment) -> ArraySlice<CheckedFragment.Track> { trackFragments[fragment.tracks] }
  /// The brands of the file: the major brand, then the compatible ones; those of the first segment if there is no file
  /// type.
  var brands: [FourCC] {
    guard let box = first("ftyp") ?? first("styp"), let type = box.payload as? FileTypeBox else { return [] }
    return [type.majorBrand] + type.compatibleBrands
  }
  /// Whether it is a QuickTime movie, which need not have a file type.
  var isQuickTime: Bool { first("ftyp") == nil ? first("moov") != nil : brands.contains("qt  ") }
  /// The kind of the file.
  var kind: Kind {
    let hasMedia = firstPlace("mdat") != nil || !fragments.isEmpty
    if first("moov") != nil { return hasMedia ? .movie : .initSegment }
    if !fragments.isEmpty || first("styp") != nil || first("sidx") != nil { return .segment }
    return first("meta") != nil ? .images : .other
  }
}

extension CheckedFile {
  /// Reads the boxes of the file, and calls `visit` with each top-level box when all of its contents have been read.
  func read(_ registry: BoxRegistry, defaults: TrackDefaults, _ visit: (CheckedBox) throws(IOError) -> Void)
    throws(IOError)
  {
    var parser = BoxParser(source, movie: defaults.context, registry: registry)
    var open: [CheckedBox] = []
    var defaults = defaults
    func close(to depth: Int) throws(IOError) {
      guard open.count > depth else { return }
      if depth == 0, let box = open.first {
        try visit(box)
        if box.type == "moov" { defaults = TrackDefaults(box, defaults.context) }
        if box.type == "moof" {
          let start = trackFragments.count
          for track in box.boxes where track.type == "traf" {
            if let track = CheckedFragment.Track(track, defaults) { trackFragments.append(track) }
          }
          fragments.append(
            CheckedFragment(box, tracks: start..<trackFragments.count, isSegmentStart: startsSegment()))
        }
      }
      while open.count > depth { open.removeLast() }
    }
    var node = BoxNode()
    while try parser.next(into: &node) {
      try close(to: node.depth)
      let box = CheckedBox(node, try parser.decode(node), self)
      if let parent = open.last {
        parent.append(box)
      } else {
        places.append(BoxPlace(node))
        if box.type != "moof", box.type != "mdat" { boxes.append(box) }
      }
      open.append(box)
    }
    try close(to: 0)
  }

  /// Whether the latest box follows a box that opens a segment, with no other fragment between them.
  private func startsSegment() -> Bool {
    guard !fragments.isEmpty else { return true }
    return places.dropLast().reversed().prefix { $0.type != "moof" }.contains { $0.type == "styp" }
  }
}

/// The place of a file-level box.
struct BoxPlace: Sendable {
  let type: FourCC
  /// Its index among the file-level boxes of its type, starting at 1.
  private let index: Int32
  let offset: Int
  let end: Int
  private let headerSize: UInt8
  /// Whether it consists of bytes that are not a box.
  let isRemainder: Bool
  /// Whether there is a problem with its header or placement.
  let isDamaged: Bool

  init(_ node: BoxNode) {
    (type, index, offset, end) = (node.type, Int32(clamping: node.index), node.header.offset, node.header.end)
    headerSize = UInt8(node.header.headerSize)
    (isRemainder, isDamaged) = (node.isRemainder, node.problem != nil)
  }

  /// The bytes after the header.
  var payload: Range<Int> { offset + Int(headerSize)..<max(offset + Int(headerSize), end) }
  /// Such as `mdat[3]`.
  var path: String { isRemainder ? CheckedBox.remainderStep : CheckedBox.step(type, Int(index)) }
}
