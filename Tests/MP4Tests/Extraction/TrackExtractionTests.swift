import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Extracting tracks as elementary streams")
struct TrackExtractionTests {
  private struct Given {
    var bytes: [UInt8]
    var isSync = true
    var entry = 1
  }

  /// A fragmented movie with one track of these samples, one second each; `entries` are complete boxes.
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

  private func extracted(
    _ entries: [[UInt8]], _ samples: [Given], as format: ElementaryStreamFormat? = nil, isRaw: Bool = false
  ) throws -> [UInt8] {
    try stream(TrackExtraction(of: TrackSelection(), in: [movie(entries, samples)], as: format, isRaw: isRaw))
  }

  private func code(_ entries: [[UInt8]], _ samples: [Given]) throws -> Obstacle.Code? {
    let source = try movie(entries, samples)
    do throws(MovieError) {
      _ = try TrackExtraction(of: TrackSelection(), in: [source])
      return nil
    } catch { return error.obstacle?.code }
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

  @Test("Parameter sets come before the first slice of every sync sample, with start codes according to B.1.2")
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

  @Test("Parameter sets in a sample are not inserted a second time; missing ones are")
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

  @Test("Another sample description has its own parameter sets and its own NAL length size")
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

  @Test("H.265 has start codes of four bytes, and parameter sets at every random access point")
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

  @Test("Samples whose NAL unit lengths do not fit are reported with their time and omitted")
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

  @Test("H.266 has parameter sets before the picture header at every random access point")
  func vvc() throws {
    let (sequence, picture, suffix): ([UInt8], [UInt8], [UInt8]) = (
      [0, 15 << 3 | 1, 1], [0, 16 << 3 | 1, 2], [0, 24 << 3 | 1]
    )
    let (header, idr, trail): ([UInt8], [UInt8], [UInt8]) = ([0, 19 << 3 | 1, 5], [0, 8 << 3 | 1, 6], [0, 1, 7])
    let aud: [UInt8] = [0, 20 << 3 | 1, 3]
    let arrays = [sequence, picture, suffix].map { all([$0[1] >> 3], big(UInt16(1)), big(UInt16($0.count)), $0) }
    let entry = EntryBytes.visual("vvc1", width: 16, height: 16, fullBox("vvcC", [0xfe, 3], Array(arrays.joined())))
    let code: [UInt8] = [0, 0, 0, 1]
    let samples = [
      Given(bytes: units([aud, header, idr])), Given(bytes: units([trail]), isSync: false),
      Given(bytes: units([[0]]), isSync: false),
    ]
    let extraction = try TrackExtraction(of: TrackSelection(), in: [movie([entry], samples)])
    #expect(extraction.format == .h266 && extraction.sampleCount == 2)
    #expect(
      try stream(extraction)
        == all(code, aud, code, sequence, code, picture, code, header, code, idr, code, trail))
  }

  // MARK: Frames

  private let av1 = EntryBytes.visual("av01", width: 32, height: 16, box("av1C", [0x81, 0, 0x0c, 0]))

  @Test("AV1 gets temporal delimiters and missing sizes, in IVF with times, and as plain OBUs")
  func av1Frames() throws {
    let samples = [
      // A sequence header and a frame without a size; a frame with a delimiter; an empty OBU; 130 bytes.
      Given(bytes: [0x0a, 1, 7, 0x30, 1, 2, 3]), Given(bytes: [0x12, 0, 0x32, 2, 8, 9], isSync: false),
      Given(bytes: all([0x34, 8], Array(repeating: 1, count: 130)), isSync: false),
    ]
    let frames: [[UInt8]] = [
      [0x12, 0, 0x0a, 1, 7, 0x32, 3, 1, 2, 3], [0x12, 0, 0x32, 2, 8, 9],
      all([0x12, 0, 0x36, 8, 0x82, 1], Array(repeating: 1, count: 130)),
    ]
    #expect(try extracted([av1], samples, as: .obu) == frames.flatMap { $0 })
    let header: [UInt8] = all(
      ascii("DKIF"), [0, 0, 32, 0], ascii("AV01"), [32, 0, 16, 0, 0xe8, 3, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0])
    let times: [[UInt8]] = [[0, 0], [0xe8, 3], [0xd0, 7]]
    var expected = header
    for (frame, time) in zip(frames, times) {
      expected += [UInt8(frame.count), 0, 0, 0]
      expected += time + zeros(6)
      expected += frame
    }
    #expect(try extracted([av1], samples) == expected)
  }

  @Test("AV1 frames whose OBU sizes do not fit are reported and omitted")
  func damagedUnitsOfAV1() throws {
    let extraction = try TrackExtraction(
      of: TrackSelection(),
      in: [
        movie(
          [av1],
          [[0x32, 9, 1], [0x32, 0x80], [0x36], [0x80, 0], [0x32, 0]].map { Given(bytes: $0) })
      ], as: .obu)
    #expect(try stream(extraction) == [0x12, 0, 0x32, 0] && extraction.sampleCount == 1)
    #expect(
      extraction.diagnostics.map(\.text) == [
        "track 1: the open bitstream units of 4 samples do not fit into them, from 0.000 s on; omitted"
      ])
  }

  @Test("VP9 is written as IVF only")
  func vp9() throws {
    let entry = EntryBytes.visual("vp09", width: 640, height: 480, fullBox("vpcC", [0, 10, 0x82, 2, 2, 2, 0, 0]))
    let bytes = try extracted([entry], [Given(bytes: [1, 2, 3])])
    #expect(bytes[8..<16] == [0x56, 0x50, 0x39, 0x30, 0x80, 2, 0xe0, 1] && bytes.suffix(3) == [1, 2, 3])
    #expect(throws: MovieError.self) { try extracted([entry], [Given(bytes: [1])], as: .obu) }
    #expect(throws: MovieError.self) { try extracted([entry], [Given(bytes: [1])], as: .wav) }
  }

  // MARK: Audio

  @Test("Big-endian samples become little-endian in WAV, and a truncated frame is not written")
  func wav() throws {
    let entry = EntryBytes.audio("twos", channels: 2, rate: 48000, [])
    let samples = [Given(bytes: [1, 2, 3]), Given(bytes: [4, 5, 6, 7, 8, 9])]
    let head = all(
      ascii("RIFF"), [44, 0, 0, 0], ascii("WAVEfmt "), [16, 0, 0, 0, 1, 0, 2, 0, 0x80, 0xbb, 0, 0],
      [0, 0xee, 2, 0, 4, 0, 16, 0], ascii("data"), [8, 0, 0, 0])
    #expect(try extracted([entry], samples) == head + [2, 1, 4, 3, 6, 5, 8, 7])
    let aiff = all(
      ascii("FORM"), [0, 0, 0, 54], ascii("AIFFCOMM"), [0, 0, 0, 18, 0, 2, 0, 0, 0, 2, 0, 16],
      [0x40, 0x0e, 0xbb, 0x80, 0, 0, 0, 0, 0, 0], ascii("SSND"), [0, 0, 0, 16], zeros(8))
    #expect(try extracted([entry], samples, as: .aiff) == aiff + [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("Opus is in Ogg pages with checksums, and the last page ends with the audio")
  func opus() throws {
    let entry = EntryBytes.audio(
      "Opus", channels: 2, rate: 48000, box("dOps", [0, 2, 1, 0x38, 0, 0, 0xbb, 0x80, 0, 0, 0]))
    // 20 ms, an empty sample, one without a second byte, and 1 s of frames; each movie sample lasts a second.
    let long = all([0xfc], Array(repeating: 5, count: 70000))
    let extraction = try TrackExtraction(
      of: TrackSelection(),
      in: [
        movie([entry], [Given(bytes: [0xf8, 1]), Given(bytes: []), Given(bytes: [0xfb]), Given(bytes: long)])
      ])
    #expect(extraction.format == .opus && extraction.sampleCount == 3)
    #expect(
      extraction.diagnostics.map(\.text) == ["track 1: 1 sample is no packet of Opus, from 2.000 s on; omitted"])
    let bytes = try stream(extraction)
    var (at, pages): (Int, [(flags: UInt8, granule: Int64, payload: [UInt8])]) = (0, [])
    while at + 27 <= bytes.count {
      #expect(bytes[at..<at + 4] == ArraySlice(ascii("OggS")))
      let lacing = bytes[at + 27..<at + 27 + Int(bytes[at + 26])]
      let end = at + 27 + lacing.count + lacing.reduce(0) { $0 + Int($1) }
      let granule = bytes[at + 6..<at + 14].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      // The CRC, bit by bit.
      var (sum, page) = (UInt32(0), Array(bytes[at..<end]))
      page.replaceSubrange(22..<26, with: zeros(4))
      for byte in page {
        sum ^= UInt32(byte) << 24
        for _ in 0..<8 { sum = sum & 1 << 31 != 0 ? sum << 1 ^ 0x04c1_1db7 : sum << 1 }
      }
      #expect(bytes[at + 22..<at + 26].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) } == sum)
      pages.append((bytes[at + 5], Int64(bitPattern: granule), Array(bytes[at + 27 + lacing.count..<end])))
      at = end
    }
    #expect(at == bytes.count && pages.map(\.flags) == [2, 0, 0, 0, 5])
    #expect(pages.map(\.granule) == [0, 0, 960, -1, 1920])
    #expect(pages[0].payload == all(ascii("OpusHead"), [1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0]))
    #expect(pages[2].payload == [0xf8, 1] && pages[3].payload + pages[4].payload == long)
    let bare = EntryBytes.audio("Opus", channels: 2, rate: 48000, [])
    #expect(try code([bare], [Given(bytes: [1])]) == "no_opus_header")
  }

  @Test("AAC gets a header before each non-empty sample; samples that are too long are omitted")
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

  @Test("AC-3, E-AC-3 and MP3 are written unchanged", arguments: ["ac-3", "ec-3", ".mp3"])
  func unchanged(type: String) throws {
    let entry = EntryBytes.audio(type, channels: 2, rate: 48000, [])
    #expect(try extracted([entry], [Given(bytes: [1, 2]), Given(bytes: [3])]) == [1, 2, 3])
  }

  @Test("FLAC starts with the metadata blocks of dfLa, and the last one is marked")
  func flac() throws {
    let blocks: [[UInt8]] = [all([0x80, 0, 0, 34], zeros(34)), [4, 0, 0, 2, 7, 7]]
    let entry = EntryBytes.audio("fLaC", channels: 2, rate: 48000, fullBox("dfLa", blocks[0], blocks[1]))
    #expect(
      try extracted([entry], [Given(bytes: [0xff, 0xf8])])
        == all(ascii("fLaC"), [0, 0, 0, 34], zeros(34), [0x84, 0, 0, 2, 7, 7], [0xff, 0xf8]))
    let short = EntryBytes.audio("fLaC", channels: 2, rate: 48000, fullBox("dfLa", [0x80, 0, 0, 34, 1]))
    #expect(try code([short], [Given(bytes: [1])]) == "no_flac_header")
  }

  // MARK: Refusals

  @Test("Codecs without a format are written only raw")
  func otherCodecs() throws {
    let entry = EntryBytes.visual("xxxx", width: 16, height: 16, [])
    let samples = [Given(bytes: [1]), Given(bytes: [2, 3])]
    #expect(try code([entry], samples) == "no_stream_format")
    #expect(try extracted([entry], samples, isRaw: true) == [1, 2, 3])
    #expect(try extracted([entry], samples, as: .sizedSamples, isRaw: true) == [0, 0, 0, 1, 1, 0, 0, 0, 2, 2, 3])
    #expect(throws: MovieError.self) { try extracted([entry], samples, as: .sizedSamples) }
  }

  @Test("Sample descriptions of different formats are refused if both are used")
  func differentFormats() throws {
    let entries = [avc(sps, pps), EntryBytes.visual("xxxx", width: 16, height: 16, [])]
    let (first, second) = (Given(bytes: units([idr])), Given(bytes: [1], entry: 2))
    #expect(try code(entries, [first]) == nil)
    #expect(try code(entries, [first, second]) == "no_stream_format")
    let sounds = ["ac-3", "ec-3"].map { EntryBytes.audio($0, channels: 2, rate: 48000, []) }
    #expect(
      try code(sounds, [Given(bytes: [1]), Given(bytes: [1], entry: 2)]) == "different_descriptions")
  }

  @Test("A single sample is the one presented at a time, with parameter sets")
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
