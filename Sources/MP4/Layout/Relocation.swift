import Bytes
import ISOBMFF

/// Where the bytes of a source go, and the correction of every absolute offset to them: the one place that knows which
/// boxes have such offsets (stco, co64, saio in a sample table, iloc, tfra, and the base data offset of a track fragment).
struct Relocation {
  private var moves: [(from: Range<Int>, to: Int)] = []
  /// How explicit base data offsets of the source are meant.
  private let base: BaseDataOffset

  init(base: BaseDataOffset = BaseDataOffset(precedingBytes: 0)) { self.base = base }

  /// The bytes `range` of the source start at `position` in the output. Ranges come in rising order.
  mutating func move(_ range: Range<Int>, to position: Int) {
    if let last = moves.last, last.from.upperBound == range.lowerBound, last.to + last.from.count == position {
      moves[moves.count - 1].from = last.from.lowerBound..<range.upperBound
    } else if !range.isEmpty {
      moves.append((range, position))
    }
  }

  /// Where the byte at `offset` goes; `nil` when it does not.
  func position(of offset: Int) -> Int? {
    var low = 0
    var high = moves.count
    while low < high {
      let middle = (low + high) / 2
      if moves[middle].from.upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    guard low < moves.count, moves[low].from.contains(offset) else { return nil }
    return moves[low].to + offset - moves[low].from.lowerBound
  }
  /// Whether the bytes of `range` are all there and stay together.
  func keepsTogether(_ range: Range<Int>) -> Bool {
    guard let first = position(of: range.lowerBound), let last = position(of: range.upperBound - 1) else {
      return false
    }
    return last - first == range.count - 1
  }
  /// As `position`; an offset to nothing stays what it is.
  private func corrected(_ offset: UInt64) -> UInt64 {
    Int(exactly: offset).flatMap(position).map(UInt64.init) ?? offset
  }

  // MARK: Boxes

  /// Corrects the offsets in a file-level box: `moov`, `meta`, `moof` or `mfra`. Returns what cannot be corrected.
  func correct(_ box: inout Box, of source: any ByteSource) throws(MovieError) -> [Notice] {
    let payloads = MoviePayloads(source: source)
    var notices: [Notice] = []
    switch box.type {
    case "moov":
      for index in box.boxes.indices {
        switch box.boxes[index].type {
        case "trak": notices += try correctTrack(&box.boxes[index], payloads)
        case "meta": notices += try correctItems(&box.boxes[index], of: source)
        default: break
        }
      }
    case "meta": notices += try correctItems(&box, of: source)
    case "moof":
      for index in box.boxes.indices where box.boxes[index].type == "traf" {
        try correctFragment(&box.boxes[index], moofOffset: box.header?.offset ?? 0, payloads)
      }
    case "mfra":
      for index in box.boxes.indices where box.boxes[index].type == "tfra" {
        try correctRandomAccess(&box.boxes[index], payloads)
      }
    default: break
    }
    return notices
  }

  private func correctTrack(_ trak: inout Box, _ payloads: MoviePayloads) throws(MovieError) -> [Notice] {
    var notices: [Notice] = []
    for index in trak.boxes.indices where trak.boxes[index].type == "meta" {
      notices += try correctItems(&trak.boxes[index], of: payloads.source)
    }
    guard var stbl = trak.first("mdia", "minf", "stbl") else { return notices }
    let external = try externalChunks(trak, stbl, payloads)
    for index in stbl.boxes.indices {
      switch stbl.boxes[index].type {
      case "stco": try correctChunks(&stbl.boxes[index], external, payloads)
      case "co64":
        var co64 = try payloads.payload(of: stbl.boxes[index], in: "co64", ChunkLargeOffsetBox.self)
        let rest = try payloads.rest(of: stbl.boxes[index], behind: co64)
        let offsets = co64.offsets.rows.enumerated().map { external.contains($0) ? $1 : corrected($1) }
        co64.offsets = Table(integers: offsets)
        stbl.boxes[index].fields = .edited(co64, rest: rest)
      case "saio":
        var saio = try payloads.payload(of: stbl.boxes[index], in: "saio", SampleAuxiliaryInformationOffsetsBox.self)
        let rest = try payloads.rest(of: stbl.boxes[index], behind: saio)
        let offsets = saio.offsets.rows.map(corrected)
        saio.offsets = Table(offsets)
        stbl.boxes[index].fields = .edited(saio, rest: rest)
      default: break
      }
    }
    trak.edit("mdia") { mdia in mdia.edit("minf") { minf in minf.edit("stbl") { $0 = stbl } } }
    return notices
  }

  /// The chunks that lie in other files, whose offsets count there.
  private func externalChunks(_ trak: Box, _ stbl: Box, _ payloads: MoviePayloads) throws(MovieError) -> ExternalChunks
  {
    let descriptions = try payloads.externalDescriptions(trak, path: "moov/trak")
    guard !descriptions.isEmpty else { return ExternalChunks() }
    let stsc = try payloads.payload(of: stbl.first("stsc"), in: "stsc", SampleToChunkBox.self)
    return ExternalChunks(stsc.entries.rows, descriptions)
  }

  /// Offsets that no longer fit into 32 bits take 64.
  private func correctChunks(_ box: inout Box, _ external: ExternalChunks, _ payloads: MoviePayloads)
    throws(MovieError)
  {
    var stco = try payloads.payload(of: box, in: "stco", ChunkOffsetBox.self)
    let rest = try payloads.rest(of: box, behind: stco)
    let offsets = stco.offsets.rows.enumerated().map { external.contains($0) ? UInt64($1) : corrected(UInt64($1)) }
    if offsets.contains(where: { $0 > UInt32.max }) {
      var co64 = ChunkLargeOffsetBox()
      co64.offsets = Table(integers: offsets)
      box = Box(co64)
      box.fields = .edited(co64, rest: rest)
    } else {
      stco.offsets = Table(integers: offsets.map { UInt32(truncatingIfNeeded: $0) })
      box.fields = .edited(stco, rest: rest)
    }
  }

  private func correctFragment(_ traf: inout Box, moofOffset: Int, _ payloads: MoviePayloads) throws(MovieError) {
    guard let at = traf.boxes.firstIndex(where: { $0.type == "tfhd" }) else { return }
    var tfhd = try payloads.payload(of: traf.boxes[at], in: "moof/traf/tfhd", TrackFragmentHeaderBox.self)
    guard let offset = tfhd.baseDataOffset else { return }
    let rest = try payloads.rest(of: traf.boxes[at], behind: tfhd)
    let old = base.position(offset, moofOffset: moofOffset)
    tfhd.baseDataOffset = position(of: old).map(UInt64.init) ?? offset
    traf.boxes[at].fields = .edited(tfhd, rest: rest)
  }

  private func correctRandomAccess(_ box: inout Box, _ payloads: MoviePayloads) throws(MovieError) {
    var tfra = try payloads.payload(of: box, in: "mfra/tfra", TrackFragmentRandomAccessBox.self)
    let rest = try payloads.rest(of: box, behind: tfra)
    var entries = tfra.entries.rows
    for index in entries.indices { entries[index].moofOffset = corrected(entries[index].moofOffset) }
    tfra.entries = Table(entries)
    box.fields = .edited(tfra, rest: rest)
  }

  /// Corrects where the items of `meta` are. Returns what cannot be corrected: such items, or a damaged box, stay what
  /// they are, or with `dropsLost` they are left out, and with them items of which the source has not all bytes. The size
  /// of `meta` stays.
  func correctItems(_ meta: inout Box, of source: any ByteSource, dropsLost: Bool = false) throws(MovieError)
    -> [Notice]
  {
    guard let at = meta.boxes.firstIndex(where: { $0.type == "iloc" }) else { return [] }
    let payloads = MoviePayloads(source: source)
    var iloc: ItemLocationBox
    do throws(MovieError) {
      iloc = try payloads.payload(of: meta.boxes[at], in: "meta/iloc", ItemLocationBox.self)
    } catch {
      if case .io = error { throw error }
      if dropsLost { meta.boxes[at].type = "free" }
      return [Notice(.loss, source.name, "meta/iloc: it is damaged; items outside of its box are left out")]
    }
    // What comes after the fields stays, so that nothing after the box moves.
    var rest = try payloads.rest(of: meta.boxes[at], behind: iloc)
    let size = try? iloc.encoded().count
    let lost = dropsLost ? Set(iloc.items.indices.filter { ItemLayout.isLost(iloc.items[$0], of: source) }) : []
    let misfits = iloc.relocate { corrected($0) }.subtracting(lost)
    let left = dropsLost ? lost.union(misfits) : []
    if !left.isEmpty {
      iloc.items = iloc.items.indices.filter { !left.contains($0) }.map { iloc.items[$0] }
      if let size, let now = try? iloc.encoded().count, now < size { rest += Array(repeating: 0, count: size - now) }
    }
    meta.boxes[at].fields = .edited(iloc, rest: rest)
    if misfits.isEmpty { return [] }
    let text = "meta/iloc: an item lies beyond what its offset can express now; it is left out"
    return [Notice(.loss, source.name, text)]
  }
}
