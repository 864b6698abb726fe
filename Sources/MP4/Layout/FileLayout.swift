import ISOBMFF

/// The parts of a progressive file in their order: `ftyp`, `moov`, other boxes of the sources, `mdat`; or with `moov` last.
struct FileLayout {
  private let presentation: Presentation
  private let layout: MediaLayout
  private let movie: ProgressiveMovie
  private let isMovieFirst: Bool
  private let items: ItemLayout
  private let auxiliary: [UInt8]

  init(_ presentation: Presentation, _ layout: MediaLayout, _ edits: EditPlan, isMovieFirst: Bool) throws(MovieError) {
    self.presentation = presentation
    self.layout = layout
    self.isMovieFirst = isMovieFirst
    movie = ProgressiveMovie(presentation, layout: layout, edits: edits)
    items = try ItemLayout(presentation)
    auxiliary = layout.information.reduce(into: []) { $0 += $1.auxiliaryBytes }
  }

  func plan(_ notices: [Notice]) throws(MovieError) -> OutputPlan {
    var (moov, left) = try movie.box()
    let fileType = try serializer([self.fileType()])
    let keptSize = presentation.contents.reduce(0) { $0 + $1.kept.reduce(0) { $0 + $1.size } }
    let mediaSize = items.copies.byteCount + layout.copies.byteCount + auxiliary.count
    let mediaHeader = Self.mediaHeader(mediaSize)
    let lastChunk = layout.builders.compactMap(\.chunks.last?.offset).max() ?? 0
    let lastOffset = auxiliary.isEmpty ? lastChunk : layout.copies.byteCount + auxiliary.count
    var relocations: [Relocation] = []
    // Whether an offset takes 32 or 64 bits does not depend on its value but on the size of what comes before it.
    for large in [false, true] {
      movie.setOffsets(&moov, mediaStart: 0, auxiliaryStart: 0, large: large)
      let keptStart = fileType.size + (isMovieFirst ? try serializer([moov]).size : 0)
      let itemsStart = keptStart + keptSize + mediaHeader.count
      let samplesStart = itemsStart + items.copies.byteCount
      guard large || samplesStart + lastOffset <= Int(UInt32.max) else { continue }
      let auxiliaryStart = samplesStart + layout.copies.byteCount
      movie.setOffsets(&moov, mediaStart: samplesStart, auxiliaryStart: auxiliaryStart, large: large)
      relocations = items.relocations(keptStart: keptStart, itemsStart: itemsStart)
      break
    }
    left += items.notices
    try correctItems(&moov, relocations, &left)
    let movieBox = try serializer([moov])
    var plan = OutputPlan(sources: presentation.sources, notices: [])
    plan.parts = [.boxes(fileType)] + (isMovieFirst ? [.boxes(movieBox)] : [])
    plan.parts += try keptBoxes(relocations, &left)
    plan.parts += [.bytes(mediaHeader), .copies(items.copies), .copies(layout.copies), .bytes(auxiliary)]
    if !isMovieFirst { plan.parts.append(.boxes(movieBox)) }
    plan.notices = notices + left
    return plan
  }

  /// The boxes that are copied as they are, but for the places of items; one that went on to the end of its file gets its
  /// size, since `mdat` follows.
  private func keptBoxes(_ relocations: [Relocation], _ notices: inout [Notice]) throws(MovieError)
    -> [OutputPlan.Part]
  {
    var plan = OutputPlan(sources: presentation.sources, notices: [])
    for (index, contents) in presentation.contents.enumerated() {
      let source = presentation.sources[index]
      for header in contents.kept {
        if header.type == "meta", header.size <= Int(UInt32.max) {
          var boxes = try ItemLayout.boxes(header, of: source, index)
          for box in boxes.indices { notices += try relocations[index].correctItems(&boxes[box], of: source) }
          plan.parts.append(.boxes(try serializer(boxes)))
          continue
        }
        if !header.isSizeRight {
          plan.parts.append(.bytes(try header.bytesWithRightSize(in: source)))
        }
        plan.copy((header.isSizeRight ? header.offset : header.payload.lowerBound)..<header.end, of: index)
      }
    }
    return plan.parts
  }

  private func correctItems(_ moov: inout Box, _ relocations: [Relocation], _ notices: inout [Notice])
    throws(MovieError)
  {
    func correct(_ meta: inout Box) throws(MovieError) {
      notices += try relocations[meta.source].correctItems(&meta, of: presentation.sources[meta.source])
    }
    for index in moov.boxes.indices {
      if moov.boxes[index].type == "meta" { try correct(&moov.boxes[index]) }
      guard moov.boxes[index].type == "trak" else { continue }
      for inner in moov.boxes[index].boxes.indices where moov.boxes[index].boxes[inner].type == "meta" {
        try correct(&moov.boxes[index].boxes[inner])
      }
    }
  }

  /// The brands of all movies, without those of fragments.
  private func fileType() throws(MovieError) -> Box {
    var result = FileTypeBox()
    for (number, group) in presentation.groups.enumerated() {
      guard let header = group.fileType else { continue }
      var box = Box(FileTypeBox())
      box.fields = .unchanged(header.payload)
      let payloads = MoviePayloads(source: presentation.sources[group.source])
      let fileType = try payloads.payload(of: box, in: "ftyp", FileTypeBox.self)
      if number == 0 { result = fileType }
      let brands = Array(result.compatibleBrands)
      result.compatibleBrands = Table(brands + fileType.compatibleBrands.filter { !brands.contains($0) })
    }
    let hasNegativeOffsets = layout.builders.contains(where: \.hasNegativeOffsets)
    return Box(Brands.progressive(result, hasNegativeOffsets: hasNegativeOffsets))
  }

  private func serializer(_ boxes: [Box]) throws(MovieError) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer(boxes, closesEnds: true) } catch {
      throw .damaged(file: presentation.sources[0].name, path: "moov", error)
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
