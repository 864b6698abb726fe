import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@testable import MP4

@Suite("Correction of absolute offsets")
struct RelocationTests {
  /// Bytes 100 to 200 are moved to 1100, and bytes 300 to 400 to 5 GiB.
  private func relocation(base: BaseDataOffset = BaseDataOffset(precedingBytes: 0)) -> Relocation {
    var relocation = Relocation(base: base)
    relocation.move(100..<200, to: 1100)
    relocation.move(300..<400, to: 5 << 30)
    return relocation
  }
  /// A box after the correction.
  private func corrected(_ bytes: [UInt8], _ relocation: Relocation? = nil) throws -> [UInt8] {
    let source = MemorySource(bytes)
    var boxes = try [Box](reading: source)
    for index in boxes.indices { _ = try (relocation ?? self.relocation()).correct(&boxes[index], of: source) }
    let sink = MemorySink()
    try BoxSerializer(boxes).write(to: sink, from: source)
    return sink.bytes
  }
  /// A movie box with these boxes in its sample table.
  private func movie(_ boxes: [UInt8]...) -> [UInt8] {
    box("moov", box("trak", box("mdia", box("minf", box("stbl", boxes.flatMap { $0 })))))
  }

  @Test("A position moves with its bytes, and is nil if they are removed")
  func positions() {
    let relocation = relocation()
    let expected: [(Int, Int?)] = [
      (99, nil), (100, 1100), (199, 1199), (200, nil), (300, 5 << 30), (399, 5 << 30 + 99), (400, nil), (.max, nil),
    ]
    for (offset, position) in expected { #expect(relocation.position(of: offset) == position, "\(offset)") }
    #expect(Relocation().position(of: 0) == nil)
  }

  @Test("Adjacent ranges are merged, and empty ones dropped")
  func merged() {
    var relocation = Relocation()
    relocation.move(0..<10, to: 50)
    relocation.move(10..<20, to: 60)
    relocation.move(20..<20, to: 999)
    relocation.move(20..<30, to: 80)
    #expect((0..<30).map { relocation.position(of: $0) } == (50..<70).map { $0 } + (80..<90).map { $0 })
  }

  @Test("Chunk offsets are corrected, except those to missing data")
  func chunks() throws {
    let before = movie(fullBox("stco", big(UInt32(3)), [100, 150, 250].flatMap { big(UInt32($0)) }))
    let after = movie(fullBox("stco", big(UInt32(3)), [1100, 1150, 250].flatMap { big(UInt32($0)) }))
    #expect(try corrected(before) == after)
  }

  @Test("Chunk offsets that no longer fit into 32 bits become 64-bit, and all containers grow")
  func wideChunks() throws {
    let before = movie(fullBox("stco", big(UInt32(2)), [150, 310].flatMap { big(UInt32($0)) }), box("free", [1]))
    let after = movie(
      fullBox("co64", big(UInt32(2)), [1150, 5 << 30 + 10].flatMap { big(UInt64($0)) }), box("free", [1]))
    #expect(try corrected(before) == after)
    let large = movie(fullBox("co64", big(UInt32(1)), big(UInt64(399))))
    #expect(try corrected(large) == movie(fullBox("co64", big(UInt32(1)), big(UInt64(5 << 30 + 99)))))
  }

  @Test("Offsets of auxiliary information are corrected, and become 64-bit if necessary")
  func auxiliary() throws {
    let narrow = movie(fullBox("saio", big(UInt32(2)), [100, 199].flatMap { big(UInt32($0)) }))
    #expect(try corrected(narrow) == movie(fullBox("saio", big(UInt32(2)), [1100, 1199].flatMap { big(UInt32($0)) })))
    let wide = movie(fullBox("saio", flags: 1, ascii("cenc"), zeros(4), big(UInt32(1)), big(UInt32(300))))
    #expect(
      try corrected(wide)
        == movie(fullBox("saio", version: 1, flags: 1, ascii("cenc"), zeros(4), big(UInt32(1)), big(UInt64(5 << 30)))))
  }

  @Test("Random access entries are corrected in both versions, with their field lengths", arguments: [0, 1] as [UInt8])
  func randomAccess(version: UInt8) throws {
    func table(_ offset: Int) -> [UInt8] {
      let numbers = version == 0 ? big(UInt32(7)) + big(UInt32(offset)) : big(UInt64(7)) + big(UInt64(offset))
      return box(
        "mfra",
        fullBox("tfra", version: version, big(UInt32(1)), big(UInt32(0x1b)), big(UInt32(1)), numbers, zeros(2 + 3 + 4)),
        fullBox("mfro", big(UInt32(99))))
    }
    #expect(try corrected(table(120)) == table(1120))
    #expect(try corrected(table(250)) == table(250))
  }

  @Test("Items in the file are corrected; those in idat or another file are not")
  func items() throws {
    /// An iloc item of version 1: its construction method and data reference, a base, and extents of 5 bytes.
    func item(method: UInt16, reference: UInt16, base: UInt32, _ offsets: Int...) -> [UInt8] {
      var bytes: [UInt8] = big(UInt16(7)) + big(method) + big(reference) + big(base) + big(UInt16(offsets.count))
      for offset in offsets { bytes += big(UInt32(offset)) + big(UInt32(5)) }
      return bytes
    }
    func location(_ first: Int, _ second: Int) -> [UInt8] {
      var items = item(method: 0, reference: 0, base: 0, first)
      items += item(method: 1, reference: 0, base: 0, 120)
      items += item(method: 0, reference: 1, base: 0, 120)
      items += item(method: 0, reference: 0, base: 100, second, second + 50)
      let iloc = fullBox("iloc", version: 1, [0x44, 0x40, 0, 4], items)
      return fullBox("meta", fullBox("hdlr", zeros(20)), iloc)
    }
    let (before, after) = (location(110, 0), location(1110, 1000))
    #expect(try corrected(before) == after)
    #expect(try corrected(box("moov", before)) == box("moov", after))
    #expect(try corrected(box("moov", box("trak", before))) == box("moov", box("trak", after)))
  }

  @Test("An item whose new offset does not fit, and a damaged box, are not changed and are reported")
  func itemTooFar() throws {
    func check(_ first: UInt8, _ text: String) throws {
      let iloc = fullBox(
        "iloc", [first, 0, 0, 1], big(UInt16(1)), big(UInt16(0)), big(UInt16(1)), big(UInt32(300)), big(UInt32(1)))
      let source = MemorySource(fullBox("meta", iloc))
      var boxes = try [Box](reading: source)
      let diagnostics = try relocation().correct(&boxes[0], of: source)
      #expect(diagnostics.map(\.description) == ["memory: meta/iloc: \(text)"])
      let sink = MemorySink()
      try BoxSerializer(boxes).write(to: sink, from: source)
      #expect(sink.bytes == source.bytes)
    }
    try check(0x44, "an item is too far away for its offset field now; omitted")
    try check(0x24, "it is damaged; items outside its box are omitted")
  }

  @Test("Explicit base data offsets of all trafs are corrected; relative ones are not")
  func baseDataOffsets() throws {
    func fragment(_ first: Int, _ second: Int) -> [UInt8] {
      func traf(_ header: [UInt8]) -> [UInt8] {
        box("traf", header, fullBox("trun", flags: 1, zeros(4), big(Int32(-7))))
      }
      return box(
        "moof", fullBox("mfhd", big(UInt32(1))), traf(fullBox("tfhd", flags: 1, big(UInt32(1)), big(UInt64(first)))),
        traf(fullBox("tfhd", flags: 0x2_0000, big(UInt32(2)))),
        traf(fullBox("tfhd", flags: 0x9, big(UInt32(3)), big(UInt64(second)), big(UInt32(512)))))
    }
    #expect(try corrected(fragment(100, 310)) == fragment(1100, 5 << 30 + 10))
  }

  @Test("The base of a segment that was cut from a file is the moof")
  func baseOfCutSegment() {
    let first = BaseDataOffset(precedingBytes: 0, byteCount: 1000)
    #expect(first.position(5000, moofOffset: 40) == 5000)
    let later = BaseDataOffset(precedingBytes: 4960, byteCount: 1000)
    #expect(later.position(5000, moofOffset: 40) == 40)
    #expect(later.position(1000, moofOffset: 40) == 40)
    #expect(later.position(999, moofOffset: 40) == 999)
    #expect(later.position(.max, moofOffset: 40) == 40)
    // The base is below the size of the segment, but equals the number of preceding bytes.
    #expect(BaseDataOffset(precedingBytes: 300, byteCount: 1000).position(340, moofOffset: 40) == 40)
  }

  @Test("Bytes after the fields of a corrected box are kept")
  func rest() throws {
    func fragment(_ base: Int) -> [UInt8] {
      box("moof", box("traf", fullBox("tfhd", flags: 1, big(UInt32(1)), big(UInt64(base)), ascii("more"))))
    }
    #expect(try corrected(fragment(110)) == fragment(1110))
    func index(_ moof: Int) -> [UInt8] {
      let entry = big(UInt32(0)) + big(UInt32(moof)) + [1, 1, 1]
      return box("mfra", fullBox("tfra", big(UInt32(1)), zeros(4), big(UInt32(1)), entry, ascii("more")))
    }
    #expect(try corrected(index(110)) == index(1110))
    func chunks(_ offset: Int) -> [UInt8] {
      movie(
        fullBox("stco", big(UInt32(1)), big(UInt32(offset)), ascii("more")),
        fullBox("saio", big(UInt32(1)), big(UInt32(offset)), ascii("more")))
    }
    #expect(try corrected(chunks(110)) == chunks(1110))
  }
}
