import MP4
import Support
import Testing

/// Row 12 and similar cases: durations without samples, and the fragments after them.
@Suite("Durations without samples")
struct EmptyDurationTests {
  /// Fragments of four video and four audio samples; an `empty` fragment has no video samples for the duration of two.
  private func file(_ empty: [Bool], tfdt: TrackFragmentSpec.DecodeTimeBox, isOfTrack: Bool = false) -> BuiltFile {
    var file = FragmentedFileBuilder([.video(), .audio()])
    if isOfTrack { file.tracks[0].trex?.duration = 1024 }
    for isEmpty in empty {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          ($0.tfdt, $0.isDurationEmpty) = (tfdt, isEmpty)
          if isEmpty {
            if !isOfTrack { $0.defaultDuration = 1024 }
          } else {
            $0.addRun(.samples(4, duration: 512), firstSampleFlags: .sync)
          }
        }
        fragment.addTraf(2, .samples(4))
      }
    }
    return file.build()
  }

  @Test(
    "Row 12: the sample before an empty duration is extended once, and later samples do not drift",
    arguments: [TrackFragmentSpec.DecodeTimeBox.absent, .version1], [true, false])
  func between(tfdt: TrackFragmentSpec.DecodeTimeBox, isOfTrack: Bool) throws {
    let empty = (0..<20).map { [2, 3, 9].contains($0) }
    let built = file(empty, tfdt: tfdt, isOfTrack: isOfTrack)
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    let samples = try #require(result[1]?.samples)
    #expect([samples[7].duration, samples[8].duration] == [512 + 2048, 512])
    #expect(samples[27].duration == 512 + 1024)
    #expect(result[1]?.duration == 17 * 2048 + 3 * 1024)
    #expect(result[2]?.duration == 80 * 1024)
    #expect(result.texts(.error) == [])
    #expect(
      result.texts(.warning) == [
        "init.mp4: track 1: 2 gaps, 0.240 s in total, the first at 0.320 s; the samples before them were extended"
      ])
  }

  @Test(
    "Row 12: a track that starts with an empty duration starts later",
    arguments: [TrackFragmentSpec.DecodeTimeBox.absent, .version1])
  func first(tfdt: TrackFragmentSpec.DecodeTimeBox) throws {
    let built = file([true, false, false], tfdt: tfdt)
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.presentationStart == [1: Seconds(1024, 12_800), 2: Seconds(0, 1)])
    #expect(result[1]?.edits.first == .empty(80))
    #expect(result.diagnostics == [])
  }

  @Test("Without tfdt, samples after lost ones keep their times and stay in sync with the other track")
  func behindLostData() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<4 {
      file.startSegment()
      file.addFragment { fragment in
        for (track, count) in [(1, 5), (2, 3)] {
          fragment.addTraf(UInt32(track)) {
            $0.tfdt = .absent
            $0.addRun(.samples(count))
          }
        }
      }
    }
    let built = file.build()
    var segments = built.segments
    // The last two video samples of the second segment, and the audio after them, are missing.
    let place = try #require(built.places[1]?[8])
    let start = built.initialization.count + segments[0].count
    segments[1] = Array(segments[1][..<(place.lowerBound - start)])
    let result = try Output.defragmenting(named([built.initialization] + segments))
    let (pictures, sounds) = (try #require(built.samples[1]), try #require(built.samples[2]))
    check(
      result,
      [1: Array(pictures[..<8] + pictures[10...]), 2: sounds.filter { !(3072..<6144).contains($0.decodeTime) }],
      built.presentationStart)
    #expect(result.texts(.error).count == 3 && result.texts(.warning).count == 2)
  }

  @Test("Samples at the end of a fragment that the next one repeats are used once")
  func repeatedEnd() throws {
    var file = FragmentedFileBuilder([.video()])
    let sizes: [UInt32] = [50, 51, 52, 53, 54, 55, 56, 57]
    func add(_ range: Range<Int>) {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = UInt64(range.lowerBound * 512)
          $0.addRun(sizes[range].map { SampleSpec($0) })
        }
      }
    }
    add(0..<4)
    add(2..<6)
    add(6..<8)
    let built = file.build()
    // The builder generates different bytes for the repeated samples; this replaces them by the original ones.
    var bytes = built.bytes
    let (all, places) = (try #require(built.samples[1]), try #require(built.places[1]))
    for (first, again) in [(2, 4), (3, 5)] { bytes.replaceSubrange(places[first], with: all[again].payload) }
    let result = try Output.defragmenting(bytes)
    check(result, [1: Array(all[..<2] + all[4...])], built.presentationStart)
    #expect(result.texts(.error) == [])
    #expect(
      result.texts(.warning) == [
        "init.mp4: track 1: 2 samples from 0.080 s on are repeated; used once"
      ])
  }

  @Test("Durations that are wrong in all fragments are scaled up to the next fragment, and nothing is omitted")
  func wrongDurations() throws {
    var file = FragmentedFileBuilder([.video().with(\.timescale, 51_200), .audio()])
    for index: UInt64 in 0..<6 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = index * 3072
          $0.addRun(.samples(3, duration: 49_152, offset: 2048), firstSampleFlags: .sync)
        }
        fragment.addTraf(2, .samples(4))
      }
    }
    let built = file.build()
    var pictures = try #require(built.samples[1])
    for index in pictures.indices { (pictures[index].decodeTime, pictures[index].duration) = (index * 1024, 1024) }
    let expected = built.samples.merging([1: pictures]) { $1 }
    let result = try Output.defragmenting(built.bytes)
    check(result, expected, built.presentationStart)
    #expect(result[1]?.duration == 18 * 1024)
    #expect(result.diagnostics.map(\.severity) == [.warning])
  }
}
