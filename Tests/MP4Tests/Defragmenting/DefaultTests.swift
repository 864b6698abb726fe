import Support
import Testing

/// Rows 6, 8, 9, 22 and 24: inherited and default values of samples.
@Suite("Default values of samples")
struct DefaultTests {
  @Test("Row 6: size, duration and flags come from trun, tfhd or trex, each independently")
  func inheritance() throws {
    let trex = TrackDefaults(description: 1, duration: 100, size: 11, flags: .depends)
    var file = FragmentedFileBuilder([.video().with(\.trex, trex)])
    let samples: [[SampleSpec]] = [
      .inherited(3), .samples(3, size: 5), .samples(2, size: 0, duration: 7), .samples(2, flags: .sync),
      .samples(2, size: 3, duration: 9, flags: .disposable, offset: 20),
    ]
    for pattern in 0..<8 {
      for run in samples {
        file.addFragment { fragment in
          fragment.addTraf(1) {
            if pattern & 1 != 0 { $0.defaultDuration = 200 }
            if pattern & 2 != 0 { $0.defaultSize = 22 }
            if pattern & 4 != 0 { $0.defaultFlags = .sync }
            $0.addRun(run)
          }
        }
      }
    }
    check(try .defragmenting(file.build().bytes), file.build())
  }

  @Test("Row 6: first_sample_flags replaces the flags of the first sample of its run only")
  func firstSampleFlags() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragment { fragment in
      fragment.addTraf(1) {
        $0.addRun(.samples(3), firstSampleFlags: .sync)
        $0.addRun(.samples(2))
        $0.defaultFlags = .depends
      }
      fragment.addTraf(1) {
        $0.defaultFlags = .sync
        $0.addRun(.samples(3), firstSampleFlags: .depends)
        $0.addRun([], firstSampleFlags: .depends)
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.samples.map(\.isSync) == [true, false, false, false, false, false, true, true])
  }

  @Test("Row 6: a movie without trex for a track has defaults of 0 and the first description")
  func noTrex() throws {
    var file = FragmentedFileBuilder([.video().with(\.trex, nil)])
    file.addFragment { $0.addTraf(1, .samples(3, duration: 40, flags: .sync)) }
    let built = file.build()
    #expect(built.samples[1]?.map(\.descriptionIndex) == [1, 1, 1])
    check(try .defragmenting(built.bytes), built)
  }

  @Test("Row 8: a run of 70,000 samples without fields is read")
  func manySamples() throws {
    let trex = TrackDefaults(description: 1, duration: 1, size: 2, flags: .sync)
    var file = FragmentedFileBuilder([.audio().with(\.trex, trex)])
    for count in [70_000, 66_000] { file.addFragment { $0.addTraf(2, .inherited(count)) } }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    // One size for all samples, and one row for all durations.
    #expect(payloads(of: "stsz", in: result.bytes).first == zeros(4) + big(UInt32(2)) + big(UInt32(136_000)))
    #expect(
      payloads(of: "stts", in: result.bytes).first
        == zeros(4) + big(UInt32(1)) + big(UInt32(136_000)) + big(UInt32(1)))
  }

  @Test("Row 9: samples without bytes keep their order and time")
  func emptySamples() throws {
    var file = FragmentedFileBuilder([.text(), .audio()])
    file.addFragment { fragment in
      fragment.addTraf(3, [SampleSpec(0), SampleSpec(12), SampleSpec(0), SampleSpec(0), SampleSpec(3)])
      fragment.addTraf(2, .samples(4))
    }
    file.addFragment { $0.addTraf(3, [SampleSpec(0), SampleSpec(0)]) }
    check(try .defragmenting(file.build().bytes), file.build())
    // All samples are empty.
    var empty = FragmentedFileBuilder([.text()])
    empty.addFragment { $0.addTraf(3, .samples(3, size: 0)) }
    let result = try Output.defragmenting(empty.build().bytes)
    #expect(result[3]?.samples.map(\.payload.count) == [0, 0, 0])
    #expect(result[3]?.samples.map(\.decodeTime) == [0, 500, 1000])
  }

  @Test("Row 22: each fragment has its sample description")
  func descriptions() throws {
    let entries = [EntryBytes.avc1(level: 11), EntryBytes.avc1(level: 12), EntryBytes.avc1(level: 13)]
    let trex = TrackDefaults(description: 2, duration: 512, size: 0, flags: .depends)
    var file = FragmentedFileBuilder([.video().with(\.sampleEntries, entries).with(\.trex, trex)])
    for description: UInt32? in [1, 1, 3, nil, 2, 1] {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.description = description
          $0.addRun(.samples(2))
        }
      }
    }
    let built = file.build()
    #expect(built.samples[1]?.map(\.descriptionIndex) == [1, 1, 1, 1, 3, 3, 2, 2, 2, 2, 1, 1])
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.sampleEntries == entries)
  }

  @Test("Row 24: sync samples are those without sample_is_non_sync_sample, regardless of dependencies")
  func syncSamples() throws {
    let dependsButSync: UInt32 = 0x0100_0000
    let independentButNot: UInt32 = 0x0201_0000
    var file = FragmentedFileBuilder([.video(), .audio(), .video(id: 7)])
    file.addFragment { fragment in
      let flags: [UInt32] = [.sync, .depends, dependsButSync, independentButNot, .disposable]
      fragment.addTraf(1, flags.map { SampleSpec(9, flags: $0) })
      fragment.addTraf(2, .samples(3))
      fragment.addTraf(7, .samples(3))
    }
    let result = try Output.defragmenting(file.build().bytes)
    check(result, file.build())
    #expect(result[1]?.samples.map(\.isSync) == [true, false, true, false, false])
    // All audio samples are sync samples, so there is no table; no sample of the second video is, so its table is
    // empty.
    let tables = payloads(of: "stss", in: result.bytes)
    #expect(tables == [zeros(4) + big(UInt32(2)) + big(UInt32(1)) + big(UInt32(3)), zeros(8)])
  }
}
