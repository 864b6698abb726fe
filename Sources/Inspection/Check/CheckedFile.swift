import Bytes
import ISOBMFF

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
  /// The boxes of the file. The contents of movie fragments are discarded; `fragments` has their properties.
  private(set) var boxes: [CheckedBox] = []
  /// The movie fragments in file order.
  private(set) var fragments: [CheckedFragment] = []

  init(_ source: any ByteSource) { self.source = source }

  /// The number of bytes; `Int.max` if it is unknown, as for a pipe.
  var size: Int { source.byteCount ?? .max }

  /// The name of the file.
  var name: String { source.name }
  /// The first top-level box of this type.
  func first(_ type: FourCC) -> CheckedBox? { boxes.first { $0.type == type } }
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
    let hasMedia = first("mdat") != nil || !fragments.isEmpty
    if first("moov") != nil { return hasMedia ? .movie : .initSegment }
    if !fragments.isEmpty || first("styp") != nil || first("sidx") != nil { return .segment }
    return first("meta") != nil ? .images : .other
  }
}

extension CheckedFile {
  /// Reads the boxes of the file, and calls `visit` with each top-level box when all of its contents have been read.
  func read(_ registry: BoxRegistry, defaults: TrackDefaults, _ visit: (CheckedBox) -> Void) throws(IOError) {
    var parser = BoxParser(source, movie: defaults.context, registry: registry)
    var open: [CheckedBox] = []
    var defaults = defaults
    func close(to depth: Int) {
      guard open.count > depth else { return }
      if depth == 0, let box = open.first {
        visit(box)
        if box.type == "moov" { defaults = TrackDefaults(box, defaults.context) }
        if box.type == "moof" {
          fragments.append(CheckedFragment(box, defaults, isSegmentStart: startsSegment(box)))
          box.discardChildren()
        }
      }
      open.removeLast(open.count - depth)
    }
    while let node = try parser.next() {
      close(to: node.depth)
      let box = CheckedBox(node, try parser.decode(node), self)
      if let parent = open.last { parent.append(box) } else { boxes.append(box) }
      open.append(box)
    }
    close(to: 0)
  }

  /// Whether this box follows a box that opens a segment, with no other boxes since the last fragment.
  private func startsSegment(_ box: CheckedBox) -> Bool {
    guard !fragments.isEmpty else { return true }
    return boxes.dropLast().reversed().prefix { $0.type != "moof" }.contains { $0.type == "styp" }
  }
}
