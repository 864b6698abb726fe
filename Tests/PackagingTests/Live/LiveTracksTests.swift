import ISOBMFF
import MP4
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Tracks of live streams that are not always present")
struct LiveTracksTests {
  private static let sounds = [TrackSpec.audio(id: 2), .audio(id: 3)]

  /// Adds a second of some tracks, all in one fragment or each in its own. A sample of sound lasts 1000 units.
  private func add(
    _ tracks: [UInt32], to file: inout FragmentedFileBuilder, isSeparate: Bool, extending extended: [UInt32: Int] = [:],
    at second: Int? = nil
  ) {
    for group in isSeparate ? tracks.map({ [$0] }) : [tracks] where !group.isEmpty {
      file.addFragment {
        for track in group {
          if track == 1 { $0.addTraf(1, .samples(25), firstSampleFlags: .sync); continue }
          var samples: [SampleSpec] = .samples(48, duration: 1000)
          // The last sample lasts until the end of a pause.
          if let seconds = extended[track] { samples[47].duration = UInt32(1000 + seconds * 48_000) }
          $0.addTraf(track, samples)
          $0.trafs[$0.trafs.count - 1].decodeTime = second.map { UInt64($0 * 48_000) }
        }
      }
    }
  }
  private func run(_ built: BuiltFile, seconds: Int64 = 2, piece: Int = 1000) -> LiveRun {
    let run = LiveRun([built.bytes], piece: piece) {
      $0.segmentDuration = MediaTime(seconds, 1)
      $0.keepsAll = true
    }
    #expect(run.error == nil && run.recorder.problems == [] && run.losses == 0, "\(run.lines)")
    return run
  }
  private func samples(_ run: LiveRun) throws -> [UInt32: [SampleRecord]] {
    var all: [UInt32: [SampleRecord]] = [:]
    for recorder in [run.recorder] + run.recorder.folders.values {
      try all.merge(recorder.samples().first ?? [:]) { one, _ in one }
    }
    return all
  }
  private func milliseconds(_ playlist: MediaPlaylist) -> [Int] {
    playlist.segments.map { Int(($0.duration / .milliseconds(1)).rounded()) }
  }
  /// The durations of the media of a track in each segment, in units.
  private func durations(_ recorder: LiveRecorder, _ track: UInt32) throws -> [Int] {
    try recorder.segments.map { segment in
      let samples = try SampleReader.read(segment.initialization + segment.bytes).samples[track] ?? []
      return samples.reduce(0) { $0 + Int($1.duration) }
    }
  }

  @Test("Sound after the end of the video is in segments of its own", arguments: [true, false], [1, 2])
  func soundAfterVideo(isSeparate: Bool, count: Int) throws {
    var file = FragmentedFileBuilder([.video()] + Self.sounds.prefix(count))
    let sounds = (0..<UInt32(count)).map { $0 + 2 }
    for _ in 0..<5 { add([1] + sounds, to: &file, isSeparate: isSeparate) }
    // The last fragment of the sound is as long as all that is left of it.
    for (index, group) in (isSeparate ? [[1]] + sounds.map { [$0] } : [[1] + sounds]).enumerated() {
      file.addFragment {
        if index == 0 { $0.addTraf(1, .samples(25), firstSampleFlags: .sync) }
        for track in group where track != 1 { $0.addTraf(track, .samples(48 * 13, duration: 1000)) }
      }
    }
    let built = file.build()
    let run = run(built)
    #expect(milliseconds(run.playlist) == Array(repeating: 2000, count: 9))
    #expect(run.playlist.segments.map(\.isDiscontinuity) == (0..<9).map { $0 == 3 })
    #expect(
      run.lines.filter { $0.contains("stopped") } == [
        "stream: track 1 has stopped; segments now follow track 2"
      ])
    let first = count == 1 ? run.recorder : try #require(run.recorder.folders["audio"])
    #expect(try durations(first, 2) == Array(repeating: 96_000, count: 9))
    #expect(try difference(built.samples, samples(run)) == nil)
  }

  @Test("A last fragment whose sound is much longer than its video ends the stream", arguments: [1, 2], [0, 1, 12])
  func longEnd(count: Int, pictures: Int) throws {
    var file = FragmentedFileBuilder([.video()] + Self.sounds.prefix(count))
    let sounds = (0..<UInt32(count)).map { $0 + 2 }
    for _ in 0..<3 { add([1] + sounds, to: &file, isSeparate: false) }
    file.addFragment {
      // Without a duration, the video ends where it starts.
      let last: [SampleSpec] = pictures == 0 ? [SampleSpec(20, duration: 0)] : .samples(pictures)
      $0.addTraf(1, last, firstSampleFlags: .sync)
      for track in sounds { $0.addTraf(track, .samples(48 * 7, duration: 1000)) }
    }
    let built = file.build()
    let run = LiveRun([built.bytes], piece: 1000) {
      $0.segmentDuration = MediaTime(1, 1)
      $0.keepsAll = true
    }
    // A fragment without a duration is not divided.
    #expect(run.error == nil && run.losses == 0 && (pictures == 0 || run.recorder.problems == []), "\(run.lines)")
    #expect(run.playlist.segments.count >= 4 && run.playlist.isEnded, "\(run.lines)")
    let (old, new) = (built.samples, try samples(run))
    #expect(old.mapValues { $0.map(\.payload) } == new.mapValues { $0.map(\.payload) })
  }

  @Test("Tracks in fragments of their own do not replace the video", arguments: [1, 2, 3, 4] as [Int64])
  func separate(seconds: Int64) throws {
    var file = FragmentedFileBuilder([.video()] + Self.sounds)
    for _ in 0..<12 { add([1, 2, 3], to: &file, isSeparate: true) }
    let built = file.build()
    let run = run(built, seconds: seconds)
    #expect(run.diagnostics.isEmpty && run.playlist.segments.count == 12 / Int(seconds), "\(run.lines)")
    #expect(try difference(built.samples, samples(run)) == nil)
  }

  @Test("Sound that pauses or begins late does not affect the segments", arguments: [true, false], [true, false])
  func pause(isSeparate: Bool, isLate: Bool) throws {
    for tracks in [[2], [2, 3]] as [[UInt32]] {
      var file = FragmentedFileBuilder([.video()] + Self.sounds.prefix(tracks.count))
      let changing = tracks[tracks.count - 1]
      for second in 0..<16 {
        let isPaused = isLate ? second < 7 : (5..<12).contains(second)
        let pause = !isLate && second == 4 ? [changing: 7] : [:]
        add([1] + tracks.filter { $0 != changing || !isPaused }, to: &file, isSeparate: isSeparate, extending: pause)
      }
      let built = file.build()
      let run = run(built)
      #expect(milliseconds(run.playlist) == Array(repeating: 2000, count: 8), "\(run.lines)")
      #expect(run.playlist.segments.allSatisfy { !$0.isDiscontinuity && !$0.isGap })
      #expect(!run.lines.contains { $0.contains("stopped") || $0.contains("stall") }, "\(run.lines)")
      for folder in run.recorder.folders.values {
        let playlist = try #require(folder.states.last)
        #expect(playlist.segments.allSatisfy { $0.duration.roundedSeconds <= 2 }, "\(milliseconds(playlist))")
      }
      let (old, new) = (built.samples, try samples(run))
      #expect(old.mapValues { $0.map(\.payload) } == new.mapValues { $0.map(\.payload) })
    }
  }

  @Test("Sound that begins and ends within segments is listed at the positions of the video", arguments: [true, false])
  func listing(isSeparate: Bool) throws {
    var file = FragmentedFileBuilder([.video()] + Self.sounds)
    for second in 0..<14 {
      add((3..<9).contains(second) ? [1, 2, 3] : [1, 2], to: &file, isSeparate: isSeparate, at: second)
    }
    let built = file.build()
    let run = run(built)
    let sound = try #require(run.recorder.folders["audio-2"])
    let playlist = try #require(sound.states.last)
    #expect(milliseconds(playlist) == milliseconds(run.playlist) && playlist.segments.count == 7, "\(run.lines)")
    #expect(playlist.segments.map(\.programDateTime) == run.playlist.segments.map(\.programDateTime))
    #expect(playlist.segments.map(\.isGap) == (0..<7).map { $0 < 1 || $0 > 4 })
    #expect(try durations(sound, 3) == [48_000, 96_000, 96_000, 48_000])
    #expect(try difference(built.samples, samples(run)) == nil)
  }

  @Test("Long fragments of sound are divided where segments of the video end", arguments: [1, 2], [true, false])
  func longSound(count: Int, isFirst: Bool) throws {
    let sounds = (0..<UInt32(count)).map { $0 + 2 }
    var file = FragmentedFileBuilder([.video()] + Self.sounds.prefix(count))
    for _ in 0..<3 {
      let pictures = (0..<200).map { SampleSpec(20, flags: $0 % 25 == 0 ? .sync : .depends) }
      for track in isFirst ? sounds + [1] : [1] + sounds {
        file.addFragment {
          $0.addTraf(track, track == 1 ? pictures : .samples(48 * 8, duration: 1000))
        }
      }
    }
    let built = file.build()
    let run = run(built)
    let first = count == 1 ? run.recorder : try #require(run.recorder.folders["audio"])
    #expect(milliseconds(run.playlist) == Array(repeating: 2000, count: 12), "\(run.lines)")
    #expect(try durations(first, 2) == Array(repeating: 96_000, count: 12))
    #expect(try difference(built.samples, samples(run)) == nil)
  }

  @Test("Segments follow the sound while the video is lost, and then the video again", arguments: [true, false])
  func lostVideo(isSeparate: Bool) throws {
    var file = FragmentedFileBuilder([.video(), .audio(id: 2)])
    for second in 0..<40 {
      if (10..<30).contains(second) {
        add([2], to: &file, isSeparate: isSeparate)
      } else if second == 30 {
        file.addFragment {
          $0.addTraf(1) {
            $0.decodeTime = 30 * 12_800
            $0.addRun(.samples(25), firstSampleFlags: .sync)
          }
          $0.addTraf(2, .samples(48, duration: 1000))
        }
      } else {
        add([1, 2], to: &file, isSeparate: isSeparate)
      }
    }
    let built = file.build()
    let run = run(built)
    #expect(milliseconds(run.playlist) == Array(repeating: 2000, count: 20), "\(run.lines)")
    #expect(run.playlist.segments.map(\.isDiscontinuity) == (0..<20).map { [5, 15].contains($0) })
    #expect(
      run.lines == [
        "stream: track 1 has stopped; segments now follow track 2",
        "stream: track 1 continues; segments follow it again",
      ])
    #expect(try difference(built.samples, samples(run)) == nil)
  }

  @Test("Sound long before the first picture is in segments of its own")
  func lateVideo() throws {
    for seconds in [1, 5, 12] {
      var file = FragmentedFileBuilder([.video(), .audio(id: 2)])
      for _ in 0..<seconds { add([2], to: &file, isSeparate: false) }
      for second in 0..<6 {
        file.addFragment {
          $0.addTraf(1) {
            if second == 0 { $0.decodeTime = UInt64(seconds * 12_800) }
            $0.addRun(.samples(25), firstSampleFlags: .sync)
          }
          $0.addTraf(2, .samples(48, duration: 1000))
        }
      }
      let built = file.build()
      let run = run(built)
      #expect(run.playlist.segments.allSatisfy { $0.duration.roundedSeconds <= 2 }, "\(milliseconds(run.playlist))")
      #expect(run.playlist.segments.reduce(Duration.zero) { $0 + $1.duration } == .seconds(seconds + 6))
      #expect(try durations(run.recorder, 2).allSatisfy { $0 <= 96_000 })
      #expect(try difference(built.samples, samples(run)) == nil)
    }
  }

  /// `mp4tool fragment` keeps the edit list of sound that begins late, and writes it beside the video of its times.
  @Test("A track that its edit list delays has later decode times, and segments like the others", arguments: [1, 2])
  func delay(count: Int) throws {
    var sounds = Array(Self.sounds.prefix(count))
    sounds[count - 1].edits = [EditSpec(duration: 7000, mediaTime: -1), EditSpec(duration: 0, mediaTime: 0)]
    let delayed = UInt32(count + 1)
    var file = FragmentedFileBuilder([.video()] + sounds)
    for number in 0..<4 {
      file.addFragment {
        let pictures = (0..<100).map { SampleSpec(20, flags: $0 % 25 == 0 ? .sync : .depends) }
        $0.addTraf(1, pictures)
        if count == 2 { $0.addTraf(2, .samples(48 * 4, duration: 1000)) }
        if number > 0 { $0.addTraf(delayed, .samples(48 * (number == 1 ? 1 : 4), duration: 1000)) }
      }
    }
    let built = file.build()
    let run = run(built)
    #expect(!run.lines.contains { $0.contains("edit list") || $0.contains("stall") }, "\(run.lines)")
    #expect(milliseconds(run.playlist) == Array(repeating: 2000, count: 8))
    let folder = count == 1 ? run.recorder : try #require(run.recorder.folders["audio-2"])
    let durations = try durations(folder, delayed).filter { $0 > 0 }
    #expect(durations == [48_000, 96_000, 96_000, 96_000, 96_000])
    let (old, new) = (try #require(built.samples[delayed]), try #require(try samples(run)[delayed]))
    #expect(old.map(\.payload) == new.map(\.payload))
    #expect(new.map(\.decodeTime) == old.map { $0.decodeTime + 7 * 48_000 })
  }

  @Test("Sound that cannot be divided is reported if it is longer than the target duration")
  func undividable() throws {
    var file = FragmentedFileBuilder([.video(), .audio(id: 2)])
    for _ in 0..<4 { add([1, 2], to: &file, isSeparate: false) }
    file.addFragment {
      $0.addTraf(1, .samples(25), firstSampleFlags: .sync)
      $0.addTraf(2) {
        $0.boxes = box("udta", box("xyzw", zeros(4)))
        $0.addRun(.samples(48 * 9, duration: 1000))
      }
    }
    let run = LiveRun([file.build().bytes]) { ($0.segmentDuration, $0.keepsAll) = (MediaTime(2, 1), true) }
    #expect(
      run.diagnostics.map(\.kind) == [
        .overTarget(segment: "segment3.m4s", duration: MediaTime(9, 1), declared: 2, needed: 9)
      ])
  }
}
