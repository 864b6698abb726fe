import ISOBMFF
import MP4
import MP4Bytes
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
  private func refusal(_ editor: @autoclosure () throws -> MovieEditor) -> Obstacle? {
    do { _ = try editor() } catch MovieError.impossible(_, let obstacle) { return obstacle } catch {
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
    for source in [bytes, try written(editor(bytes).removing("ftyp"))] {
      let edited = try editor(source).convertingToMP4()
      let output = try written(edited)
      let after = try SampleReader.read(output)
      #expect(difference(before.samples, after.samples) == nil)
      #expect(after.tracks.map(\.edits) == before.tracks.map(\.edits))
      #expect(after.brands == ["isom", "isom", "mp42"])
      for gone in ["mhlr", "dhlr", "wave", "qt  "] { #expect(!contains(output, ascii(gone)), "\(gone)") }
      #expect(try texts(edited).first?.hasPrefix("this is a QuickTime movie; the output is an MP4 file") == true)
      // A converted file needs no further conversion.
      let again = try editor(output).convertingToMP4()
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
      try editor(bytes).settingTag(title, to: "One").convertingToMP4(),
      try editor(bytes).convertingToMP4().settingTag(title, to: "One"),
    ] {
      let output = try written(edited.settingBrand("mp42"))
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
    let edited = try editor(source).convertingToMP4()
    let (before, after) = (try SampleReader.read(source), try SampleReader.read(written(edited)))
    #expect(difference(before.samples, after.samples) == nil)
    #expect(after.brands == ["isom", "isom", "mp42", "iso6"])
    let entry = try #require(after.tracks.first?.sampleEntries.first)
    #expect(entry[4..<8].elementsEqual(ascii("ipcm")) && contains(entry, ascii("pcmC")))
    #expect(try texts(edited).count == 2)

    // An MP4 file with a QuickTime audio description.
    let mov = try vector("progressive.mov")
    let mixed = try written(editor(mov).settingBrand("mp42"))
    let sound = try editor(mixed).convertingToMP4()
    #expect(try texts(sound) == ["already an MP4 file; only audio descriptions were converted"])
    #expect(!contains(try written(sound), ascii("wave")))
    #expect(try !sound.planInPlace().isEmpty)
  }

  @Test("Features that MP4 does not have are refused")
  func refusals() throws {
    #expect(
      refusal(try editor(fragmented(EntryBytes.audio("ulaw", channels: 2, rate: 8000, []))).convertingToMP4())
        == Obstacle("quicktime_only", "", ["track": .integer(1), "type": .text("ulaw")]))
    let wave = box("wave", box("frma", ascii("ac-3")))
    #expect(
      refusal(try editor(fragmented(EntryBytes.audio("ac-3", channels: 2, rate: 48_000, wave))).convertingToMP4())
        == Obstacle("no_configuration", "", ["track": .integer(1), "type": .text("ac-3")]))
    // In place, the brands need the space of `wide`.
    #expect(try !editor(vector("progressive.mov")).convertingToMP4().planInPlace().isEmpty)
    let tight = try written(editor(vector("progressive.mov")).removing("wide"))
    let error = #expect(throws: MovieError.self) { try editor(tight).convertingToMP4().planInPlace() }
    #expect(error?.obstacle == Obstacle("several_changes", "", ["types": .list([.text("ftyp"), .text("moov")])]))
    #expect(throws: MovieError.self) {
      try editor(box("ftyp", ascii("qt  "), zeros(4)) + box("moov", box("cmov"))).convertingToMP4()
    }
    #expect(throws: MovieError.self) { try editor(box("ftyp", ascii("qt  "), zeros(4))).convertingToMP4() }
  }

  // MARK: Text

  /// A QuickTime movie with a text track that has these samples.
  private func movie(with samples: [[UInt8]], _ entry: [UInt8]) throws -> [UInt8] {
    let mov = try vector("progressive.mov")
    var track = ProgressiveTrack()
    (track.samples, track.entry, track.component, track.reference) = (samples, entry, "mhlr", "alis")
    track.mediaHeader =
      box("gmhd", fullBox("gmin", zeros(12))) + fullBox("hdlr", ascii("dhlr"), ascii("alis"), zeros(12), [0])
    let source = mov + box("mdat", samples.flatMap(\.self))
    return try written(editor(source).appending(Box("trak", bytes: track.boxes(addedToBytes: mov.count)), to: "moov"))
  }
  private static let colors = big(UInt16(0xff00)) + zeros(4)
  /// Keyed, bold text, centered, red.
  private static let entry = box(
    "text", zeros(6), big(UInt16(1)), big(UInt32(0x4000)), big(Int32(1)), zeros(6), big(UInt16(10)), big(UInt16(20)),
    big(UInt16(50)), big(UInt16(300)), zeros(8), zeros(2), big(UInt16(1)), zeros(3), colors, [6], ascii("Geneva"))

  private func text(_ bytes: [UInt8], _ boxes: [UInt8] = []) -> [UInt8] { big(UInt16(bytes.count)) + bytes + boxes }

  @Test("QuickTime text becomes 3GPP timed text: encodings, styles, position and colors")
  func convertedText() throws {
    let encoding = box("encd", big(UInt32(0x100)))
    // An italic, red "Z" of 24 points, and then plain text.
    let styles = box(
      "styl", big(UInt16(2)), zeros(10), [2, 0], big(UInt16(24)), Self.colors,
      big(UInt32(1)), zeros(6), [0, 0], big(UInt16(12)), zeros(6))
    let wide = [UInt8]([0xfe, 0xff, 0x26, 0x3a])
    let source = try movie(
      with: [
        text(ascii("Plain")), text([0x5a, 0x9f], styles), text(Array("Zwölf".utf8), encoding), text(wide), text([]), [],
      ], Self.entry)
    let output = try written(editor(source).convertingToMP4())
    let (before, after) = (try SampleReader.read(source), try SampleReader.read(output))
    let records = try #require(after.samples[9])
    let styled = box(
      "styl", big(UInt16(2)), zeros(2), big(UInt16(1)), big(UInt16(1)), [2, 24, 0xff, 0, 0, 0xff],
      big(UInt16(1)), big(UInt16(2)), big(UInt16(1)), [0, 12, 0, 0, 0, 0xff])
    #expect(
      records.map(\.payload) == [
        text(ascii("Plain")), text(Array("Zü".utf8), styled), text(Array("Zwölf".utf8)), text(wide), [0, 0], [0, 0],
      ])
    #expect(records.map(\.decodeTime) == before.samples[9]?.map(\.decodeTime))
    for id in before.samples.keys where id != 9 {
      #expect(before.samples[id]?.map(\.payload) == after.samples[id]?.map(\.payload))
    }
    let entry = try #require(after.tracks.first { $0.id == 9 }?.sampleEntries.first)
    let expected = box(
      "tx3g", zeros(6), big(UInt16(1)), zeros(4), [1, 0], zeros(4), big(UInt16(10)), big(UInt16(20)), big(UInt16(50)),
      big(UInt16(300)), zeros(4), big(UInt16(1)), [1, 12, 0xff, 0, 0, 0xff],
      box("ftab", big(UInt16(1)), big(UInt16(1)), [6], ascii("Geneva")))
    #expect(entry == expected)
    #expect(!contains(output, ascii("gmhd")) && contains(output, ascii("nmhd")))
    #expect(
      try texts(editor(source).convertingToMP4()).contains {
        $0 == "track 9: QuickTime text is written as 3GPP timed text (tx3g)"
      })
    #expect(try texts(editor(output).convertingToMP4()) == ["already an MP4 file; nothing to convert"])
    // The file itself can be changed too.
    let recorder = InPlaceRecorder()
    try editor(source).convertingToMP4().planInPlace().write(to: recorder)
    #expect(try SampleReader.read(recorder.finished(source)).samples[9]?.map(\.payload) == records.map(\.payload))
  }

  @Test("Text that is timed text already keeps its samples; chapters and damaged text stay QuickTime text")
  func keptText() throws {
    let style = zeros(4) + [1, 255] + zeros(4 + 8 + 4) + big(UInt16(1)) + [0, 16] + zeros(4)
    let fonts = box("ftab", big(UInt16(1)), big(UInt16(1)), [5], ascii("Serif"))
    let timed = box("text", zeros(6), big(UInt16(1)), style, fonts)
    let samples = [text(ascii("One")), text(ascii("Two"))]
    let source = try movie(with: samples, timed)
    let output = try written(editor(source).convertingToMP4())
    let track = try #require(SampleReader.read(output).tracks.first { $0.id == 9 })
    #expect(track.sampleEntries == [box("tx3g", zeros(6), big(UInt16(1)), style, fonts)])
    #expect(try SampleReader.read(output).samples[9]?.map(\.payload) == samples)
    #expect(output.count < source.count + 64)

    // The length of a text is beyond the end of its sample.
    for (bytes, entry) in [([0, 9, 0x41], Self.entry), ([0, 9, 0x41], timed)] as [([UInt8], [UInt8])] {
      let damaged = try movie(with: [text(ascii("One")), bytes], entry)
      let kept = try SampleReader.read(written(editor(damaged).convertingToMP4()))
      #expect(kept.tracks.first { $0.id == 9 }?.sampleEntries == [entry])
      #expect(kept.samples[9]?.last?.payload == bytes)
      #expect(
        try texts(editor(damaged).convertingToMP4()).contains {
          $0.hasPrefix("track 9: text (QuickTime text) is defined only")
        })
    }
  }
}
