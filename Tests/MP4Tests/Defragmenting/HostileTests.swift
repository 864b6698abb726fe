import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Files with extreme numbers. Without limits, each test would take minutes or gigabytes, or trap.
@Suite("Malicious files cannot make an operation slow")
struct HostileTests {
  typealias File = HostileFile

  /// Plans both operations, and returns the result of the defragmenter.
  private func outcome(_ file: HostileFile) -> Result<OutputPlan, MovieError> {
    let bytes = file.bytes
    let clock = WorkClock()
    let source = MemorySource(bytes)
    _ = Result { () throws(MovieError) in try Joiner().plan([source, source]) }
    let result = Result { () throws(MovieError) in try Defragmenter().plan([source]) }
    #expect(clock.elapsed < .seconds(20))
    return result
  }
  private func losses(_ file: HostileFile) throws -> [String] {
    try outcome(file).get().diagnostics.filter { $0.severity == .error }.map(\.text)
  }

  @Test("Sizes whose sum overflows are reported")
  func overflow() throws {
    let run = File.moof(File.traf(1, fullBox("trun", big(UInt32.max))))
    let file = HostileFile(sampleSize: .max, boxes: [run, box("mdat", zeros(100))])
    guard case .failure(let error) = outcome(file) else { return #expect(Bool(false), "there is nothing in it") }
    #expect(
      error.description.hasSuffix(
        "its data is outside the file; its samples (fragment at 0.000 s) are omitted"))
  }

  @Test(
    "Boxes for samples without data do not allocate memory for them",
    arguments: [
      fullBox("sdtp", [0x20]),
      fullBox("saiz", [0], zeros(4)) + fullBox("saio", big(UInt32(1)), zeros(4)),
      fullBox("saiz", [8], big(UInt32.max)) + fullBox("saio", big(UInt32(1)), zeros(4)),
    ])
  func information(boxes: [UInt8]) throws {
    let file = HostileFile(boxes: [File.moof(File.traf(1, boxes, File.trun(.max))), box("mdat", zeros(100))])
    #expect(try losses(file).contains { $0.contains("no data for") })
  }

  @Test("A segment is not moved to an init segment that is moved itself, and each is tried once")
  func initSegmentsThatMove() throws {
    func fragment(_ track: UInt32) -> [UInt8] { File.moof(File.traf(track, File.trun(1))) + box("mdat", zeros(10)) }
    let first = HostileFile(traks: [File.trak(1)], boxes: [fragment(1)])
    let whole = HostileFile(traks: [File.trak(2)], boxes: [fragment(9)])
    let sources = [first.bytes, fragment(9), whole.bytes].enumerated().map {
      MemorySource($1, name: ["init", "segment", "whole"][$0])
    }
    let clock = WorkClock()
    let result = Result { () throws(MovieError) in try Movie(reading: sources) }
    #expect(clock.elapsed < .seconds(5))
    // Neither of its two movies has a segment that matches it.
    #expect(throws: MovieError.self) { try result.get() }
  }

  @Test("Auxiliary information that many fragments share is not copied for each of them")
  func sharedInformation() throws {
    let fragments = (0..<Effort.count(short: 500, all: 2000)).map { index in
      File.moof(
        File.traf(
          1, at: UInt64(index) * 10_000, fullBox("saiz", [200], big(UInt32(1000))),
          fullBox("saio", big(UInt32(1)), zeros(4)), File.trun(1000)))
    }
    let result = outcome(HostileFile(boxes: fragments + [box("mdat", zeros(2_000_000))]))
    #expect(try result.get().diagnostics.contains { $0.text.contains("saiz boxes") })
  }

  @Test("Many fragments with the same bytes are refused before their samples are iterated over")
  func sharedData() {
    let fragments = (0..<1000).map { File.moof(File.traf(1, at: UInt64($0) * 9_999_000, File.trun(1_000_000))) }
    let file = HostileFile(boxes: fragments + [box("mdat", zeros(1_100_000))])
    #expect(throws: MovieError.self) { try outcome(file).get() }
  }

  @Test("For many tracks with the same bytes, the number of samples is limited by the number of bytes")
  func sharedSamples() throws {
    let tables = [
      fullBox("stts", big(UInt32(2)), big(UInt32(1)), big(UInt32(1)), big(UInt32.max), big(UInt32(2))),
      fullBox("ctts", big(UInt32(1)), big(UInt32(1)), zeros(4)), fullBox("stss", zeros(4)),
      fullBox("stsc", big(UInt32(1)), big(UInt32(1)), big(UInt32.max), big(UInt32(1))),
      fullBox("stsz", big(UInt32(1)), big(UInt32(1_000_000))), fullBox("stco", big(UInt32(1)), zeros(4)),
    ].flatMap(\.self)
    let file = HostileFile(
      traks: (1...Effort.count(short: 200, all: 1000)).map { File.trak($0, tables: tables) },
      boxes: [File.moof(File.traf(1, File.trun(1))), box("mdat", zeros(1_000_000))])
    let plan = try outcome(file).get()
    #expect(plan.severity == .error && (1...3_000_000).contains(plan.report?.sampleCount ?? 0))
  }

  @Test("Sample groups of many kinds, or with one long description for many samples, take proportional time")
  func groups() throws {
    let count = Effort.count(short: 8000, all: 40_000)
    let kinds = (0..<count).map { fullBox("sbgp", big(UInt32(0x6100_0000 + $0)), zeros(4)) }
    let described = (0..<count).map { fullBox("sgpd", version: 1, big(UInt32(0x6100_0000 + $0)), zeros(8)) }
    let long = fullBox("sgpd", version: 1, ascii("abcd"), big(UInt32(1_000_000)), big(UInt32(1)), zeros(1_000_000))
    let rows = (0..<100_000).flatMap { _ in big(UInt32(1)) + big(UInt32(0x1_0001)) }
    let named = fullBox("sbgp", ascii("abcd"), big(UInt32(100_000)), rows)
    let fragments = (1...count / 8).map { File.moof(File.traf(1, at: UInt64($0) * 10, File.trun(1))) }
    let first = File.moof(
      File.traf(1, described.flatMap(\.self), kinds.flatMap(\.self), long, named, File.trun(1)))
    let result = try outcome(HostileFile(boxes: [first] + fragments + [box("mdat", zeros(10))])).get()
    #expect(result.severity != .error)
  }

  @Test("Many tracks with one fragment each take proportional time")
  func tracks() throws {
    let ids = 1...UInt32(Effort.count(short: 800, all: 3000))
    let fragment = box("moof", fullBox("mfhd", big(UInt32(1))), ids.reversed().flatMap { File.traf($0, File.trun(1)) })
    let file = HostileFile(traks: ids.map { File.trak($0) }, boxes: [fragment, box("mdat", zeros(10))])
    #expect(try losses(file) == [])
  }
}
