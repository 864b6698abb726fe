import MP4
import Support
import Testing

/// Rows 10, 11, 13 to 16, 38 and 39: missing, early, late, unordered and wrapped decode times.
@Suite("Decode times of fragments become one timeline")
struct TimeTests {
  /// A file with one fragment of four samples, 512 units each, at each of these times.
  private func video(
    at times: [UInt64?], samples: Int = 4, tfdt: TrackFragmentSpec.DecodeTimeBox = .version1
  ) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video()])
    for (index, time) in times.enumerated() {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = time
          $0.tfdt = time == nil ? .absent : tfdt
          // Unique sizes, so that no fragment is taken for a copy of another.
          $0.addRun(.samples(samples, size: UInt32(20 + index)))
        }
      }
    }
    return file
  }

  @Test("Row 10: without tfdt, a fragment starts where the previous one ended")
  func noTfdt() throws {
    let file = video(at: [nil, nil, nil])
    let built = file.build()
    #expect(built.samples[1]?.map(\.decodeTime) == (0..<12).map { $0 * 512 })
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.diagnostics == [])
    // Also after a fragment with tfdt.
    let mixed = video(at: [1024, nil, 5120, nil]).build()
    check(try .defragmenting(mixed.bytes), mixed)
  }

  @Test("Row 11: each gap extends the sample before it once, and is reported")
  func gaps() throws {
    let second: UInt64 = 12_800
    let times: [UInt64?] = (0..<20).map { index -> UInt64 in
      let gaps: UInt64 = (index >= 3 ? second : 0) + (index >= 9 ? 100 : 0)
      return UInt64(index) * 2048 + gaps
    }
    var file = video(at: times)
    file.tracks.append(.audio())
    file.addFragment { $0.addTraf(2, .samples(5)) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.samples[11].duration == 512 + 12_800)
    #expect(result[1]?.samples[35].duration == 512 + 100)
    #expect(result[1]?.duration == 20 * 2048 + 12_800 + 100)
    #expect(
      result.texts(.warning) == [
        "init.mp4: track 1: 2 gaps, 1.007 s in total, the first at 0.480 s; the samples before them were extended"
      ])
  }

  @Test("Row 13: a repeated fragment is used once")
  func duplicate() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(4)
    let built = file.build()
    let sources = [built.initialization] + [0, 1, 1, 2, 3, 3].map { built.segments[$0] }
    let result = try Output.defragmenting(named(sources))
    check(result, built)
    #expect(
      result.texts(.warning) == [
        "segment3.m4s: track 1: 8 samples from 0.160 s on are repeated; used once"
      ])
  }

  @Test("Row 13: samples with the same times and sizes are identical only if their bytes are")
  func otherPayload() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(3)
    let built = file.build()
    var other = built.segments[1]
    other[other.count - 1] ^= 1
    let sources = named([built.initialization, built.segments[0], built.segments[1], other, built.segments[2]])
    let result = try Output.defragmenting(sources)
    #expect(result[1]?.samples.count == 12)
    #expect(result[1]?.samples[7].payload.last == other.last)
    #expect(
      result.texts(.error) == [
        "segment3.m4s: track 1: later fragments replace 4 samples from 0.160 s on with different ones"
      ])
  }

  @Test("Row 13: where fragments overlap, the later one wins, and replaced samples are reported as lost")
  func declaredAgain() throws {
    let built = video(at: [0, 2048, 3072, 5120]).build()
    let result = try Output.defragmenting(built.bytes)
    let all = try #require(built.samples[1])
    check(result, [1: Array(all[..<6] + all[8...])], built.presentationStart)
    #expect(
      result.texts(.error) == [
        "init.mp4: track 1: later fragments replace 2 samples from 0.240 s on with different ones"
      ])
  }

  @Test("Row 14: a fragment that starts a few ticks early shortens the sample before it, without drift")
  func jitter() throws {
    let times: [UInt64?] = (0..<10).map { index -> UInt64 in UInt64(index) * 2048 - (index > 0 ? 30 : 0) }
    let built = video(at: times).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.samples[3].duration == 482)
    #expect(result[1]?.samples[7].duration == 512)
    #expect(result.diagnostics.map(\.severity) == [.warning])
  }

  @Test("Row 15: unordered fragments are sorted by time")
  func outOfOrder() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for index: UInt64 in [0, 3, 1, 2, 4] {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = index * 2048
          $0.addRun(.samples(4), firstSampleFlags: .sync)
        }
        fragment.addTraf(2) {
          $0.decodeTime = index * 4096
          $0.addRun(.samples(4))
        }
      }
    }
    let built = file.build()
    let sorted = built.samples.mapValues { $0.sorted { $0.decodeTime < $1.decodeTime } }
    let result = try Output.defragmenting(built.bytes)
    check(result, sorted, built.presentationStart)
    #expect(result.texts(.note) == ["init.mp4: fragments are not in time order; sorted"])
    // The media data is sorted as well, so a reader need not seek.
    let places = try #require(result[1]?.places)
    #expect(places.map(\.lowerBound) == places.map(\.lowerBound).sorted())
  }

  @Test("Row 16: a common start of 100 s of all tracks is removed")
  func lateStart() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for index in 0..<2 {
      file.addFragment { fragment in
        for (track, time): (UInt32, UInt64) in [(1, 1_280_000), (2, 4_800_000)] {
          fragment.addTraf(track) {
            if index == 0 { $0.decodeTime = time }
            $0.addRun(.samples(4))
          }
        }
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(built.presentationStart == [1: Seconds(100, 1), 2: Seconds(100, 1)])
    #expect(result.movie.presentationStart == [1: Seconds(0, 1), 2: Seconds(0, 1)])
    #expect(result.movie.tracks.allSatisfy { $0.edits.isEmpty })
    #expect(
      result.texts(.note) == [
        "init.mp4: the presentation starts at 100.000 s; all tracks were moved to 0"
      ])
  }

  @Test("Row 38: a last sample without a duration keeps none")
  func noLastDuration() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragment { $0.addTraf(1, .samples(3, duration: 512)) }
    file.addFragment { $0.addTraf(1, [SampleSpec(8, duration: 512), SampleSpec(9, duration: 0)]) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.samples.last?.duration == 0)
  }

  @Test("Row 39: 32-bit decode times that wrap around continue")
  func wrap() throws {
    let turn: UInt64 = 1 << 32
    let times: [UInt64?] = (0..<5).map { (index: UInt64) -> UInt64 in turn - 4096 + index * 2048 }
    let built = video(at: times, tfdt: .version0).build()
    #expect(built.samples[1]?.last?.decodeTime == Int(turn) + 3 * 2048 - 512)
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.diagnostics.allSatisfy { $0.severity == .note })
  }
}
