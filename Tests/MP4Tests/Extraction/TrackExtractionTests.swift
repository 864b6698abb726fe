import Bytes
import ISOBMFF
import MP4
import Support
import Testing

@Suite("Tracks as elementary streams")
struct TrackExtractionTests {
  private struct Given {
    var bytes: [UInt8]
    var isSync = true
    var entry = 1
  }

  /// A fragmented movie with one track of these samples, each a second long; `entries` are whole boxes.
  private func movie(_ entries: [[UInt8]], _ samples: [Given]) throws -> MemorySource {
    let sink = MemorySink()
    let writer = MovieWriter(fragmentsTo: sink)
    let boxes = entries.map {
      Box(FourCC(rawValue: $0[4..<8].reduce(0) { $0 << 8 | UInt32($1) }), bytes: Array($0[8...]))
    }
    var track = try MovieWriter.Track(boxes[0], timescale: 1000)
    if boxes.count == 2 { track = try MovieWriter.Track(boxes[0], boxes[1], timescale: 1000) }
    let number = try writer.add(track)
    for sample in samples {
      try writer.append(
        sample.bytes, to: number, duration: MediaTime(1, 1), isSync: sample.isSync, sampleEntry: sample.entry)
      try writer.cut()
    }
    try writer.finish()
    return MemorySource(sink.bytes, name: "in.mp4")
  }

  private func all(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

  private func stream(_ extraction: TrackExtraction) throws -> [UInt8] {
    let sink = MemorySink()
    try extraction.write(to: sink)
    #expect(sink.bytes.count == extraction.byteCount)
    return sink.bytes
  }

  private func extracted(_ entries: [[UInt8]], _ samples: [Given], isRaw: Bool = false) throws -> [UInt8] {
    try stream(TrackExtraction(of: TrackSelection(), in: [movie(entries, samples)], isRaw: isRaw))
  }

  private func reason(_ entries: [[UInt8]], _ samples: [Given]) throws -> String? {
    let source = try movie(entries, samples)
    do throws(MovieError) {
      _ = try TrackExtraction(of: TrackSelection(), in: [source])
      return nil
    } catch { return error.reason }
  }

  private func units(_ units: [[UInt8]]) -> [UInt8] {
    Array(units.map { all(big(UInt32($0.count)), $0) }.joined())
  }
  private func avc(_ sps: [UInt8], _ pps: [UInt8], lengthSize: UInt8 = 4) -> [UInt8] {
    EntryBytes.visual(
      "avc1", width: 16, height: 16,
      box(
        "avcC", [1, 77, 0, 10, 0xfc | (lengthSize - 1), 0xe1], big(UInt16(sps.count)), sps, [1], big(UInt16(pps.count)),
        pps))
  }

  // MARK: H.264 and H.265

  private let sps: [UInt8] = [0x67, 1, 2], pps: [UInt8] = [0x68, 3]
  private let sei: [UInt8] = [6, 9], idr: [UInt8] = [0x65, 0x88, 1], slice: [UInt8] = [0x41, 0x9a, 2]
  private let aud: [UInt8] = [9, 0x10]

  @Test("Parameter sets come before the first slice of every sync sample, with start codes as B.1.2 wants them")
  func annexB() throws {
    let bytes = try extracted(
      [avc(sps, pps)],
      [
        Given(bytes: units([aud, sei, idr, idr])), Given(bytes: units([slice]), isSync: false),
        Given(bytes: units([idr])),
      ])
    let (long, short): ([UInt8], [UInt8]) = ([0, 0, 0, 1], [0, 0, 1])
    #expect(
      bytes
        == all(
          long, aud, short, sei, long, sps, long, pps, short, idr, short, idr, long, slice, long, sps, long, pps, short,
          idr))
  }

  @Test("Parameter sets that a sample has are not inserted again; those that it lacks are")
  func inBand() throws {
    let (otherSPS, otherPPS): ([UInt8], [UInt8]) = ([0x67, 8], [0x68, 8])
    let (long, short): ([UInt8], [UInt8]) = ([0, 0, 0, 1], [0, 0, 1])
    let samples = [
      Given(bytes: units([otherSPS, otherPPS, idr])), Given(bytes: units([otherPPS, idr])),
      Given(bytes: units([otherSPS, idr])), Given(bytes: units([otherPPS, slice]), isSync: false),
    ]
    #expect(
      try extracted([avc(sps, pps)], samples)
        == all(
          long, otherSPS, long, otherPPS, short, idr, long, sps, long, otherPPS, short, idr, long, otherSPS, long, pps,
          short, idr, long, otherPPS, short, slice))
  }

  @Test("Another sample description has its own parameter sets, and lengths of another size")
  func descriptions() throws {
    let other: [UInt8] = [0x67, 7]
    let bytes = try extracted(
      [avc(sps, pps), avc(other, pps, lengthSize: 2)],
      [
        Given(bytes: units([idr])),
        Given(bytes: all(big(UInt16(0)), big(UInt16(slice.count)), slice), isSync: false, entry: 2),
      ])
    let (long, short): ([UInt8], [UInt8]) = ([0, 0, 0, 1], [0, 0, 1])
    #expect(bytes == all(long, sps, long, pps, short, idr, long, other, long, pps, short, slice))
  }

  @Test("H.265 has start codes of four bytes, and parameter sets at every picture where decoding can start")
  func hevc() throws {
    let sets: [[UInt8]] = [[64, 1, 1], [66, 1, 2], [68, 1, 3]]
    let (suffixSEI, cra, trail): ([UInt8], [UInt8], [UInt8]) = ([80, 1, 9], [42, 1, 0x80], [2, 1, 0x80])
    let arrays = (sets + [suffixSEI]).map { set in all([set[0] >> 1], big(UInt16(1)), big(UInt16(set.count)), set) }
    let entry = EntryBytes.visual(
      "hvc1", width: 16, height: 16, box("hvcC", [1], zeros(20), [3, 4], Array(arrays.joined())))
    let bytes = try extracted(
      [entry],
      [
        Given(bytes: units([cra])), Given(bytes: units([trail]), isSync: false),
        Given(bytes: units([cra]), isSync: false),
      ])
    let code: [UInt8] = [0, 0, 0, 1]
    let start = all(code, sets[0], code, sets[1], code, sets[2], code, cra)
    #expect(bytes == all(start, code, trail, start))
  }

  @Test("Samples with units that do not fit are reported with their time and omitted")
  func damagedUnits() throws {
    let broken = Given(bytes: all(units([slice]), [0, 0, 1, 0, 0x41]), isSync: false)
    let extraction = try TrackExtraction(
      of: TrackSelection(),
      in: [
        movie(
          [avc(sps, pps)], [Given(bytes: units([idr])), broken, broken, Given(bytes: units([slice]), isSync: false)])
      ])
    #expect(extraction.sampleCount == 2)
    #expect(
      extraction.diagnostics.map(\.description) == [
        "in.mp4: track 1: the NAL units of 2 samples do not fit into them, from 1.000 s on; omitted"
      ])
    #expect(extraction.diagnostics.map(\.severity) == [.error])
    let (long, short): ([UInt8], [UInt8]) = ([0, 0, 0, 1], [0, 0, 1])
    #expect(try stream(extraction) == all(long, sps, long, pps, short, idr, long, slice))
  }

  // MARK: Audio

  @Test("AAC gets a header before each sample; empty samples none, and those that do not fit are omitted")
  func adts() throws {
    let source = try movie(
      [EntryBytes.mp4a()],
      [Given(bytes: [1, 2, 3]), Given(bytes: []), Given(bytes: zeros(8184)), Given(bytes: zeros(8185))])
    let extraction = try TrackExtraction(of: TrackSelection(), in: [source])
    #expect(extraction.format == .adts)
    // 48 kHz and one channel.
    #expect(
      try stream(extraction)
        == all(
          [0xff, 0xf1, 0x4c, 0x40, 0x01, 0x5f, 0xfc, 1, 2, 3], [0xff, 0xf1, 0x4c, 0x43, 0xff, 0xff, 0xfc], zeros(8184)))
    #expect(
      extraction.diagnostics.map(\.text) == [
        "track 1: 1 sample has more than the 8184 bytes of an ADTS frame, from 3.000 s on; omitted"
      ])
  }

  @Test("AC-3, E-AC-3 and MP3 are written as they are", arguments: ["ac-3", "ec-3", ".mp3"])
  func unchanged(type: String) throws {
    let entry = EntryBytes.audio(type, channels: 2, rate: 48000, [])
    #expect(try extracted([entry], [Given(bytes: [1, 2]), Given(bytes: [3])]) == [1, 2, 3])
  }

  @Test("FLAC starts with the metadata blocks of dfLa, of which the last one is marked")
  func flac() throws {
    let blocks: [[UInt8]] = [all([0x80, 0, 0, 34], zeros(34)), [4, 0, 0, 2, 7, 7]]
    let entry = EntryBytes.audio("fLaC", channels: 2, rate: 48000, fullBox("dfLa", blocks[0], blocks[1]))
    #expect(
      try extracted([entry], [Given(bytes: [0xff, 0xf8])])
        == all(ascii("fLaC"), [0, 0, 0, 34], zeros(34), [0x84, 0, 0, 2, 7, 7], [0xff, 0xf8]))
    let short = EntryBytes.audio("fLaC", channels: 2, rate: 48000, fullBox("dfLa", [0x80, 0, 0, 34, 1]))
    #expect(
      try reason([short], [Given(bytes: [1])])
        == "track 1: dfLa has no complete STREAMINFO, which a FLAC file starts with")
  }

  // MARK: What is refused

  @Test("Codecs without a format are written only raw")
  func otherCodecs() throws {
    let entry = EntryBytes.visual("xxxx", width: 16, height: 16, [])
    let samples = [Given(bytes: [1]), Given(bytes: [2, 3])]
    #expect(
      try reason([entry], samples) == "track 1: there is no elementary stream format for its codec xxxx")
    #expect(try extracted([entry], samples, isRaw: true) == [1, 2, 3])
  }

  @Test("Sample descriptions of different formats are refused if both are used")
  func differentFormats() throws {
    let entries = [avc(sps, pps), EntryBytes.visual("xxxx", width: 16, height: 16, [])]
    let (first, second) = (Given(bytes: units([idr])), Given(bytes: [1], entry: 2))
    #expect(try reason(entries, [first]) == nil)
    #expect(try reason(entries, [first, second])?.contains("no elementary stream format") == true)
    let sounds = ["ac-3", "ec-3"].map { EntryBytes.audio($0, channels: 2, rate: 48000, []) }
    #expect(
      try reason(sounds, [Given(bytes: [1]), Given(bytes: [1], entry: 2)])
        == "track 1: one stream cannot have all of its sample descriptions")
  }

  @Test("One sample is that which is presented at a time, with parameter sets")
  func oneSample() throws {
    let source = try movie(
      [avc(sps, pps)], [Given(bytes: units([idr])), Given(bytes: units([slice]), isSync: false)])
    let extraction = try TrackExtraction(of: TrackSelection(), in: [source], at: MediaTime(3, 2))
    let (long, short): ([UInt8], [UInt8]) = ([0, 0, 0, 1], [0, 0, 1])
    #expect(try stream(extraction) == all(long, sps, long, pps, short, slice))
    #expect(throws: MovieError.self) {
      try TrackExtraction(of: TrackSelection(), in: [source], at: MediaTime(2, 1))
    }
  }
}
