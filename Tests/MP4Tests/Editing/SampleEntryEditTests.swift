import Bytes
import ISOBMFF
import MP4
import Support
import Testing

@Suite("Renaming sample entries")
struct SampleEntryEditTests {
  private func source(_ name: String) throws -> MemorySource { MemorySource(try readFile(vectorPath("files/" + name))) }
  private func written(_ editor: MovieEditor) throws -> MemorySource {
    let sink = MemorySink()
    try editor.write(to: sink)
    return MemorySource(sink.bytes)
  }
  private func entries(_ source: MemorySource) throws -> [FourCC] {
    let moov = try #require([Box](reading: source).first { $0.type == "moov" })
    return moov.boxes.filter { $0.type == "trak" }.flatMap {
      $0.first("mdia", "minf", "stbl", "stsd")?.boxes.map(\.type) ?? []
    }
  }

  @Test("A name is changed and changed back, and samples do not change")
  func renames() throws {
    for (file, old, new) in [("progressive.mp4", "avc1", "avc3"), ("hevc-fragmented.mp4", "hvc1", "hev1")] {
      let before = try source(file)
      let (first, second) = (try #require(FourCC(old[...])), try #require(FourCC(new[...])))
      // The file has one of the names.
      let isFirst = try entries(before).contains(first)
      let (from, to) = isFirst ? (first, second) : (second, first)
      let after = try written(MovieEditor(before).renameSampleEntries(to: to))
      #expect(try entries(after) == entries(before).map { $0 == from ? to : $0 })
      #expect(
        difference(try SampleReader.read(before.bytes).samples, try SampleReader.read(after.bytes).samples) == nil)
      let back = try written(MovieEditor(after).renameSampleEntries(to: from))
      #expect(try entries(back) == entries(before))
      #expect(back.bytes.count == before.bytes.count)
      // The name that it has is no change.
      #expect(try written(MovieEditor(before).renameSampleEntries(to: from)).bytes == before.bytes)
    }
  }

  @Test("Parameter sets that the sample entry lacks are an obstacle")
  func incomplete() throws {
    let editor = try MovieEditor(source("progressive.mp4")).renameSampleEntries(to: "avc3")
      .edit("moov/trak[1]/mdia/minf/stbl/stsd/avc3/avcC", AVCConfigurationBox.self) { $0.pictureParameterSets = [] }
    let error = #expect(throws: MovieError.self) { try MovieEditor(written(editor)).renameSampleEntries(to: "avc1") }
    #expect(error?.reason.hasPrefix("track 1 cannot be renamed to avc1: its samples have parameter sets") == true)
  }

  @Test("Names that suit no track are refused")
  func others() throws {
    let editor = try MovieEditor(source("progressive.mp4"))
    let none = #expect(throws: MovieError.self) { try editor.renameSampleEntries(to: "hvc1") }
    #expect(
      none?.reason == "no track has a sample entry hev1 that can be renamed to hvc1; there are avc1, mp4a")
    let unknown = #expect(throws: MovieError.self) { try editor.renameSampleEntries(to: "av01") }
    #expect(unknown?.reason == "sample entries cannot be renamed to av01")
  }
}
