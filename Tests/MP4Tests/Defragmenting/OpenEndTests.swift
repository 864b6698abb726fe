import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Boxes at the end of a source with an open or wrong size that are followed by other boxes in the output.
@Suite("Boxes after an open-ended last box are found")
struct OpenEndTests {
  private func file(_ count: Int = 2) -> BuiltFile {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(count)
    return file.build()
  }
  private func boxTypes(_ bytes: [UInt8]) throws -> [String] { try SampleReader.read(bytes).boxTypes }

  @Test("A kept box that extended to the end of its file does not include the media data")
  func keptBox() throws {
    let built = file()
    let open = big(UInt32(0)) + box("udta", box("name", ascii("Test")))[4...]
    let result = try Output.defragmenting(built.bytes + open)
    #expect(result.movie.boxTypes == ["ftyp", "moov", "udta", "mdat"])
    check(result, built)
  }

  @Test("A movie box that extends to the end of its file can move to the front", arguments: [0, 8])
  func movieBox(missing: Int) throws {
    let tables = [
      fullBox("stts", big(UInt32(1)), big(UInt32(2)), big(UInt32(10))),
      fullBox("stsc", big(UInt32(1)), big(UInt32(1)), big(UInt32(2)), big(UInt32(1))),
      fullBox("stsz", big(UInt32(4)), big(UInt32(2))),
      fullBox("stco", big(UInt32(1)), big(UInt32(HostileFile.fileType.count + 8))),
    ].flatMap(\.self)
    let movie = box(
      "moov", HostileFile.movieHeader, HostileFile.trak(tables: tables), box("udta", box("free", zeros(40))))
    let size = missing == 0 ? big(UInt32(0)) : Array(movie[..<4])
    let bytes = HostileFile.fileType + box("mdat", ascii("aaaabbbb")) + size + movie[4...].dropLast(missing)
    let result = try Output.defragmenting(bytes)
    #expect(result.movie.boxTypes == ["ftyp", "moov", "mdat"])
    #expect(result[1]?.samples.map(\.payload) == [ascii("aaaa"), ascii("bbbb")])
    #expect(result.texts(.error).count == (missing == 0 ? 0 : 1))
  }

  @Test("A join keeps the fragments after bytes that are not a box")
  func garbageInside() throws {
    let built = file(3)
    let segments = built.segments
    let first = segments[0] + Array(repeating: 0xff, count: 40) + segments[1]
    let result = try Joiner().plan(named([built.initialization, first, segments[2]]))
    let sink = MemorySink()
    try result.write(to: sink)
    #expect(sink.bytes == built.initialization + first + segments[2])
    #expect(result.diagnostics.map(\.text) == ["40 bytes from byte \(segments[0].count) on are not a box"])
  }

  @Test("A join corrects the size of media data that includes later fragments")
  func claimedFragments() throws {
    let built = file(3)
    let segments = built.segments
    var first = segments[0]
    let at = try #require(first.indices.dropLast(4).first { Array(first[$0..<$0 + 4]) == ascii("mdat") }) - 4
    first.replaceSubrange(at..<at + 4, with: big(UInt32(10_000)))
    let plan = try Joiner().plan(named([built.initialization, first + segments[1], segments[2]]))
    let sink = MemorySink()
    try plan.write(to: sink)
    #expect(sink.bytes == built.bytes)
    #expect(plan.diagnostics.count == 1)
  }
}
