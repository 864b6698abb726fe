import MP4
import MP4Bytes
import MP4Inspection
import MP4Records
import Support
import Testing

@Suite("Summaries of movies")
struct MovieSummaryTests {
  @Test("All keys are listed, at most ten in text")
  func keys() throws {
    func key(_ number: Int) -> [UInt8] { Array(repeating: UInt8(number), count: 16) }
    let encrypted = fullBox("tenc", [0, 0, 1, 8] + key(1))
    let scheme = fullBox("schm", ascii("cenc") + big(UInt32(0x1_0000)))
    let entry = EntryBytes.audio(
      "enca", channels: 1, rate: 48_000, box("sinf", box("frma", ascii("mp4a")), scheme, box("schi", encrypted)))
    func movie(_ keys: ClosedRange<Int>) throws -> MovieSummary {
      var file = FragmentedFileBuilder([.audio().with(\.sampleEntries, [entry])])
      for number in keys {
        let group = [0, 0, 1, 8] + key(number)
        file.addFragment { fragment in
          fragment.addTraf(2) { traf in
            traf.decodeTime = UInt64((number - keys.lowerBound) * 4096)
            traf.addRun(number == 1 ? .samples(4) : .samples(4).inGroup("seig", group, at: 0..<4))
          }
        }
      }
      return try MovieSummary(Movie(reading: [MemorySource(file.build().bytes, name: "a.mp4")]))
    }
    func uuid(_ number: Int) -> String {
      let two = String(repeating: number < 16 ? "0\(String(number, radix: 16))" : String(number, radix: 16), count: 16)
      let bytes = Array(two.utf8).map { String(UnicodeScalar($0)) }
      return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { bytes[$0].joined() }.joined(separator: "-")
    }
    let one = try movie(1...1)
    #expect(one.tracks[0].encryption?.keyIDs == [uuid(1)])
    #expect(one.text.contains("      encryption: cenc, key ID \(uuid(1))\n"), "\(one.text)")
    let three = try movie(1...3)
    #expect(three.tracks[0].encryption?.keyIDs == (1...3).map(uuid))
    #expect(
      three.text.contains("      encryption: cenc, 3 key IDs: \(uuid(1)), \(uuid(2)), \(uuid(3))\n"), "\(three.text)")
    let many = try movie(2...20)
    #expect(many.tracks[0].encryption?.keyIDs == (2...20).map(uuid))
    #expect(many.text.contains(", \(uuid(11)) and 9 more\n") && many.text.contains("cenc, 19 key IDs: \(uuid(2))"))
  }

  @Test("Chapters and long metadata are shown in full on request")
  func verbose() throws {
    let words = String(repeating: "äöü ", count: 100)
    func data(_ text: String) -> [UInt8] { box("data", big(UInt32(1)), big(UInt32(0)), Array(text.utf8)) }
    let items = box("ilst", box("desc", data(words)))
    let handler = fullBox("hdlr", big(UInt32(0)), ascii("mdir"), zeros(12), [0])
    let chapters: [UInt8] = (0..<3).flatMap { number -> [UInt8] in
      big(UInt64(number * 5_000_000)) + [1] + ascii("\(number)")
    }
    let userData = box("udta", fullBox("chpl", version: 1, zeros(4), [3], chapters), fullBox("meta", handler, items))
    let summary = try MovieSummary(Movie(reading: [MemorySource(try Self.progressive(adding: userData))]))
    let (short, long) = (summary.text, summary.text(isVerbose: true))
    #expect(short.contains("  chapters: 3 chapters, from 0:00.000 \"0\"\n") && !short.contains("0:01.000  2"))
    #expect(long.contains("    0:00.000  0\n    0:00.500  1\n    0:01.000  2\n"), "\(long)")
    let line = try #require(short.split(separator: "\n").first { $0.hasPrefix("  description: ") })
    #expect(
      line.hasSuffix("…") && line.utf8.count < 200 && line.dropLast().allSatisfy { "  description: äöü".contains($0) })
    #expect(long.contains("  description: \(words.dropLast())"), "\(long)")
  }

  @Test("Without an edit list, priming and padding are those of iTunSMPB")
  func gapless() throws {
    func summary(_ text: String) throws -> TrackSummary.Audio? {
      var file = FragmentedFileBuilder([.audio()])
      file.addFragment { $0.addTraf(2, .samples(48)) }
      let built = file.build()
      var movie = built.initialization
      let start = try #require(movie.indices.first { movie[$0...].starts(with: ascii("moov")) }) - 4
      let item = box(
        "----", fullBox("mean", ascii("com.apple.iTunes")), fullBox("name", ascii("iTunSMPB")),
        box("data", big(UInt32(1)), big(UInt32(0)), ascii(text)))
      let handler = fullBox("hdlr", big(UInt32(0)), ascii("mdir"), zeros(12), [0])
      movie += box("udta", fullBox("meta", handler, box("ilst", item)))
      movie.replaceSubrange(start..<(start + 4), with: big(UInt32(movie.count - start)))
      let sources = ([movie] + built.segments).map { MemorySource($0) }
      return try MovieSummary(Movie(reading: sources)).tracks.first { $0.audio != nil }?.audio
    }
    let found = try #require(try summary(" 00000000 00000840 000001CA 000000000000B7F6 00000000"))
    let rate = UInt32(try #require(found.sampleRate))
    #expect(found.priming == MediaTime(0x840, rate) && found.padding == MediaTime(0x1ca, rate))
    let damaged = try #require(try summary(" 00000000 zz 000001CA"))
    #expect(damaged.priming == nil && damaged.padding == nil)
  }

  @Test("Each key of Apple's metadata has a name of its own; only the position is the location")
  func keyNames() throws {
    let keys = [
      "location.accuracy.horizontal": "14.2", "location.ISO6709": "+48.1+011.5/", "make": "Apple",
      "camera.identifier": "Back", "displayname": "Film",
    ].sorted { $0.key < $1.key }
    let names = keys.map { key, _ in
      let name = ascii("com.apple.quicktime.\(key)")
      return big(UInt32(8 + name.count)) + ascii("mdta") + name
    }
    let items = keys.enumerated().map { index, item in
      let data = box("data", big(UInt32(1)), big(UInt32(0)), ascii(item.value))
      return big(UInt32(8 + data.count)) + big(UInt32(index + 1)) + data
    }
    let handler = fullBox("hdlr", big(UInt32(0)), ascii("mdta"), zeros(12), [0])
    let table = fullBox("keys", big(UInt32(keys.count)), names.flatMap { $0 })
    let meta = box("meta", handler, table, box("ilst", items.flatMap { $0 }))
    let summary = try MovieSummary(Movie(reading: [MemorySource(try Self.progressive(adding: meta))]))
    let found = Dictionary(uniqueKeysWithValues: summary.metadata.entries.map { ($0.name, $0.value) })
    #expect(
      found == [
        "Location accuracy horizontal": "14.2", "Location": "+48.1+011.5/", "Make": "Apple",
        "Camera identifier": "Back",
        "Title": "Film",
      ])
    #expect(summary.text.contains("  location: +48.1+011.5/\n") && !summary.text.contains("  location: 14.2"))
  }

  @Test("Object types of mp4v are formats of their own")
  func objectTypes() throws {
    let names: [(UInt8, String)] = [
      (0x20, "MPEG-4 Visual"), (0x60, "MPEG-2 Simple"), (0x61, "MPEG-2 Main"), (0x62, "MPEG-2 SNR"),
      (0x63, "MPEG-2 Spatial"), (0x64, "MPEG-2 High"), (0x65, "MPEG-2 4:2:2"), (0x6a, "MPEG-1 video"), (0x6c, "JPEG"),
      (0x6d, "PNG"),
    ]
    for (type, name) in names {
      let decoder = [4, 13, type, 0x11] + zeros(11)
      let stream = fullBox("esds", [3, UInt8(3 + decoder.count), 0, 0, 0] + decoder)
      let entry = EntryBytes.visual("mp4v", width: 64, height: 48, stream)
      var file = FragmentedFileBuilder([.video().with(\.sampleEntries, [entry])])
      file.addFragment { $0.addTraf(1, .samples(2)) }
      let track = try MovieSummary(Movie(reading: [MemorySource(file.build().bytes)])).tracks[0]
      let codec = "mp4v." + String(type, radix: 16, uppercase: true)
      #expect(track.codecName == name && track.codec == codec)
    }
  }

  @Test("Chroma and bit depth are those of the sequence parameter set, and check reports that hvcC differs")
  func bitstreamWins() throws {
    var bytes = try readFile(vectorPath("files/hevc-fragmented.mp4"))
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: ascii("hvcC")) }) + 4
    let before = try MovieSummary(Movie(reading: [MemorySource(bytes)])).tracks[0].video
    #expect(before?.chroma == "4:2:0" && before?.bitDepth == 8)
    // chroma_format_idc and bit_depth_luma_minus8.
    bytes[start + 16] &= 0xfc
    bytes[start + 17] |= 2
    let after = try MovieSummary(Movie(reading: [MemorySource(bytes)])).tracks[0].video
    #expect(after?.chroma == "4:2:0" && after?.bitDepth == 8)
    let messages = try Check().run([MemorySource(bytes)]).findings.filter { $0.rule.id == "nal-chroma" }.map(
      \.message)
    #expect(
      messages == [
        "chroma is gray, but 4:2:0 in the sequence parameter set",
        "the bit depth is 10 and 8, but 8 and 8 in the sequence parameter set",
      ])
  }

  @Test("The start of audio relative to video is one line")
  func audioOffset() throws {
    func summary(video: UInt64, audio: UInt64) throws -> MovieSummary {
      var file = FragmentedFileBuilder([.video(), .audio()])
      file.addFragment { fragment in
        fragment.addTraf(1) { traf in
          traf.decodeTime = video
          traf.addRun(.samples(4))
        }
        fragment.addTraf(2) { traf in
          traf.decodeTime = audio
          traf.addRun(.samples(4))
        }
      }
      return try MovieSummary(Movie(reading: [MemorySource(file.build().bytes)]))
    }
    let (rate, audioRate) = (UInt64(TrackSpec.video().timescale), UInt64(TrackSpec.audio().timescale))
    let base = try summary(video: 2 * rate, audio: 2 * audioRate)
    #expect(base.audioOffset == MediaTime(0, 1) && !base.text.contains("audio starts"), "\(base.text)")
    let late = try summary(video: 2 * rate, audio: 2 * audioRate + audioRate / 4)
    #expect(late.audioOffset == MediaTime(1, 4) && late.text.contains("  audio starts 0.250 s after video\n"))
    let early = try summary(video: 2 * rate, audio: 2 * audioRate - audioRate / 4)
    #expect(early.text.contains("  audio starts 0.250 s before video\n"), "\(early.text)")
  }

  @Test("Items of a file with still images and a movie are shown after the tracks")
  func items() throws {
    var bytes = try readFile(vectorPath("files/progressive.mp4"))
    // The last compatible brand.
    let size = Int(bytes[3])
    let entry = fullBox("infe", version: 2, [0, 1, 0, 0], ascii("av01"), [0])
    let meta = fullBox(
      "meta", fullBox("hdlr", big(UInt32(0)), ascii("pict"), zeros(12), [0]), fullBox("pitm", [0, 1]),
      fullBox("iinf", [0, 1], entry))
    let plain = try FileSummary(reading: [MemorySource(bytes + meta, name: "a.avif")])
    bytes.replaceSubrange(size - 4..<size, with: ascii("avis"))
    let both = try FileSummary(reading: [MemorySource(bytes + meta, name: "a.avif")])
    #expect(!plain.text.contains("primary image"))
    #expect(both.text.hasSuffix("\n  1 primary image  av01\n") && both.text.contains("\n  1 video  "), "\(both.text)")
    let json = MemorySink()
    try FileSummary.write([both], .json, to: json)
    #expect(String(decoding: json.bytes, as: UTF8.self).contains(#""items":[{"id":1,"type":"av01","primary":true,"#))
  }

  /// The movie of a vector with `moov` at the end and an additional box in it.
  private static func progressive(adding added: [UInt8]) throws -> [UInt8] {
    let bytes = try readFile(vectorPath("files/progressive-moov-last.mp4"))
    var at = 0
    while String(decoding: bytes[at + 4..<at + 8], as: UTF8.self) != "moov" {
      at += bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    let inner = try children(of: Array(bytes[at + 8..<at + size])).filter { $0.type != "udta" }.flatMap(\.bytes)
    return Array(bytes[..<at]) + box("moov", inner + added)
  }

  private static func children(of bytes: [UInt8]) throws -> [(type: String, bytes: [UInt8])] {
    var (at, result): (Int, [(type: String, bytes: [UInt8])]) = (0, [])
    while at + 8 <= bytes.count {
      let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      result.append((String(decoding: bytes[at + 4..<at + 8], as: UTF8.self), Array(bytes[at..<at + size])))
      at += size
    }
    return result
  }
}
