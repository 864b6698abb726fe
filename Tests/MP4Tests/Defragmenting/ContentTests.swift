import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Rows 28 and 31 to 37: other contents of the files.
@Suite("Contents of the movie are kept, delivery information is removed")
struct ContentTests {
  private func file() -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(2)
    return file
  }

  @Test("Row 28: styp, sidx, ssix and mfra are removed, and a wrong sidx has no effect")
  func delivery() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.randomAccess = .init()
    for _ in 0..<3 {
      file.startSegment()
      file.addBoxes(box("styp", ascii("msdh"), zeros(4)))
      // Claims that the video starts at 77 s.
      file.addBoxes(
        fullBox(
          "sidx", version: 1, big(UInt32(1)), big(UInt32(1)), big(UInt64(77)), zeros(8), zeros(2), big(UInt16(1)),
          big(UInt32(100)), big(UInt32(100)), zeros(4)))
      file.addBoxes(fullBox("ssix", zeros(4)), box("free", zeros(9)))
      file.addFragments(1)
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.boxTypes == ["ftyp", "moov", "mdat"])
    #expect(result.diagnostics == [])
    check(try .defragmenting(named([built.initialization] + built.segments)), built)
  }

  @Test("Row 31: a repeated init segment, with styp before it, changes nothing")
  func repeatedInit() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for index in 0..<3 {
      file.startSegment()
      if index > 0 { file.parts.append(.initialization) }
      file.addBoxes(box("styp", ascii("msdh"), zeros(4)))
      file.addFragments(1)
    }
    let built = file.build()
    check(try .defragmenting(built.bytes), built)
    check(try .defragmenting(named([built.initialization] + built.segments)), built)
    check(try .defragmenting(named([built.initialization, built.initialization + built.segments[0]])), built.only(4))
  }

  @Test("Row 31: another init segment in the middle of a file is refused")
  func anotherInit() throws {
    let built = file().build()
    var other = file()
    other.tracks[0].sampleEntries = [EntryBytes.avc1(level: 40)]
    let sources = named([built.initialization, built.segments[0], built.segments[1] + other.build().initialization])
    let error = #expect(throws: MovieError.self) { try Defragmenter().plan(sources) }
    #expect(error == .impossible(file: "segment2.m4s", Obstacle("other_movie", "")) && error?.remedy == .concatenate)
  }

  @Test("Row 32: samples of the movie box precede those of the fragments")
  func hybrid() throws {
    let samples: [SampleSpec] = .samples(6, duration: 300, flags: .depends, offset: -5)
    var file = FragmentedFileBuilder([.video().with(\.samples, samples), .audio().with(\.samples, .samples(9))])
    file.addFragments(2)
    let built = file.build()
    #expect(built.samples.mapValues(\.count) == [1: 14, 2: 17])
    check(try .defragmenting(built.bytes), built)
  }

  @Test("Row 32: an edit to the end of the samples of the movie box extends to the end of the fragments")
  func hybridEdit() throws {
    // 900 units of media; the edit is one movie time unit shorter.
    let track = TrackSpec.audio().with(\.samples, .samples(9, duration: 100)).with(\.timescale, 1000)
    var file = FragmentedFileBuilder([track.with(\.edits, [EditSpec(duration: 899, mediaTime: 50)])])
    file.movieTimescale = 1000
    file.addFragment { $0.addTraf(2, .samples(5, duration: 100)) }
    let result = try Output.defragmenting(file.build().bytes)
    #expect(payloads(of: "elst", in: result.bytes).map { number($0, 8) } == [1350])
  }

  @Test("Row 33: two trafs of one track in a moof, and a moof for each track")
  func trafs() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragment { fragment in
      for track: UInt32 in [1, 2, 1, 1] { fragment.addTraf(track, .samples(2)) }
    }
    for track: UInt32 in [2, 1, 2, 2, 1] { file.addFragment { $0.addTraf(track, .samples(2)) } }
    check(try .defragmenting(file.build().bytes), file.build())
  }

  @Test("Row 34: a track without samples stays empty and is reported")
  func emptyTrack() throws {
    var file = FragmentedFileBuilder([.video(), .text(), .audio()])
    file.addFragment { fragment in
      fragment.addTraf(1, .samples(4))
      fragment.addTraf(2, .samples(4))
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[3]?.samples.isEmpty == true && result[3]?.duration == 0)
    #expect(result.texts(.note) == ["init.mp4: track 3: it has no samples"])
  }

  @Test("Fragments without samples are refused, also in place")
  func noSamples() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragment { fragment in
      fragment.addTraf(1, .samples(0))
      fragment.addTraf(2, .samples(0))
    }
    let source = MemorySource(file.build().bytes, name: "in.mp4")
    let refusals = [
      #expect(throws: MovieError.self) { try Defragmenter().plan([source]) },
      #expect(throws: MovieError.self) { try Defragmenter().planInPlace(source) },
    ]
    for refusal in refusals { #expect(refusal == .impossible(file: "in.mp4", Obstacle("no_samples", ""))) }
  }

  @Test("Row 35: boxes of the movie and of its tracks are kept")
  func otherBoxes() throws {
    let userData = box("udta", box("name", ascii("A file")))
    let private1 = box("uuid", [UInt8](0..<16), ascii("kept"))
    let language = fullBox("elng", ascii("de-CH"), [0])
    var file = FragmentedFileBuilder([
      .video().with(\.boxes, ["trak": box("tref", box("cdsc", big(UInt32(2))))]),
      .audio().with(\.language, "deu").with(\.boxes, ["mdia": language, "stbl": box("abcd", ascii("kept as well"))]),
    ])
    file.movieBoxes = userData + private1
    file.addBoxes(box("uuid", [UInt8](16..<32), ascii("of the file")))
    file.addFragments(1)
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.boxTypes == ["ftyp", "moov", "uuid", "mdat"])
    let abcd = box("abcd", ascii("kept as well"))
    for kept in [userData, private1, language, box("tref", box("cdsc", big(UInt32(2)))), abcd] {
      #expect(contains(result.bytes, kept), "\(hexDump(kept))")
    }
    #expect(contains(result.bytes, box("uuid", [UInt8](16..<32), ascii("of the file"))))
  }

  @Test("Row 36: mvex and delivery brands are removed, other brands are kept")
  func brands() throws {
    func brands(_ major: String, _ compatible: String) throws -> [String] {
      var file = self.file()
      file.fragmentDuration = 9
      file.fileType = box("ftyp", ascii(major), zeros(4), ascii(compatible))
      let result = try Output.defragmenting(file.build().bytes)
      #expect(payloads(of: "mvex", in: result.bytes).isEmpty && payloads(of: "trex", in: result.bytes).isEmpty)
      return result.movie.brands
    }
    #expect(try brands("iso5", "iso5iso6mp41dash") == ["iso5", "iso5", "iso6", "mp41", "isom"])
    #expect(try brands("cmfc", "isomiso2avc1cmf2cmfcmsdhmsixlmsg") == ["isom", "isom", "iso2", "avc1"])
    #expect(try brands("dash", "") == ["isom", "isom"])
    #expect(try brands("mp42", "isommp42") == ["mp42", "isom", "mp42"])
  }

  @Test("Row 36: a file without ftyp gets one")
  func noFileType() throws {
    var file = self.file()
    file.fileType = []
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.brands.contains("isom"))
  }

  @Test("Row 37: the durations of movie and tracks are rounded to the nearest movie time unit")
  func durations() throws {
    var file = FragmentedFileBuilder([
      .video().with(\.trackDuration, 5).with(\.mediaDuration, 6), .audio(),
    ])
    file.movieDuration = 7
    // 3 * 512 / 12800 s = 120 ms; 5 * 1024 / 48000 s = 106.67 ms.
    file.addFragment { fragment in
      fragment.addTraf(1, .samples(3))
      fragment.addTraf(2, .samples(5))
    }
    let result = try Output.defragmenting(file.build().bytes)
    #expect(result.movie.tracks.map(\.duration) == [1536, 5120])
    #expect(result.movie.tracks.map(\.trackDuration) == [120, 107])
    #expect(result.movie.duration == 120)
  }

  @Test("Row 37: durations of more than 32 bits need version 1")
  func longDurations() throws {
    var file = FragmentedFileBuilder([.video().with(\.timescale, 1000)])
    file.addFragment { $0.addTraf(1, .samples(3, duration: 4_000_000_000)) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.duration == 12_000_000_000)
    for type in ["mvhd", "tkhd", "mdhd"] { #expect(payloads(of: type, in: result.bytes).first?[0] == 1) }
  }

  @Test("Omitted events and fragment information are reported")
  func omitted() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addBoxes(fullBox("emsg", zeros(30)), fullBox("emsg", zeros(30)), fullBox("prft", zeros(16)))
    file.addFragment { fragment in
      fragment.addTraf(2) {
        $0.addRun(.samples(2))
        $0.boxes = box("udta", zeros(8))
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(
      result.diagnostics.map(\.description).sorted() == [
        "init.mp4: 1 udta box of the track fragments cannot be carried over; omitted",
        "init.mp4: a progressive file cannot contain 1 prft box; omitted",
        "init.mp4: a progressive file cannot contain 2 emsg boxes; omitted",
      ])
  }
}

func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
  bytes.indices.dropLast(part.count - 1).contains { at in
    bytes[at] == part[0] && bytes[at..<at + part.count].elementsEqual(part)
  }
}

extension BuiltFile {
  /// The file with only the first `count` samples of each track.
  fileprivate func only(_ count: Int) -> BuiltFile {
    var file = self
    file.samples = samples.mapValues { Array($0.prefix(count)) }
    return file
  }
}
