import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Before anything is written, the planned output of a join is read with our own reader.
@Suite("A join that would be read differently than its inputs is refused")
struct JoinReadBackTests {
  private static func built() -> BuiltFile {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<3 {
      file.addFragment { fragment in
        fragment.addTraf(1, .samples(3))
        fragment.addTraf(2, .samples(2))
      }
    }
    return file.build()
  }

  /// The changed first segment, and the other ones.
  private static func sources(_ built: BuiltFile, _ first: [UInt8]) -> [any ByteSource] {
    [
      MemorySource(built.initialization, name: "init.mp4"), MemorySource(first, name: "a"),
      MemorySource(built.segments[1], name: "b"), MemorySource(built.segments[2], name: "c"),
    ]
  }

  /// Checks that this many samples are read from the sources, and that joining them is refused.
  private func checkRefusal(of sources: [any ByteSource], sampleCount: Int, _ reason: String) throws {
    #expect(try Output(Defragmenter().plan(sources)).movie.samples.values.reduce(0) { $0 + $1.count } == sampleCount)
    let error = #expect(throws: MovieError.self) { try Joiner().plan(sources) }
    #expect(error == .impossible(file: "a", Obstacle("unreadable_output", "")))
    #expect(error?.reason.contains("the fragment at byte 0 \(reason)") == true)
  }

  @Test("Samples in bytes that are not a box would be lost together with them")
  func bytesOfNoBox() throws {
    let built = Self.built()
    var first = built.segments[0]
    let start = number(first, 0)
    // The audio is after the box of the media data, and is not a box either.
    let sound = try #require(built.samples[2]).prefix(2).reduce(0) { $0 + $1.payload.count }
    first.replaceSubrange(start..<start + 4, with: big(UInt32(number(first, start) - sound)))
    try checkRefusal(
      of: Self.sources(built, first), sampleCount: 15, "has data outside of boxes, which a join cannot keep")
  }

  @Test("Data of another segment does not replace missing data")
  func dataOfOthers() throws {
    let built = Self.built()
    var first = built.segments[0]
    // The audio data starts where that of the next segment does.
    let place = try #require((0..<first.count - 3).last { Array(first[$0..<$0 + 4]) == ascii("trun") }) + 12
    first.replaceSubrange(place..<place + 4, with: big(UInt32(first.count + number(built.segments[1], 0) + 8)))
    try checkRefusal(
      of: Self.sources(built, first), sampleCount: 13,
      "has data that is missing from its file, so data of other files would be used")
  }

  @Test("A segment that ends before its media data is reported", arguments: [0, 4])
  func noData(count: Int) throws {
    let built = Self.built()
    let first = Array(built.segments[0].prefix(number(built.segments[0], 0) + count))
    let plan = try Joiner().plan(Self.sources(built, first))
    #expect(plan.diagnostics.filter { $0.severity == .error }.map(\.file) == ["a"])
  }

  /// The samples read from the inputs, and from their join: none if it is refused.
  private func check(_ sources: [any ByteSource], _ what: String) throws {
    guard let plan = try? Joiner(order: .given).plan(sources), let whole = try? Defragmenter().plan(sources) else {
      return
    }
    let sink = MemorySink()
    try plan.write(to: sink)
    let again = try? Defragmenter().plan([MemorySource(sink.bytes, name: "out.mp4")])
    #expect(again?.report?.sampleCount == whole.report?.sampleCount, "\(what)")
  }

  @Test("A join of damaged segments has the samples of the inputs")
  func damage() throws {
    let built = Self.built()
    let first = built.segments[0]
    for count in stride(from: 0, through: first.count, by: Effort.count(short: 7, all: 1)) {
      try check(Self.sources(built, Array(first.prefix(count))), "\(count) bytes")
    }
    let end = min(first.count, number(first, 0) + 8)
    for place in stride(from: 0, to: end, by: Effort.count(short: 5, all: 1)) {
      for bits: UInt8 in [0x01, 0xff] {
        var changed = first
        changed[place] ^= bits
        try check(Self.sources(built, changed), "byte \(place) by \(bits)")
      }
    }
  }
}
