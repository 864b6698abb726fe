import Bytes
import ISOBMFF

/// The boxes of a file that is checked.
package final class CheckedFile {
  /// What a file is, by its boxes.
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
  /// The boxes of the file. Movie fragments are without the boxes in them: `fragments` says what they hold.
  private(set) var boxes: [CheckedBox] = []
  /// The movie fragments, in the order of the file.
  private(set) var fragments: [CheckedFragment] = []

  init(_ source: any ByteSource) { self.source = source }

  /// How many bytes there are, as far as that is known: of a pipe, it is not.
  var size: Int { source.byteCount ?? .max }

  /// The name of the file.
  var name: String { source.name }
  /// The first box of the file of this type.
  func first(_ type: FourCC) -> CheckedBox? { boxes.first { $0.type == type } }
  /// The brands of the file: its major brand, then those that it is compatible with; of its first segment if it has no
  /// file type.
  var brands: [FourCC] {
    guard let box = first("ftyp") ?? first("styp"), let type = box.payload as? FileTypeBox else { return [] }
    return [type.majorBrand] + type.compatibleBrands
  }
  /// What it is.
  var kind: Kind {
    let hasMedia = first("mdat") != nil || !fragments.isEmpty
    if first("moov") != nil { return hasMedia ? .movie : .initSegment }
    if !fragments.isEmpty || first("styp") != nil || first("sidx") != nil { return .segment }
    return first("meta") != nil ? .images : .other
  }
}

extension CheckedFile {
  /// Reads the boxes of the file, and calls `visit` with each box of the file when everything in it is there.
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
          box.forgetBoxes()
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

  /// Whether only boxes that open a segment are between the last fragment and this one, and one is.
  private func startsSegment(_ box: CheckedBox) -> Bool {
    guard !fragments.isEmpty else { return true }
    return boxes.dropLast().reversed().prefix { $0.type != "moof" }.contains { $0.type == "styp" }
  }
}
