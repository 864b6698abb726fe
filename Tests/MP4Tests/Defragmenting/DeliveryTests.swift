import MP4
import Support
import Testing

/// Row 27: information in fragments that a progressive file stores elsewhere or not at all.
@Suite("Events, reference times and keys of fragments")
struct DeliveryTests {
  private func system(_ number: UInt8, _ data: [UInt8]) -> [UInt8] {
    fullBox("pssh", Array(repeating: number, count: 16), big(UInt32(data.count)), data)
  }

  @Test("Row 27: events and reference times are omitted with a note for each kind, which is no loss")
  func events() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for index in 0..<3 {
      file.addBoxes(fullBox("emsg", zeros(30)), fullBox("prft", zeros(16)))
      if index == 1 { file.addBoxes(fullBox("emsg", version: 1, zeros(30))) }
      file.addFragments(1)
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.boxTypes == ["ftyp", "moov", "mdat"])
    #expect(result.texts(.note).count == result.diagnostics.count)
    #expect(result.texts(.note).contains { $0.contains("a progressive file cannot contain 4 emsg boxes; omitted") })
    #expect(result.texts(.note).contains { $0.contains("a progressive file cannot contain 3 prft boxes; omitted") })
  }

  @Test("Row 27: protection system headers are moved to the movie box, without duplicates")
  func protection() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.movieBoxes = system(1, [1]) + system(2, [])
    for data: [[UInt8]] in [[[1]], [[2], [3]], [], [[3]]] {
      file.addFragment { fragment in
        fragment.boxes = data.flatMap { system(1, $0) }
        fragment.addTraf(1, .samples(2))
        fragment.addTraf(2, .samples(2))
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    let expected = [system(1, [1]), system(2, []), system(1, [2]), system(1, [3])].map { Array($0[8...]) }
    #expect(payloads(of: "pssh", in: result.bytes) == expected)
    #expect(result.diagnostics == [])
    // The media data contains none of them.
    #expect(result.movie.boxTypes == ["ftyp", "moov", "mdat"])
    let again = try Output.defragmenting(named([built.initialization] + built.segments))
    #expect(payloads(of: "pssh", in: again.bytes) == expected)
  }
}
