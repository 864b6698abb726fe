import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Inputs of one encoder have equal movie boxes; so do segments that each begin with their init segment.
@Suite("Inputs with equal movie boxes")
struct EqualMovieTests {
  private static func sound(_ seed: UInt64, _ fragments: Int = 4) -> BuiltFile {
    var file = FragmentedFileBuilder([.audio()], seed: seed)
    file.addFragments(fragments)
    return file.build()
  }
  private static func source(_ bytes: [UInt8], _ name: String) -> any ByteSource { MemorySource(bytes, name: name) }

  /// The samples of the tracks, in output order.
  private static func tracks(_ output: Output) -> [[SampleRecord]] {
    output.movie.tracks.compactMap { output.movie.samples[$0.id] }
  }
  private static func expected(_ built: BuiltFile...) -> [[SampleRecord]] {
    built.flatMap { built in
      built.samples.keys.sorted().map { (built.samples[$0] ?? []).rebased().stretched().asInTables() }
    }
  }
  private static func bytes(_ tracks: [[SampleRecord]]) -> [[[UInt8]]] { tracks.map { $0.map(\.payload) } }

  @Test("Different samples at the same times are another input, regardless of the inputs between them")
  func apart() throws {
    let (one, two) = (Self.sound(1), Self.sound(2))
    #expect(one.initialization == two.initialization && one.bytes != two.bytes)
    var pictures = FragmentedFileBuilder([.video()])
    pictures.addFragments(3)
    let video = pictures.build()
    let orders: [[(BuiltFile, String)]] = [
      [(one, "one"), (two, "two")], [(two, "two"), (one, "one")], [(video, "v"), (one, "one"), (two, "two")],
      [(one, "one"), (video, "v"), (two, "two")], [(one, "one"), (two, "two"), (video, "v")],
    ]
    for order in orders {
      let result = try Output.defragmenting(order.map { Self.source($0.0.bytes, $0.1) })
      let want = order.flatMap { Self.expected($0.0) }
      #expect(Self.bytes(Self.tracks(result)) == Self.bytes(want), "\(order.map(\.1))")
      let names = order.map(\.1).filter { $0 != "v" }
      #expect(
        result.texts(.warning) == [
          "\(names[1]): it has the same moov as \(names[0]), but different samples at the same times; its tracks are "
            + "added beside those of \(names[0]), not after them"
        ])
      #expect(result.texts(.error) == [])
    }
  }

  @Test("Each of several inputs, given as init segments and segments, has a track with its samples")
  func many() throws {
    let all = (1...5).map { Self.sound(UInt64($0)) }
    let sources = all.enumerated().flatMap { number, built in
      [Self.source(built.initialization, "\(number)/init")]
        + built.segments.enumerated().map { Self.source($1, "\(number)/\($0)") }
    }
    let result = try Output.defragmenting(sources)
    #expect(Self.bytes(Self.tracks(result)) == Self.bytes(all.flatMap { Self.expected($0) }))
    #expect(result.texts(.warning).count == 4 && result.texts(.error) == [])
  }

  @Test("Segments that each contain the init segment are continued, also if those of two inputs alternate")
  func repeated() throws {
    let (one, two) = (Self.sound(1), Self.sound(2))
    func segment(_ built: BuiltFile, _ index: Int) -> any ByteSource {
      Self.source(built.initialization + built.segments[index], "\(index)")
    }
    let alone = try Output.defragmenting((0..<4).map { segment(one, $0) })
    check(alone, one)
    #expect(alone.diagnostics == [])
    let mixed = try Output.defragmenting((0..<4).flatMap { [segment(one, $0), segment(two, $0)] })
    #expect(Self.bytes(Self.tracks(mixed)) == Self.bytes(Self.expected(one, two)))
  }

  @Test("Overlapping segments without a movie box replace earlier ones, as always")
  func segments() throws {
    let (one, two) = (Self.sound(1), Self.sound(2))
    let result = try Output.defragmenting(named([one.bytes, two.segments[1]]))
    #expect(result.movie.tracks.count == 1)
    #expect(result.texts(.error).count == 1)
  }

  @Test("A few differing samples where two recordings meet do not make another input")
  func seam() throws {
    let one = Self.sound(1, 20)
    var second = FragmentedFileBuilder([.audio()], seed: 2)
    second.addFragment {
      $0.addTraf(2) {
        $0.decodeTime = UInt64(20 * 4 * 1024 - 2048)
        $0.addRun(.samples(4))
      }
    }
    second.addFragments(19)
    let result = try Output.defragmenting([Self.source(one.bytes, "one"), Self.source(second.build().bytes, "two")])
    #expect(result.movie.tracks.count == 1)
  }

  @Test("A copy is used once and reported")
  func copy() throws {
    let one = Self.sound(1)
    let result = try Output.defragmenting([Self.source(one.bytes, "one"), Self.source(one.bytes, "copy")])
    check(result, one)
    #expect(
      result.texts(.warning) == ["copy: track 2: 16 samples from 0.000 s on are repeated; used once"]
    )
  }

  /// A progressive file; all seeds give the same movie box.
  private static func progressive(_ seed: UInt64) -> BuiltFile {
    FragmentedFileBuilder([.audio().with(\.samples, .samples(12))], seed: seed).build()
  }

  @Test("Progressive files with equal movie boxes and different media are separate inputs; copies are used once")
  func movieSamples() throws {
    let (one, two) = (Self.progressive(1), Self.progressive(2))
    let moov = { (built: BuiltFile) in payloads(of: "moov", in: built.bytes) }
    try #require(moov(one) == moov(two) && one.bytes != two.bytes)
    let sources = [one, two, one].enumerated().map { Self.source($1.bytes, "\($0)") }
    let result = try Output.defragmenting(sources)
    #expect(Self.bytes(Self.tracks(result)) == Self.bytes(Self.expected(one, two)))
    #expect(
      result.texts(.warning).contains("2: it has the same moov and samples as 0; used once"))
    #expect(result.texts(.error) == [])
  }

  @Test("Fragmenting keeps both inputs as well")
  func fragmented() throws {
    let (one, two) = (Self.sound(1), Self.sound(2))
    let movie = try Movie(reading: [Self.source(one.bytes, "one"), Self.source(two.bytes, "two")])
    #expect(movie.tracks.map(\.samples.count) == [16, 16])
  }
}
