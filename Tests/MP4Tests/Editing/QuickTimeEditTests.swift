import Bytes
import ISOBMFF
import MP4
import Support
import Testing

@Suite("Editing QuickTime movies to MP4")
struct QuickTimeEditTests {
  private func vector(_ name: String) throws -> [UInt8] { try readFile(vectorPath("files/" + name)) }
  private func editor(_ bytes: [UInt8]) throws -> MovieEditor {
    try MovieEditor(MemorySource(bytes, name: "movie.mov"))
  }
  private func written(_ editor: MovieEditor) throws -> [UInt8] {
    let sink = MemorySink()
    try editor.write(to: sink)
    return sink.bytes
  }
  private func texts(_ editor: MovieEditor) throws -> [String] { try editor.plan().diagnostics.map(\.text) }
  private func refusal(_ editor: @autoclosure () throws -> MovieEditor) -> EditObstacle? {
    do { _ = try editor() } catch MovieError.impossible(_, let obstacle as EditObstacle) { return obstacle } catch {
      Issue.record(error)
    }
    return nil
  }
  /// A fragmented QuickTime movie of one audio track with this description.
  private func fragmented(_ entry: [UInt8]) -> [UInt8] {
    var file = FragmentedFileBuilder([.audio(id: 1).with(\.sampleEntries, [entry])])
    file.fileType = box("ftyp", ascii("qt  "), zeros(4), ascii("qt  "))
    file.addFragments(2)
    return file.build().bytes
  }

  @Test("Brands, handlers and audio are converted; samples and edits stay, with and without brands")
  func progressive() throws {
    let bytes = try vector("progressive.mov")
    let before = try SampleReader.read(bytes)
    for source in [bytes, try written(editor(bytes).remove("ftyp"))] {
      let edited = try editor(source).convertToMP4()
      let output = try written(edited)
      let after = try SampleReader.read(output)
      #expect(difference(before.samples, after.samples) == nil)
      #expect(after.tracks.map(\.edits) == before.tracks.map(\.edits))
      #expect(after.brands == ["isom", "isom", "mp42"])
      for gone in ["mhlr", "dhlr", "wave", "qt  "] { #expect(!contains(output, ascii(gone)), "\(gone)") }
      #expect(try texts(edited).first?.hasPrefix("this is a QuickTime movie; the output is an MP4 file") == true)
      // A converted file needs no further conversion.
      let again = try editor(output).convertToMP4()
      #expect(try written(again) == output)
      #expect(try texts(again) == ["already an MP4 file; nothing to convert"])
      #expect(try again.planInPlace().isEmpty)
    }
  }

  @Test("Results of previous edits are converted too, and later edits see an MP4 file")
  func order() throws {
    let title = try #require(MetadataTag("title"))
    let bytes = try vector("progressive.mov")
    for edited in [
      try editor(bytes).setTag(title, to: "One").convertToMP4(),
      try editor(bytes).convertToMP4().setTag(title, to: "One"),
    ] {
      let output = try written(edited.setBrand("mp42"))
      #expect(try SampleReader.read(output).brands.first == "mp42")
      let movie = try #require([Box](reading: MemorySource(output)).first { $0.type == "moov" })
      let meta = try #require(movie.first("meta") ?? movie.first("udta", "meta"))
      let fields = try #require(meta.header).payload.lowerBound
      #expect(output[fields..<fields + 4].elementsEqual(zeros(4)))
      #expect(meta.first("ilst") != nil && contains(output, ascii("One")))
    }
  }

  @Test("Fragments, uncompressed audio and audio descriptions of MP4 files")
  func sound() throws {
    let source = fragmented(EntryBytes.audio("sowt", channels: 2, rate: 44_100, []))
    let edited = try editor(source).convertToMP4()
    let (before, after) = (try SampleReader.read(source), try SampleReader.read(written(edited)))
    #expect(difference(before.samples, after.samples) == nil)
    #expect(after.brands == ["isom", "isom", "mp42", "iso6"])
    let entry = try #require(after.tracks.first?.sampleEntries.first)
    #expect(entry[4..<8].elementsEqual(ascii("ipcm")) && contains(entry, ascii("pcmC")))
    #expect(try texts(edited).count == 2)

    // An MP4 file with a QuickTime audio description.
    let mov = try vector("progressive.mov")
    let mixed = try written(editor(mov).setBrand("mp42"))
    let sound = try editor(mixed).convertToMP4()
    #expect(try texts(sound) == ["already an MP4 file; only audio descriptions were converted"])
    #expect(!contains(try written(sound), ascii("wave")))
    #expect(try !sound.planInPlace().isEmpty)
  }

  @Test("Features that MP4 does not have are refused")
  func refusals() throws {
    #expect(
      refusal(try editor(fragmented(EntryBytes.audio("ulaw", channels: 2, rate: 8000, []))).convertToMP4())
        == .quickTimeOnly(track: 1, "ulaw", name: "mu-law"))
    let wave = box("wave", box("frma", ascii("ac-3")))
    #expect(
      refusal(try editor(fragmented(EntryBytes.audio("ac-3", channels: 2, rate: 48_000, wave))).convertToMP4())
        == .noConfiguration(track: 1, "ac-3"))
    // In place, the brands need the space of `wide`.
    #expect(try !editor(vector("progressive.mov")).convertToMP4().planInPlace().isEmpty)
    let tight = try written(editor(vector("progressive.mov")).remove("wide"))
    let error = #expect(throws: MovieError.self) { try editor(tight).convertToMP4().planInPlace() }
    #expect(error?.reason == "the edits change ftyp and moov, which cannot be written in one step")
    #expect(throws: MovieError.self) {
      try editor(box("ftyp", ascii("qt  "), zeros(4)) + box("moov", box("cmov"))).convertToMP4()
    }
    #expect(throws: MovieError.self) { try editor(box("ftyp", ascii("qt  "), zeros(4))).convertToMP4() }
  }
}
