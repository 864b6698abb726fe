import ISOBMFF
import MP4
import MP4Bytes
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

  @Test("A type is changed and changed back, and samples do not change")
  func renames() throws {
    for (file, old, new) in [("progressive.mp4", "avc1", "avc3"), ("hevc-fragmented.mp4", "hvc1", "hev1")] {
      let before = try source(file)
      let (first, second) = (try #require(FourCC(old[...])), try #require(FourCC(new[...])))
      // The file has one of the two types.
      let isFirst = try entries(before).contains(first)
      let (from, to) = isFirst ? (first, second) : (second, first)
      let after = try written(MovieEditor(before).renamingSampleEntries(to: to))
      #expect(try entries(after) == entries(before).map { $0 == from ? to : $0 })
      #expect(
        difference(try SampleReader.read(before.bytes).samples, try SampleReader.read(after.bytes).samples) == nil)
      let back = try written(MovieEditor(after).renamingSampleEntries(to: from))
      #expect(try entries(back) == entries(before))
      #expect(back.bytes.count == before.bytes.count)
      // Setting the current type is not a change.
      #expect(try written(MovieEditor(before).renamingSampleEntries(to: from)).bytes == before.bytes)
    }
  }

  private static let sets: [[UInt8]] = [
    [
      0x67, 0x64, 0x00, 11, 0xac, 0xd9, 0x42, 0x8d, 0xf9, 0x3f, 0xf0, 0x00, 0xa0, 0x00, 0x91, 0x00, 0x00, 0x03, 0x00,
      0x01, 0x00, 0x00, 0x03, 0x00, 0x32, 0x0f, 0x14, 0x29, 0x96,
    ], [0x68, 0xeb, 0xec, 0xb2, 0x2c],
  ]
  private static let slice: [UInt8] = [0x65, 0x88, 0x84, 0x00]

  /// A file with another track of H.264 whose sample entry has the number `known` of `sets`, and whose keyframes begin
  /// with these NAL units.
  private func video(_ known: Int, _ keyframes: [[[UInt8]]]) throws -> MemorySource {
    let configuration = box(
      "avcC", [1, 0x64, 0, 11, 0xff, known > 0 ? 0xe1 : 0xe0],
      known > 0 ? big(UInt16(Self.sets[0].count)) + Self.sets[0] : [], [known > 1 ? 1 : 0],
      known > 1 ? big(UInt16(Self.sets[1].count)) + Self.sets[1] : [], [0xfd, 0xf8, 0xf8, 0])
    var track = ProgressiveTrack()
    (track.handler, track.mediaHeader) = ("vide", fullBox("vmhd", flags: 1, zeros(8)))
    track.entry = EntryBytes.visual("avc3", width: 160, height: 90, configuration)
    track.samples = keyframes.map { ($0 + [Self.slice]).flatMap { big(UInt32($0.count)) + $0 } }
    let file = try source("progressive.mp4").bytes
    let editor = try MovieEditor(MemorySource(file + box("mdat", track.samples.flatMap(\.self)), name: "movie.mp4"))
    return try written(editor.appending(Box("trak", bytes: track.boxes(addedToBytes: file.count)), to: "moov"))
  }

  @Test("Parameter sets that only samples have are added to the sample entry", arguments: 0...2)
  func moved(known: Int) throws {
    let before = try video(known, [Self.sets, [], Self.sets])
    let editor = try MovieEditor(before).renamingSampleEntries(to: "avc1")
    let after = try written(editor)
    let complete = EntryBytes.avc1()
    #expect(try SampleReader.read(after.bytes).tracks.first { $0.id == 9 }?.sampleEntries == [complete])
    #expect(difference(try SampleReader.read(before.bytes).samples, try SampleReader.read(after.bytes).samples) == nil)
    let notes = [
      "track 9: 2 parameter sets of its samples added to the sample entry",
      "track 9: 1 parameter set of its samples added to the sample entry",
    ]
    #expect(try editor.plan().diagnostics.map(\.text) == Array(notes.dropFirst(known).prefix(1)))
    // The same for a movie that is packaged.
    let (movie, found) = try Movie(reading: [before]).movingParameterSets()
    #expect(found.last == .moved(from: "avc3", to: "avc1", added: 2 - known, repeated: known == 0 ? 1 : 2))
    #expect(movie.tracks.last?.decoderConfigurations.map(\.codedFormat) == ["avc1"])
  }

  @Test("Parameter sets that are missing, damaged or contradictory are an obstacle")
  func contradiction() throws {
    var other = Self.sets[1]
    other[4] ^= 0xff
    let cases: [(known: Int, [[[UInt8]]])] = [
      (2, [Self.sets, [Self.sets[0], other]]), (0, [[Self.sets[0]]]), (1, [[], []]), (1, [Self.sets, [[0x67]]]),
    ]
    for (known, keyframes) in cases {
      let before = try video(known, keyframes)
      let error = #expect(throws: MovieError.self) { try MovieEditor(before).renamingSampleEntries(to: "avc1") }
      #expect(error?.obstacle?.code == "contradictory_parameter_sets")
      #expect(try Movie(reading: [before]).movingParameterSets().tracks.last == .inSamples("avc3"))
    }
  }

  @Test("Types that suit no track are refused")
  func others() throws {
    let editor = try MovieEditor(source("progressive.mp4"))
    let none = #expect(throws: MovieError.self) { try editor.renamingSampleEntries(to: "hvc1") }
    #expect(none?.obstacle?.code == "no_sample_entry")
    let unknown = #expect(throws: MovieError.self) { try editor.renamingSampleEntries(to: "av01") }
    #expect(unknown?.obstacle?.code == "unknown_sample_entry")
  }
}
