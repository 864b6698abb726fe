import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Fast start for progressive files")
struct ProgressiveTests {
  private func vector(_ name: String) throws -> [UInt8] { try readFile(vectorPath("files/" + name)) }

  /// Checks that both files have the same movie: samples, edits, descriptions and durations.
  private func checkSame(_ before: MovieReading, _ after: MovieReading) {
    #expect(difference(before.samples, after.samples) == nil)
    #expect(before.tracks.map(\.edits) == after.tracks.map(\.edits))
    #expect(before.tracks.map(\.sampleEntries) == after.tracks.map(\.sampleEntries))
    #expect(before.tracks.map(\.duration) == after.tracks.map(\.duration))
    #expect(before.duration == after.duration && before.brands == after.brands)
  }

  @Test(
    "moov is moved to the front with correct offsets", arguments: ["progressive-moov-last.mp4", "progressive.mov"])
  func movieLast(name: String) throws {
    let bytes = try vector(name)
    let before = try SampleReader.read(bytes)
    #expect(before.boxTypes.last == "moov")
    let result = try Output.defragmenting(bytes)
    checkSame(before, result.movie)
    #expect(result.movie.boxTypes.prefix(2) == ["ftyp", "moov"])
    #expect(result.movie.boxTypes.sorted() == before.boxTypes.sorted() && result.bytes.count == bytes.count)
    #expect(
      result.texts(.note) == ["init.mp4: already progressive; written with `moov` first"])
    // Repeating it changes nothing.
    #expect(try Output.defragmenting(result.bytes).bytes == result.bytes)
  }

  @Test("A file that starts with moov does not change", arguments: ["progressive.mp4"])
  func movieFirst(name: String) throws {
    let bytes = try vector(name)
    #expect(try Output.defragmenting(bytes).bytes == bytes)
  }

  @Test("Large media data keeps its offset in a block, so that file systems can share it", arguments: [100, 300_000])
  func blocks(size: UInt32) throws {
    func media(_ bytes: [UInt8]) throws -> Int {
      try #require(bytes.indices.prefix(10_000).first { bytes[$0..<$0 + 4].elementsEqual("mdat".utf8) })
    }
    var file = FragmentedFileBuilder([.video()])
    for _ in 0..<3 { file.addFragment { $0.addTraf(1, .samples(4, size: size)) } }
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    let bytes = try Output(Defragmenter(options).plan(named([file.build().bytes]))).bytes
    let before = try SampleReader.read(bytes)
    #expect(before.boxTypes == ["ftyp", "mdat", "moov"])
    let result = try Output.defragmenting(bytes)
    checkSame(before, result.movie)
    #expect(result.movie.boxTypes == ["ftyp", "moov"] + (size > 100 ? ["free"] : []) + ["mdat"])
    #expect((try media(result.bytes) - media(bytes)) % 4096 == 0 || size == 100)
    #expect(result.bytes.count < bytes.count + 4096)
    #expect(try Output.defragmenting(result.bytes).bytes == result.bytes)
  }

  @Test("Padding before large media data is replaced, and other bytes in a free box are kept")
  func padding() throws {
    var file = FragmentedFileBuilder([.video()])
    for _ in 0..<3 { file.addFragment { $0.addTraf(1, .samples(4, size: 300_000)) } }
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    let bytes = try Output.defragmenting(Output(Defragmenter(options).plan(named([file.build().bytes]))).bytes).bytes
    let header = try #require([Box](reading: MemorySource(bytes)).first { $0.type == "free" }?.header)
    func divided(by first: [UInt8]) -> [UInt8] {
      let rest = box("free", zeros(header.size - first.count - 8))
      return Array(bytes[..<header.offset]) + first + rest + Array(bytes[header.end...])
    }
    #expect(try Output.defragmenting(divided(by: box("free"))).bytes == bytes)
    #expect(try Output.defragmenting(divided(by: box("skip", zeros(9)))).bytes == bytes)
    let used = divided(by: box("free", ascii("used")))
    let kept = try Output.defragmenting(used)
    #expect(kept.movie.boxTypes == ["ftyp", "moov", "free", "free", "mdat"] && kept.bytes.count == bytes.count)
    #expect(payloads(of: "free", in: kept.bytes).last == ascii("used"))
    #expect(try Output.defragmenting(kept.bytes).bytes == kept.bytes)
  }

  @Test("Offsets of auxiliary information in moov itself are corrected")
  func auxiliaryInMovie() throws {
    // The positions of the senc boxes, and the offsets in the saio boxes.
    func places(_ bytes: [UInt8]) -> (information: [Int], offsets: [Int]) {
      let found = bytes.indices.dropLast(8).filter { Array(bytes[$0..<$0 + 4]) == ascii("senc") }
      return (found.map { $0 - 4 }, payloads(of: "saio", in: bytes).map { number($0, 8) })
    }
    let bytes = try vector("encrypted-cenc.mp4")
    let result = try Output.defragmenting(bytes)
    checkSame(try SampleReader.read(bytes), result.movie)
    let (before, after) = (places(bytes), places(result.bytes))
    // After the header of the box and the sample count.
    #expect(before.offsets == before.information.map { $0 + 16 } && before.offsets.count == 2)
    #expect(after.offsets == after.information.map { $0 + 16 } && after.offsets.count == 2)
    #expect(after.offsets != before.offsets)
  }

  @Test("Chunks in another file keep their offsets, and their samples are not copied")
  func otherFile() throws {
    var bytes = try vector("progressive-moov-last.mp4")
    let entry = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == ascii("url ") })
    bytes[entry + 7] = 0
    let result = try Output.defragmenting(bytes)
    let (before, after) = (payloads(of: "stco", in: bytes), payloads(of: "stco", in: result.bytes))
    #expect(before.count > 1 && before[0] == after[0])
    #expect(zip(before, after).dropFirst().allSatisfy { $0 != $1 })
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    // The size of samples in another file says nothing about this file.
    var large = bytes
    let sizes = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == ascii("stsz") }) + 16
    large.replaceSubrange(sizes..<sizes + 4, with: big(UInt32(100_000_000)))
    for file in [bytes, large] {
      let error = #expect(throws: MovieError.self) { try Defragmenter(options).plan(named([file])) }
      #expect(error == .impossible(file: "init.mp4", Obstacle("external_samples", "", ["track": .integer(1)])))
    }
    // A sample description that is too short for a data reference refers to no other file.
    var short = bytes
    let description = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == ascii("avc1") }) + 4
    let avc1 = try #require(
      bytes[description...].indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == ascii("avc1") })
    short.replaceSubrange(avc1 - 4..<avc1, with: big(UInt32(13)))
    #expect(throws: Never.self) { try Defragmenter(options).plan(named([short])) }
    // Their tables must be complete too.
    let times = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == ascii("stts") })
    let unknown = bytes[..<times] + ascii("none") + bytes[(times + 4)...]
    #expect(try Output.defragmenting(Array(unknown)).diagnostics.contains { $0.severity == .error })
    options.reading.tracks = TrackSelection([.id(2)])
    #expect(try Output(Defragmenter(options).plan(named([bytes]))).movie.tracks.map(\.id) == [2])
  }

  @Test("Offsets of auxiliary information in the media data are corrected")
  func auxiliaryInMediaData() throws {
    var file = FragmentedFileBuilder([.video().with(\.samples, .samples(8))])
    // The data of the first sample is used as the information.
    func table(_ offset: Int) -> [UInt8] {
      fullBox("saiz", [8], big(UInt32(1))) + fullBox("saio", big(UInt32(1)), big(UInt32(offset)))
    }
    file.tracks[0].boxes["stbl"] = table(0)
    let size = file.build().initialization.count
    let place = try #require(file.build().places[1]?.first?.lowerBound)
    file.tracks[0].boxes["stbl"] = table(place)
    let built = file.build()
    #expect(built.initialization.count == size)
    // A box between ftyp and moov makes moov move to the front, and media data stays; without mvex, the file is
    // progressive.
    var bytes = built.bytes
    let mvex = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == ascii("mvex") })
    bytes.replaceSubrange(mvex..<mvex + 4, with: ascii("free"))
    let boxes = try [Box](reading: MemorySource(bytes)).compactMap(\.header)
    #expect(boxes.map(\.type) == ["ftyp", "moov", "mdat"])
    let moov = boxes[1]
    var movie = Array(bytes[moov.offset..<moov.end])
    for type in ["stco", "saio"] {
      let at = try #require(movie.indices.dropLast(4).first { Array(movie[$0..<$0 + 4]) == ascii(type) })
      for row in 0..<number(movie, at + 8) {
        let offset = number(movie, at + 12 + row * 4) - moov.size
        movie.replaceSubrange(at + 12 + row * 4..<at + 16 + row * 4, with: big(UInt32(offset)))
      }
    }
    let moovLast = Array(bytes[..<moov.offset] + bytes[moov.end...]) + movie
    #expect(try Output.defragmenting(moovLast).bytes == bytes)
  }

  @Test("The offsets of a file-level iloc are corrected")
  func items() throws {
    func file() throws -> [UInt8] {
      let source = try vector("progressive-moov-last.mp4")
      let boxes = try [Box](reading: MemorySource(source)).compactMap(\.header)
      func bytes(_ type: FourCC) -> [UInt8] { boxes.filter { $0.type == type }.flatMap { source[$0.offset..<$0.end] } }
      func meta(_ offset: Int) -> [UInt8] {
        let iloc = fullBox(
          "iloc", [0x44, 0, 0, 1], big(UInt16(1)), big(UInt16(0)), big(UInt16(1)), big(UInt32(offset)), big(UInt32(4)))
        return fullBox("meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), iloc)
      }
      let item = box("mdat", ascii("item"))
      let start = bytes("ftyp") + bytes("free") + bytes("mdat")
      return start + meta(start.count + meta(0).count + 8) + item + bytes("moov")
    }
    let result = try Output.defragmenting(try file())
    let place = try #require(payloads(of: "iloc", in: result.bytes).first.map { number($0, 14) })
    #expect(Array(result.bytes[place..<place + 4]) == ascii("item"))
    #expect(result.movie.boxTypes == ["ftyp", "moov", "free", "mdat", "meta", "mdat"])
  }

  @Test("Offsets that moving moov increases beyond 32 bits become 64-bit")
  func wideOffsets() throws {
    var boxes = FragmentedFileBuilder([.video().with(\.samples, .samples(8)), .audio().with(\.samples, .samples(3))])
    boxes.fileType = []
    let built = boxes.build().initialization
    let moovSize = number(built, 0)
    // The original tables, with all offsets shifted so that the last chunk starts 100 bytes below 4 GiB.
    var moov = Array(built[..<moovSize])
    let tables = moov.indices.dropLast(8).filter { Array(moov[$0..<$0 + 4]) == ascii("stco") }
    let places = tables.flatMap { table in (0..<number(moov, table + 8)).map { table + 12 + $0 * 4 } }
    let highest = try #require(places.map { number(moov, $0) }.max())
    let shift = 1 << 32 - 100 - highest
    let mvex = try #require(moov.indices.dropLast(4).first { Array(moov[$0..<$0 + 4]) == ascii("mvex") })
    moov.replaceSubrange(mvex..<mvex + 4, with: ascii("free"))
    let before = places.map { number(moov, $0) + shift }
    for (place, offset) in zip(places, before) { moov.replaceSubrange(place..<place + 4, with: big(UInt32(offset))) }
    // ftyp, an mdat that extends beyond the data, and moov.
    let ftyp = box("ftyp", ascii("isom"), zeros(4))
    let mdatSize = 1 << 32 + 5000
    let header = big(UInt32(1)) + ascii("mdat") + big(UInt64(mdatSize))
    let source = SparseSource(
      [(0, ftyp + header), (ftyp.count + mdatSize, moov)], size: ftyp.count + mdatSize + moov.count)

    let plan = try Defragmenter().plan([source])
    let sink = NotingSink { $0.count < 4096 }
    try plan.write(to: sink)
    #expect(sink.position == plan.byteCount)
    // Each track decides on its own: the one with the last chunk needs 64 bits.
    var after: [Int] = []
    for at in sink.head.indices.dropLast(8) {
      let type = Array(sink.head[at..<at + 4])
      guard type == ascii("stco") || type == ascii("co64") else { continue }
      let width = type == ascii("stco") ? 4 : 8
      after += (0..<number(sink.head, at + 8)).map { number(sink.head, at + 12 + $0 * width, width) }
    }
    #expect(payloads(of: "co64", in: sink.head).count >= 1)
    // By the movie box and the free box after it.
    let movieEnd = ftyp.count + number(sink.head, ftyp.count)
    let moved = number(sink.head, ftyp.count) + number(sink.head, movieEnd)
    #expect(moved > moov.count && sink.head[movieEnd + 4..<movieEnd + 8].elementsEqual("free".utf8))
    #expect(after == before.map { $0 + moved })
    #expect(source.bytesRead < 200_000)
  }
}
