import ISOBMFF

/// The parts of a progressive file in their order: `ftyp`, `moov`, other boxes of the source, `mdat`.
struct FileLayout {
  private let presentation: Presentation
  private let layout: MediaLayout
  private let edits: EditPlan

  init(_ presentation: Presentation, _ layout: MediaLayout, _ edits: EditPlan) {
    self.presentation = presentation
    self.layout = layout
    self.edits = edits
  }

  func plan(_ notices: [Notice]) throws(MovieError) -> OutputPlan {
    let source = presentation.sources[0]
    let movie = ProgressiveMovie(presentation.movie, source: source, layout: layout, edits: edits)
    var moov = try movie.box()
    let ftyp = try fileType()
    let kept = try keptBoxes()
    let auxiliary = layout.information.reduce(into: []) { $0 += $1.auxiliaryBytes }
    let mediaSize = layout.copies.byteCount + auxiliary.count
    let mediaHeader = Self.mediaHeader(mediaSize)
    let lastChunk = layout.builders.compactMap(\.chunks.last?.offset).max() ?? 0
    let lastOffset = auxiliary.isEmpty ? lastChunk : layout.copies.byteCount + auxiliary.count
    // Whether an offset takes 32 or 64 bits does not depend on its value but on the size of what comes before it.
    var head: BoxSerializer?
    for large in [false, true] {
      movie.setOffsets(&moov, mediaStart: 0, auxiliaryStart: 0, large: large)
      let size = try Self.serializer([ftyp, moov], source).size
      let mediaStart = size + kept.size + mediaHeader.count
      guard large || mediaStart + lastOffset <= Int(UInt32.max) else { continue }
      let auxiliaryStart = mediaStart + layout.copies.byteCount
      movie.setOffsets(&moov, mediaStart: mediaStart, auxiliaryStart: auxiliaryStart, large: large)
      head = try Self.serializer([ftyp, moov], source)
      break
    }
    var plan = OutputPlan(sources: presentation.sources, notices: notices)
    if let head { plan.parts.append(.boxes(head, source: 0)) }
    plan.parts += kept.parts + [.bytes(mediaHeader), .copies(layout.copies), .bytes(auxiliary)]
    return plan
  }

  /// The boxes that are copied as they are; one that went on to the end of its file gets its size, since `mdat` follows.
  private func keptBoxes() throws(MovieError) -> (parts: [OutputPlan.Part], size: Int) {
    var plan = OutputPlan(sources: presentation.sources, notices: [])
    for (index, contents) in presentation.contents.enumerated() {
      for header in contents.kept {
        if !header.isSizeRight {
          plan.parts.append(.bytes(try header.bytesWithRightSize(in: presentation.sources[index])))
        }
        plan.copy((header.isSizeRight ? header.offset : header.payload.lowerBound)..<header.end, of: index)
      }
    }
    return (plan.parts, plan.byteCount)
  }

  private func fileType() throws(MovieError) -> Box {
    var source = FileTypeBox()
    if let header = presentation.fileType {
      var box = Box(source)
      box.fields = .unchanged(header.payload)
      source = try MoviePayloads(source: presentation.sources[0]).payload(of: box, in: "ftyp", FileTypeBox.self)
    }
    let hasNegativeOffsets = layout.builders.contains(where: \.hasNegativeOffsets)
    return Box(Brands.progressive(source, hasNegativeOffsets: hasNegativeOffsets))
  }

  private static func serializer(_ boxes: [Box], _ source: any ByteSource) throws(MovieError) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer(boxes, closesEnds: true) } catch {
      throw .damaged(file: source.name, path: "moov", error)
    }
  }

  /// The header of an `mdat` with this many bytes in it.
  static func mediaHeader(_ byteCount: Int) -> [UInt8] {
    var writer = ByteWriter()
    let isLarge = byteCount + 8 > Int(UInt32.max)
    writer.integer(isLarge ? 1 : UInt32(byteCount + 8))
    writer.integer(FourCC("mdat").rawValue)
    if isLarge { writer.integer(UInt64(byteCount + 16)) }
    return writer.bytes
  }
}
