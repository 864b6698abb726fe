import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Diagnostics of a join")
struct JoinDiagnosticTests {
  private let built = JoinTests.file(5).build()

  private func diagnostics(_ order: [Int]) throws -> [String] {
    try Output.joining(JoinTests.sources(built, order)).diagnostics.map { "\($0.severity) \($0)" }
  }

  @Test("A gap is reported with both files and its duration")
  func hole() throws {
    #expect(
      try diagnostics([0, 1, 3, 4]) == [
        "warning seg4.m4s: gap of 0.160 s between seg2.m4s and this segment"
      ])
    #expect(try diagnostics([0, 4]).first?.contains("gap of 0.480 s between seg1.m4s") == true)
  }

  @Test("A duplicate is reported with both files")
  func duplicate() throws {
    let sources = JoinTests.sources(built, [0, 1, 2]) + [MemorySource(built.segments[1], name: "copy of seg2.m4s")]
    let result = try Output.joining(sources)
    let warnings = result.texts(.warning)
    #expect(warnings.count == 1)
    #expect(
      warnings.first == "seg2.m4s: this segment has the same times as copy of seg2.m4s; one of them is a duplicate")
  }

  @Test("A segment with the same times and another size is not reported as a duplicate")
  func otherTake() throws {
    let other = MemorySource(built.segments[1] + box("free", [0]), name: "take2.m4s")
    let result = try Output.joining(JoinTests.sources(built, [0, 1, 2]) + [other])
    #expect(
      result.texts(.warning) == [
        "take2.m4s: this segment has the same times as seg2.m4s, but a different size; one is from a "
          + "different recording"
      ])
  }

  @Test("A track of the segments without a trex is reported once, with the first segment and its ID")
  func noDefaults() throws {
    var file = FragmentedFileBuilder([.video().with(\.trex, nil), .audio()])
    file.addFragments(2)
    let built = file.build()
    let result = try Output.joining(named([built.initialization] + built.segments))
    #expect(
      result.texts(.warning) == [
        "segment1.m4s: it has fragments of track 1, for which the moov of init.mp4 has no trex; players may not play "
          + "them"
      ])
    #expect(result.bytes == built.bytes)
  }

  @Test("An overlap is reported with both files and its duration")
  func overlap() throws {
    var file = JoinTests.file(3)
    // The third segment starts 1024/12800 s too early, that is, two of its four samples overlap.
    for index in file.parts.indices.suffix(1) {
      guard case .fragment(var fragment) = file.parts[index] else { continue }
      fragment.trafs[0].decodeTime = 4096 - 1024
      fragment.trafs[1].decodeTime = 8192
      file.parts[index] = .fragment(fragment)
    }
    let built = file.build()
    let result = try Output.joining(JoinTests.sources(built, [0, 1, 2]))
    #expect(result.diagnostics.map(\.description) == ["seg3.m4s: this segment overlaps seg2.m4s by 0.080 s"])
    #expect(result.bytes == built.bytes)
  }

  @Test("An impossible join is refused with the name of the wrong file")
  func refusals() {
    func refusal(_ sources: [any ByteSource]) -> MovieError? {
      let result = Result { () throws(MovieError) in try Joiner().plan(sources) }
      if case .failure(let error) = result { return error }
      return nil
    }
    let good = JoinTests.sources(built, [0, 1])
    #expect(refusal(Array(good[1...])) == .segmentFirst(file: "seg1.m4s"))
    #expect(refusal([good[0]]) == .impossible(file: "init.mp4", Obstacle("no_segments", "")))
    #expect(
      refusal(good + [MemorySource(ascii("<html>404</html>"), name: "seg3.m4s")])?.description
        == "seg3.m4s: this is an HTML page, not MP4")
    #expect(refusal(good + [MemorySource([], name: "empty")]) == .empty(file: "empty"))
    #expect(refusal(good + [good[0]]) == .impossible(file: "init.mp4", Obstacle("not_a_segment", "")))
    #expect(
      refusal([MemorySource(box("styp", zeros(8)), name: "a"), good[1]])
        == .noMovie(file: "a"))

    var stranger = FragmentedFileBuilder([.audio(id: 8), .audio(id: 9)])
    stranger.addFragments(1)
    #expect(
      refusal([good[0], MemorySource(stranger.build().segments[0], name: "other.m4s")])
        == .impossible(file: "other.m4s", Obstacle("other_tracks", ""))
    )

    let changed = JoinTests.file(1) { $0.tracks[0].sampleEntries = [EntryBytes.avc1(level: 51)] }.build()
    #expect(
      refusal(good + [MemorySource(changed.bytes, name: "other.mp4")])
        == .impossible(file: "other.mp4", Obstacle("other_movie", "")))
  }
}
