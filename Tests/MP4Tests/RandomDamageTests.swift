import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Output from damaged files is read as planned")
struct RandomDamageTests {
  private static let vectors = [
    "progressive.mp4", "progressive-moov-last.mp4", "progressive.mov", "pcm.mov", "encrypted-cenc.mp4",
    "fragmented.mp4", "hybrid.mp4", "separate-moof.mp4", "encrypted-cbcs.mp4", "ismv.ismv",
  ]

  @Test("Vectors with random damage", arguments: vectors)
  func vector(_ name: String) throws {
    let bytes = try readFile(vectorPath("files/" + name))
    for number in 0..<Effort.count(short: 2, all: 16) { try check(bytes, UInt64(number), name) }
  }

  @Test(
    "Real files with random damage",
    .enabled(if: Effort.all && corpusFolder != nil, "needs MP4TOOL_TESTS=all and MP4TOOL_CORPUS"), arguments: corpus())
  func real(_ path: String) throws {
    let bytes = try readFile(path)
    guard bytes.count < 1 << 19 else { return }
    for number in 0..<UInt64(max(2, 6 - bytes.count >> 15)) { try check(bytes, number, path) }
  }

  private func check(_ original: [UInt8], _ number: UInt64, _ name: String) throws {
    let source = MemorySource(RandomDamage(number, to: original).bytes, name: "in.mp4")
    let round = RoundTrip([source], "\(name) with damage \(number)")
    var options = Defragmenter.Options()
    switch number % 4 {
    case 1: options.isMovieFirst = false
    case 2: options.interleave = MediaTime(1, 10)
    case 3: options.isCompact = true
    default: break
    }
    try round.checkDefragmenting(options)
    try round.checkInPlace()
    try round.checkFragmenting()
  }
}

/// Reads the output of operations with our own reader: everything in the report is found, and nothing is lost.
struct RoundTrip {
  private let sources: [MemorySource]
  private let what: String

  init(_ sources: [MemorySource], _ what: String) { (self.sources, self.what) = (sources, what) }

  func checkDefragmenting(_ options: Defragmenter.Options = Defragmenter.Options()) throws {
    guard let plan = plan({ () throws(MovieError) in try Defragmenter(options).plan(sources) }) else { return }
    // Damage can make samples overlap, so that the output of a small file is huge.
    guard plan.byteCount < 50_000_000 else { return }
    let sink = MemorySink()
    try plan.write(to: sink)
    #expect(sink.bytes.count == plan.byteCount, "\(what)")
    checkReading(sink.bytes, plan.report)
  }

  /// Changes the first source in place.
  func checkInPlace() throws {
    guard let plan = plan({ () throws(MovieError) in try Defragmenter().planInPlace(sources[0]) }) else { return }
    let recorder = InPlaceRecorder()
    try plan.write(to: recorder)
    let finished = recorder.finished(sources[0].bytes)
    let again = self.plan { () throws(MovieError) in
      try Defragmenter().planInPlace(MemorySource(finished, name: "in.mp4"))
    }
    #expect(again?.isEmpty == true, "\(what), in place")
    checkReading(finished, plan.report)
  }

  func checkFragmenting() throws {
    let planned = plan { () throws(MovieError) in try Fragmenter().plan(Movie(reading: sources)) }
    guard let planned, planned.byteCount < 50_000_000 else { return }
    let sink = MemorySink()
    try planned.write(to: sink)
    #expect(sink.bytes.count == planned.byteCount, "\(what), fragmented")
    do throws(MovieError) {
      let again = try Fragmenter().plan(Movie(reading: [MemorySource(sink.bytes, name: "in.mp4")]))
      #expect(samples(again) == samples(planned), "\(what), fragmented")
      #expect(again.diagnostics.allSatisfy { $0.severity < .error }, "\(what), fragmented: \(again.diagnostics)")
    } catch {
      Issue.record("\(what), fragmented: \(error)")
    }
  }

  private func samples(_ plan: FragmentPlan) -> Int {
    plan.segments.flatMap(\.tracks).reduce(0) { $0 + $1.sampleCount }
  }

  /// A plan, or `nil` if the input is refused with a message that names it.
  private func plan<Plan>(_ make: () throws(MovieError) -> Plan) -> Plan? {
    do throws(MovieError) { return try make() } catch {
      #expect(error.description.hasPrefix(sources[0].name + ": "), "\(what)")
      return nil
    }
  }

  /// Reads a progressive file sample by sample, as for a new layout.
  private func checkReading(_ bytes: [UInt8], _ report: DefragmentReport?) {
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    do throws(MovieError) {
      let again = try Defragmenter(options).plan([MemorySource(bytes, name: "in.mp4")])
      #expect(again.report?.tracks.map(\.sampleCount) == report?.tracks.map(\.sampleCount), "\(what)")
      #expect(again.report?.tracks.map(\.mediaDuration) == report?.tracks.map(\.mediaDuration), "\(what)")
      #expect(again.severity ?? .note < .error, "\(what): \(again.diagnostics)")
    } catch {
      // Samples in another file are referenced, not copied.
      #expect(error.obstacle?.code == "external_samples", "\(what): \(error)")
    }
  }
}
