import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Damaged progressive files keep all samples that are present, and the output is valid")
struct ProgressiveDamageTests {
  private static let vectors = [
    "progressive.mp4", "progressive-moov-last.mp4", "encrypted-cenc.mp4", "progressive.mov", "pcm.mov",
  ]

  private func vector(_ name: String) throws -> [UInt8] { try readFile(vectorPath("files/" + name)) }

  // MARK: Damage

  /// Typical damage of files.
  enum Damage: String, CaseIterable {
    case cutOff, cutInHalf, mediaTooLarge, mediaTooSmall, mediaSizeZero, bytesBeforeMedia, bytesMissing
    case noSampleTable, noMediaInformation
    case noOffsets, noTimes, noChunks, noSizes, noDescriptions, noMediaHeader, noMovieHeader, noHandler
    case wrongOffset, shortTimes, longTimes, wrongSync, wrongChunks, wrongSize, largeTable, wrongDescription
    case trackTooLarge, tableTooSmall, garbageInMovie, noInformationSizes, noInformationOffsets, noEncryption

    func apply(to bytes: inout [UInt8]) {
      switch self {
      case .cutOff: bytes.removeLast(1000)
      case .cutInHalf: bytes.removeLast(bytes.count / 2)
      case .mediaTooLarge: Self.change(&bytes, "mdat", -4) { $0 + 100_000 }
      case .mediaTooSmall: Self.change(&bytes, "mdat", -4) { $0 / 2 }
      case .mediaSizeZero: Self.change(&bytes, "mdat", -4) { _ in 0 }
      case .bytesBeforeMedia:
        if let at = Self.place(of: "mdat", in: bytes) { bytes.insert(contentsOf: [1, 2, 3, 4, 5], at: at - 4) }
      case .bytesMissing:
        if let at = Self.place(of: "mdat", in: bytes) { bytes.removeSubrange(at + 2000..<at + 2100) }
      case .noSampleTable: Self.rename(&bytes, "stbl")
      case .noMediaInformation: Self.rename(&bytes, "minf")
      case .noOffsets: Self.rename(&bytes, "stco")
      case .noTimes: Self.rename(&bytes, "stts")
      case .noChunks: Self.rename(&bytes, "stsc")
      case .noSizes: Self.rename(&bytes, "stsz")
      case .noDescriptions: Self.rename(&bytes, "stsd")
      case .noMediaHeader: Self.rename(&bytes, "mdhd")
      case .noMovieHeader: Self.rename(&bytes, "mvhd")
      case .noHandler: Self.rename(&bytes, "hdlr")
      case .noInformationSizes: Self.rename(&bytes, "saiz")
      case .noInformationOffsets: Self.rename(&bytes, "saio")
      case .noEncryption: Self.rename(&bytes, "senc")
      case .wrongOffset: Self.change(&bytes, "stco", 12) { _ in 0x7fff_0000 }
      case .shortTimes: Self.change(&bytes, "stts", 12) { $0 - 1 }
      case .longTimes: Self.change(&bytes, "stts", 12) { $0 + 7 }
      case .wrongSync: Self.change(&bytes, "stss", 12) { _ in 90_000 }
      case .wrongChunks: Self.change(&bytes, "stsc", 16) { $0 + 3 }
      case .wrongSize: Self.change(&bytes, "stsz", 16) { _ in 0x4000_0000 }
      case .largeTable: Self.change(&bytes, "stsc", 8) { _ in 1 << 20 }
      case .wrongDescription: Self.change(&bytes, "stsc", 20) { _ in 9 }
      case .trackTooLarge: Self.change(&bytes, "trak", -4) { $0 + 40 }
      case .tableTooSmall: Self.change(&bytes, "stbl", -4) { $0 - 30 }
      case .garbageInMovie:
        if let at = Self.place(of: "trak", in: bytes) {
          bytes.insert(contentsOf: [0xff, 1, 2, 3, 0xfe, 9, 9, 9], at: at - 4)
        }
      }
    }

    /// The position of the type of the first box with this type.
    fileprivate static func place(of type: String, in bytes: [UInt8]) -> Int? {
      let letters = ascii(type)
      return bytes.indices.dropLast(24).first { bytes[$0] == letters[0] && Array(bytes[$0..<$0 + 4]) == letters }
    }
    private static func rename(_ bytes: inout [UInt8], _ type: String) {
      if let at = place(of: type, in: bytes) { bytes.replaceSubrange(at..<at + 4, with: ascii("free")) }
    }
    /// Changes the number at this distance from the start of the type.
    fileprivate static func change(_ bytes: inout [UInt8], _ type: String, _ offset: Int, _ change: (UInt32) -> UInt32)
    {
      guard let at = place(of: type, in: bytes) else { return }
      let old = UInt32(number(bytes, at + offset))
      bytes.replaceSubrange(at + offset..<at + offset + 4, with: big(change(old)))
    }
  }

  @Test(
    "The output is readable regardless of the damage", arguments: Damage.allCases,
    Effort.some(vectors, short: 1))
  func isReadWhole(_ damage: Damage, _ name: String) throws {
    var bytes = try vector(name)
    damage.apply(to: &bytes)
    for isMovieFirst in [true, false] {
      var options = Defragmenter.Options()
      options.isMovieFirst = isMovieFirst
      guard let plan = self.plan(bytes, options) else { continue }
      let sink = MemorySink()
      try plan.write(to: sink)
      try check(sink.bytes, plan.report)
    }
    let source = MemorySource(bytes, name: "in.mp4")
    guard
      case .success(let plan) = Result(catching: { () throws(MovieError) in try Defragmenter().planInPlace(source) })
    else { return }
    let recorder = InPlaceRecorder()
    try plan.write(to: recorder)
    let finished = recorder.finished(bytes)
    try check(finished, plan.report)
    let again = try Defragmenter().planInPlace(MemorySource(finished))
    #expect(again.isEmpty && again.severity == .note, "\(again.diagnostics)")
  }

  private func plan(_ bytes: [UInt8], _ options: Defragmenter.Options = Defragmenter.Options()) -> OutputPlan? {
    do throws(MovieError) {
      return try Defragmenter(options).plan([MemorySource(bytes, name: "in.mp4")])
    } catch {
      #expect(error.description.hasPrefix("in.mp4: "))
      return nil
    }
  }

  /// Reads an output with the simple reader and with our own reader: both find the samples of the report, with all
  /// their bytes.
  private func check(_ output: [UInt8], _ report: DefragmentReport?) throws {
    let movie = try SampleReader.read(output)
    #expect(movie.tracks.map(\.samples.count) == report?.tracks.map(\.sampleCount))
    #expect(movie.tracks.flatMap(\.places).allSatisfy { $0.upperBound <= output.count })
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    let again = try Defragmenter(options).plan([MemorySource(output, name: "again.mp4")])
    #expect(again.severity ?? .note < .error, "\(again.diagnostics)")
    #expect(again.report?.tracks.map(\.sampleCount) == report?.tracks.map(\.sampleCount))
  }

  // MARK: Kept samples

  @Test("A truncated file keeps the samples whose data is present, and the others are counted as lost")
  func cutOff() throws {
    let bytes = try vector("progressive.mp4")
    let before = try SampleReader.read(bytes)
    for missing in [1, 1000, bytes.count / 2] {
      let end = bytes.count - missing
      let result = try Output.defragmenting(Array(bytes[..<end]))
      var lost = 0
      for track in before.tracks {
        let kept = zip(track.samples, track.places).filter { $0.1.upperBound <= end }.map(\.0)
        lost += track.samples.count - kept.count
        #expect(difference(kept, result[track.id]?.samples ?? []) == nil)
      }
      let plan = try #require(self.plan(Array(bytes[..<end])))
      #expect(plan.report?.lostSampleCount == lost && lost > 0 && plan.severity == .error)
      #expect(result.movie.tracks.allSatisfy { $0.trackDuration <= result.movie.duration })
    }
  }

  @Test("Samples after lost ones keep their times")
  func hole() throws {
    var bytes = try vector("progressive.mp4")
    let before = try SampleReader.read(bytes)
    Damage.wrongOffset.apply(to: &bytes)
    let plan = try #require(self.plan(bytes))
    let result = try Output(plan)
    let (old, new) = (before.tracks[0].samples, try #require(result.movie.tracks.first).samples)
    let lost = old.count - new.count
    #expect(lost > 0 && plan.report?.lostSampleCount == lost)
    let start = old[lost].decodeTime
    #expect(zip(old[lost...], new).allSatisfy { $0.decodeTime - start == $1.decodeTime && $0.payload == $1.payload })
    #expect(difference(before.tracks[1].samples, result.movie.tracks[1].samples) == nil)
    // The start is later by the duration of the lost samples.
    let starts = (before.presentationStart, result.movie.presentationStart)
    let moved = try #require(starts.1[1]) - (try #require(starts.1[2]))
    let original = try #require(starts.0[1]) - (try #require(starts.0[2]))
    #expect(moved == original + Seconds(start, before.tracks[0].timescale))
  }

  @Test(
    "A track without a necessary table is reported as lost, and the others are kept",
    arguments: [Damage.noOffsets, .noTimes, .noChunks, .noSizes])
  func lostTrack(_ damage: Damage) throws {
    var bytes = try vector("progressive-moov-last.mp4")
    let before = try SampleReader.read(bytes)
    damage.apply(to: &bytes)
    let plan = try #require(self.plan(bytes))
    let result = try Output(plan)
    #expect(result.movie.tracks.map(\.id) == before.tracks.map(\.id))
    #expect(result.movie.tracks[0].samples.isEmpty)
    #expect(difference(before.tracks[1].samples, result.movie.tracks[1].samples) == nil)
    #expect(plan.report?.lostSampleCount == before.tracks[0].samples.count && plan.severity == .error)
    #expect(
      result.texts(.error).allSatisfy { $0.contains("track 1: its samples cannot be found: moov/trak/mdia/minf/stbl") })
  }

  @Test(
    "Wrong row counts and chunk sizes are corrected from the rest of the file, and no sample is lost",
    arguments: [
      ("stsz", 12, 3), ("stsz", 12, 0xff_ffff), ("ctts", 8, 0xff_ffff), ("ctts", 8, 1), ("stss", 8, 0xff_ffff),
      ("stts", 8, 0xff_ffff), ("stco", 8, 0xff_ffff), ("stco", 8, 1), ("stsc", 8, 1 << 20), ("stsc", 8, 1),
      ("stsc", 16, 0x7f00_0001), ("stsc", 16, 3),
    ] as [(String, Int, UInt32)])
  func wrongNumber(_ table: String, _ offset: Int, _ number: UInt32) throws {
    for name in ["progressive.mp4", "progressive-moov-last.mp4"] {
      var bytes = try vector(name)
      let before = try SampleReader.read(bytes)
      Damage.change(&bytes, table, offset) { _ in number }
      let plan = try #require(self.plan(bytes))
      #expect(try Output(plan).movie.samples == before.samples, "\(name)")
      #expect(plan.severity == .warning && plan.report?.lostSampleCount == 0, "\(plan.diagnostics)")
    }
  }

  @Test("Samples without a size are lost; their number is the one that times and chunks agree on")
  func missingSizes() throws {
    var bytes = try vector("progressive.mp4")
    let before = try SampleReader.read(bytes)
    let at = try #require(Damage.place(of: "stsz", in: bytes))
    let rest = UInt32(number(bytes, at - 4) - 32)
    bytes.replaceSubrange(at - 4..<at, with: big(UInt32(32)))
    bytes.replaceSubrange(at + 12..<at + 16, with: big(UInt32(3)))
    bytes.replaceSubrange(at + 28..<at + 36, with: big(rest) + ascii("free"))
    let plan = try #require(self.plan(bytes))
    let result = try Output(plan)
    #expect(difference(Array(before.tracks[0].samples.prefix(3)), result.movie.tracks[0].samples) == nil)
    #expect(plan.report?.lostSampleCount == before.tracks[0].samples.count - 3 && plan.severity == .error)
  }

  @Test(
    "A track without any description of its samples is omitted",
    arguments: [Damage.noMediaHeader, .noMediaInformation, .noSampleTable, .noDescriptions])
  func unusableTrack(_ damage: Damage) throws {
    var bytes = try vector("progressive.mp4")
    let before = try SampleReader.read(bytes)
    damage.apply(to: &bytes)
    let plan = try #require(self.plan(bytes))
    let result = try Output(plan)
    #expect(result.movie.tracks.map(\.id) == [before.tracks[1].id])
    #expect(difference(before.tracks[1].samples, result.movie.tracks[0].samples) == nil)
    // Without the sample table, the number of samples is unknown.
    let isCounted = damage == .noMediaHeader || damage == .noDescriptions
    #expect(plan.report?.lostSampleCount == (isCounted ? before.tracks[0].samples.count : 0))
    #expect(plan.diagnostics.filter { $0.severity == .error }.count == 1)
    #expect(result.texts(.error).allSatisfy { $0.contains("a track cannot be used: moov/trak/mdia/m") })
  }

  @Test("A missing media header is re-created with a warning")
  func missingHandler() throws {
    var bytes = try vector("progressive.mp4")
    let before = try SampleReader.read(bytes)
    Damage.noHandler.apply(to: &bytes)
    let result = try Output(try #require(self.plan(bytes)))
    #expect(result.movie.samples == before.samples)
    #expect(result.texts(.warning) == ["in.mp4: moov/trak/mdia/hdlr: the box is missing; it is re-created"])
  }

  @Test("Tables that contradict each other are re-created with a warning, and no sample is lost")
  func contradictions() throws {
    for damage in [Damage.shortTimes, .longTimes, .wrongSync] {
      var bytes = try vector("progressive.mp4")
      let before = try SampleReader.read(bytes)
      damage.apply(to: &bytes)
      let plan = try #require(self.plan(bytes))
      let result = try Output(plan)
      #expect(result.movie.tracks.map(\.samples.count) == before.tracks.map(\.samples.count))
      #expect(plan.severity == .warning && plan.report?.lostSampleCount == 0)
      #expect(result.texts(.warning).contains { $0.hasSuffix("; the sample tables are re-created") })
    }
  }

  @Test(
    "Without saiz or saio, senc declares the encryption of samples; without senc, they do",
    arguments: [Damage.noInformationSizes, .noInformationOffsets, .noEncryption], [false, true])
  func encryption(_ damage: Damage, _ arrangesSamples: Bool) throws {
    var bytes = try vector("encrypted-cenc.mp4")
    let before = try SampleReader.read(bytes)
    damage.apply(to: &bytes)
    var options = Defragmenter.Options()
    options.isMovieFirst = !arrangesSamples
    let plan = try #require(self.plan(bytes, options))
    let result = try Output(plan)
    #expect(before.tracks[0].samples.allSatisfy { !$0.auxiliary.isEmpty })
    #expect(result.movie.samples == before.samples)
    #expect(plan.severity ?? .note < .error, "\(plan.diagnostics)")
  }

  @Test("An undamaged file is copied byte for byte", arguments: ["progressive.mp4", "encrypted-cenc.mp4"])
  func whole(_ name: String) throws {
    let bytes = try vector(name)
    let plan = try #require(self.plan(bytes))
    let result = try Output(plan)
    #expect(result.bytes.count == bytes.count && plan.severity == .note && plan.report?.lostSampleCount == 0)
    #expect(try Output.defragmenting(result.bytes).bytes == result.bytes)
  }
}
