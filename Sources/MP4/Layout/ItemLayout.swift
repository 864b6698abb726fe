import ISOBMFF
import MP4Bytes

/// Metadata items outside the kept boxes of their file. They are written at the start of the media data, which offsets
/// of any width can reach.
struct ItemLayout {
  /// The bytes of the items, concatenated.
  private(set) var copies = CopyPlan()
  /// Diagnostics about items that cannot be kept.
  private(set) var diagnostics: [Diagnostic] = []
  /// The ranges of item data in each source, in ascending order and without overlaps.
  private var ranges: [[Range<Int>]]
  private let input: MovieInput

  /// Finds the items of all file-level, movie and track metadata of a presentation.
  init(_ input: MovieInput) throws(MovieError) {
    self.input = input
    ranges = input.sources.map { _ in [] }
    for group in input.groups {
      for meta in Self.metas(in: group.movie.box) { try add(meta) }
    }
    for (index, contents) in input.contents.enumerated() {
      for header in contents.kept where header.type == "meta" {
        for box in try Self.boxes(header, of: input.sources[index], index) { try add(box) }
      }
    }
    for source in ranges.indices {
      ranges[source] = ranges[source].merged()
      for range in ranges[source] { copies.append(range, of: source) }
    }
  }

  /// The metadata boxes of a movie box and its tracks.
  static func metas(in movie: Box) -> [Box] {
    (movie.boxes + movie.boxes.filter { $0.type == "trak" }.flatMap(\.boxes)).filter { $0.type == "meta" }
  }
  static func boxes(_ header: BoxHeader, of source: any ByteSource, _ index: Int) throws(MovieError) -> [Box] {
    try io([Box](reading: source, in: header.offset..<header.end, index: index))
  }

  private mutating func add(_ meta: Box) throws(MovieError) {
    guard let box = meta.first("iloc") else { return }
    let source = input.sources[meta.source]
    let iloc: ItemLocationBox
    do throws(MovieError) {
      iloc = try MoviePayloads(source: source).payload(of: box, in: "meta/iloc", ItemLocationBox.self)
    } catch {
      if case .io = error { throw error }
      // This is reported when the offsets are corrected.
      return
    }
    var lost = 0
    for item in iloc.items where item.constructionMethod == 0 && item.dataReferenceIndex == 0 {
      let places = item.extents.map { Self.range(of: $0, from: item.baseOffset, in: source) }
      if places.contains(nil) { lost += 1 }
      let kept = input.contents[meta.source].kept
      for range in places.compactMap(\.self) where !range.isEmpty {
        let isKept = kept.contains { $0.offset <= range.lowerBound && range.upperBound <= $0.end }
        if !isKept { ranges[meta.source].append(range) }
      }
    }
    guard lost > 0 else { return }
    diagnostics.append(Diagnostic(.lostItems(lost), source.name))
  }

  /// The range of an extent; `nil` if it is not completely in the file.
  private static func range(of extent: ItemLocationBox.Extent, from base: UInt64, in source: any ByteSource) -> Range<
    Int
  >? {
    let (start, overflow) = base.addingReportingOverflow(extent.offset)
    let (end, isBeyond) = start.addingReportingOverflow(extent.length)
    // A length of 0 means the whole file, which the output is not.
    guard !overflow, !isBeyond, extent.length > 0, let size = source.byteCount, end <= UInt64(size) else { return nil }
    return Int(start)..<Int(end)
  }

  /// Whether an item of this file is incomplete.
  static func isLost(_ item: ItemLocationBox.Item, of source: any ByteSource) -> Bool {
    guard item.constructionMethod == 0, item.dataReferenceIndex == 0 else { return false }
    return item.extents.contains { range(of: $0, from: item.baseOffset, in: source) == nil }
  }

  /// The new positions of the bytes of each source that may contain items, if the items start at `itemsStart` and the
  /// kept boxes at `keptStart`.
  func relocations(keptStart: Int, itemsStart: Int) -> [Relocation] {
    var (kept, items) = (keptStart, itemsStart)
    return input.contents.indices.map { index in
      var moves: [(from: Range<Int>, to: Int)] = []
      for header in input.contents[index].kept {
        moves.append((header.offset..<header.end, kept))
        kept += header.size
      }
      for range in ranges[index] {
        moves.append((range, items))
        items += range.count
      }
      var relocation = Relocation()
      for move in moves.sorted(by: { $0.from.lowerBound < $1.from.lowerBound }) {
        relocation.move(move.from, to: move.to)
      }
      return relocation
    }
  }
}

extension [Range<Int>] {
  /// The same bytes in order; overlapping or adjacent ranges are merged.
  func merged() -> Self {
    var result: Self = []
    for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}
