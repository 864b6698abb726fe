import FileIO
import ISOBMFF
import MP4
import Support
import Testing

@Suite("What fragments say of samples besides times, sizes and sync is carried over")
struct SampleInformationTests {
  /// `sgpd` of version 1 with descriptions of two bytes.
  private func descriptions(_ type: String, _ values: [Int16]) -> [UInt8] {
    fullBox("sgpd", version: 1, ascii(type), big(UInt32(2)), big(UInt32(values.count)), values.flatMap { big($0) })
  }
  private func groups(_ type: String, _ runs: [(UInt32, UInt32)]) -> [UInt8] {
    fullBox("sbgp", ascii(type), big(UInt32(runs.count)), runs.flatMap { big($0.0) + big($0.1) })
  }

  @Test("Row 23: groups of fragments become one list of descriptions, each once, and runs over the whole track")
  func sampleGroups() throws {
    var audio = TrackSpec.audio()
    audio.boxes["stbl"] = descriptions("roll", [-1])
    var file = FragmentedFileBuilder([audio])
    file.addFragment {
      $0.addTraf(2, .samples(3), boxes: groups("roll", [(2, 1), (1, 0x1_0001)]) + descriptions("roll", [-2]))
    }
    file.addFragment { $0.addTraf(2, .samples(2)) }
    file.addFragment {
      $0.addTraf(
        2, .samples(3), boxes: descriptions("roll", [-1, -2]) + groups("roll", [(1, 0x1_0001), (2, 0x1_0002)]))
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(payloads(of: "sgpd", in: result.bytes) == [Array(descriptions("roll", [-1, -2]).dropFirst(8))])
    let expected = groups("roll", [(2, 1), (1, 2), (2, 0), (1, 1), (2, 2)])
    #expect(payloads(of: "sbgp", in: result.bytes) == [Array(expected.dropFirst(8))])
    #expect(result.notices.isEmpty)
  }

  @Test("A group that names a description which is not there is told")
  func wrongGroup() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addFragment { $0.addTraf(2, .samples(2), boxes: groups("roll", [(2, 5)])) }
    let result = try Output.defragmenting(file.build().bytes)
    #expect(payloads(of: "sbgp", in: result.bytes).isEmpty)
    #expect(result.notices.map(\.severity) == [.loss])
  }

  @Test("Row 26: auxiliary information comes out in the order of the samples, from senc and from where saio points")
  func auxiliaryInformation() throws {
    let vectors: [[UInt8]] = (1...5).map { Array(repeating: $0, count: 8) }
    let subsample = big(UInt16(1)) + big(UInt16(3)) + big(UInt32(9))
    var file = FragmentedFileBuilder([.video()])
    file.addFragment {
      $0.addTraf(
        1, .samples(2), boxes: fullBox("senc", flags: 2, big(UInt32(2)), vectors[0] + subsample, vectors[1] + subsample)
      )
    }
    // A fragment without any, as in the clear.
    file.addFragment { $0.addTraf(1, .samples(1)) }
    file.addFragment {
      $0.addTraf(
        1, .samples(2),
        boxes: fullBox("senc", flags: 2, big(UInt32(2)), vectors[2] + subsample, vectors[3] + big(UInt16(0))))
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    let saiz = try #require(payloads(of: "saiz", in: result.bytes).first)
    #expect(saiz == [0, 0, 0, 0, 0] + big(UInt32(5)) + [16, 16, 0, 16, 10])
    let saio = try #require(payloads(of: "saio", in: result.bytes).first)
    #expect(saio.count == 12 && Array(saio[..<8]) == zeros(4) + big(UInt32(1)))
    let offset = saio[8...].reduce(0) { $0 << 8 | Int($1) }
    let expected = vectors[0] + subsample + vectors[1] + subsample + vectors[2] + subsample + vectors[3] + [0, 0]
    #expect(Array(result.bytes[offset..<(offset + expected.count)]) == expected)
  }

  @Test("Subsamples keep their samples, counted over the whole track")
  func subsamples() throws {
    let one = big(UInt16(1)) + big(UInt16(7)) + [1, 0] + big(UInt32(0))
    var file = FragmentedFileBuilder([.video()])
    file.addFragment {
      $0.addTraf(1, .samples(3), boxes: fullBox("subs", big(UInt32(1)), big(UInt32(2)), one))
    }
    file.addFragment {
      $0.addTraf(1, .samples(3), boxes: fullBox("subs", big(UInt32(2)), big(UInt32(1)), one, big(UInt32(2)), one))
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    // Samples 2, 4 and 6.
    let expected = big(UInt32(3)) + big(UInt32(2)) + one + big(UInt32(2)) + one + big(UInt32(2)) + one
    #expect(payloads(of: "subs", in: result.bytes) == [zeros(4) + expected])
  }

  @Test("Row 25: dependencies, priorities and padding of the flags become sdtp, stdp and padb")
  func dependencies() throws {
    var file = FragmentedFileBuilder([.video()])
    let flags: [UInt32] = [0x0200_0000, 0x0181_0003, 0x0d05_0000]
    file.addFragment { $0.addTraf(1, flags.map { SampleSpec(20, flags: $0) }) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(payloads(of: "sdtp", in: result.bytes) == [zeros(4) + [0x20, 0x18, 0xd0]])
    #expect(payloads(of: "stdp", in: result.bytes) == [zeros(4) + [0, 0, 0, 3, 0, 0]])
    #expect(payloads(of: "padb", in: result.bytes) == [zeros(4) + big(UInt32(3)) + [0x00, 0x20]])
  }

  @Test("What follows from the sync flags alone needs no sdtp")
  func trivialDependencies() throws {
    var file = FragmentedFileBuilder([.video()])
    let flags: [UInt32] = [0x0200_0000, 0x0101_0000, 0x0101_0000]
    file.addFragment { $0.addTraf(1, flags.map { SampleSpec(20, flags: $0) }) }
    let result = try Output.defragmenting(file.build().bytes)
    #expect(payloads(of: "sdtp", in: result.bytes).isEmpty)
  }
}
