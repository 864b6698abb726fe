import Bytes

/// The content of the boxes of a file, as numbers by which the same boxes are found.
final class BoxContents {
  private var window: ByteWindow
  /// Boxes up to this size are read as a whole, of others so much at their ends.
  private static let sizes = (whole: 4096, end: 512)

  init(_ source: any ByteSource) { window = ByteWindow(source) }

  /// A number that is the same for the same bytes. Of large boxes only the ends are read: boxes that are matched are
  /// compared as a whole.
  func digest(of box: Sibling) throws(IOError) -> Int {
    let (range, end) = (box.range, Self.sizes.end)
    var hasher = Hasher()
    hasher.combine(
      try window.slice(at: range.lowerBound, count: range.count > Self.sizes.whole ? end : range.count))
    if range.count > Self.sizes.whole { hasher.combine(try window.slice(at: range.upperBound - end, count: end)) }
    return hasher.finalize()
  }
}
