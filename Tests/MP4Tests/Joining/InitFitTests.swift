import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Segments of another rendition, or of another kind of media, with a wrong init segment.
@Suite("Segments that do not match the init segment")
struct InitFitTests {
  private static func source(_ bytes: [UInt8], _ name: String) -> any ByteSource { MemorySource(bytes, name: name) }
  private static func vector(_ path: String) throws -> any ByteSource {
    MemorySource(try readFile(vectorPath("files/" + path)), name: path)
  }

  /// The messages of defragmenting and joining, and the number of samples in the output.
  private func run(_ sources: [any ByteSource], isForced: Bool = false) throws -> (texts: [String], samples: Int) {
    var options = Defragmenter.Options()
    options.reading.takesAllSegments = isForced
    let result = try Output(Defragmenter(options).plan(sources))
    var joiner = Joiner()
    joiner.takesAllSegments = isForced
    let joined = try Output(joiner.plan(sources))
    let misfits = { (diagnostics: [Diagnostic]) in
      diagnostics.filter { if case .misfit = $0.kind { true } else { false } }
    }
    #expect(misfits(result.diagnostics) == misfits(joined.diagnostics))
    #expect(misfits(result.diagnostics).allSatisfy { $0.severity == .error })
    let count = result.movie.samples.values.reduce(0) { $0 + $1.count }
    let again = try Output.defragmenting(joined.bytes)
    #expect(isForced || again.movie.samples.values.reduce(0) { $0 + $1.count } == count)
    return (misfits(result.diagnostics).map(\.description), count)
  }

  @Test("An audio segment among video segments is omitted because of its index, at any position")
  func index() throws {
    let pictures = try ["video/init.mp4", "video/segment1.m4s", "video/segment2.m4s"].map(Self.vector)
    let sound = try Self.vector("audio/segment2.m4s")
    let whole = try Output.defragmenting(pictures)
    for place in 1...3 {
      var sources = pictures
      sources.insert(sound, at: place)
      let result = try run(sources)
      #expect(
        result.texts == [
          "audio/segment2.m4s: it does not match the init segment video/init.mp4: its timescale is 22050, not 12800; "
            + "omitted"
        ])
      #expect(result.samples == whole.movie.samples.values.reduce(0) { $0 + $1.count })
    }
    #expect(try run([pictures[0], sound, pictures[1]], isForced: true).texts == [])
  }

  @Test("It is an error with the reason if no segment matches the init segment")
  func nothing() throws {
    let sources = try ["video/init.mp4", "audio/segment1.m4s", "audio/segment2.m4s"].map(Self.vector)
    let error = #expect(throws: MovieError.self) { try Defragmenter().plan(sources) }
    #expect(
      error?.description
        == "audio/segment1.m4s: it does not match the init segment video/init.mp4: its timescale is 22050, "
        + "not 12800; use the matching one"
    )
  }

  @Test("Segments of tracks that the init segment does not declare are omitted")
  func tracks() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(3)
    let built = file.build()
    var other = FragmentedFileBuilder([.audio(id: 7)])
    other.addFragments(1)
    var sources = named([built.initialization] + built.segments)
    sources.insert(Self.source(other.build().segments[0], "sound"), at: 2)
    let result = try run(sources)
    #expect(
      result.texts == ["sound: it does not match the init segment init.mp4: it has fragments of track 7; omitted"])
    #expect(result.samples == 12)
    // It contains nothing usable.
    #expect(try run(sources, isForced: true).texts == result.texts)
  }

  @Test("Segments whose samples have the default size of another init segment are omitted")
  func defaultSizes() throws {
    func file(_ size: UInt32) -> BuiltFile {
      var track = TrackSpec.audio()
      track.trex = TrackDefaults(duration: 1024, size: size, flags: .sync)
      var file = FragmentedFileBuilder([track])
      for _ in 0..<3 { file.addFragment { $0.addTraf(2, Array(repeating: SampleSpec(), count: 4)) } }
      return file.build()
    }
    let (one, two) = (file(10), file(14))
    let result = try run(named([one.initialization, one.segments[0], two.segments[1], one.segments[2]]))
    #expect(
      result.texts == [
        "segment2.m4s: it does not match the init segment init.mp4: the default sample size implies 40 bytes of media "
          + "data, but there are 56; omitted"
      ])
  }

  @Test("Video with another size or missing parameter sets belongs to another init segment")
  func parameterSets() throws {
    func unit(_ bytes: [UInt8]) -> [UInt8] { big(UInt32(bytes.count)) + bytes }
    let entry = EntryBytes.avc1()
    var configuration = DecoderConfiguration(type: "avc1", payload: entry[8...])
    func fit(_ samples: [UInt8]...) -> DecoderConfiguration.Fit {
      configuration.fit(of: samples.map { $0[...] }, size: samples[0].count)
    }
    // first_mb_in_slice 0, slice_type 7, and the parameter set ID as Exp-Golomb codes.
    let slice: [UInt8] = [0x65, 0x88, 0xff, 0xff, 0xff]
    let sliceOfSet1: [UInt8] = [0x65, 0x88, 0x5f, 0xff, 0xff]
    let large: [UInt8] = [0x67, 0x42, 0xc0, 0x1e, 0xd9, 0x00, 0xa0, 0x47, 0xfe, 0xc8]
    #expect(fit(unit([9, 0xf0]) + unit(slice)) == .fits)
    #expect(fit(unit(slice) + zeros(3)) == .fits)
    #expect(fit(unit(sliceOfSet1)) == .differs(.pictureParameterSet(1)))
    if let size = SequenceParameters(avc: large[...]) {
      let mismatch = SampleMismatch.pictureSize(
        width: size.width, height: size.height, declaredWidth: 160, declaredHeight: 90)
      #expect(fit(unit(large) + unit(slice)) == .differs(mismatch))
      #expect("\(mismatch)" == "its pictures are \(size.width)x\(size.height), not 160x90")
    }
    #expect(fit([1, 2, 3, 4, 5, 6]) == .malformed(.notNALUnits(lengthSize: 4)))
    configuration = DecoderConfiguration(type: "mp4a", payload: EntryBytes.mp4a()[8...])
    let (single, pair): ([UInt8], [UInt8]) = ([0x01, 2, 3], [0x21, 2, 3])
    #expect(fit(single, single, single, single) == .fits)
    #expect(fit(pair, pair, pair, pair) == .differs(.channels(2, declared: 1)))
    #expect(fit(pair, pair, pair) == .unknown && fit(pair, pair, single, pair) == .unknown)
    // Truncated or missing data is no reason to refuse.
    for count in 0..<large.count { _ = fit(Array((unit(large) + unit(slice)).prefix(count + 4))) }
    configuration = DecoderConfiguration(type: "hvc1", payload: [])
    #expect(fit(slice) == .unknown)
  }

  @Test("An init segment is found at any position among its segments")
  func initAnywhere() throws {
    let built = JoinTests.file(4).build()
    let sources = JoinTests.sources(built, [0, 1, 2, 3])
    for place in 1...4 {
      var given = Array(sources[1...])
      given.insert(sources[0], at: place)
      #expect(try Output.joining(given).bytes == built.bytes)
      let result = try Output.defragmenting(given)
      check(result, built)
      #expect(result.texts(.note) == ["init.mp4: it is the init segment of the segments before it; read first"])
    }
  }

  @Test("Segments of one folder are assigned to their init segments, in any order")
  func folder() throws {
    func file(_ track: TrackSpec, _ name: String) -> (built: BuiltFile, sources: [any ByteSource]) {
      var file = FragmentedFileBuilder([track])
      file.addFragments(3)
      let built = file.build()
      return (
        built,
        built.segments.enumerated().map { Self.source($1, "\(name)\($0 + 1)") } + [
          Self.source(built.initialization, "\(name)-init")
        ]
      )
    }
    let (sound, pictures) = (file(.audio(), "a"), file(.video(), "v"))
    let (a, v) = (sound.sources, pictures.sources)
    for given in [a + v, v + a, [a[3], v[3]] + a[..<3] + v[..<3], [v[0], a[0], a[3], v[1], v[3], a[1], a[2], v[2]]] {
      let result = try Output.defragmenting(given)
      #expect(result.texts(.error) == [] && result.movie.tracks.count == 2)
      let moves = result.texts(.note).filter { $0.contains("read after it") }
      #expect(moves.count <= 2 && moves.allSatisfy { $0.contains("belong to the init segment") }, "\(moves)")
      let payloads = Set(result.movie.samples.values.map { $0.map(\.payload) })
      #expect(payloads == Set([sound.built, pictures.built].flatMap { $0.samples.values.map { $0.map(\.payload) } }))
      // One file has one init segment.
      let error = #expect(throws: MovieError.self) { try Joiner().plan(given) }
      #expect(error?.obstacle?.code == "other_movie")
    }
  }

  @Test("A single fragmented file can be joined")
  func whole() throws {
    let built = JoinTests.file(3).build()
    let result = try Output.joining([Self.source(built.bytes, "whole")])
    #expect(result.bytes == built.bytes && result.diagnostics == [])
  }
}
