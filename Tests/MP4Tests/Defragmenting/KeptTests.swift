import MP4
import Support
import Testing

/// Other properties of a movie and its tracks, byte for byte.
@Suite("Properties of a movie and its tracks are kept")
struct KeptTests {
  /// The payload offset of the first box of this type at or after an offset.
  private func place(_ type: String, in bytes: [UInt8], number: Int = 0) throws -> Int {
    let places = bytes.indices.dropLast(4).filter { Array(bytes[$0..<$0 + 4]) == ascii(type) }
    return try #require(places.dropFirst(number).first) + 4
  }

  @Test("Track flags, layer, alternate group, volume, matrix, size, language, creation times and names are kept")
  func headers() throws {
    var file = FragmentedFileBuilder([.video().with(\.language, "fra"), .audio().with(\.language, "deu")])
    file.addFragments(2)
    let built = file.build()
    var bytes = built.bytes
    // Not enabled, and with unusual values in each field except for times and the ID.
    let tkhd = try place("tkhd", in: bytes, number: 1)
    bytes[tkhd + 3] = 6
    let own: [UInt8] = [0, 7, 0, 5, 0, 0x80, 0, 0] + (0..<36).map { $0 } + [1, 2, 0, 0, 3, 4, 0, 0]
    bytes.replaceSubrange(tkhd + 32..<tkhd + 84, with: own)
    let creation = big(UInt32(3_900_000_001)) + big(UInt32(3_900_000_002))
    for (type, number) in [("mvhd", 0), ("tkhd", 0), ("tkhd", 1), ("mdhd", 0), ("mdhd", 1)] {
      let at = try place(type, in: bytes, number: number) + 4
      bytes.replaceSubrange(at..<at + 8, with: creation)
    }
    let result = try Output.defragmenting(bytes)
    check(result, built)
    for (number, header) in payloads(of: "tkhd", in: result.bytes).enumerated() {
      let source = payloads(of: "tkhd", in: bytes)[number]
      // Everything except for the duration.
      #expect(header.count == source.count && header[..<20] == source[..<20] && header[24...] == source[24...])
    }
    for (number, header) in payloads(of: "mdhd", in: result.bytes).enumerated() {
      let source = payloads(of: "mdhd", in: bytes)[number]
      #expect(header[..<16] == source[..<16] && header[20...] == source[20...])
    }
    #expect(payloads(of: "mvhd", in: result.bytes).first?[4..<12].elementsEqual(creation) == true)
    #expect(payloads(of: "hdlr", in: result.bytes) == payloads(of: "hdlr", in: bytes))
    // The result does not depend on the time, and repeated runs give the same bytes.
    #expect(try Output.defragmenting(bytes).bytes == result.bytes)
  }

  @Test("Bytes after the fields of mvhd, tkhd, mdhd and elst are kept, and the flags of elst")
  func restOfHeaders() throws {
    var file = FragmentedFileBuilder([.video().with(\.edits, [.media(from: 512)])])
    file.addFragments(2)
    let built = file.build()
    var bytes = built.bytes
    for (number, (type, parents)) in [
      ("mvhd", ["moov"]), ("tkhd", ["moov", "trak"]), ("elst", ["moov", "trak", "edts"]),
      ("mdhd", ["moov", "trak", "mdia"]),
    ].enumerated() {
      let at = try place(type, in: bytes)
      if type == "elst" { bytes[at + 3] = 1 }
      let end = at - 8 + MP4Tests.number(bytes, at - 8)
      bytes.insert(contentsOf: [0xfe, UInt8(number), 0xfe], at: end)
      for box in parents + [type] {
        let start = try place(box, in: bytes) - 8
        bytes.replaceSubrange(start..<start + 4, with: big(UInt32(MP4Tests.number(bytes, start) + 3)))
      }
    }
    // The builder's explicit offsets count from the fragments.
    let result = try Output.defragmenting(bytes)
    check(result, built)
    for (number, type) in ["mvhd", "tkhd", "elst", "mdhd"].enumerated() {
      #expect(payloads(of: type, in: result.bytes).map { $0.suffix(3) } == [[0xfe, UInt8(number), 0xfe]], "\(type)")
    }
    #expect(payloads(of: "elst", in: result.bytes).map { $0[3] } == [1])
  }

  @Test("Timecode, closed caption, chapter and metadata tracks stay linked, and QuickTime files stay QuickTime files")
  func linkedTracks() throws {
    func references(_ type: String, _ tracks: UInt32...) -> [UInt8] { box(type, tracks.flatMap { big($0) }) }
    let timecode = box("tmcd", zeros(6), big(UInt16(1)), zeros(8), big(UInt32(25_000)), big(UInt32(1000)), [25, 0])
    let captions = box("c608", zeros(6), big(UInt16(1)))
    let metadata = box("mebx", zeros(6), big(UInt16(1)), box("keys", zeros(4)))
    let general = box("gmhd", fullBox("gmin", zeros(12)))
    func other(_ id: UInt32, _ handler: String, _ entry: [UInt8]) -> TrackSpec {
      TrackSpec.text(id: id).with(\.handler, handler).with(\.sampleEntries, [entry]).with(\.boxes, ["minf": general])
    }
    let links = box("tref", references("tmcd", 3), references("clcp", 4), references("chap", 5, 7))
    var file = FragmentedFileBuilder([
      .video().with(\.boxes, ["trak": links]), .audio().with(\.boxes, ["trak": box("tref", references("tmcd", 3))]),
      other(3, "tmcd", timecode), other(4, "clcp", captions), .text(id: 5),
      other(6, "meta", metadata).with(\.boxes, ["minf": general, "trak": box("tref", references("cdsc", 1))]),
      .text(id: 7),
    ])
    file.fileType = box("ftyp", ascii("qt  "), big(UInt32(0x2005_0300)), ascii("qt  "))
    for index: Int64 in 0..<3 {
      file.addFragment { fragment in
        // Negative offsets are common in QuickTime and require no other brand.
        fragment.addTraf(1, .samples(3, offset: index - 1))
        for track: UInt32 in 2...7 where track != 3 || index == 0 { fragment.addTraf(track, .samples(2)) }
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(payloads(of: "tref", in: result.bytes) == payloads(of: "tref", in: built.bytes))
    #expect(payloads(of: "tref", in: result.bytes).count == 3)
    #expect(result.movie.tracks.map(\.handler) == ["vide", "soun", "tmcd", "clcp", "text", "meta", "text"])
    #expect(result.movie.tracks.map(\.sampleEntries) == file.tracks.map(\.sampleEntries))
    #expect(payloads(of: "gmhd", in: result.bytes).count == 3)
    #expect(payloads(of: "ftyp", in: result.bytes) == [ascii("qt  ") + big(UInt32(0x2005_0300)) + ascii("qt  ")])
    #expect(result.diagnostics.allSatisfy { $0.severity == .note })
  }

  @Test("Unknown boxes in the file, the movie, its tracks and their tables keep their order")
  func unknownBoxes() throws {
    let all = ["trak", "mdia", "minf", "stbl"].map { ($0, box("zz" + $0.suffix(2), ascii("in " + $0))) }
    var file = FragmentedFileBuilder([.video().with(\.boxes, Dictionary(uniqueKeysWithValues: all))])
    file.movieBoxes =
      box("zzmv", ascii("in moov")) + fullBox("meta", fullBox("hdlr", zeros(4), ascii("mdir"), zeros(13)))
    file.boxesBeforeMovie = box("zz01", ascii("before"))
    file.addFragments(1)
    file.addBoxes(box("zz02", ascii("between")), largeBox("zz03", ascii("with a large size")), box("free", zeros(3)))
    file.addFragments(1)
    file.addBoxes(box("zz04", ascii("behind")))
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.boxTypes == ["ftyp", "moov", "zz01", "zz02", "zz03", "zz04", "mdat"])
    for kept in all.map(\.1) + [file.movieBoxes, file.boxesBeforeMovie, largeBox("zz03", ascii("with a large size"))] {
      #expect(contains(result.bytes, kept), "\(hexDump(kept))")
    }
    #expect(result.diagnostics == [])
  }

  @Test("A start that no timescale can express is rounded to the nearest unit, with a warning")
  func roundedStart() throws {
    // Two primes whose product has more than 32 bits.
    var file = FragmentedFileBuilder([
      .video().with(\.timescale, 4_294_967_279), .audio().with(\.timescale, 4_294_967_291),
    ])
    for (track, time): (UInt32, UInt64) in [(1, 3_000_000_001), (2, 0)] {
      file.addFragment { fragment in
        fragment.addTraf(track) {
          $0.decodeTime = time
          $0.addRun(.samples(2))
        }
      }
    }
    let result = try Output.defragmenting(file.build().bytes)
    #expect(result.movie.timescale == 1000)
    // 698.492 ms.
    #expect(result[1]?.edits.first == .empty(698))
    #expect(
      result.texts(.warning) == [
        "init.mp4: the start of a track could not be expressed in the movie timescale and was rounded"
      ])
  }
}
