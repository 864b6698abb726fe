import ISOBMFF
import MP4
import MP4FileIO
import Support
import Testing

/// Rows 23, 25 and 26. `check` compares flags, groups and auxiliary information sample by sample.
@Suite("Sample information other than times, sizes and sync flags is carried over")
struct SampleInformationTests {
  private let roll1: [UInt8] = [0xff, 0xff]
  private let roll2: [UInt8] = [0xff, 0xfe]

  @Test("Row 23: groups of fragments become one list of distinct descriptions, and runs over the whole track")
  func sampleGroups() throws {
    var file = FragmentedFileBuilder([.audio().with(\.groupDescriptions, ["roll": [roll1]])])
    // Two groups with descriptions in moov, and one with a description in the fragment.
    let first: [SampleSpec] = .samples(3).inGroup("roll", roll1, at: 0..<2).inGroup("roll", roll2, at: 2..<3)
    file.addFragment { $0.addTraf(2, first) }
    file.addFragment { $0.addTraf(2, .samples(2)) }
    // The second group equals the first one of this fragment.
    file.addFragment { $0.addTraf(2, .samples(3).inGroup("roll", roll2, at: 0..<1).inGroup("roll", roll1, at: 1..<3)) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[2]?.samples.map { $0.groups["roll"] } == [roll1, roll1, roll2, nil, nil, roll2, roll1, roll1])
    #expect(payloads(of: "sgpd", in: result.bytes).map { number($0, 12) } == [2])
    let runs: [UInt32] = [2, 1, 1, 2, 2, 0, 1, 2, 2, 1]
    #expect(
      payloads(of: "sbgp", in: result.bytes) == [zeros(4) + ascii("roll") + big(UInt32(5)) + runs.flatMap { big($0) }])
    #expect(result.diagnostics.isEmpty)
  }

  @Test("Row 23: kinds of groups are kept apart, over tracks, runs and unordered fragments")
  func kindsOfGroups() throws {
    let keys = (1...4).map { [0, 0, 1, 8] + Array(repeating: UInt8($0), count: 16) }
    var file = FragmentedFileBuilder([.video(), .audio()])
    for (number, time) in [0, 2, 1, 3].enumerated() {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = UInt64(time * 2048)
          // Some samples are random access points, and each fragment has its own key.
          $0.addRun(
            .samples(2, flags: .depends).inGroup("rap ", [0x80], at: 0..<1).inGroup("seig", keys[time], at: 0..<2))
          $0.addRun(.samples(2, flags: .depends).inGroup("seig", keys[(time + 1) % 4], at: 0..<1), dataOffset: .absent)
        }
        fragment.addTraf(2) {
          $0.decodeTime = UInt64(time * 4096)
          // Descriptions of different lengths.
          $0.addRun(.samples(4).inGroup("prol", Array(repeating: 7, count: number + 1), at: 1..<3))
        }
      }
    }
    let built = file.build()
    let sorted = built.samples.mapValues { $0.sorted { $0.decodeTime < $1.decodeTime } }
    let result = try Output.defragmenting(built.bytes)
    check(result, sorted, built.presentationStart)
    #expect(result[1]?.samples.filter { $0.groups["rap "] == [0x80] }.count == 4)
    #expect(result[2]?.samples.compactMap { $0.groups["prol"]?.count } == [1, 1, 3, 3, 2, 2, 4, 4])
  }

  @Test("Row 23: the default group applies to samples without an entry")
  func defaultGroup() throws {
    func descriptions(_ values: [[UInt8]], default index: UInt32) -> [UInt8] {
      fullBox(
        "sgpd", version: 2, ascii("roll"), big(UInt32(2)), big(index), big(UInt32(values.count)), values.flatMap { $0 })
    }
    var audio = TrackSpec.audio()
    audio.boxes["stbl"] = descriptions([roll1], default: 1)
    let other: [UInt8] = [0, 9]
    let groups =
      descriptions([other], default: 0) + fullBox("sbgp", ascii("roll"), [1, 2, 0x1_0001].flatMap { big(UInt32($0)) })
    var file = FragmentedFileBuilder([audio])
    file.addFragment { $0.addTraf(2, .samples(3), boxes: groups) }
    file.addFragment { $0.addTraf(2, .samples(2)) }
    // For this fragment only.
    file.addFragment { $0.addTraf(2, .samples(2), boxes: descriptions([roll2], default: 1)) }
    file.addFragment { $0.addTraf(2, .samples(1)) }
    let result = try Output.defragmenting(file.build().bytes)
    #expect(
      result[2]?.samples.map { $0.groups["roll"] }
        == [other, other, roll1, roll1, roll1, roll2, roll2, roll1])
    #expect(result.diagnostics.isEmpty)
  }

  @Test("A group with a missing description is reported")
  func wrongGroup() throws {
    var file = FragmentedFileBuilder([.audio()])
    let groups = fullBox("sbgp", ascii("roll"), [1, 2, 5].flatMap { big(UInt32($0)) })
    file.addFragment { $0.addTraf(2, .samples(2), boxes: groups) }
    let result = try Output.defragmenting(file.build().bytes)
    #expect(payloads(of: "sbgp", in: result.bytes).isEmpty)
    #expect(result.diagnostics.map(\.severity) == [.error])
  }

  @Test(
    "Row 26: each sample keeps its auxiliary information, from senc and from saio",
    arguments: [TrackFragmentSpec.AuxiliaryPlace.encryptionBox, .offsets, .offsetsOfRuns],
    [TrackFragmentSpec.Base.moof, .explicit, .none])
  func auxiliaryInformation(place: TrackFragmentSpec.AuxiliaryPlace, base: TrackFragmentSpec.Base) throws {
    /// An IV and a subsample, or none.
    func information(_ number: UInt8, isWhole: Bool) -> [UInt8] {
      let subsample = isWhole ? zeros(2) : big(UInt16(1)) + big(UInt16(3)) + big(UInt32(9))
      return Array(repeating: number, count: 8) + subsample
    }
    var file = FragmentedFileBuilder([.video(), .audio()])
    for number in 0..<4 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          ($0.auxiliaryPlace, $0.base) = (place, base)
          let all = (0..<5).map { information(UInt8(number * 5 + $0), isWhole: $0 == 3) }
          // One fragment is unencrypted.
          let some = number == 1 ? all.map { _ in [] } : all
          $0.addRun(.samples(3).withAuxiliary(Array(some[..<3])))
          $0.addRun(.samples(2).withAuxiliary(Array(some[3...])), dataOffset: .absent)
        }
        fragment.addTraf(2) {
          $0.auxiliaryPlace = place
          $0.addRun(.samples(3).withAuxiliary((0..<3).map { Array(repeating: UInt8(100 + number * 3 + $0), count: 8) }))
        }
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.samples[5].auxiliary == [] && result[1]?.samples[10].auxiliary.first == 10)
    #expect(result.diagnostics == [])
    // A size that all samples share is stored once.
    #expect(payloads(of: "saiz", in: result.bytes).map(\.count) == [9 + 20, 9])
    // The same as segments, where saio counts from the start of each.
    check(try .defragmenting(named([built.initialization] + built.segments)), built)
  }

  @Test("Row 26: of a partly replaced fragment, only the information of the used samples is kept")
  func auxiliaryInformationOfSome() throws {
    var file = FragmentedFileBuilder([.video()])
    for (number, time) in [0, 1024].enumerated() {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = UInt64(time)
          let information = (0..<4).map { Array(repeating: UInt8(number * 4 + $0), count: 8) }
          $0.addRun(
            .samples(4, size: UInt32(30 + number)).withAuxiliary(information).inGroup(
              "roll", [UInt8(number), 0], at: 0..<4))
        }
      }
    }
    let built = file.build()
    let all = try #require(built.samples[1])
    check(try .defragmenting(built.bytes), [1: Array(all[..<2] + all[4...])], built.presentationStart)
  }

  @Test("Subsamples keep their samples, numbered over the whole track")
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
    var file = FragmentedFileBuilder([.video(), .audio()])
    let flags: [UInt32] = [0x0200_0000, 0x0181_0003, 0x0d05_0000]
    for _ in 0..<3 {
      file.addFragment {
        $0.addTraf(1, flags.map { SampleSpec(20, flags: $0) })
        $0.addTraf(2, .samples(2))
      }
    }
    // The flags of the first sample contain dependencies as well.
    file.addFragment { $0.addTraf(1, .samples(2), firstSampleFlags: 0x0242_ffff) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.samples.prefix(3).map(\.flags) == flags)
    #expect(result[1]?.samples[9].flags == 0x0242_ffff)
    #expect(payloads(of: "sdtp", in: result.bytes).map { Array($0[4..<7]) } == [[0x20, 0x18, 0xd0]])
    #expect(payloads(of: "stdp", in: result.bytes).map { Array($0[4..<10]) } == [[0, 0, 0, 3, 0, 0]])
    #expect(
      payloads(of: "padb", in: result.bytes).map { Array($0[..<10]) } == [zeros(4) + big(UInt32(11)) + [0x00, 0x20]])
  }

  @Test("Row 25: information that the sync flags imply needs no sdtp")
  func trivialDependencies() throws {
    var file = FragmentedFileBuilder([.video()])
    let flags: [UInt32] = [0x0200_0000, 0x0101_0000, 0x0101_0000]
    file.addFragment { $0.addTraf(1, flags.map { SampleSpec(20, flags: $0) }) }
    let result = try Output.defragmenting(file.build().bytes)
    check(result, file.build())
    #expect(payloads(of: "sdtp", in: result.bytes).isEmpty)
  }
}
