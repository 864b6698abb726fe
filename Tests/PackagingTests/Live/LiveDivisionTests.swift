import ISOBMFF
import MP4
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Division of live fragments")
struct LiveDivisionTests {
  /// One sync sample per 50 video samples of 40 ms; fragments have `count` video samples and about as much audio.
  private func builder(
    _ fragments: Int, pictures count: Int, group: Int = 50, tracks: [TrackSpec] = [.video(), .audio()],
    change: (inout TrackFragmentSpec, Range<Int>) -> Void = { _, _ in }
  ) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder(tracks)
    for index in 0..<fragments {
      let range = (index * count)..<(index * count + count)
      let samples = range.map { SampleSpec(UInt32(20 + $0 % 7), flags: $0 % group == 0 ? .sync : .depends) }
      var video = TrackFragmentSpec(1, [RunSpec(samples)])
      change(&video, range)
      file.addFragment {
        $0.trafs.append(video)
        // Video samples of 40 ms, and audio samples of 1024 units at 48 kHz.
        let sounds = (range.upperBound * 1920 / 1024) - (range.lowerBound * 1920 / 1024)
        if tracks.count > 1 { $0.addTraf(2, .samples(sounds)) }
      }
    }
    return file
  }
  private func run(_ built: BuiltFile, seconds: Int64, piece: Int = 1000) -> LiveRun {
    let run = LiveRun([built.bytes], piece: piece) {
      $0.segmentDuration = MediaTime(seconds, 1)
      $0.keepsAll = true
    }
    #expect(run.error == nil && run.recorder.problems == [])
    return run
  }
  private func seconds(_ run: LiveRun) -> [Int] { run.playlist.segments.map(\.duration.roundedSeconds) }

  @Test(
    "Fragments without cuts at sync samples give segments with such cuts, with all samples",
    arguments: [(83, 6), (25, 20), (250, 2), (500, 1), (13, 39)])
  func segments(count: Int, fragments: Int) throws {
    let built = builder(fragments, pictures: count).build()
    for (seconds, groups) in [(2, 1), (6, 3)] as [(Int64, Int)] {
      for piece in [700, 1 << 20] where piece > 700 || groups == 3 {
        let run = run(built, seconds: seconds, piece: piece)
        #expect(run.diagnostics.isEmpty, "\(run.lines)")
        let all = (fragments * count + 49) / 50
        #expect(self.seconds(run).dropLast().allSatisfy { $0 == Int(seconds) }, "\(self.seconds(run))")
        #expect(run.playlist.segments.count == (all + groups - 1) / groups)
        #expect(run.playlist.targetSeconds == seconds && run.playlist.hasIndependentSegments)
        #expect(try run.recorder.samples().map { difference(built.samples, $0) } == [nil])
      }
    }
  }

  @Test("Fragments that fit are not changed")
  func untouched() throws {
    let built = builder(8, pictures: 50).build()
    let run = run(built, seconds: 2)
    #expect(run.recorder.segments.map(\.bytes) == built.segments)
  }

  @Test("Encryption, groups and defaults of other tracks are those of the fragment")
  func details() throws {
    var track = EncryptedTrack.video(entries: 1)
    track.trex?.description = 2
    let file = builder(3, pictures: 80, tracks: [track, .audio()]) { traf, range in
      traf.runs[0].samples = traf.runs[0].samples
        .inGroup("roll", big(UInt16(range.lowerBound + 1)), at: 10..<60)
        .withAuxiliary(range.map { big(UInt64($0)) })
    }
    let built = file.build()
    let run = run(built, seconds: 2)
    #expect(run.losses == 0 && run.playlist.segments.count == 5)
    let segments = run.recorder.segments
    let bytes = (segments.first?.initialization ?? []) + segments.flatMap(\.bytes)
    let samples = try SampleReader.readWithInformation(bytes).samples
    #expect(difference(built.samples, samples) == nil)
    #expect(samples[1]?.allSatisfy { $0.descriptionIndex == 2 && $0.auxiliary.count == 8 } == true)
    #expect(samples[1]?.contains { !$0.groups.isEmpty } == true)
  }

  @Test("A fragment with information that cannot be kept is not divided")
  func boxes() throws {
    let file = builder(3, pictures: 80) { traf, _ in traf.boxes = box("udta", box("xyzw", zeros(4))) }
    let built = file.build()
    let run = run(built, seconds: 2)
    #expect(run.recorder.segments.flatMap(\.bytes) == built.segments.flatMap { $0 })
  }

  @Test("Audio after the last picture is not lost if a segment has just ended")
  func soundAtTheEnd() throws {
    var file = builder(4, pictures: 50)
    file.addFragment { $0.addTraf(2, .samples(9)) }
    let built = file.build()
    let run = run(built, seconds: 2)
    #expect(run.playlist.segments.count == 5)
    #expect(try run.recorder.samples().map { difference(built.samples, $0) } == [nil])
  }

  /// Fragments with these numbers of pictures and about as much audio; one sync sample per 50 pictures.
  private func builder(_ counts: [Int]) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video(), .audio()])
    var first = 0
    for count in counts {
      let range = first..<(first + count)
      first += count
      file.addFragment {
        let samples = range.map { SampleSpec(UInt32(20 + $0 % 7), flags: $0 % 50 == 0 ? .sync : .depends) }
        $0.trafs.append(TrackFragmentSpec(1, [RunSpec(samples)]))
        $0.addTraf(2, .samples(range.upperBound * 1920 / 1024 - range.lowerBound * 1920 / 1024))
      }
    }
    return file
  }

  /// Encryption after a clear lead starts another fragment, which does not begin with a sync sample.
  @Test(
    "A fragment that ends within a group does not make segments too long",
    arguments: [[75, 150, 225, 50], [112, 38, 150, 150], [100, 125, 225, 50], [112, 113, 225]])
  func incompleteGroups(counts: [Int]) throws {
    let built = builder(counts).build()
    for seconds in [2, 3, 4, 6] as [Int64] {
      let run = run(built, seconds: seconds)
      #expect(run.diagnostics.isEmpty, "\(seconds): \(run.lines)")
      #expect(run.playlist.hasIndependentSegments)
      #expect(try run.recorder.samples().map { difference(built.samples, $0) } == [nil])
    }
  }

  @Test("A segment that cannot be decoded alone removes EXT-X-INDEPENDENT-SEGMENTS from both playlists")
  func promise() throws {
    var file = FragmentedFileBuilder([.video()])
    for index in 0..<6 {
      file.addFragment { $0.addTraf(1, .samples(300), firstSampleFlags: index < 2 ? .sync : .depends) }
    }
    let run = run(file.build(), seconds: 6, piece: 1 << 20)
    #expect(run.recorder.states.first?.hasIndependentSegments == true)
    #expect(!run.playlist.hasIndependentSegments)
    #expect(try !MultivariantPlaylist(run.recorder.files["master.m3u8"] ?? []).hasIndependentSegments)
  }
}
