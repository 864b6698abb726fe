import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// File-level and other metadata with items elsewhere in the file.
@Suite("Metadata items keep their bytes")
struct ItemTests {
  /// A `meta` with one item of these extents.
  private func meta(_ extents: [(offset: Int, length: Int)]) -> [UInt8] {
    let places = extents.flatMap { big(UInt32($0.offset)) + big(UInt32($0.length)) }
    let item = big(UInt16(1)) + big(UInt16(0)) + big(UInt16(extents.count)) + places
    let iloc = fullBox("iloc", [0x44, 0], big(UInt16(1)), item)
    return fullBox("meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), iloc)
  }
  /// The bytes of the items of all `iloc` boxes in a file.
  private func items(_ bytes: [UInt8]) -> [[UInt8]] {
    payloads(of: "iloc", in: bytes).map { iloc in
      (0..<number(iloc, 12, 2)).flatMap { extent in
        let (offset, length) = (number(iloc, 14 + extent * 8), number(iloc, 18 + extent * 8))
        return offset + length <= bytes.count ? Array(bytes[offset..<offset + length]) : []
      }
    }
  }

  @Test("Items of all sources, movies and tracks are kept, wherever they are")
  func everywhere() throws {
    var file = FragmentedFileBuilder([.video().with(\.boxes, ["trak": meta([(0, 4)])])])
    file.movieBoxes = meta([(0, 4)])
    file.addFragments(1)
    file.addBoxes(meta([(0, 4), (0, 3)]), box("mdat", ascii("an item, and more")), box("abcd", ascii("kept")))
    file.addFragments(1)
    let built = file.build()
    var bytes = built.bytes
    let text = try #require(bytes.indices.first { Array(bytes[$0..<min($0 + 7, bytes.count)]) == ascii("an item") })
    let kept = try #require(bytes.indices.first { Array(bytes[$0..<min($0 + 8, bytes.count)]) == ascii("abcdkept") })
    let tables = bytes.indices.filter { Array(bytes[$0..<min($0 + 4, bytes.count)]) == ascii("iloc") }
    // In file order: track, movie, file.
    for (table, offset) in zip(tables, [text, text + 3, kept + 4]) {
      bytes.replaceSubrange((table + 18)..<(table + 22), with: big(UInt32(offset)))
    }
    bytes.replaceSubrange((tables[2] + 26)..<(tables[2] + 30), with: big(UInt32(text + 9)))
    #expect(items(bytes) == [ascii("an i"), ascii("item"), ascii("keptand")])
    let result = try Output.defragmenting(bytes)
    #expect(items(result.bytes) == [ascii("an i"), ascii("item"), ascii("keptand")])
    check(result, built)
    #expect(result.diagnostics == [])
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    let last = try Output(Defragmenter(options).plan(named([bytes])))
    // The movie box follows the kept one.
    #expect(items(last.bytes) == [ascii("keptand"), ascii("an i"), ascii("item")])
  }

  @Test("Item offsets in segments count from their segment")
  func segments() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(2)
    let built = file.build()
    let segments = built.segments.enumerated().map { index, segment in
      let data = box("mdat", ascii("item \(index)"))
      return meta([(meta([(0, 0)]).count + 8, 6)]) + data + segment
    }
    let result = try Output.defragmenting(named([built.initialization] + segments))
    #expect(items(result.bytes) == [ascii("item 0"), ascii("item 1")])
  }

  @Test("An incomplete item is reported as lost")
  func lost() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(1)
    file.addBoxes(meta([(1 << 30, 4)]))
    let result = try Output.defragmenting(file.build().bytes)
    #expect(result.texts(.error) == ["init.mp4: meta/iloc: 1 item is not complete in the file; omitted"])
  }

  @Test("After a damaged iloc, readers do not use another one, whose items have moved")
  func damagedItems() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(2)
    let built = file.build()
    let other = meta([(0, 4)]).suffix(30)
    let damaged = fullBox("iloc", [0x44, 0], big(UInt16(5)))
    let both = fullBox("meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), damaged, Array(other))
    let result = try Output.defragmenting(built.initialization + both + built.segments.joined())
    #expect(result.diagnostics.contains { $0.text == "meta/iloc: it is damaged; items outside its box are omitted" })
    let meta = try #require([Box](reading: MemorySource(result.bytes)).first { $0.type == "meta" })
    #expect(meta.boxes.map(\.type) == ["hdlr", "free", "free"])
  }

  @Test("Bytes after the fields of iloc are kept, and samples are not moved")
  func rest() throws {
    // iloc declares a larger size than its fields need.
    let item = big(UInt16(1)) + big(UInt16(0)) + big(UInt16(1)) + big(UInt32(0)) + big(UInt32(4))
    let iloc = fullBox("iloc", [0x44, 0], big(UInt16(1)), item, ascii("more than that"))
    let meta = fullBox("meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), iloc)
    for isInMovie in [false, true] {
      var file = FragmentedFileBuilder([.video(), .audio()])
      if isInMovie { file.movieBoxes = meta } else { file.addBoxes(meta) }
      file.addFragments(2)
      let built = file.build()
      let result = try Output.defragmenting(built.bytes)
      check(result, built)
      #expect(payloads(of: "iloc", in: result.bytes).map { Array($0.suffix(14)) } == [ascii("more than that")])
      // Moved to the front, and to the end, of a progressive file.
      var options = Defragmenter.Options()
      options.isMovieFirst = false
      let last = try Output(Defragmenter(options).plan(named([result.bytes])))
      let first = try Output.defragmenting(last.bytes)
      for output in [last, first] {
        #expect(output.movie.samples.mapValues { $0.map(\.payload) } == built.samples.mapValues { $0.map(\.payload) })
      }
    }
  }
}
