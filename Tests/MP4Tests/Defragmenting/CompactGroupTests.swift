import ISOBMFF
import MP4
import MP4FileIO
import Support
import Testing

@Suite("Sample groups as patterns")
struct CompactGroupTests {
  private func descriptions(_ values: [Int16]) -> [UInt8] {
    fullBox("sgpd", version: 1, ascii("roll"), big(UInt32(2)), big(UInt32(values.count)), values.flatMap { big($0) })
  }
  /// `csgp` with fields of 8 bits; `own` sets the highest bit of the indices, which then refer to the fragment.
  private func patterns(_ patterns: [(count: UInt8, indices: [UInt8])], own: Bool = false) -> [UInt8] {
    fullBox(
      "csgp", flags: own ? 0x95 : 0x15, ascii("roll"), big(UInt32(patterns.count)),
      patterns.flatMap { [UInt8($0.indices.count), $0.count] }, patterns.flatMap(\.indices))
  }
  private func groups(_ runs: [(UInt32, UInt32)]) -> [UInt8] {
    zeros(4) + ascii("roll") + big(UInt32(runs.count)) + runs.flatMap { big($0.0) + big($0.1) }
  }

  @Test("A pattern repeats for all of its samples, and the last repetition can be incomplete")
  func repeats() throws {
    var audio = TrackSpec.audio()
    audio.boxes["stbl"] = descriptions([-1, -2])
    var file = FragmentedFileBuilder([audio])
    file.addFragment { $0.addTraf(2, .samples(9), boxes: patterns([(5, [1, 1, 2]), (3, [0])])) }
    file.addFragment { $0.addTraf(2, .samples(2), boxes: patterns([(200, [2])])) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    let (a, b): ([UInt8], [UInt8]) = ([0xff, 0xff], [0xff, 0xfe])
    check(result, built.withGroups("roll", of: 2, [a, a, b, a, a, nil, nil, nil, nil, b, b]))
    #expect(payloads(of: "csgp", in: result.bytes).isEmpty)
    #expect(payloads(of: "sbgp", in: result.bytes) == [groups([(2, 1), (1, 2), (2, 1), (4, 0), (2, 2)])])
    #expect(result.diagnostics.isEmpty)
  }

  @Test("Indices with the highest bit set refer to descriptions of the fragment")
  func ownDescriptions() throws {
    var audio = TrackSpec.audio()
    audio.boxes["stbl"] = descriptions([-1])
    var file = FragmentedFileBuilder([audio])
    file.addFragment {
      $0.addTraf(2, .samples(4), boxes: patterns([(4, [0x81, 1, 0x82, 0])], own: true) + descriptions([-5, -1]))
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built.withGroups("roll", of: 2, [[0xff, 0xfb], [0xff, 0xff], [0xff, 0xff], nil]))
    #expect(payloads(of: "sgpd", in: result.bytes) == [Array(descriptions([-1, -5]).dropFirst(8))])
    #expect(payloads(of: "sbgp", in: result.bytes) == [groups([(1, 2), (2, 1), (1, 0)])])
  }

  @Test("Patterns of samples in the movie box precede those of the fragments")
  func hybrid() throws {
    var audio = TrackSpec.audio().with(\.samples, .samples(3))
    audio.boxes["stbl"] = descriptions([-1, -2]) + patterns([(3, [1, 2])])
    var file = FragmentedFileBuilder([audio])
    file.addFragment { $0.addTraf(2, .samples(2), boxes: patterns([(1, [2]), (1, [1])])) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    let (a, b): ([UInt8], [UInt8]) = ([0xff, 0xff], [0xff, 0xfe])
    check(result, built.withGroups("roll", of: 2, [a, b, a, b, a]))
    #expect(payloads(of: "sbgp", in: result.bytes) == [groups([(1, 1), (1, 2), (1, 1), (1, 2), (1, 1)])])
    #expect(result.diagnostics.isEmpty)
  }

  @Test("A pattern without indices, or with a missing description, is reported and omitted")
  func wrong() throws {
    for pattern in [patterns([(2, [])]), patterns([(2, [7])]), patterns([(2, [0x81])], own: true)] {
      var file = FragmentedFileBuilder([.audio()])
      file.addFragment { $0.addTraf(2, .samples(2), boxes: pattern) }
      let built = file.build()
      let result = try Output.defragmenting(built.bytes)
      check(result, built)
      #expect(
        result.diagnostics.map(\.description) == [
          "init.mp4: 1 csgp box of the track fragments cannot be carried over; omitted"
        ])
    }
  }

  @Test("A few bytes that declare a run for each of many samples are refused")
  func manyRuns() throws {
    let alternating = fullBox(
      "csgp", flags: 0x3c, ascii("roll"), big(UInt32(1)), big(UInt32(2)), big(UInt32.max), [0x01])
    var audio = TrackSpec.audio()
    audio.boxes["stbl"] = descriptions([-1])
    audio.trex = TrackDefaults(duration: 1, size: 1, flags: .sync)
    var file = FragmentedFileBuilder([audio])
    file.addFragment { $0.addTraf(2, .inherited(200_000), boxes: alternating) }
    let result = try Output.defragmenting(file.build().bytes)
    #expect(result.diagnostics.map(\.severity) == [.error])
    let tables = payloads(of: "sbgp", in: result.bytes).count
    #expect(tables == 0)
  }
}
