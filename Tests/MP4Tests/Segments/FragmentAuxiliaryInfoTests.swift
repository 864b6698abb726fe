import ISOBMFF
import MP4
import MP4FileIO
import Support
import Testing

@Suite("Sample information of fragments")
struct FragmentAuxiliaryInfoTests {
  /// A file of one fragment, segmented again.
  private func cut(_ tracks: [TrackSpec], _ fill: (inout FragmentSpec) -> Void) throws -> (BuiltFile, FragmentedOutput)
  {
    var file = FragmentedFileBuilder(tracks)
    file.addFragment(fill)
    let built = file.build()
    return (built, try FragmentedOutput(built.bytes) { $0.cutting = .interval(time(0, 100)) })
  }
  private func flags(_ samples: [SampleRecord]) -> [UInt32] { samples.map(\.flags) }

  @Test("Samples stay in their groups, whose descriptions are in the movie box")
  func groups() throws {
    let (built, output) = try cut([.audio()]) {
      let samples: [SampleSpec] = .samples(40)
      $0.addTraf(
        2,
        samples.inGroup("roll", [0, 1], at: 0..<7).inGroup("roll", [0xff, 0xfe], at: 7..<12)
          .inGroup("prol", [0, 3], at: 11..<30))
    }
    #expect(output.plan.segments.count > 6)
    #expect(difference(built.samples[2] ?? [], output[2]?.samples ?? []) == nil)
    #expect(try output.moov().all("trak", "mdia", "minf", "stbl", "sgpd").count == 2)
    #expect(output.fragments.allSatisfy { $0.trackFragments.allSatisfy { !$0.boxTypes.contains("sgpd") } })
    // Fragments without grouped samples have no group boxes.
    #expect(output.fragments.last?.trackFragments[0].boxTypes == ["tfhd", "tfdt", "trun"])
  }

  @Test("Subsamples are kept with their samples")
  func subsamples() throws {
    // Samples 2, 3 and 30 of 40 have two subsamples each.
    let rows = [2, 1, 27].flatMap { delta -> [UInt8] in
      big(UInt32(delta)) + big(UInt16(2))
        + [9, 11].flatMap { big(UInt16($0)) + [1, 0] + zeros(4) }
    }
    let (_, output) = try cut([.audio()]) {
      $0.addTraf(2, .samples(40, size: 20), boxes: fullBox("subs", big(UInt32(3)), rows))
    }
    var found: [Int] = []
    var first = 0
    for fragment in output.fragments {
      for traf in fragment.trackFragments {
        for subs in payloads(of: "subs", in: traf.bytes) {
          var at = first - 1
          for row in 0..<number(subs, 4) {
            at += number(subs, 8 + row * 22)
            found.append(at + 1)
            #expect(number(subs, 12 + row * 22, 2) == 2 && number(subs, 14 + row * 22, 2) == 9)
          }
        }
        first += traf.runs[0].sampleCount
      }
    }
    #expect(found == [2, 3, 30])
  }

  @Test("Each sample keeps its IV and its protected ranges, next to clear samples")
  func encryption() throws {
    func information(_ number: Int, _ size: Int) -> [UInt8] {
      Array(repeating: UInt8(number + 1), count: size) + big(UInt16(1)) + big(UInt16(5)) + big(UInt32(15))
    }
    for size in [8, 16, 0] {
      for place in [TrackFragmentSpec.AuxiliaryPlace.encryptionBox, .offsets] {
        guard size == 8 || place == .offsets else { continue }
        let constant: [UInt8] = size == 0 ? [16] + Array(repeating: 7, count: 16) : []
        let tenc = fullBox("tenc", version: 1, [0, 0x19, 1, UInt8(size)], Array(1...16), constant)
        let scheme = box(
          "sinf", box("frma", ascii("avc1")), fullBox("schm", ascii("cbcs"), big(UInt32(0x1_0000))), box("schi", tenc))
        let entry = EntryBytes.visual("encv", width: 160, height: 90, scheme)
        for isMixed in [false, true] {
          let (built, output) = try cut([.video().with(\.sampleEntries, [entry])]) { fragment in
            fragment.addTraf(1) {
              $0.auxiliaryPlace = place
              let all = (0..<20).map { isMixed && $0 % 3 == 1 && place == .offsets ? [] : information($0, size) }
              $0.addRun(.samples(20, size: 40, flags: .sync).withAuxiliary(all))
            }
          }
          #expect(difference(built.samples[1] ?? [], output[1]?.samples ?? []) == nil, "\(size) \(place) \(isMixed)")
          let types = output.fragments.flatMap(\.trackFragments).map(\.boxTypes)
          let isEncrypted = types.map { $0 == ["tfhd", "tfdt", "trun", "saiz", "saio", "senc"] }
          // Samples without information are encrypted whole with a constant vector.
          let others = ["tfhd", "tfdt", "trun"] + (size == 0 ? ["senc"] : [])
          #expect(zip(isEncrypted, types).allSatisfy { $0 || $1 == others })
          let hasClear = isMixed && place == .offsets
          #expect(isEncrypted.contains(false) == hasClear)
          // Encrypted and clear samples are in separate fragments, and never together in a CMAF fragment.
          #expect(output.plan.cmafBrands.isEmpty == hasClear)
          let back = try Output.defragmenting(output.bytes)
          #expect(back[1]?.samples.map(\.auxiliary) == built.samples[1]?.map(\.auxiliary))
        }
      }
    }
  }

  @Test("Key changes are kept as groups, and clear samples have no information")
  func changingKeys() throws {
    func key(_ number: UInt8, isProtected: Bool = true) -> [UInt8] {
      [0, 0, isProtected ? 1 : 0, isProtected ? 8 : 0] + Array(repeating: number, count: 16)
    }
    let tenc = fullBox("tenc", [0, 0, 1, 8], Array(1...16))
    let scheme = box(
      "sinf", box("frma", ascii("mp4a")), fullBox("schm", ascii("cenc"), big(UInt32(0x1_0000))), box("schi", tenc))
    let sound = TrackSpec.audio().with(\.sampleEntries, [EntryBytes.audio("enca", channels: 1, rate: 48_000, scheme)])
    let (built, output) = try cut([sound]) { fragment in
      fragment.addTraf(2) {
        $0.auxiliaryPlace = .offsets
        let information = (0..<40).map { $0 < 10 ? [] : Array(repeating: UInt8($0), count: 8) }
        $0.addRun(
          [SampleSpec].samples(40).withAuxiliary(information).inGroup("seig", key(0, isProtected: false), at: 0..<10)
            .inGroup("seig", key(2), at: 20..<33))
      }
    }
    #expect(difference(built.samples[2] ?? [], output[2]?.samples ?? []) == nil)
    #expect(output.fragments[0].trackFragments[0].boxTypes == ["tfhd", "tfdt", "trun", "sbgp"])
    #expect(output.fragments.last?.trackFragments[0].boxTypes == ["tfhd", "tfdt", "trun", "saiz", "saio", "senc"])
  }

  @Test("Dependencies, priorities and padding in tables are kept in sample flags, and restored")
  func flagsOfTables() throws {
    let count = 60
    var samples = (0..<count).map { UInt8($0 % 4 == 0 ? 0x20 : 0x18) }
    samples[7] = 0x44
    var track = TrackSpec.pictures(count, group: 4)
    track.boxes["stbl"] =
      fullBox("sdtp", samples) + fullBox("stdp", (0..<count).flatMap { big(UInt16($0 % 5)) })
      + fullBox("padb", big(UInt32(count)), (0..<count / 2).map { UInt8($0 % 7) })
    let file = progressive([track]).bytes
    let before = try SampleReader.read(file)
    #expect(before.tracks[0].samples[7].flags == 0x447 << 16 + 2 || before.tracks[0].samples[7].flags != 0)
    let output = try FragmentedOutput(file) { $0.cutting = .interval(time(0, 100)) }
    #expect(flags(output[1]?.samples ?? []) == flags(before.tracks[0].samples))
    #expect(flags(try Output.defragmenting(output.bytes)[1]?.samples ?? []) == flags(before.tracks[0].samples))
  }

  @Test(
    "Without a dependency table, sync samples are declared independent, and the others unknown")
  func syncFlags() throws {
    let output = try FragmentedOutput(progressive([.pictures(50, group: 10)]).bytes)
    let found = flags(output[1]?.samples ?? [])
    #expect(found == (0..<50).map { $0 % 10 == 0 ? .sync : .nonSync })
  }
}
