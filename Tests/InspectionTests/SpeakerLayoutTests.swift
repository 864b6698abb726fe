import ISOBMFF
import MP4
import MP4Bytes
import MP4Inspection
import Support
import Testing

@Suite("Speaker layouts, presentations and priming")
struct SpeakerLayoutTests {
  private static func summary(_ entry: [UInt8], edits: [EditSpec]? = nil) throws -> MovieSummary {
    var file = FragmentedFileBuilder([
      .audio().with(\.timescale, 48_000).with(\.sampleEntries, [entry]).with(\.edits, edits)
    ])
    file.addFragments(20)
    return try MovieSummary(Movie(reading: [MemorySource(file.build().bytes, name: "a.mp4")]))
  }
  private static func layout(_ type: String, channels: UInt16, _ boxes: [UInt8]) throws -> String? {
    try summary(EntryBytes.audio(type, channels: channels, rate: 48_000, boxes)).tracks[0].audio?.layout
  }

  @Test("Layout numbers of ISO/IEC 23091-3, and QuickTime layout tags")
  func numbers() throws {
    func chnl(_ layout: UInt8) -> [UInt8] { fullBox("chnl", [1, layout], zeros(8)) }
    for (number, channels, name) in [(10, 4, "quad"), (14, 8, "5.1.2"), (16, 10, "5.1.4"), (19, 12, "7.1.4")] {
      #expect(try Self.layout("ipcm", channels: UInt16(channels), chnl(UInt8(number))) == name)
    }
    func chan(_ tag: UInt32) -> [UInt8] { fullBox("chan", big(tag), zeros(8)) }
    for (tag, channels, name) in [(124, 6, "5.1"), (108, 4, "quad"), (192, 12, "7.1.4"), (133, 3, "2.1")] {
      #expect(try Self.layout("sowt", channels: UInt16(channels), chan(UInt32(tag << 16 | channels))) == name)
    }
    #expect(try Self.layout("sowt", channels: 6, chan(147 << 16 | 6)) == "6 channels")
    #expect(try Self.layout("sowt", channels: 6, []) == "6 channels")
  }

  @Test("E-AC-3: substreams and Dolby Atmos")
  func enhanced() throws {
    /// A 3/2 substream with LFE, and its dependent substreams.
    func stream(_ locations: UInt16, service: UInt8 = 0) -> [UInt8] {
      [0x20, service << 4 | 0x0f] + (locations == 0 ? [0] : [UInt8(2 | locations >> 8), UInt8(locations & 0xff)])
    }
    func entry(_ streams: [[UInt8]], _ extension: [UInt8] = []) -> [UInt8] {
      let payload = [0x0c, UInt8(streams.count - 1)] + streams.flatMap { $0 } + `extension`
      return EntryBytes.audio("ec-3", channels: 2, rate: 48_000, box("dec3", payload))
    }
    let plain = try Self.summary(entry([stream(0)]))
    #expect(plain.tracks[0].audio?.layout == "5.1" && plain.tracks[0].audio?.presentations == [])
    let atmos = try Self.summary(entry([stream(0)], [1, 16]))
    #expect(atmos.tracks[0].codecName == "E-AC-3 with Dolby Atmos")
    #expect(atmos.text.contains("\n      presentation: 5.1, Dolby Atmos (JOC), complexity 16\n"), "\(atmos.text)")
    let two = try Self.summary(entry([stream(2), stream(0, service: 2)]))
    #expect(two.tracks[0].audio?.layout == "7.1")
    #expect(
      two.tracks[0].audio?.presentations == [
        "7.1, 1 dependent substream with Lrs/Rrs", "5.1, visually impaired",
      ])
  }

  @Test("AC-4: presentations")
  func presentations() throws {
    func presentation(_ mode: UInt8?, id: UInt8, pairs: UInt8 = 0) -> AC4Presentation {
      var presentation = AC4Presentation()
      (presentation.isDecoded, presentation.isChannelCoded) = (true, mode != nil)
      (presentation.channelMode, presentation.presentationID) = (mode ?? 0, id)
      (presentation.has4BackChannels, presentation.topChannelPairs) = (pairs > 0, pairs)
      (presentation.channelMask, presentation.substreams) = (mode == nil ? 0 : 0x7, zeros(8))
      return presentation
    }
    var config = AC4SpecificBox()
    config.presentations = [presentation(12, id: 3, pairs: 2), presentation(10, id: 4), presentation(nil, id: 5)]
    let sink = MemorySink()
    try BoxSerializer([Box(config)]).write(to: sink, from: MemorySource([]))
    let summary = try Self.summary(EntryBytes.audio("ac-4", channels: 2, rate: 48_000, sink.bytes))
    #expect(summary.tracks[0].audio?.layout == "7.1.4")
    #expect(
      summary.tracks[0].audio?.presentations == [
        "7.1.4, ID 3, version 1, level 0", "5.1.2, ID 4, version 1, level 0", "objects, ID 5, version 1, level 0",
      ])
  }

  @Test("PQ is HDR, and HDR10 only with everything that HDR10 requires")
  func dynamicRange() throws {
    func words(_ boxes: [UInt8]) throws -> String {
      var file = FragmentedFileBuilder([.video().with(\.sampleEntries, [EntryBytes.avc1(boxes: boxes)])])
      file.addFragments(2)
      return try MovieSummary(Movie(reading: [MemorySource(file.build().bytes, name: "a.mp4")])).text
    }
    func colr(_ transfer: UInt16) -> [UInt8] {
      box("colr", ascii("nclx"), big(UInt16(9)), big(transfer), big(UInt16(9)), [0])
    }
    #expect(try words(colr(16)).contains("  HDR (PQ)  "))
    #expect(try words(colr(18)).contains("  HDR (HLG)  "))
    // With light levels, but 8 bits.
    #expect(try words(colr(16) + box("clli", big(UInt16(1000)), big(UInt16(400)))).contains("  HDR (PQ)  "))
  }

  @Test("An edit that cuts is not priming")
  func priming() throws {
    func audio(_ start: Int32, _ type: String = "mp4a", _ boxes: [UInt8] = []) throws -> TrackSummary.Audio? {
      let entry = EntryBytes.audio(type, channels: 2, rate: 48_000, boxes)
      return try Self.summary(entry, edits: [.media(from: Int64(start))]).tracks[0].audio
    }
    #expect(try audio(2112)?.priming == MediaTime(2112, 48_000))
    #expect(try audio(20_000)?.priming == nil)
    #expect(try audio(1024, "fLaC")?.priming == nil)
    let opus = box("dOps", [0, 2] + big(UInt16(312)) + big(UInt32(48_000)) + [0, 0, 0])
    #expect(try audio(312, "Opus", opus)?.priming == MediaTime(312, 48_000))
    #expect(try audio(4000, "Opus", opus)?.priming == nil)
  }

  @Test("Interlaced pictures are named")
  func scan() throws {
    func scan(_ fields: [UInt8]) throws -> String? {
      let entry = EntryBytes.visual("mp4v", width: 720, height: 576, box("fiel", fields))
      var file = FragmentedFileBuilder([.video().with(\.sampleEntries, [entry])])
      file.addFragments(2)
      return try MovieSummary(Movie(reading: [MemorySource(file.build().bytes, name: "a.mp4")])).tracks[0].video?.scan
    }
    #expect(try scan([1, 0]) == nil)
    #expect(try scan([2, 1]) == "interlaced, top field first")
    #expect(try scan([2, 14]) == "interlaced, bottom field first")
    #expect(try scan([2, 0]) == "interlaced")
  }
}
