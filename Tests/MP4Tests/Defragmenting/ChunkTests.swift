import Support
import Testing

/// Row 41: the order of the samples of all tracks in the media data.
@Suite("The interleaving of the source is kept")
struct ChunkTests {
  @Test("Row 41: each traf is a chunk, in the order of the data")
  func chunkForEachTraf() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(5)
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.tracks.map(\.chunkCount) == [5, 5])
    // Alternating video and audio, four samples each.
    let places = result.movie.tracks.flatMap { track in track.places.map { (track.id, $0.lowerBound) } }
    let order = places.sorted { $0.1 < $1.1 }.map(\.0)
    #expect(order == (0..<5).flatMap { _ in [1, 1, 1, 1, 2, 2, 2, 2] as [UInt32] })
  }

  @Test("Row 41: adjacent runs of a traf are one chunk")
  func runsOfOneTraf() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragment { fragment in
      for track: UInt32 in [1, 2] {
        fragment.addTraf(track) {
          $0.addRun(.samples(2))
          $0.addRun(.samples(3), dataOffset: .absent)
          $0.addRun(.samples(1))
        }
      }
    }
    let result = try Output.defragmenting(file.build().bytes)
    check(result, file.build())
    #expect(result.movie.tracks.map(\.chunkCount) == [1, 1])
    let stsc = payloads(of: "stsc", in: result.bytes)
    #expect(stsc.allSatisfy { $0 == zeros(4) + big(UInt32(1)) + [1, 6, 1].flatMap { big(UInt32($0)) } })
  }

  @Test("Row 41: interleaved runs of two tracks are alternating chunks")
  func turns() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragment { fragment in
      fragment.dataOrder = (0..<4).flatMap { [(0, $0), (1, $0)] }
      for track: UInt32 in [1, 2] {
        fragment.addTraf(track) { traf in for count in [2, 1, 3, 3] { traf.addRun(.samples(count)) } }
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.tracks.map(\.chunkCount) == [4, 4])
    // Consecutive chunks with the same number of samples share a row.
    let rows: [UInt32] = [1, 2, 1, 2, 1, 1, 3, 3, 1]
    #expect(payloads(of: "stsc", in: result.bytes).first == zeros(4) + big(UInt32(3)) + rows.flatMap { big($0) })
    // The media data is unchanged.
    #expect(result.bytes.suffix(40) == built.bytes.suffix(40))
  }

  @Test("Row 41: runs of a track whose data is not in time order are written in time order")
  func dataOutOfOrder() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragment { fragment in
      fragment.dataOrder = [(0, 2), (1, 0), (0, 0), (0, 1)]
      fragment.addTraf(1) { traf in for count in [2, 3, 1] { traf.addRun(.samples(count)) } }
      fragment.addTraf(2, .samples(3))
    }
    check(try .defragmenting(file.build().bytes), file.build())
  }

  @Test("Row 41: long adjacent data is divided into chunks of half a second, across runs and constant values")
  func longFragments() throws {
    var file = FragmentedFileBuilder([.video().with(\.timescale, 1000), .audio().with(\.timescale, 1000)])
    file.addFragment { fragment in
      // 2.1 s in two runs, then 2 s of samples that only have default values.
      fragment.addTraf(1) {
        $0.addRun(.samples(4, duration: 200))
        $0.addRun(.samples(13, duration: 100), dataOffset: .absent)
      }
      fragment.addTraf(2) {
        ($0.defaultSize, $0.defaultDuration) = (9, 150)
        $0.addRun(.inherited(13))
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    // 200 200 200 | 200 100 100 100 | 100 × 5 | 100 × 5, and four times 150 in each chunk except for the last one.
    #expect(samplesPerChunk(result.bytes, track: 0) == [3, 4, 5, 5])
    #expect(samplesPerChunk(result.bytes, track: 1) == [4, 4, 4, 1])
  }

  /// The number of samples in each chunk of a track.
  private func samplesPerChunk(_ bytes: [UInt8], track: Int) -> [Int] {
    let stsc = payloads(of: "stsc", in: bytes)[track]
    let chunkCount = number(payloads(of: "stco", in: bytes)[track], 4)
    let entries = (0..<number(stsc, 4)).map { (first: number(stsc, 8 + $0 * 12), count: number(stsc, 12 + $0 * 12)) }
    return (1...chunkCount).compactMap { chunk in entries.last { $0.first <= chunk }?.count }
  }
}
