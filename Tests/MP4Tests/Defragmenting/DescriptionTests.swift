import ISOBMFF
import MP4
import MP4FileIO
import Support
import Testing

@Suite("Samples with a missing description are reported")
struct DescriptionTests {
  private func file(_ change: (inout FragmentedFileBuilder) -> Void) -> BuiltFile {
    var file = FragmentedFileBuilder([.video(), .audio()])
    change(&file)
    file.addFragments(2)
    return file.build()
  }

  @Test("A track without descriptions is omitted with its samples, and the others are kept")
  func missing() throws {
    let built = file { $0.tracks[1].sampleEntries = [] }
    let result = try Output.defragmenting(built.bytes)
    check(result, built.samples.filter { $0.key == 1 }, built.presentationStart.filter { $0.key == 1 })
    #expect(
      result.texts(.error) == [
        "init.mp4: a track cannot be used: moov/trak[2]/mdia/minf/stbl/stsd: it has no entries; it and its 8 samples "
          + "are omitted"
      ])
    let one = file { $0.tracks = [TrackSpec.video().with(\.sampleEntries, [])] }
    let error = #expect(throws: MovieError.self) { try Defragmenter().plan(named([one.bytes])) }
    #expect(error == .impossible(file: "init.mp4", Obstacle("no_entries", "")))
  }

  @Test("A number that is too large is read as the last one, 0 as 1, and both are reported")
  func unknown() throws {
    let beyond = file { $0.tracks[0].trex?.description = 3 }
    let result = try Output.defragmenting(beyond.bytes)
    #expect(result[1]?.samples.map(\.descriptionIndex) == Array(repeating: 1, count: 8))
    #expect(
      result.texts(.error) == [
        "init.mp4: track 1: 8 samples refer to a sample description that does not exist; the last one is used instead"
      ])
    let zero = try Output.defragmenting(file { $0.tracks[0].trex?.description = 0 }.bytes)
    #expect(zero[1]?.samples.map(\.descriptionIndex) == Array(repeating: 1, count: 8))
    #expect(
      zero.texts(.warning) == ["init.mp4: track 1: 8 samples refer to sample description 0; 1 is used instead"])
  }
}
