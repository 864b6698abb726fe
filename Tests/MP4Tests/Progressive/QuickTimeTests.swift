import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Conversion of QuickTime movies to MP4")
struct QuickTimeTests {
  private func vector(_ name: String) throws -> [UInt8] { try readFile(vectorPath("files/" + name)) }

  /// The output of the defragmenter for this file, converted to an ISO file.
  private func converted(_ bytes: [UInt8], isMovieFirst: Bool = true) throws -> Output {
    var options = Defragmenter.Options()
    options.reading.outputKind = .iso
    options.isMovieFirst = isMovieFirst
    return try Output(Defragmenter(options).plan([MemorySource(bytes, name: "movie.mov")]))
  }

  private static let note =
    "movie.mov: this is a QuickTime movie; the output is an MP4 file, with ISO brands and sample descriptions"

  @Test(
    "Brands, handlers and audio are converted; samples, edits and durations are kept", arguments: [true, false])
  func progressive(isMovieFirst: Bool) throws {
    let bytes = try vector("progressive.mov")
    let before = try SampleReader.read(bytes)
    let result = try converted(bytes, isMovieFirst: isMovieFirst)
    #expect(difference(before.samples, result.movie.samples) == nil)
    #expect(result.movie.tracks.map(\.edits) == before.tracks.map(\.edits))
    #expect(result.movie.duration == before.duration)
    #expect(result.movie.brands == ["isom", "isom", "mp42"])
    #expect(contains(bytes, ascii("mhlr")))
    for gone in ["mhlr", "dhlr", "wave", "qt  "] { #expect(!contains(result.bytes, ascii(gone)), "\(gone)") }
    let sound = try #require(result.movie.tracks.first { $0.handler == "soun" }?.sampleEntries.first)
    #expect(try BoxOutline.all(in: Array(sound.dropFirst(36))).map(\.type) == ["esds"])
    #expect(result.texts(.note).first == Self.note && result.texts(.warning) == [])
  }

  @Test("By default QuickTime movies are not converted, and other files do not change")
  func asInput() throws {
    let bytes = try vector("progressive.mov")
    let result = try Output.defragmenting(bytes)
    #expect(result.movie.brands.contains("qt  ") && contains(result.bytes, ascii("mhlr")))
    let other = try vector("progressive-moov-last.mp4")
    #expect(try converted(other).bytes == Output.defragmenting(other).bytes)
  }

  // MARK: Uncompressed audio

  /// A QuickTime description of version 1 with these boxes in `wave`.
  private func version1(
    _ type: String, channels: UInt16 = 2, bits: UInt16 = 16, frame: UInt32 = 4, wave: [UInt8] = [], after: [UInt8] = []
  ) -> [UInt8] {
    box(
      type, zeros(6), big(UInt16(1)), big(UInt16(1)), zeros(6), big(channels), big(bits), zeros(4),
      big(UInt32(48_000 << 16)), big(UInt32(1)), big(frame / UInt32(channels)), big(frame), big(UInt32(2)),
      box("wave", box("frma", ascii(type)), wave, zeros(4) + zeros(4)), after)
  }

  /// A version 2 description.
  private func version2(flags: UInt32, bits: UInt32, channels: UInt32 = 2, packet: UInt32, rate: Double = 96_000)
    -> [UInt8]
  {
    box(
      "lpcm", zeros(6), big(UInt16(1)), big(UInt16(2)), zeros(6), big(UInt16(3)), big(UInt16(16)), big(Int16(-2)),
      zeros(2), big(UInt32(0x1_0000)), big(UInt32(72)), big(rate.bitPattern), big(channels), big(UInt32(0x7f00_0000)),
      big(bits), big(flags), big(packet), big(UInt32(1)))
  }

  /// A fragmented QuickTime movie of one audio track with this description and one fragment.
  private func file(_ entry: [UInt8]) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.audio(id: 1).with(\.sampleEntries, [entry])])
    file.fileType = box("ftyp", ascii("qt  "), zeros(4), ascii("qt  "))
    file.addFragments(1)
    return file
  }

  @Test("Uncompressed audio is described according to ISO/IEC 23003-5")
  func uncompressed() throws {
    let little = box("enda", big(UInt16(1)))
    let cases: [(entry: [UInt8], type: String, channels: UInt16, bits: UInt16, rate: UInt32, flags: UInt8)] = [
      (EntryBytes.audio("sowt", channels: 2, rate: 44_100, []), "ipcm", 2, 16, 44_100, 1),
      (EntryBytes.audio("twos", channels: 1, rate: 48_000, []), "ipcm", 1, 16, 48_000, 0),
      (version1("in24", frame: 6, wave: little), "ipcm", 2, 24, 48_000, 1),
      (version1("in32", frame: 8), "ipcm", 2, 32, 48_000, 0),
      (version1("fl32", frame: 8, wave: little), "fpcm", 2, 32, 48_000, 1),
      (version1("fl64", frame: 16), "fpcm", 2, 64, 48_000, 0),
      (version2(flags: 4 | 8, bits: 24, packet: 6, rate: 44_100), "ipcm", 2, 24, 44_100, 1),
      (version2(flags: 1 | 2 | 8, bits: 32, channels: 6, packet: 24, rate: 48_000), "fpcm", 6, 32, 48_000, 0),
    ]
    for (entry, type, channels, bits, rate, flags) in cases {
      let built = file(entry).build()
      let result = try converted(built.bytes)
      check(result, built)
      let fields = zeros(6) + big(UInt16(1)) + zeros(8) + big(channels) + big(bits) + zeros(4) + big(rate << 16)
      let expected = box(type, fields, fullBox("pcmC", [flags, UInt8(bits)]))
      #expect(result.movie.tracks.map(\.sampleEntries) == [[expected]], "\(hexDump(entry))")
      #expect(result.texts(.warning) == [] && result.texts(.note).count == 2)
    }
  }

  @Test("A sample rate of more than 16 bits is in a separate box, in entries of version 1")
  func highRate() throws {
    let cases: [(entry: [UInt8], timescale: UInt32, rate: UInt32)] = [
      (version2(flags: 4 | 8, bits: 16, packet: 4), 96_000, 96_000),
      (version2(flags: 4 | 8, bits: 16, packet: 4, rate: 176_400), 176_400, 176_400),
      (EntryBytes.audio("sowt", channels: 2, rate: 0, []), 96_000, 96_000),
      (EntryBytes.audio("sowt", channels: 2, rate: 96_000 & 0xffff, []), 96_000, 96_000),
    ]
    for (entry, timescale, rate) in cases {
      var file = file(entry)
      file.tracks[0].timescale = timescale
      let result = try converted(file.build().bytes)
      let fields =
        zeros(6) + big(UInt16(1)) + big(UInt16(1)) + zeros(6) + big(UInt16(2)) + big(UInt16(16)) + zeros(8)
      let expected = box("ipcm", fields, fullBox("srat", big(rate)), fullBox("pcmC", [1, 16]))
      #expect(result.movie.tracks.map(\.sampleEntries) == [[expected]], "\(rate)")
      #expect(contains(result.bytes, fullBox("stsd", version: 1, big(UInt32(1)), expected)))
      #expect(try converted(result.bytes).movie.tracks.map(\.sampleEntries) == [[expected]])
    }
  }

  @Test("MP3 is described as in MPEG-4", arguments: [(44_100, 0x6b), (24_000, 0x69)] as [(UInt32, UInt8)])
  func mp3(rate: UInt32, objectType: UInt8) throws {
    let entry = EntryBytes.audio(".mp3", channels: 2, rate: rate, box("wave", box("frma", ascii(".mp3"))))
    let built = file(entry).build()
    let result = try converted(built.bytes)
    check(result, built)
    let written = try #require(result.movie.tracks.first?.sampleEntries.first)
    #expect(written.count > 36 && written[4..<8].elementsEqual(ascii("mp4a")))
    #expect(try BoxOutline.all(in: Array(written.dropFirst(36))).map(\.type) == ["esds"])
    // The stream ID and flags, then the decoder configuration, without decoder-specific information: the stream type is
    // audio.
    let esds = try #require(payloads(of: "esds", in: result.bytes).first)
    let config = try #require(esds.indices.dropLast(3).first { esds[$0] == 4 && esds[$0 + 2] == objectType })
    #expect(esds[config + 1] == 13 && esds[config + 3] >> 2 == 5)
    #expect(
      result.texts(.note).contains {
        $0.hasPrefix("movie.mov: track 1: audio format .mp3 (QuickTime) is written as mp4a")
      })
    #expect(result.texts(.warning) == [])
  }

  @Test("QuickTime text is kept with a warning, unless it is a chapter track")
  func text() throws {
    let entry = box("text", zeros(6), big(UInt16(1)), zeros(51))
    for isChapter in [false, true] {
      let reference = isChapter ? ["trak": box("tref", box("chap", big(UInt32(3))))] : [:]
      var file = FragmentedFileBuilder([
        .video().with(\.boxes, reference), .text(id: 3).with(\.sampleEntries, [entry]),
      ])
      file.fileType = box("ftyp", ascii("qt  "), zeros(4), ascii("qt  "))
      file.addFragments(1)
      let result = try converted(file.build().bytes)
      #expect(result.movie.tracks[1].sampleEntries == [entry])
      let expected =
        "movie.mov: track 3: text (QuickTime text) is defined only for QuickTime; kept, but MP4 players may not play it"
      #expect(result.texts(.warning) == (isChapter ? [] : [expected]))
    }
  }

  @Test("Channels keep their speakers; a layout that ISO files cannot express is kept unchanged")
  func channels() throws {
    func chan(_ tag: UInt32, _ bits: UInt32 = 0) -> [UInt8] { fullBox("chan", big(tag), big(bits), big(UInt32(0))) }
    // L R C LFE Ls Rs; L R LFE by bits; ambisonics.
    let cases: [([UInt8], UInt16, [UInt8])] = [
      (chan(121 << 16 | 6), 6, fullBox("chnl", [1, 0, 0, 1, 2, 3, 4, 5])),
      (chan(1 << 16, 0b1011), 3, fullBox("chnl", [1, 0, 0, 1, 3])),
      (chan(107 << 16 | 4), 4, chan(107 << 16 | 4)),
    ]
    for (layout, count, expected) in cases {
      let entry = version1("in24", channels: count, frame: UInt32(count) * 3, after: layout)
      let result = try converted(file(entry).build().bytes)
      let written = try #require(result.movie.tracks[0].sampleEntries.first)
      #expect(written.suffix(expected.count).elementsEqual(expected))
    }
  }

  @Test("Formats without a name in ISO files are kept, with a warning")
  func kept() throws {
    let cases: [([UInt8], String)] = [
      (EntryBytes.audio("raw ", channels: 1, rate: 48_000, []), "raw  (Uncompressed, offset binary)"),
      (version1("twos", bits: 8, frame: 2), "twos (Uncompressed, signed, big endian)"),
      // Non-interleaved channels; unsigned numbers; 20 bits.
      (version2(flags: 4 | 32, bits: 24, packet: 6), "lpcm (Uncompressed, described by version 2)"),
      (version2(flags: 8, bits: 24, packet: 6), "lpcm (Uncompressed, described by version 2)"),
      (version2(flags: 4, bits: 20, packet: 6), "lpcm (Uncompressed, described by version 2)"),
    ]
    let end = " is defined only for QuickTime; kept, but MP4 players may not play it"
    for (entry, name) in cases {
      let built = file(entry).build()
      let result = try converted(built.bytes)
      check(result, built)
      #expect(result.movie.tracks.map(\.sampleEntries) == [[entry]])
      #expect(result.texts(.warning) == ["movie.mov: track 1: " + name + end])
    }
  }

  @Test("Sizes of 1 mean whole samples of uncompressed audio", arguments: [true, false])
  func sizesOfOne(isMovieFirst: Bool) throws {
    var bytes = try vector("pcm.mov")
    let before = try SampleReader.read(bytes)
    // The only `stsz` whose samples all have two bytes.
    let letters = ascii("stsz")
    let at = try #require(bytes.indices.first { Array(bytes[$0..<$0 + 4]) == letters && number(bytes, $0 + 8) == 2 })
    bytes.replaceSubrange(at + 8..<at + 12, with: big(UInt32(1)))
    let result = try converted(bytes, isMovieFirst: isMovieFirst)
    #expect(difference(before.samples, result.movie.samples) == nil)
    // Also in a file that stays a QuickTime movie.
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    let moved = try Output(Defragmenter(options).plan([MemorySource(bytes)]))
    #expect(difference(before.samples, moved.movie.samples) == nil)
  }

  // MARK: Other QuickTime features

  @Test("Metadata, languages, colors, references and media headers are converted; the rest is kept")
  func others() throws {
    let metadata = box("meta", fullBox("hdlr", zeros(4), ascii("mdta"), zeros(12), [4], ascii("Keys")), box("ilst"))
    let general = box("gmhd", fullBox("gmin", zeros(12)))
    let colours = box("colr", ascii("nclc"), big(UInt16(9)), big(UInt16(16)), big(UInt16(9)))
    let chapters = box("text", zeros(6), big(UInt16(1)), zeros(51))
    var file = FragmentedFileBuilder([
      .video().with(\.sampleEntries, [EntryBytes.avc1(boxes: colours + zeros(4))])
        .with(\.boxes, ["trak": box("tref", box("chap", big(UInt32(3))))]),
      .text(id: 3).with(\.sampleEntries, [chapters]).with(\.boxes, ["minf": general]),
      .text(id: 4).with(\.handler, "meta").with(\.boxes, ["minf": general]),
    ])
    file.fileType = box("ftyp", ascii("qt  "), zeros(4), ascii("qt  "))
    file.movieBoxes = metadata + box("udta", box("\u{a9}nam", [0, 2, 0, 0], ascii("hi")), zeros(4))
    file.addFragments(2)
    let built = file.build()
    let result = try converted(built.bytes)
    check(result, built)
    #expect(payloads(of: "gmhd", in: result.bytes).count == 1)
    #expect(result.movie.tracks[1].sampleEntries == [chapters])
    #expect(contains(result.bytes, fullBox("hdlr", zeros(4), ascii("mdta"), zeros(12), ascii("Keys"), [0])))
    #expect(contains(result.bytes, box("colr", ascii("nclx"), big(UInt16(9)), big(UInt16(16)), big(UInt16(9)), [0])))
    let meta = try #require(payloads(of: "meta", in: result.bytes).first)
    #expect(number(meta, 0) == 0 && result.texts(.warning) == [])
  }

  @Test("Negative composition offsets get the required version and brand")
  func negativeOffsets() throws {
    var bytes = try vector("progressive.mov")
    let letters = ascii("ctts")
    let at = try #require(bytes.indices.first { Array(bytes[$0..<min($0 + 4, bytes.count)]) == letters })
    bytes.replaceSubrange(at + 16..<at + 20, with: big(Int32(-1)))
    let result = try converted(bytes)
    #expect(result.movie.brands == ["isom", "isom", "mp42", "iso4"])
    #expect(try #require(payloads(of: "ctts", in: result.bytes).first)[0] == 1)
  }

  @Test("Damage in a movie box is an error or leaves the box unchanged")
  func damaged() throws {
    let bytes = try vector("pcm.mov")
    let letters = ascii("moov")
    let moov = try #require(bytes.indices.first { Array(bytes[$0..<$0 + 4]) == letters })
    for at in stride(from: moov, to: bytes.count, by: 31) {
      var damaged = bytes
      damaged[at] ^= 0x55
      var options = Defragmenter.Options()
      options.reading.outputKind = .iso
      let plan = try? Defragmenter(options).plan([MemorySource(damaged)])
      #expect(plan.map { $0.byteCount > 0 } ?? true)
    }
  }
}
