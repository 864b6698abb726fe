import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Plans and refusals of changes in place")
struct InPlacePlanTests {
  private func plan(_ bytes: [UInt8]) -> Result<InPlacePlan, MovieError> {
    Result { () throws(MovieError) in try Defragmenter().planInPlace(MemorySource(bytes, name: "in.mp4")) }
  }
  private func finished(_ bytes: [UInt8]) throws -> (bytes: [UInt8], plan: InPlacePlan) {
    let recorder = InPlaceRecorder()
    let plan = try plan(bytes).get()
    try plan.write(to: recorder)
    return (recorder.finished(bytes), plan)
  }
  private func refusal(_ bytes: [UInt8]) -> MovieError? {
    if case .failure(let error) = plan(bytes) { error } else { nil }
  }
  private func builder() -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(3)
    return file
  }

  @Test("The file consists of its start up to the movie box, one mdat, and the new movie box")
  func layout() throws {
    let built = builder().build()
    let (bytes, plan) = try finished(built.bytes)
    #expect(bytes.count == built.bytes.count + plan.byteCount)
    #expect(try SampleReader.read(bytes).boxTypes == ["ftyp", "mdat", "moov"])
    // Only the header of the old movie box differs.
    let changed = built.bytes.indices.filter { built.bytes[$0] != bytes[$0] }
    let start = number(built.bytes, 0)
    #expect(changed.allSatisfy { (start..<start + 8).contains($0) })
    #expect(plan.diagnostics.isEmpty)
  }

  @Test("The result equals a copy except for chunk offsets and box order")
  func sameMovie() throws {
    var file = builder()
    file.addFragment {
      $0.addTraf(2, .samples(60))
      $0.addTraf(1, .samples(60), firstSampleFlags: .sync)
    }
    let built = file.build()
    let copy = try Output.defragmenting(built.bytes).movie
    let movie = try SampleReader.read(finished(built.bytes).bytes)
    #expect(movie.samples == copy.samples)
    #expect(movie.tracks.map(\.chunkCount) == copy.tracks.map(\.chunkCount))
    #expect(movie.tracks.map(\.edits) == copy.tracks.map(\.edits))
    #expect(movie.duration == copy.duration)
  }

  @Test("Samples of a fragment that are not adjacent are in separate chunks")
  func chunks() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addFragment {
      $0.addTraf(2) {
        $0.addRun(.samples(3))
        $0.addRun(.samples(3), unusedBytesBefore: 5)
        $0.addRun(.samples(2))
      }
    }
    let built = file.build()
    let movie = try SampleReader.read(finished(built.bytes).bytes)
    #expect(movie.tracks[0].chunkCount == 2)
    #expect(movie.tracks[0].places == built.places[2])
    #expect(try Output.defragmenting(built.bytes).movie.tracks[0].chunkCount == 1)
  }

  @Test("Auxiliary information is at the end of the media data")
  func auxiliaryInformation() throws {
    let vectors = (1...3 as ClosedRange<UInt8>).map { [UInt8](repeating: $0, count: 8) }
    var file = FragmentedFileBuilder([.video()])
    file.addFragment { $0.addTraf(1, .samples(3), boxes: fullBox("senc", big(UInt32(3)), vectors.flatMap { $0 })) }
    let built = file.build()
    let bytes = try finished(built.bytes).bytes
    let saio = try #require(payloads(of: "saio", in: bytes).first)
    #expect(number(saio, 8) == built.bytes.count + 8)
    #expect(Array(bytes[number(saio, 8)..<number(saio, 8) + 24]) == vectors.flatMap { $0 })
    #expect(try SampleReader.read(bytes).boxTypes == ["ftyp", "mdat", "moov"])
  }

  @Test(
    "Boxes after the old movie box are repeated after the new one, and metadata items are found in place")
  func keptBoxes() throws {
    let iloc = fullBox(
      "iloc", [0x44, 0x00], big(UInt16(1)), big(UInt16(1)), zeros(2), big(UInt16(1)), big(UInt32(40)), big(UInt32(4)))
    let meta = fullBox("meta", fullBox("hdlr", zeros(20)), iloc)
    var file = builder()
    file.boxesBeforeMovie = box("uuid", zeros(16), ascii("before"))
    file.addBoxes(meta, fullBox("emsg", zeros(20)))
    file.addFragments(1)
    file.addBoxes(box("abcd", ascii("behind")))
    let (bytes, plan) = try finished(file.build().bytes)
    #expect(try SampleReader.read(bytes).boxTypes == ["ftyp", "uuid", "mdat", "moov", "meta", "abcd"])
    #expect(Array(bytes.suffix(14 + meta.count)) == meta + box("abcd", ascii("behind")))
    #expect(plan.diagnostics.map(\.severity) == [.note])
  }

  @Test("A file that is already progressive needs no write, also after a change in place")
  func progressive() throws {
    let bytes = try finished(builder().build().bytes).bytes
    let plan = try plan(bytes).get()
    #expect(plan.isEmpty && plan.byteCount == 0)
    #expect(
      plan.diagnostics.map(\.description) == ["in.mp4: already progressive; nothing to do"])
    #expect(plan.severity == .note)
  }

  /// The same file with the type `free` instead of the first box of a type.
  private func without(_ type: String, _ bytes: [UInt8]) throws -> [UInt8] {
    let place = try #require(bytes.indices.first { Array(bytes[$0...].prefix(4)) == ascii(type) })
    return Array(bytes[..<place]) + ascii("free") + Array(bytes[(place + 4)...])
  }

  @Test(
    "A file is not changed if a whole track would be lost",
    arguments: ["tkhd", "mdia", "mdhd", "minf", "stbl", "stsd"], [true, false])
  func lostTrack(_ type: String, isFragmented: Bool) throws {
    let fragmented = builder().build().bytes
    let whole = try isFragmented ? fragmented : Output.defragmenting(fragmented).bytes
    let error = try #require(refusal(try without(type, whole)))
    // If a container is missing, the first box in it is named.
    let named = type == "mdia" ? "mdhd" : type
    #expect(error.reason.hasPrefix("moov/trak/") && error.reason.contains("\(named): the box is missing"))
    #expect(error == .impossible(file: "in.mp4", Obstacle("lost_track", "")) && error.remedy == .writeOtherTracks)
  }

  @Test("A file is not changed if the samples of a track cannot be found")
  func lostTable() throws {
    let whole = try Output.defragmenting(builder().build().bytes).bytes
    let error = try #require(refusal(try without("stco", whole)))
    #expect(error.obstacle?.code == "lost_track" && error.reason.contains("stco: the box is missing"))
  }

  @Test("Re-created boxes of the movie box are reported in place too", arguments: ["mvhd", "hdlr"])
  func recreated(_ type: String) throws {
    let (bytes, plan) = try finished(try without(type, builder().build().bytes))
    #expect(plan.severity == .warning)
    #expect(plan.diagnostics.map(\.text).contains { $0.hasSuffix("\(type): the box is missing; it is re-created") })
    #expect(try SampleReader.read(bytes).tracks.map(\.samples.count) == [12, 12])
  }

  @Test("Inconsistent tables of a progressive file are re-created in place")
  func damagedProgressive() throws {
    // The movie box comes first.
    let bytes = try Output.defragmenting(builder().build().bytes).bytes
    let (cut, plan) = try finished(Array(bytes.dropLast(5)))
    let before = try SampleReader.read(bytes).samples, after = try SampleReader.read(cut).samples
    #expect(plan.severity == .error && plan.report?.lostSampleCount == 1)
    #expect(before.values.joined().count == after.values.joined().count + 1)
    for (track, samples) in after {
      #expect(difference(Array((before[track] ?? []).prefix(samples.count)), samples) == nil)
    }
    #expect(try self.plan(cut).get().isEmpty)
    // A table that does not fit in its box.
    var damaged = bytes
    let stsc = try #require(bytes.indices.first { bytes[$0...].starts(with: ascii("stsc")) })
    damaged.replaceSubrange(stsc + 8..<stsc + 12, with: big(UInt32(1 << 20)))
    let (mended, warned) = try finished(damaged)
    #expect(warned.severity == .warning && warned.report?.lostSampleCount == 0, "\(warned.diagnostics)")
    #expect(try SampleReader.read(mended).samples == before)
  }

  @Test("Changes that are impossible in place are refused with the reason")
  func refusals() throws {
    let built = builder().build()
    func impossible(_ code: Obstacle.Code) -> MovieError { .impossible(file: "in.mp4", Obstacle(code, "")) }
    #expect(refusal(built.segments[0] + built.initialization) == impossible("visible_fragments"))
    #expect(refusal(Array(repeating: 0, count: 35) + built.bytes) == impossible("not_a_box"))
    var indexed = builder()
    indexed.boxesBeforeMovie = fullBox("sidx", zeros(20))
    #expect(refusal(indexed.build().bytes) == impossible("visible_fragments"))
    #expect(refusal(built.initialization) == impossible("no_samples"))
    #expect(refusal(built.segments[0]) == .segmentFirst(file: "in.mp4"))
    #expect(refusal(ascii("no such thing")) == .text(file: "in.mp4"))
    let lost = try #require(built.places[1]?[0].lowerBound)
    #expect(refusal(Array(built.bytes.prefix(lost))) == impossible("nothing_left"))
  }

  @Test("A movie box whose header crosses a sector is refused; one that just fits is not", arguments: 490...520)
  func sectors(offset: Int) throws {
    var file = builder()
    file.boxesBeforeMovie = box("free", zeros(offset - file.fileType.count - 8))
    let built = file.build()
    #expect(number(built.bytes, file.fileType.count) + file.fileType.count == offset)
    // Only the last two bytes of the size change, and the second to fourth of the type.
    if (505...509).contains(offset) {
      #expect(refusal(built.bytes) == .impossible(file: "in.mp4", Obstacle("crosses_sector", "")))
    } else {
      let bytes = try finished(built.bytes).bytes
      #expect(try SampleReader.read(bytes).boxTypes == ["ftyp", "free", "mdat", "moov"])
    }
  }

  @Test("Damage at the end whose header crosses a sector is refused")
  func damageAcrossSectors() throws {
    let built = builder().build()
    let padding = 2 * 512 - 4 - (built.bytes.count + 8) % 512
    let bytes = built.bytes + box("free", zeros(padding)) + zeros(100)
    let error = try #require(refusal(bytes))
    #expect(error.obstacle?.code == "crosses_sector" && error.reason.contains("at byte \(bytes.count - 100) "))
  }

  @Test("A last mdat of size 0 that is too long for a 32-bit size stays open, unless samples are missing")
  func openEnd() throws {
    let size: UInt32 = 0xf000_0000
    func fragment(_ header: [UInt8]) -> [UInt8] {
      func moof(_ dataOffset: Int) -> [UInt8] {
        let samples = (0..<2).flatMap { _ in big(size) }
        let trun = fullBox("trun", flags: 0x201, big(UInt32(2)), big(Int32(dataOffset)), samples)
        let tfhd = fullBox("tfhd", flags: 0x2_0000, big(UInt32(1)))
        return box("moof", fullBox("mfhd", big(UInt32(1))), box("traf", tfhd, trun))
      }
      return moof(moof(0).count + 8) + header
    }
    let start = FragmentedFileBuilder([.video()]).build().initialization + fragment(zeros(4) + ascii("mdat"))
    func plan(_ count: Int) -> Result<[InPlaceRecorder.Event], any Error> {
      Result {
        let recorder = InPlaceRecorder()
        try Defragmenter().planInPlace(SparseSource([(0, start)], size: start.count + count)).write(to: recorder)
        return recorder.events
      }
    }
    let whole = 2 * Int(size)
    #expect(try plan(whole).get().first == .append(zeros(4) + ascii("free"), at: start.count + whole))
    let error = try #require(throws: MovieError.self) { try plan(whole - 1).get() }
    #expect(error.obstacle?.code == "endless_box")
  }

  @Test("Beyond 4 GiB, mdat has a 64-bit size, chunks have 64-bit offsets, and no media is read")
  func large() throws {
    let built = builder().build()
    let hole = 5 << 30
    let segment = built.segments[0]
    let init0 = built.initialization
    let header = big(UInt32(1)) + ascii("free") + big(UInt64(hole))
    let end = init0.count + hole
    let source = SparseSource([(0, init0 + header), (end, segment)], size: end + segment.count)
    let recorder = InPlaceRecorder()
    let plan = try Defragmenter().planInPlace(source)
    try plan.write(to: recorder)
    let start = number(init0, 0)
    var appended: [UInt8] = []
    for event in recorder.events { if case .append(let bytes, _) = event { appended += bytes } }
    let table = try #require(payloads(of: "co64", in: appended).first)
    #expect(number(table, 8, 8) == end + (built.places[1]?[0].lowerBound ?? 0) - init0.count)
    // The new header shares bytes with `moov`; only different bytes are written.
    var head = Array(init0[start..<start + 16])
    for event in recorder.events {
      if case .commit(let bytes, let offset) = event {
        head.replaceSubrange(offset - start..<offset - start + bytes.count, with: bytes)
      }
    }
    #expect(head == big(UInt32(1)) + ascii("mdat") + big(UInt64(source.size + 8 - start)))
    #expect(source.bytesRead < 100_000)
  }
}
