import Bytes
import Inspection
import MP4
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
