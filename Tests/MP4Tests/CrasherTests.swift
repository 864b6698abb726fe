import BoxCatalog
import BoxDump
import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Files from fuzzing")
struct CrasherTests {
  private static let files = namesInFolder(vectorPath("crashers"))

  private func source(_ name: String) throws -> MemorySource {
    MemorySource(try readFile(vectorPath("crashers/" + name)), name: name)
  }

  @Test("They are dumped to the end and written back unchanged", arguments: files)
  func shown(_ name: String) throws {
    let source = try source(name)
    for verbosity in 0...3 {
      let text = TextSink(MemorySink(), verbosity: verbosity)
      var dump = BoxDump(source)
      #expect(try dump.run(to: text).boxes > 0)
      text.finish()
      #expect(text.failure == nil)
    }
    let sink = MemorySink()
    try BoxSerializer([Box](reading: source)).write(to: sink, from: source)
    #expect(sink.bytes == source.bytes)
  }

  @Test("Their output is readable and has the same number of samples", arguments: files)
  func made(_ name: String) throws {
    let round = RoundTrip([try source(name)], name)
    try round.checkDefragmenting()
    try round.checkInPlace()
    try round.checkFragmenting()
  }

  @Test("Bytes in a movie that are not a box are omitted and reported")
  func shiftedTrack() throws {
    // An extra byte precedes the second track, which therefore extends beyond the movie box.
    let source = try source("shifted-track.mp4")
    let plan = try Fragmenter().plan(Movie(reading: [source]))
    let sink = MemorySink()
    try plan.write(to: sink)
    let nodes = try nodes(of: MemorySource(sink.bytes))
    #expect(nodes.filter { $0.type == "trak" }.count == 1)
    #expect(nodes.allSatisfy { $0.problem == nil })
    let losses = plan.diagnostics.filter { $0.severity == .error }.map(\.description)
    #expect(losses.contains { $0.hasSuffix("1605 bytes from byte 6229 on are not a box; omitted") }, "\(losses)")
  }

  private func nodes(of source: MemorySource) throws -> [BoxNode] {
    var parser = BoxParser(source)
    var nodes: [BoxNode] = []
    while let node = try parser.next() { nodes.append(node) }
    return nodes
  }
}
