import MP4
import MP4FileIO
import Support
import Testing

@Suite("Random files")
struct PropertyTests {
  @Test(
    "The declared samples are kept, in sync, for any structure",
    arguments: 0..<Effort.count(short: 40, all: 120) as Range<UInt64>)
  func defragmented(seed: UInt64) throws {
    let built = RandomFiles.file(seed)
    guard built.samples.values.contains(where: { !$0.isEmpty }) else {
      // Without samples there may be nothing to do, even if there are fragments.
      return #expect(try Output.defragmenting(built.bytes).movie.samples.values.allSatisfy(\.isEmpty))
    }
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.diagnostics.allSatisfy { $0.severity == .note }, "\(result.diagnostics)")
    // Only samples are copied.
    let payload = built.samples.values.joined().reduce(0) { $0 + $1.payload.count }
    let places = result.movie.tracks.flatMap(\.places).filter { !$0.isEmpty }
    if let first = places.map(\.lowerBound).min() { #expect(result.bytes.count - first == payload) }
  }

  @Test(
    "Segments give the same file as the whole, and are joined to it",
    arguments: 300..<Effort.count(short: 310, all: 400) as Range<UInt64>)
  func segments(seed: UInt64) throws {
    let built = RandomFiles.file(seed)
    let sources = named([built.initialization] + built.segments)
    let whole = try Output.defragmenting(built.bytes)
    #expect(try Output.defragmenting(sources).bytes == whole.bytes)
    let joined = try Output.joining(sources, order: .given)
    // The index at the end of the last segment covers only that segment.
    #expect(joined.bytes.count == built.bytes.count || joined.movie.boxTypes.contains("mfra"))
    let (declared, read) = (built.samples, joined.movie.samples)
    #expect(difference(declared.mapValues { $0.withSyncOnly() }, read.mapValues { $0.withSyncOnly() }) == nil)
    #expect(try Output.defragmenting(joined.bytes).bytes == whole.bytes)
  }
}
