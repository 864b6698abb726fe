import ISOBMFF
import MP4Bytes

/// The positions of the bytes of a source in the output, and the correction of all offsets to them. Only this type
/// knows which boxes contain such offsets: `stco`, `co64`, `saio`, `iloc`, `sidx`, `tfra`, track fragments and their
/// runs.
struct Relocation {
  private var moves: [(from: Range<Int>, to: Int)] = []
  /// The interpretation of explicit base data offsets of the source.
  let base: BaseDataOffset
  /// The size of the source, if bytes that are not moved were removed on purpose; an offset to them is then an error.
  /// If it is `nil`, these bytes were already missing, and offsets to them do not change.
  private let keptSize: Int?

  init(base: BaseDataOffset = BaseDataOffset(precedingBytes: 0), keepingBytes keptSize: Int? = nil) {
    (self.base, self.keptSize) = (base, keptSize)
  }

  /// Whether none of the first `count` bytes move.
  func isIdentity(ofBytes count: Int) -> Bool {
    count == 0 || moves.count == 1 && moves[0].to == 0 && moves[0].from == 0..<count
  }

  /// Adds a move of the bytes `range` of the source to `position` in the output. Ranges are added in ascending order.
  mutating func move(_ range: Range<Int>, to position: Int) {
    if let last = moves.last, last.from.upperBound == range.lowerBound, last.to + last.from.count == position {
      moves[moves.count - 1].from = last.from.lowerBound..<range.upperBound
    } else if !range.isEmpty {
      moves.append((range, position))
    }
  }

  /// The new offset of the byte at `offset`; `nil` if it is not moved.
  func position(of offset: Int) -> Int? {
    let index = moves.partition { $0.from.upperBound > offset }
    guard index < moves.count, moves[index].from.contains(offset) else { return nil }
    return moves[index].to + offset - moves[index].from.lowerBound
  }
  /// Whether all bytes of `range` are moved and stay adjacent.
  func keepsTogether(_ range: Range<Int>) -> Bool {
    guard let first = position(of: range.lowerBound), let last = position(of: range.upperBound - 1) else {
      return false
    }
    return last - first == range.count - 1
  }
  /// Whether all bytes from `offset` on move together, as far as they are moved.
  func keepsTogether(from offset: Int) -> Bool { moves.last.map { $0.from.contains(offset) } ?? false }
  /// Like `position`; an offset to bytes that are not moved does not change.
  private func corrected(_ offset: UInt64, of source: any ByteSource) throws(MovieError) -> UInt64 {
    guard let old = Int(exactly: offset) else { return offset }
    if let position = position(of: old) { return UInt64(position) }
    guard let keptSize else { return offset }
    if old < keptSize {
      let text = "samples or items refer to byte \(old), which would be removed"
      throw .impossible(file: source.name, Obstacle("removed_data", text))
    }
    // Bytes that are missing at the end of the file belong after its last byte.
    guard let last = position(of: keptSize - 1) else { return offset }
    return UInt64(last + 1 + old - keptSize)
  }

  // MARK: Boxes

  /// Corrects the offsets in a file-level box: `moov`, `meta`, `moof` or `mfra`. Returns diagnostics about those that
  /// cannot be corrected.
  func correct(_ box: inout Box, of source: any ByteSource) throws(MovieError) -> [Diagnostic] {
    let payloads = MoviePayloads(source: source)
    var diagnostics: [Diagnostic] = []
    switch box.type {
    case "moov":
      for index in box.boxes.indices {
        switch box.boxes[index].type {
        case "trak": diagnostics += try correctTrack(&box.boxes[index], payloads)
        case "meta": diagnostics += try correctItems(&box.boxes[index], of: source)
        case "uuid" where box.boxes[index].userType == .canonMetadata:
          try correctParts(&box.boxes[index], payloads)
        default: break
        }
      }
    case "meta": diagnostics += try correctItems(&box, of: source)
    case "moof":
      for index in box.boxes.indices where box.boxes[index].type == "meta" {
        diagnostics += try correctItems(&box.boxes[index], of: source)
      }
      guard let moofOffset = box.header?.offset else { break }
      let fragments = box.boxes.indices.filter { box.boxes[$0].type == "traf" }
      for index in fragments {
        try correctFragment(&box.boxes[index], moofOffset, isFirst: index == fragments.first, payloads)
      }
    case "mfra":
      for index in box.boxes.indices where box.boxes[index].type == "tfra" {
        try correctRandomAccess(&box.boxes[index], payloads)
      }
      try correctSize(of: &box, payloads)
    case "sidx": try correctIndex(&box, payloads)
    default: break
    }
    return diagnostics
  }

  private func correctTrack(_ trak: inout Box, _ payloads: MoviePayloads) throws(MovieError) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for index in trak.boxes.indices where trak.boxes[index].type == "meta" {
      diagnostics += try correctItems(&trak.boxes[index], of: payloads.source)
    }
    guard var stbl = trak.first("mdia", "minf", "stbl") else { return diagnostics }
    let external = try externalChunks(trak, stbl, payloads)
    for index in stbl.boxes.indices {
      switch stbl.boxes[index].type {
      case "stco": try correctChunks(&stbl.boxes[index], external, payloads)
      case "co64":
        var co64 = try payloads.payload(of: stbl.boxes[index], in: "co64", ChunkLargeOffsetBox.self)
        let rest = try uncounted(payloads.rest(of: stbl.boxes[index], after: co64), size: 8)
        let offsets = try co64.offsets.rows.enumerated().map { (chunk) throws(MovieError) in
          external.contains(chunk.offset) ? chunk.element : try corrected(chunk.element, of: payloads.source)
        }
        co64.offsets = BoxTable(integers: offsets)
        stbl.boxes[index].fields = .edited(co64, rest: rest.bytes(size: 8))
      case "saio":
        var saio = try payloads.payload(of: stbl.boxes[index], in: "saio", SampleAuxiliaryInformationOffsetsBox.self)
        let rest = try payloads.rest(of: stbl.boxes[index], after: saio)
        saio.offsets = BoxTable(
          try saio.offsets.rows.map { (offset) throws(MovieError) in try corrected(offset, of: payloads.source) })
        stbl.boxes[index].fields = .edited(saio, rest: rest)
      default: break
      }
    }
    trak.edit("mdia", "minf", "stbl") { $0 = stbl }
    return diagnostics
  }

  /// The chunks in other files: their offsets refer to those files.
  private func externalChunks(_ trak: Box, _ stbl: Box, _ payloads: MoviePayloads) throws(MovieError) -> ExternalChunks
  {
    let descriptions = try payloads.externalDescriptions(trak, path: "moov/trak")
    guard !descriptions.isEmpty else { return ExternalChunks() }
    let stsc = try payloads.payload(of: stbl.first("stsc"), in: "stsc", SampleToChunkBox.self)
    return ExternalChunks(stsc.entries.rows, descriptions)
  }

  /// Corrects chunk offsets. Offsets that no longer fit into 32 bits are written with 64.
  private func correctChunks(_ box: inout Box, _ external: ExternalChunks, _ payloads: MoviePayloads)
    throws(MovieError)
  {
    var stco = try payloads.payload(of: box, in: "stco", ChunkOffsetBox.self)
    let rest = try uncounted(payloads.rest(of: box, after: stco), size: 4)
    let offsets = try stco.offsets.rows.enumerated().map { (chunk) throws(MovieError) in
      external.contains(chunk.offset)
        ? UInt64(chunk.element) : try corrected(UInt64(chunk.element), of: payloads.source)
    }
    if (offsets + rest.offsets).contains(where: { $0 > UInt32.max }) {
      var co64 = ChunkLargeOffsetBox()
      co64.offsets = BoxTable(integers: offsets)
      box = Box(co64)
      box.fields = .edited(co64, rest: rest.bytes(size: 8))
    } else {
      stco.offsets = BoxTable(integers: offsets.map { UInt32(truncatingIfNeeded: $0) })
      box.fields = .edited(stco, rest: rest.bytes(size: 4))
    }
  }

  /// Bytes after the declared number of chunk offsets. Readers take them for further offsets if it is too small.
  private struct Uncounted {
    var offsets: [UInt64] = []
    /// Bytes that are too few for an offset.
    var tail: ArraySlice<UInt8>

    func bytes(size: Int) -> [UInt8] {
      var writer = ByteWriter()
      for offset in offsets {
        if size == 8 { writer.integer(offset) } else { writer.integer(UInt32(truncatingIfNeeded: offset)) }
      }
      return writer.bytes + tail
    }
  }

  /// The corrected offsets of `size` bytes.
  private func uncounted(_ bytes: [UInt8], size: Int) -> Uncounted {
    var result = Uncounted(tail: bytes.suffix(bytes.count % size))
    for start in stride(from: 0, to: bytes.count - result.tail.count, by: size) {
      let offset = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      result.offsets.append(Int(exactly: offset).flatMap { position(of: $0) }.map { UInt64($0) } ?? offset)
    }
    return result
  }

  /// Corrects the offsets of the parts of a raw picture; those of a removed part become 0.
  private func correctParts(_ uuid: inout Box, _ payloads: MoviePayloads) throws(MovieError) {
    for index in uuid.boxes.indices where uuid.boxes[index].type == "CTBO" {
      var parts = try payloads.payload(of: uuid.boxes[index], in: "uuid/CTBO", CanonTrackBaseOffsetsBox.self)
      let rest = try payloads.rest(of: uuid.boxes[index], after: parts)
      var entries = parts.entries.rows
      for row in entries.indices where entries[row].size > 0 {
        guard let old = Int(exactly: entries[row].offset), old < keptSize ?? .max else { continue }
        if let new = position(of: old) {
          entries[row].offset = UInt64(new)
        } else if keptSize != nil {
          (entries[row].offset, entries[row].size) = (0, 0)
        }
      }
      parts.entries = BoxTable(entries)
      uuid.boxes[index].fields = .edited(parts, rest: rest)
    }
  }

  private func correctRandomAccess(_ box: inout Box, _ payloads: MoviePayloads) throws(MovieError) {
    var tfra = try payloads.payload(of: box, in: "mfra/tfra", TrackFragmentRandomAccessBox.self)
    let rest = try payloads.rest(of: box, after: tfra)
    var entries = tfra.entries.rows
    for index in entries.indices {
      entries[index].moofOffset = try corrected(entries[index].moofOffset, of: payloads.source)
    }
    tfra.entries = BoxTable(entries)
    box.fields = .edited(tfra, rest: rest)
  }

  /// Corrects the size in the last box of `mfra`, if it was correct before.
  private func correctSize(of mfra: inout Box, _ payloads: MoviePayloads) throws(MovieError) {
    guard let at = mfra.boxes.firstIndex(where: { $0.type == "mfro" }), let size = try? BoxSerializer([mfra]).size,
      let old = mfra.header?.size, size != old
    else { return }
    var mfro = try payloads.payload(of: mfra.boxes[at], in: "mfra/mfro", MovieFragmentRandomAccessOffsetBox.self)
    guard Int(mfro.parentSize) == old else { return }
    mfro.parentSize = UInt32(clamping: size)
    mfra.boxes[at].fields = .edited(mfro, rest: try payloads.rest(of: mfra.boxes[at], after: mfro))
  }

  /// Corrects an index. Its parts are adjacent and start at a distance after the index. An index is not changed if some
  /// of its parts are not in the file, for example in other files.
  private func correctIndex(_ box: inout Box, _ payloads: MoviePayloads) throws(MovieError) {
    guard let header = box.header, let place = position(of: header.offset) else { return }
    var sidx = try payloads.payload(of: box, in: "sidx", SegmentIndexBox.self)
    let rest = try payloads.rest(of: box, after: sidx)
    guard let first = Int(exactly: sidx.firstOffset) else { return }
    var end = header.end.addingReportingOverflow(first).partialValue
    guard var next = position(of: end) else { return }
    let start = next
    for index in sidx.references.indices {
      end = end.addingReportingOverflow(Int(sidx.references[index].referencedSize)).partialValue
      // Bytes inserted between two parts belong to the first one.
      guard let new = boundary(at: end) else { return }
      guard let size = UInt32(exactly: new - next) else {
        throw .impossible(
          file: payloads.source.name, Obstacle("large_reference", "sidx: a part of it is now too large"))
      }
      if sidx.references[index].referencedSize != size { sidx.references[index].referencedSize = size }
      next = new
    }
    box.fields = .edited(sidx, rest: rest)
    guard let size = try? BoxSerializer([box]).size, let offset = UInt64(exactly: start - place - size) else {
      let text = "sidx: its references are no longer after it"
      throw .impossible(file: payloads.source.name, Obstacle("reference_before", text))
    }
    sidx.firstOffset = offset
    box.fields = .edited(sidx, rest: rest)
  }

  /// Corrects the sizes of the levels of each part of the index before an `ssix`. Bytes inserted between two levels
  /// belong to the first one.
  func correctLevels(_ box: inout Box, after index: Box, of source: any ByteSource) throws(MovieError) {
    let payloads = MoviePayloads(source: source)
    let sidx = try payloads.payload(of: index, in: "sidx", SegmentIndexBox.self)
    guard let header = index.header, let first = Int(exactly: sidx.firstOffset) else { return }
    var ssix = try payloads.payload(of: box, in: "ssix", SubsegmentIndexBox.self)
    let rest = try payloads.rest(of: box, after: ssix)
    var start = header.end.addingReportingOverflow(first).partialValue
    for (part, reference) in zip(ssix.subsegments.indices, sidx.references) {
      var end = start
      for level in ssix.subsegments[part].ranges.indices {
        let old = end
        end = end.addingReportingOverflow(Int(ssix.subsegments[part].ranges[level].rangeSize)).partialValue
        guard let from = boundary(at: old), let to = boundary(at: end) else { return }
        guard let size = UInt32(exactly: to - from), size < 1 << 24 else {
          throw .impossible(
            file: source.name, Obstacle("large_level", "ssix: a level of a part is now too large"))
        }
        ssix.subsegments[part].ranges[level].rangeSize = size
      }
      start = start.addingReportingOverflow(Int(reference.referencedSize)).partialValue
    }
    box.fields = .edited(ssix, rest: rest)
  }

  /// The new end of the bytes that end at `offset`, including bytes inserted after them.
  private func boundary(at offset: Int) -> Int? { position(of: offset) ?? position(of: offset - 1).map { $0 + 1 } }

  /// Corrects the positions of the items of `meta`. Returns diagnostics about items, or a damaged box, that cannot be
  /// corrected: they are not changed, or with `dropsLost` they are omitted, together with items that are incomplete in
  /// the source. The size of `meta` does not change, unless bytes of the source were removed on purpose. In that case a
  /// file is being edited, and its boxes may grow.
  func correctItems(_ meta: inout Box, of source: any ByteSource, dropsLost: Bool = false) throws(MovieError)
    -> [Diagnostic]
  {
    guard let at = meta.boxes.firstIndex(where: { $0.type == "iloc" }) else { return [] }
    let payloads = MoviePayloads(source: source)
    var iloc: ItemLocationBox
    do throws(MovieError) {
      iloc = try payloads.payload(of: meta.boxes[at], in: "meta/iloc", ItemLocationBox.self)
    } catch {
      if case .io = error { throw error }
      // Readers would use the next one instead.
      if dropsLost {
        for index in meta.boxes.indices where meta.boxes[index].type == "iloc" { meta.boxes[index].type = "free" }
      }
      return [Diagnostic(.error, source.name, "meta/iloc: it is damaged; items outside its box are omitted")]
    }
    // The bytes after the fields are kept, so that nothing after the box moves.
    var rest = try payloads.rest(of: meta.boxes[at], after: iloc)
    let size = try? iloc.encoded().count
    let lost = dropsLost ? Set(iloc.items.indices.filter { ItemLayout.isLost(iloc.items[$0], of: source) }) : []
    let misfits = try iloc.relocate(widens: keptSize != nil) { (offset) throws(MovieError) in
      try corrected(offset, of: source)
    }.subtracting(lost)
    let left = dropsLost ? lost.union(misfits) : []
    if !left.isEmpty {
      iloc.items = iloc.items.indices.filter { !left.contains($0) }.map { iloc.items[$0] }
      if let size, let now = try? iloc.encoded().count, now < size { rest += Array(repeating: 0, count: size - now) }
    }
    meta.boxes[at].fields = .edited(iloc, rest: rest)
    if misfits.isEmpty { return [] }
    let text = "meta/iloc: an item is too far away for its offset field now; omitted"
    return [Diagnostic(.error, source.name, text)]
  }
}
