import ISOBMFF
import MP4
import MP4FileIO
import Support
import Testing

@Suite("Segmentation")
struct SegmentationRuleTests {
  private func cut(_ tracks: [TrackSpec], _ seconds: MediaTime) throws -> FragmentedOutput {
    try FragmentedOutput(progressive(tracks).bytes) { $0.cutting = .interval(seconds) }
  }

  @Test("A segment ends before the first sync sample an interval after its start, not on a fixed grid")
  func ownStart() throws {
    // Sync samples every 0.8 s: a grid of 2 s would cut at 2.4, 4 and 6.4.
    let output = try cut([.pictures(250, group: 20)], time(2))
    #expect(output.counts() == [60, 60, 60, 60, 10])
    #expect(output.starts == ["0.000 s", "2.400 s", "4.800 s", "7.200 s", "9.600 s"])
    #expect(output.durations == ["2.400 s", "2.400 s", "2.400 s", "2.400 s", "0.400 s"])
    #expect(output.plan.segments.allSatisfy { $0.accessPoint == .closed })
    #expect(output.texts(.note).isEmpty)
  }

  @Test("A sync sample exactly an interval after the start starts the next segment")
  func exactInterval() throws {
    #expect(try cut([.pictures(100, group: 25)], time(1)).counts() == [25, 25, 25, 25])
    #expect(try cut([.pictures(100, group: 25)], time(1, 1)).counts() == [50, 50])
    #expect(try cut([.pictures(100, group: 25)], time(0, 999)).counts() == [25, 25, 25, 25])
  }

  @Test("Long GOPs result in long segments, which a note reports")
  func longGroups() throws {
    let output = try cut([.pictures(300, group: 100)], time(2))
    #expect(output.counts() == [100, 100, 100])
    let notes = output.texts(.note)
    // The last segment ends with the movie, and is not counted.
    #expect(notes.count == 1 && notes[0].contains("2 segments") && notes[0].contains("4.000 s"), "\(notes)")
    #expect(try cut([.pictures(300, group: 400)], time(2)).counts() == [300])
  }

  @Test("Reordered pictures stay with the previous sync sample, and the interval is presentation time")
  func reordered() throws {
    // I P B B: the sync sample is presented 2 samples later than decoded, B-frames at their decode time or earlier.
    let output = try cut([.pictures(120, group: 24, offsets: [1024, 2048, 512, 512])], time(0, 960))
    #expect(output.counts() == [24, 24, 24, 24, 24])
    // No sample is presented before the first sample of its segment.
    #expect(output.plan.segments.allSatisfy { $0.accessPoint == .closed })
    #expect(output.plan.segments.allSatisfy { $0.duration == time(0, 960) })
  }

  @Test("Leading pictures make a sync sample an open access point, or an unknown one without dependency information")
  func leadingPictures() throws {
    func output(_ leading: UInt32) throws -> FragmentedOutput {
      // I0 b- b-: the third and fourth sample are presented before the first one.
      var file = FragmentedFileBuilder([.video()])
      for _ in 0..<3 {
        file.addFragment {
          var samples: [SampleSpec] = .samples(5, flags: .depends, offset: 1536)
          (samples[0].flags, samples[1].flags, samples[2].flags) = (.sync, .depends | leading, .depends | leading)
          (samples[1].compositionOffset, samples[2].compositionOffset) = (0, 0)
          samples[0].compositionOffset = 1024
          $0.addTraf(1, samples)
        }
      }
      return try FragmentedOutput(file.build().bytes) { $0.cutting = .interval(time(0, 100)) }
    }
    // is_leading: 1 depends on earlier samples, 3 does not.
    #expect(try output(0x400_0000).plan.segments.map(\.accessPoint) == [.open, .open, .open])
    #expect(try output(0xc00_0000).plan.segments.map(\.accessPoint) == Array(repeating: .closedWithLeading, count: 3))
    #expect(try output(0).plan.segments.map(\.accessPoint) == [.unknown, .unknown, .unknown])
  }

  @Test("Audio is cut next to the video cuts, without drift")
  func soundFollows() throws {
    let output = try cut([.pictures(500, group: 25), .sound(938)], time(1))
    #expect(output.counts(1) == Array(repeating: 25, count: 20))
    // The first audio sample that starts at second n or later has the index ceil(n × 48000 / 1024).
    let firsts = (0...20).map { ($0 * 48_000 + 1023) / 1024 }
    #expect(output.counts(2) == zip(firsts, firsts.dropFirst()).map { min($1, 938) - $0 })
    for segment in output.plan.segments {
      let sound = try #require(segment.tracks.first { $0.index == 1 })
      let late = Seconds(Int(sound.earliestPresentationTime), 48_000) - Seconds(Int(segment.start.value), 12_800)
      #expect(late >= Seconds(0, 1) && late < Seconds(1024, 48_000))
    }
  }

  @Test("The first video track with non-sync samples is the reference; others are cut at their own sync samples")
  func severalPictureTracks() throws {
    let tracks = [(1, 1), (50, 2), (30, 3)].map { TrackSpec.pictures(150, group: $0.0, id: $0.1) }
    let output = try cut(tracks, time(1))
    #expect(output.plan.reference == 1)
    #expect(output.counts(2) == [50, 50, 50])
    #expect(output.counts(1) == [50, 50, 50])
    // The first sync samples of the third track at or after 2 s and 4 s are numbers 60 and 120.
    #expect(output.counts(3) == [60, 60, 30])
    #expect(output.plan.segments.allSatisfy { $0.tracks.allSatisfy { $0.firstSample.isSync } })
  }

  @Test("Audio alone is cut at any sample")
  func soundOnly() throws {
    let output = try cut([.sound(500)], time(2))
    // 2 s are 93.75 samples.
    #expect(output.counts(2) == [94, 94, 94, 94, 94, 30])
    #expect(output.plan.segments.allSatisfy { $0.accessPoint == .closed })
  }

  @Test("Audio whose samples depend on each other is cut only at sync samples")
  func dependentSound() throws {
    var sound = TrackSpec.sound(400)
    for index in sound.samples.indices { sound.samples[index].flags = index % 40 == 0 ? .sync : .depends }
    let alone = try cut([sound], time(1))
    #expect(alone.counts(2) == [80, 80, 80, 80, 80])
    let both = try cut([.pictures(200, group: 25), sound], time(1))
    // Video determines the cuts; audio starts with the first sync sample at or after 1 s (47 samples).
    #expect(both.counts(1) == Array(repeating: 25, count: 8))
    #expect(both.counts(2) == [80, 40, 40, 40, 40, 80, 40, 40])
    #expect(both.plan.segments.allSatisfy { $0.tracks.allSatisfy { $0.firstSample.isSync } })
  }

  @Test("Sparse text is only in the segments in which it starts")
  func rareText() throws {
    var text = TrackSpec.text()
    text.samples = [2200, 100, 3700, 900].map { SampleSpec(20, duration: UInt32($0)) }
    let output = try cut([.pictures(200, group: 25), text], time(1))
    // The texts start at 0, 2.2, 2.3 and 6 s.
    #expect(output.counts(3) == [1, 0, 2, 0, 0, 0, 1, 0])
    #expect(output.plan.segments.map(\.tracks.count) == [2, 1, 2, 1, 1, 1, 2, 1])
  }

  @Test("A track is only in the segments from its start to its end")
  func partialTracks() throws {
    var sound = TrackSpec.sound(94)
    sound.edits = [.empty(3000), .media(from: 0, duration: 2005)]
    let output = try cut([.pictures(200, group: 25), sound], time(1))
    #expect(output.counts(2) == [0, 0, 0, 47, 47, 0, 0, 0])
    let first = try #require(output.plan.segments[3].tracks.last)
    #expect(first.decodeTime == 3 * 48_000 && first.earliestPresentationTime == 3 * 48_000)
    #expect(output.presentedStart(2) == Seconds(3, 1))
  }

  @Test("A track that continues after the last picture gets segments of the interval")
  func longerThanPictures() throws {
    let output = try cut([.pictures(75, group: 25), .sound(470)], time(2))
    #expect(output.counts(1) == [50, 25, 0, 0, 0, 0])
    #expect(output.starts == ["0.000 s", "2.000 s", "4.000 s", "6.000 s", "8.000 s", "10.000 s"])
    let firsts = [0, 94, 188, 282, 375, 469, 470]
    #expect(output.counts(2) == zip(firsts, firsts.dropFirst()).map { $1 - $0 })
    #expect(output.plan.segments.last?.duration.description == "0.026 s")
  }

  @Test("Long samples do not result in segments without samples")
  func silence() throws {
    var text = TrackSpec.text()
    text.samples = [SampleSpec(20, duration: 500), SampleSpec(20, duration: 500)]
    text.edits = [.empty(60_000), .media(from: 0)]
    let output = try cut([.pictures(75, group: 25), .sound(100), text], time(2))
    #expect(output.plan.segments.allSatisfy { !$0.tracks.isEmpty && $0.byteCount > 0 })
    let total = output.plan.segments.reduce(Seconds(0, 1)) { $0 + Seconds(Int($1.duration.value), 12_800) }
    #expect(total == Seconds(61, 1))
  }
}

extension FragmentedOutput {
  /// The time of the first presented sample of the track.
  func presentedStart(_ track: UInt32) -> Seconds? { movie.presented[track]?.map(\.start).min() }
}

extension Seconds {
  static func >= (a: Seconds, b: Seconds) -> Bool { !(a < b) }
}
