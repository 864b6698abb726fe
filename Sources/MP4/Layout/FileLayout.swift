import ISOBMFF
import MP4Bytes

/// The parts of a progressive file in order: `ftyp`, `moov`, other boxes of the sources, `mdat`; or with `moov` last.
struct FileLayout {
  private let input: MovieInput
  private let layout: MediaLayout
  private let movie: RewrittenMovie
  private let isMovieFirst: Bool
  private let items: ItemLayout
  private let auxiliary: [UInt8]

  /// Plans a file that would be read with the samples of the layout.
  static func plan(
    _ input: MovieInput, _ layout: MediaLayout, _ edits: EditPlan, isMovieFirst: Bool = true,
    _ diagnostics: [Diagnostic]
  ) throws(MovieError) -> OutputPlan {
    try input.checked(
      { (input) throws(MovieError) in
        let plan = try FileLayout(input, layout, edits, isMovieFirst: isMovieFirst).plan(diagnostics)
        try plan.check(layout.sampleCounts)
        return plan
      }, diagnostics: \.diagnostics)
  }

  private init(_ input: MovieInput, _ layout: MediaLayout, _ edits: EditPlan, isMovieFirst: Bool) throws(MovieError) {
    self.input = input
    self.layout = layout
    self.isMovieFirst = isMovieFirst
    movie = RewrittenMovie(input, layout: layout, edits: edits)
    items = try ItemLayout(input)
    auxiliary = layout.auxiliaryBytes
  }

  private func plan(_ diagnostics: [Diagnostic]) throws(MovieError) -> OutputPlan {
    let (moov, left) = try movie.box()
    // The growth of the movie box over the measured size, if its contents require higher box versions.
    var growth = 0
    while true {
      let (plan, found) = try plan(diagnostics, moov, left, growth: growth)
      if found == growth { return plan }
      growth = found
    }
  }

  private func plan(_ diagnostics: [Diagnostic], _ moov: Box, _ left: [Diagnostic], growth: Int) throws(MovieError)
    -> (plan: OutputPlan, growth: Int)
  {
    var (moov, left) = (moov, left)
    let hasNegativeOffsets = layout.tables.contains(where: \.hasNegativeOffsets)
    let brands = Brands.progressive(try input.fileType(), hasNegativeOffsets: hasNegativeOffsets)
    let fileType = try input.serializer([Box(brands)])
    let keptSize = input.contents.reduce(0) { $0 + $1.kept.reduce(0) { $0 + $1.size } }
    let mediaSize = items.copies.byteCount + layout.copies.byteCount + auxiliary.count
    let mediaHeader = Self.mediaHeader(mediaSize)
    let lastChunk = layout.tables.compactMap(\.chunks.last?.offset).max() ?? 0
    let lastOffset = auxiliary.isEmpty ? lastChunk : layout.copies.byteCount + auxiliary.count
    var (relocations, measured) = ([Relocation](), 0)
    // The width of offsets, 32 or 64 bits, depends on the size of everything before them, not on their values.
    for large in [false, true] {
      layout.setOffsets(in: &moov, mediaStart: 0, auxiliaryStart: 0, large: large)
      measured = BoxSerializer.size(of: [moov], closesEnds: true)
      let keptStart = fileType.size + (isMovieFirst ? measured + growth : 0)
      let itemsStart = keptStart + keptSize + mediaHeader.count
      let samplesStart = itemsStart + items.copies.byteCount
      guard large || samplesStart + lastOffset <= Int(UInt32.max) else { continue }
      let auxiliaryStart = samplesStart + layout.copies.byteCount
      layout.setOffsets(in: &moov, mediaStart: samplesStart, auxiliaryStart: auxiliaryStart, large: large)
      relocations = items.relocations(keptStart: keptStart, itemsStart: itemsStart)
      break
    }
    left += items.diagnostics
    try input.correctItems(in: &moov, relocations, &left)
    let movieBox = try input.serializer([moov])
    var plan = OutputPlan(sources: input.sources, diagnostics: [])
    plan.parts = [.boxes(fileType)] + (isMovieFirst ? [.boxes(movieBox)] : [])
    plan.parts += try input.keptBoxes(relocations, &left)
    plan.parts += [.bytes(mediaHeader), .copies(items.copies), .copies(layout.copies), .bytes(auxiliary)]
    if !isMovieFirst { plan.parts.append(.boxes(movieBox)) }
    plan.diagnostics = diagnostics + left
    return (plan, movieBox.size - measured)
  }

  /// The header of an `mdat` with this payload size.
  static func mediaHeader(_ byteCount: Int) -> [UInt8] {
    var writer = ByteWriter()
    let isLarge = byteCount + 8 > Int(UInt32.max)
    writer.integer(isLarge ? 1 : UInt32(byteCount + 8))
    writer.integer(FourCC("mdat").rawValue)
    if isLarge { writer.integer(UInt64(byteCount + 16)) }
    return writer.bytes
  }
}
