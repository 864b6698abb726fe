import MP4Bytes

/// Reads the bytes of a plan in order, through a window of the source.
struct ByteCursor {
  private let plan: CopyPlan
  private let sources: [any ByteSource]
  private var window: ByteWindow?
  private var piece = 0
  /// The number of bytes of the piece that have been read.
  private var offset = 0

  init(_ plan: CopyPlan, _ sources: [any ByteSource]) { (self.plan, self.sources) = (plan, sources) }

  /// The number of the next bytes that are adjacent in one source.
  var contiguousCount: Int { piece < plan.pieces.count ? plan.pieces[piece].range.count - offset : 0 }

  /// The next bytes, at most `contiguousCount`.
  mutating func read(_ count: Int) throws(IOError) -> ArraySlice<UInt8> {
    let current = plan.pieces[piece]
    var reader = window ?? ByteWindow(sources[current.source])
    let bytes = try reader.slice(at: current.range.lowerBound + offset, count: count)
    (window, offset) = (reader, offset + count)
    if offset == current.range.count {
      let next = piece + 1 < plan.pieces.count ? plan.pieces[piece + 1].source : -1
      if next != current.source { window = nil }
      (piece, offset) = (piece + 1, 0)
    }
    return bytes
  }
}
