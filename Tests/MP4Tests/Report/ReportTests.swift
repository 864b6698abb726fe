import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@testable import MP4

@Suite("A report contains all decisions as values")
struct ReportTests {
  private func report(_ sources: [any ByteSource]) throws -> DefragmentReport {
    try #require(try Defragmenter().plan(sources).report)
  }
  private func json(_ report: DefragmentReport) throws -> JSONValue {
    let sink = MemorySink()
    try report.writeJSON(to: sink)
    return try JSONValue(sink.bytes)
  }
  /// A video segment of four samples, 512 units each, at each of these times, with unique sizes.
  private func video(at times: [UInt64]) -> BuiltFile {
    var file = FragmentedFileBuilder([.video()])
    for (index, time) in times.enumerated() {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = time
          $0.addRun(.samples(4, size: UInt32(20 + index)))
        }
      }
    }
    return file.build()
  }

  @Test("Every gap is listed with its track, time, duration and the files on both sides")
  func gaps() throws {
    let built = video(at: [0, 3000, 5048, 8000])
    let report = try self.report(named([built.initialization] + built.segments))
    let diagnostic = try #require(report.diagnostics.first)
    guard case .timing(.gap, let spans) = diagnostic.kind else { return #expect(Bool(false), "\(diagnostic)") }
    #expect(diagnostic.track == Diagnostic.Track(index: 0, id: 1, timescale: 12_800))
    #expect(
      spans == [
        Diagnostic.Span(time: 2048, duration: 952, before: 1, after: 2),
        Diagnostic.Span(time: 7096, duration: 904, before: 3, after: 4),
      ])
    let read = try #require(try json(report)["diagnostics"]?[0])
    #expect(read["kind"]?.string == "gap")
    #expect(read["message"]?.string == diagnostic.text)
    #expect(read["spans"]?[1]?["time"]?.number == "7096")
    #expect(read["spans"]?[1]?["duration"]?.number == "904")
    #expect(read["spans"]?[1]?["before"]?.string == "segment3.m4s")
    #expect(read["spans"]?[1]?["after"]?.string == "segment4.m4s")
  }

  @Test("Replaced, repeated, scaled and shortened samples are listed")
  func otherTimes() throws {
    func kinds(_ times: [UInt64]) throws -> [Diagnostic.Kind] {
      try report([MemorySource(video(at: times).bytes)]).diagnostics.map(\.kind)
    }
    let span = Diagnostic.Span(time: 3072, duration: 1024, samples: 2, before: 0, after: 0)
    #expect(try kinds([0, 2048, 3072, 5120]) == [.timing(.replaced, [span])])
    let early = Diagnostic.Span(time: 2018, duration: 30, before: 0, after: 0)
    #expect(try kinds([0, 2018]) == [.timing(.stepBack, [early])])
    #expect(try kinds([0, 4096, 2048]) == [.reordered(fragments: 2)])
    #expect(try kinds([1280, 3328]) == [.rebased(MediaTime(1280, 12_800))])
    let overruns = [0, 500, 1000].map { Diagnostic.Span(time: $0, duration: 1548, before: 0, after: 0) }
    #expect(try kinds([0, 500, 1000, 1500]) == [.timing(.overrun, overruns)])
    let built = video(at: [0, 2048])
    let twice = try report(named([built.initialization, built.segments[0], built.segments[0]]))
    #expect(
      twice.diagnostics.map(\.kind) == [
        .timing(.repeated, [Diagnostic.Span(time: 0, duration: 2048, samples: 4, before: 1, after: 2)])
      ])
    #expect(try report([MemorySource(video(at: [0, 2048, 3072, 5120]).bytes)]).lostSampleCount == 2)
  }

  @Test("Each position with missing data is listed, and 32-bit times continue")
  func missingData() throws {
    let turn: UInt64 = 1 << 32
    var file = FragmentedFileBuilder([.video()])
    for index: UInt64 in 0..<4 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = turn - 4096 + index * 2048
          $0.tfdt = .version0
          $0.addRun(.samples(4, size: UInt32(20 + index)))
        }
      }
    }
    let built = file.build()
    var parts = [built.initialization] + built.segments
    parts[1].removeLast(25)
    parts[3].removeLast(1)
    let joined = try Output.joining(named(parts))
    let report = try self.report([MemorySource(joined.bytes)])
    let start = Int64(turn)
    let spans = [
      Diagnostic.Span(time: start - 4096 + 1024, duration: 1024, samples: 2),
      Diagnostic.Span(time: start + 1536, duration: 512, samples: 1),
    ]
    let diagnostic = try #require(report.diagnostics.first { $0.kind == .missingData(spans) })
    #expect(
      diagnostic.text
        == "track 1: no data for 3 samples in 2 places, the first from 0.080 s to 0.160 s; omitted")
    #expect(report.lostSampleCount == 3)
    #expect(try json(report)["totals"]?["lost_samples"]?.number == "3")
  }

  @Test("Tracks have their counts, times and edits, and the inputs and the output their sizes")
  func tracks() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for index: UInt64 in 0..<2 {
      file.addFragment { fragment in
        for (track, time): (UInt32, UInt64) in [(1, 1280), (2, 9600)] {
          fragment.addTraf(track) {
            if index == 0 { $0.decodeTime = time }
            $0.addRun(.samples(4))
          }
        }
      }
    }
    let built = file.build()
    let plan = try Defragmenter().plan(named([built.initialization] + built.segments))
    let output = try Output(plan)
    let report = try #require(plan.report)
    #expect(report.inputs.map(\.name) == ["init.mp4", "segment1.m4s", "segment2.m4s"])
    #expect(report.inputs.map(\.fragmentCount) == [0, 1, 1])
    #expect(
      report.inputs.map(\.byteCount) == [built.initialization.count, built.segments[0].count, built.segments[1].count])
    #expect(report.start == MediaTime(1, 10))
    #expect(report.movieTimescale == UInt32(output.movie.timescale))
    #expect(report.output.byteCount == output.bytes.count)
    #expect(report.mediaByteCount == built.samples.values.joined().reduce(0) { $0 + $1.payload.count })
    #expect(report.sampleCount == 16)
    #expect(report.fragmentCount == 2)
    for (track, read) in zip(report.tracks, output.movie.tracks) {
      #expect(track.id == read.id && track.inputID == read.id && track.input == 0)
      #expect(track.sampleCount == read.samples.count)
      #expect(track.fragmentCount == 2)
      #expect(track.mediaDuration == read.duration)
      #expect(track.presentationDuration == read.trackDuration)
      #expect(track.edits.map { Int($0.segmentDuration) } == read.edits.map { Int($0.duration) })
    }
    #expect(report.tracks.map(\.start) == [1280, 9600])
    #expect(report.tracks[1].edits.first?.mediaTime == -1)
    #expect(report.severity == .note)
    let read = try json(report)
    #expect(read["tracks"]?[1]?["edits"]?[0]?["media_time"]?.number == "-1")
    #expect(read["output"]?["is_written"] == .bool(false))
    #expect(read["output"]?["name"] == .null)
  }

  @Test("The report on a progressive file has the contents of its movie box")
  func progressive() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(2)
    let first = try Defragmenter().plan([MemorySource(file.build().bytes)])
    let before = try #require(first.report)
    let after = try report([MemorySource(try Output(first).bytes)])
    #expect(after.diagnostics.map(\.kind) == [.progressive])
    #expect(after.tracks.map(\.sampleCount) == before.tracks.map(\.sampleCount))
    #expect(after.tracks.map(\.mediaDuration) == before.tracks.map(\.mediaDuration))
    #expect(after.tracks.map(\.presentationDuration) == before.tracks.map(\.presentationDuration))
    #expect(after.mediaByteCount == before.mediaByteCount)
  }

  @Test("Tracks of several movies are identified by input and input ID, and by output ID")
  func groups() throws {
    var file = FragmentedFileBuilder([.audio(id: 1)])
    file.addFragments(2)
    let (first, second) = (video(at: [0, 2048]), file.build())
    let names = ["v/init", "v/1", "v/2", "a/init", "a/1", "a/2"]
    let bytes =
      [first.initialization] + first.segments + [second.initialization] + second.segments.map { $0.dropLast(3) }
    let report = try report(zip(names, bytes).map { MemorySource($1, name: $0) })
    #expect(report.tracks.map(\.input) == [0, 3])
    #expect(report.tracks.map(\.inputID) == [1, 1])
    #expect(report.tracks.map(\.id) == [1, 2])
    #expect(report.tracks.map(\.handler) == ["vide", "soun"])
    #expect(report.inputs.map(\.name) == names)
    #expect(report.diagnostics.contains { $0.kind == .combined(with: "v/init") && $0.file == "a/init" })
    let losses = report.diagnostics.filter { if case .missingData = $0.kind { true } else { false } }
    #expect(losses.map(\.file) == ["a/1", "a/2"])
    #expect(losses.map(\.track?.index) == [1, 1])
    #expect(losses.map(\.track?.id) == [1, 1])
  }
}
