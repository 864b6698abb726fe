import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@testable import MP4

@Suite("Copy plans")
struct CopyPlanTests {
  @Test("Adjacent ranges of a source are merged; empty ones are dropped")
  func merging() {
    var plan = CopyPlan()
    for (range, source): (Range<Int>, Int) in [
      (10..<20, 0), (20..<25, 0), (25..<25, 7), (25..<30, 0), (30..<40, 1), (40..<41, 0), (41..<45, 0), (30..<31, 0),
    ] {
      plan.append(range, of: source)
    }
    #expect(plan.pieces.map(\.range) == [10..<30, 30..<40, 40..<45, 30..<31])
    #expect(plan.pieces.map(\.source) == [0, 1, 0, 0])
    #expect(plan.byteCount == 36)
  }

  @Test("The ranges are written in order, each from its source")
  func writing() throws {
    var plan = CopyPlan()
    plan.append(2..<4, of: 1)
    plan.append(0..<3, of: 0)
    let sink = MemorySink()
    try plan.write(to: sink, from: [MemorySource([0, 1, 2, 3]), MemorySource([10, 11, 12, 13])])
    #expect(sink.bytes == [12, 13, 0, 1, 2])
  }

  @Test("A source that became shorter is an error, not a shorter file")
  func shortened() {
    var plan = CopyPlan()
    plan.append(2..<9, of: 0)
    #expect(throws: IOError.self) { try plan.write(to: MemorySink(), from: [MemorySource([0, 1, 2, 3])]) }
  }

  @Test("The parts of a file are counted and written in order, and adjacent ranges are one part")
  func outputPlan() throws {
    let source = MemorySource([1, 2, 3, 4, 5, 6])
    var plan = OutputPlan(sources: [source], diagnostics: [])
    plan.copy(0..<2, of: 0)
    plan.copy(2..<3, of: 0)
    plan.parts.append(.bytes([9, 9]))
    plan.copy(5..<6, of: 0)
    #expect(plan.parts.count == 3 && plan.byteCount == 6)
    let sink = MemorySink()
    try plan.write(to: sink)
    #expect(sink.bytes == [1, 2, 3, 9, 9, 6])
  }

  @Test("A defragmented file copies adjacent data in one range")
  func fewCopies() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(6, samples: 100)
    let bytes = file.build().bytes
    let sink = NotingSink()
    try Defragmenter().plan([SparseSource([(0, bytes)], size: bytes.count)]).write(to: sink)
    // The video and audio of a fragment are adjacent.
    #expect(sink.copies.count == 6)
  }
}
