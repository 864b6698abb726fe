import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Policies for fragments with different samples at the same times")
struct OverlapPolicyTests {
  /// Three fragments, and a second version of the second one with different samples.
  private let first: BuiltFile
  private let second: BuiltFile
  private let sources: [any ByteSource]

  init() {
    func built(_ seed: UInt64) -> BuiltFile {
      var file = FragmentedFileBuilder([.audio()], seed: seed)
      file.addFragments(3)
      return file.build()
    }
    (first, second) = (built(1), built(2))
    sources = [MemorySource(first.bytes, name: "in"), MemorySource(second.segments[1], name: "again")]
  }

  private func plan(_ policy: OverlapPolicy?) throws(MovieError) -> OutputPlan {
    var options = Defragmenter.Options()
    options.reading.overlaps = policy
    return try Defragmenter(options).plan(sources)
  }
  /// The diagnostics, except for the order of the fragments.
  private func diagnostics(_ policy: OverlapPolicy?) throws -> [Diagnostic] {
    try plan(policy).diagnostics.filter { if case .reordered = $0.kind { false } else { true } }
  }
  private func payloads(_ policy: OverlapPolicy?) throws -> [[UInt8]] {
    try Output(plan(policy)).movie.samples[2]?.map(\.payload) ?? []
  }

  @Test("Samples are replaced; unless requested, this is a loss")
  func replace() throws {
    let expected = [first.samples[2]?[..<4], second.samples[2]?[4..<8], first.samples[2]?[8...]]
    let wanted = expected.flatMap { ($0 ?? []).map(\.payload) }
    #expect(try payloads(nil) == wanted && payloads(.replace) == wanted)
    let sentence = "again: track 2: later fragments replace 4 samples from 0.085 s on with different ones"
    let (usual, asked) = (try plan(nil), try plan(.replace))
    for (policy, severity) in [(nil, .error), (.replace, .note)] as [(OverlapPolicy?, Diagnostic.Severity)] {
      let diagnostics = try diagnostics(policy)
      #expect(diagnostics.map(\.description) == [sentence] && diagnostics.map(\.severity) == [severity])
    }
    #expect(usual.report?.lostSampleCount == 4 && asked.report?.lostSampleCount == 4)
  }

  @Test("Earlier samples are kept, which is a note")
  func keep() throws {
    #expect(try payloads(.keep) == first.samples[2]?.map(\.payload))
    let diagnostics = try diagnostics(.keep)
    #expect(diagnostics.map(\.severity) == [.note])
    #expect(
      diagnostics.map(\.text) == [
        "track 2: 4 samples of later fragments from 0.085 s on are omitted: earlier fragments have different samples "
          + "at these times"
      ])
  }

  @Test("Nothing is written unless all repeated samples are identical")
  func fail() throws {
    let error = #expect(throws: MovieError.self) { try plan(.fail) }
    #expect(error == .impossible(file: "again", Obstacle("overlapping_samples", "", ["track": .integer(2)])))
    var options = Defragmenter.Options()
    options.reading.overlaps = .fail
    let copy = [sources[0], MemorySource(first.segments[1], name: "copy")]
    check(try Output(Defragmenter(options).plan(copy)), first)
  }

  @Test("Fragmenting follows the same policies")
  func fragmented() throws {
    var options = ReadingOptions()
    options.overlaps = .keep
    let movie = try Movie(reading: sources, options)
    #expect(movie.tracks[0].samples.count == 12 && movie.diagnostics.allSatisfy { $0.severity == .note })
    options.overlaps = .fail
    #expect(throws: MovieError.self) { try Movie(reading: sources, options) }
  }
}
