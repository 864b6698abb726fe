import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Renditions of live streams")
struct LiveRenditionTests {
  private static func sound(_ id: UInt32, _ language: String) -> TrackSpec {
    TrackSpec.audio(id: id).with(\.language, language)
  }
  private static let tracks = [TrackSpec.video(), sound(2, "eng"), sound(3, "fra")]

  /// How the tracks of a second are in fragments.
  enum Layout: CaseIterable {
    case together, videoFirst, videoLast
  }
  /// Seconds with all tracks, each of which begins with a sync sample; sounds last slightly longer.
  private static func builder(_ seconds: Int, _ layout: Layout = .together, _ tracks: [TrackSpec] = tracks)
    -> FragmentedFileBuilder
  {
    var file = FragmentedFileBuilder(tracks, seed: UInt64(tracks.count))
    for index in 0..<seconds {
      let sounds = (index + 1) * 1875 / 40 - index * 1875 / 40
      let order = layout == .videoLast ? tracks.reversed() : tracks
      let groups = layout == .together ? [order] : order.map { [$0] }
      for group in groups {
        file.addFragment {
          for track in group {
            if track.kind == .video {
              $0.addTraf(track.id, .samples(25), firstSampleFlags: .sync)
            } else {
              $0.addTraf(track.id, .samples(sounds))
            }
          }
        }
      }
    }
    return file
  }
  private func run(_ bytes: [UInt8], piece: Int = 1000, _ change: (inout LivePackager.Options) -> Void = { _ in })
    -> LiveRun
  {
    let run = LiveRun([bytes], piece: piece) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.keepsAll = true
      change(&$0)
    }
    #expect(run.error == nil && run.recorder.problems == [] && run.losses == 0, "\(run.lines)")
    return run
  }
  /// The samples of all renditions of a stream that does not restart.
  private func samples(_ run: LiveRun) throws -> [UInt32: [SampleRecord]] {
    var all: [UInt32: [SampleRecord]] = [:]
    for recorder in [run.recorder] + run.recorder.folders.values {
      for (track, samples) in try recorder.samples().first ?? [:] {
        #expect(all.updateValue(samples, forKey: track) == nil, "track \(track) is in two renditions")
      }
    }
    return all
  }
  private func playlist(_ run: LiveRun, _ folder: String) throws -> MediaPlaylist {
    try #require(run.recorder.folders[folder]?.states.last)
  }

  @Test("Each of several sounds is a rendition with the segments of the video", arguments: Layout.allCases)
  func sounds(layout: Layout) throws {
    let built = Self.builder(12, layout).build()
    for piece in [700, 1 << 20] {
      let run = run(built.bytes, piece: piece)
      #expect(run.diagnostics.isEmpty, "\(run.lines)")
      #expect(run.recorder.folders.keys.sorted() == ["audio-en", "audio-fr"])
      #expect(try difference(built.samples, samples(run)) == nil)
      #expect(run.playlist.segments.map(\.duration) == Array(repeating: .seconds(2), count: 6))
      for folder in ["audio-en", "audio-fr"] {
        let own = try playlist(run, folder)
        #expect(own.segments.map(\.uri) == run.playlist.segments.map(\.uri))
        #expect(own.targetSeconds == 2 && own.isEnded && own.hasIndependentSegments)
        for (sound, video) in zip(own.segments, run.playlist.segments) {
          let (one, other) = (try #require(sound.programDateTime), try #require(video.programDateTime))
          #expect(one + .milliseconds(25) > other && other + .milliseconds(25) > one)
        }
        // Nothing of other tracks is in it.
        let recorder = try #require(run.recorder.folders[folder])
        let size = recorder.segments.reduce(0) { $0 + $1.bytes.count }
        let media = built.samples[folder == "audio-en" ? 2 : 3, default: []].reduce(0) { $0 + $1.payload.count }
        #expect(size < media + 6 * 2000)
      }
      let main = try run.main
      #expect(main.findings.isEmpty && main.variants.map(\.uri) == ["index.m3u8"])
      #expect(main.variants[0].audio == "audio-1" && main.variants[0].frameRate == 25)
      #expect(main.variants[0].codecs?.contains("mp4a.40.2") == true)
      #expect(main.renditions.map(\.name) == ["English", "French"])
      #expect(main.renditions.map(\.language) == ["en", "fr"])
      #expect(main.renditions.map(\.uri) == ["audio-en/index.m3u8", "audio-fr/index.m3u8"])
      #expect(main.renditions.map(\.isDefault) == [true, false] && main.renditions.allSatisfy(\.isAutoselected))
      #expect(main.renditions.map(\.channels) == ["1", "1"])
    }
  }

  @Test("Long fragments are divided at the same times in all renditions")
  func division() throws {
    var file = FragmentedFileBuilder(Self.tracks)
    for _ in 0..<3 {
      file.addFragment {
        let samples = (0..<300).map { (index: Int) -> SampleSpec in
          SampleSpec(UInt32(20 + index % 7), flags: index % 50 == 0 ? .sync : .depends)
        }
        $0.trafs.append(TrackFragmentSpec(1, [RunSpec(samples)]))
        for track in [2, 3] as [UInt32] { $0.addTraf(track, .samples(562)) }
      }
    }
    let built = file.build()
    let run = run(built.bytes)
    #expect(try difference(built.samples, samples(run)) == nil)
    #expect(run.playlist.segments.count == 18 && run.diagnostics.isEmpty, "\(run.lines)")
    #expect(try playlist(run, "audio-fr").segments.allSatisfy { $0.duration.roundedSeconds == 2 && !$0.isGap })
  }

  @Test("The windows of all renditions move together, and their files are removed")
  func window() throws {
    let run = run(Self.builder(60).build().bytes, piece: 400) {
      $0.keepsAll = false
      $0.windowCount = 4
    }
    for folder in ["audio-en", "audio-fr"] {
      let own = try playlist(run, folder)
      #expect(own.mediaSequence == run.playlist.mediaSequence && own.segments.count == run.playlist.segments.count)
      #expect(own.mediaSequence == 27 && run.recorder.folders[folder].map { $0.removed.count > 10 } == true)
    }
  }

  @Test("Boxes before a fragment, such as events, are in the rendition of the video only")
  func events() throws {
    let scheme: [UInt8] = ascii("urn:x\0") + ascii("1\0")
    let event = fullBox("emsg", scheme, big(UInt32(1000)), zeros(12))
    var file = Self.builder(6)
    file.parts.insert(.boxes(event), at: 2)
    let run = run(file.build().bytes)
    func count(_ recorder: LiveRecorder?) throws -> Int {
      var count = 0
      for segment in recorder?.segments ?? [] {
        count += try BoxOutline.all(in: segment.bytes).count { $0.type == "emsg" }
      }
      return count
    }
    #expect(try count(run.recorder) == 1 && count(run.recorder.folders["audio-en"]) == 0)
  }

  /// ffmpeg extends the first sample of a track to the start of the second one, or the one before a pause.
  @Test("A sound that begins late or pauses has segments like the others", arguments: [true, false])
  func pause(isLate: Bool) throws {
    var file = FragmentedFileBuilder(Self.tracks)
    for index in 0..<8 {
      file.addFragment {
        $0.addTraf(1, .samples(50), firstSampleFlags: .sync)
        $0.addTraf(2, .samples(index % 4 == 0 ? 93 : 94))
        if isLate ? index < 2 : (3..<6).contains(index) { return }
        var samples: [SampleSpec] = .samples(50, duration: 1024)
        // The whole sound of two fragments, or the time until the seventh fragment.
        if index == 2, isLate { samples[0].duration = 6 * 48_000 - 49 * 1024 }
        if index == 2, !isLate { samples[49].duration = 8 * 48_000 - 49 * 1024 }
        $0.addTraf(3) {
          if index == 2 || index == 6 { $0.decodeTime = UInt64(isLate && index == 2 ? 0 : index * 96_000) }
          $0.addRun(index == 2 || index == 6 ? samples : .samples(94, duration: 1021))
        }
      }
    }
    let built = file.build()
    for seconds in [2, 4] as [Int64] {
      let run = run(built.bytes) { $0.segmentDuration = MediaTime(seconds, 1) }
      let own = try playlist(run, "audio-fr")
      #expect(own.segments.allSatisfy { $0.duration.roundedSeconds <= own.targetSeconds }, "\(own)")
      #expect(own.targetSeconds == seconds && own.segments.contains(where: \.isGap))
      #expect(run.lines.contains { $0.contains("a sample that lasts several segments was shortened by ") })
      let (old, new) = (built.samples[3] ?? [], try samples(run)[3] ?? [])
      #expect(old.map(\.payload) == new.map(\.payload))
      // Only the times of that sample change.
      let changed = zip(old, new).count { $0.decodeTime != $1.decodeTime || $0.duration != $1.duration }
      #expect(changed == 1, "\(changed)")
      let end = new.last.map { $0.decodeTime + Int($0.duration) }
      #expect(end == old.last.map { $0.decodeTime + Int($0.duration) })
    }
  }

  /// Each change between clear and encrypted samples starts another fragment.
  @Test("Sound of which more follows in another fragment is in the segment of its video")
  func splitSound() throws {
    var file = FragmentedFileBuilder(Self.tracks)
    for index in 0..<8 {
      file.addFragment {
        $0.addTraf(1, .samples(50), firstSampleFlags: .sync)
        $0.addTraf(2, .samples(index % 4 == 0 ? 93 : 94))
        $0.addTraf(3, .samples(index == 4 ? 2 : index % 4 == 0 ? 93 : 94))
      }
      if index == 4 { file.addFragment { $0.addTraf(3, .samples(91)) } }
    }
    let built = file.build()
    let run = run(built.bytes)
    #expect(run.diagnostics.isEmpty, "\(run.lines)")
    #expect(try playlist(run, "audio-fr").segments.map(\.duration.roundedSeconds) == Array(repeating: 2, count: 8))
    #expect(try difference(built.samples, samples(run)) == nil)
  }

  @Test("A sound that appears after a restart has gaps before, in the same range of segments", arguments: [nil, 4])
  func late(count: Int?) throws {
    let first = Self.builder(12).build()
    let second = Self.builder(4, .together, [.video(), Self.sound(2, "deu"), Self.sound(3, "fra")]).build()
    let alone = Self.builder(12, .together, [.video(), Self.sound(2, "eng")]).build()
    for source in [first, alone] {
      let run = run(source.bytes + second.bytes) {
        ($0.keepsAll, $0.windowCount) = (count == nil, count ?? 0)
      }
      let german = try playlist(run, "audio-de")
      #expect(german.segments.map(\.uri) == run.playlist.segments.map(\.uri))
      #expect(german.mediaSequence == run.playlist.mediaSequence)
      let (own, main) = (try german.resolved(), try run.playlist.resolved())
      #expect(own.map(\.discontinuitySequence) == main.map(\.discontinuitySequence))
      #expect(own.map(\.mediaSequence) == main.map(\.mediaSequence))
      let gaps = german.segments.prefix(while: \.isGap)
      #expect(gaps.count == german.segments.count - 2)
      #expect(zip(gaps, run.playlist.segments).allSatisfy { $0.duration == $1.duration })
      #expect(zip(gaps, run.playlist.segments).allSatisfy { $0.programDateTime == $1.programDateTime })
    }
  }

  @Test("The folders of sounds remain after a restart; a missing sound is a gap, and a new one has gaps before it")
  func restart() throws {
    let first = Self.builder(6).build()
    let second = Self.builder(4, .together, [.video(), Self.sound(2, "fra")]).build()
    let third = Self.builder(4, .together, [.video(), Self.sound(2, "deu"), Self.sound(3, "fra")]).build()
    let run = run(first.bytes + second.bytes + third.bytes)
    #expect(run.playlist.segments.map(\.isDiscontinuity) == [false, false, false, true, false, true, false])
    let (english, french) = (try playlist(run, "audio-en"), try playlist(run, "audio-fr"))
    #expect(english.segments.map(\.isGap) == [false, false, false, true, true, true, true])
    #expect(french.segments.map(\.isGap) == Array(repeating: false, count: 7))
    #expect(english.segments.map(\.isDiscontinuity) == run.playlist.segments.map(\.isDiscontinuity))
    let german = try playlist(run, "audio-de")
    #expect(german.segments.map(\.isGap) == [true, true, true, true, true, false, false])
    let numbers = try run.playlist.resolved().map(\.discontinuitySequence)
    #expect(try german.resolved().map(\.discontinuitySequence) == numbers)
    #expect(try run.main.renditions.map(\.language) == ["en", "fr", "de"])
    #expect(run.lines.contains { $0.contains("audio-en: segment4.m4s has no samples") }, "\(run.lines)")
    let samples = try run.recorder.folders["audio-fr"]?.samples() ?? []
    #expect(samples.map(\.values.count) == [1, 1, 1])
    #expect(difference([3: first.samples[3] ?? []], samples[0]) == nil)
    #expect(difference([2: second.samples[2] ?? []], samples[1]) == nil)
  }

  @Test("A sound that ends is a gap from there on, which is reported once")
  func end() throws {
    var file = Self.builder(6)
    for _ in 0..<6 {
      file.addFragment {
        $0.addTraf(1, .samples(25), firstSampleFlags: .sync)
        $0.addTraf(2, .samples(47))
      }
    }
    let built = file.build()
    let run = run(built.bytes)
    #expect(try playlist(run, "audio-fr").segments.map(\.isGap) == [false, false, false, true, true, true])
    #expect(try playlist(run, "audio-en").segments.allSatisfy { !$0.isGap })
    #expect(run.lines.count == 1 && run.lines[0].contains("audio-fr: segment4.m4s has no samples"), "\(run.lines)")
    #expect(try difference(built.samples, samples(run)) == nil)
  }

  @Test("Without video, the first sound is the variant")
  func soundsOnly() throws {
    let built = Self.builder(8, .together, [Self.sound(1, "eng"), Self.sound(2, "fra")]).build()
    let run = run(built.bytes)
    #expect(try difference(built.samples, samples(run)) == nil)
    #expect(try run.main.findings.isEmpty && run.main.variants.map(\.uri) == ["index.m3u8"])
    #expect(try run.main.renditions.map(\.uri) == ["index.m3u8", "audio-fr/index.m3u8"])
    #expect(try playlist(run, "audio-fr").segments.count == run.playlist.segments.count)
  }

  @Test("Tracks with different keys are separate renditions, each with its key")
  func keys() throws {
    let video = EncryptedTrack.video()
    func audio(_ key: UInt8) -> TrackSpec {
      let tenc = fullBox("tenc", [0, 0, 1, 8], Array(repeating: key, count: 16))
      let protection = box(
        "sinf", box("frma", ascii("mp4a")), fullBox("schm", ascii("cenc"), big(UInt32(0x1_0000))), box("schi", tenc))
      return TrackSpec.audio().with(
        \.sampleEntries, [EntryBytes.audio("enca", channels: 2, rate: 48_000, protection)])
    }
    for isSeparate in [true, false] {
      let sound = isSeparate ? audio(9) : TrackSpec.audio()
      var file = FragmentedFileBuilder([video, sound])
      for _ in 0..<6 {
        file.addFragment {
          let samples: [SampleSpec] = .samples(25).withAuxiliary((0..<25).map { big(UInt64($0)) })
          var pictures = TrackFragmentSpec(1, [RunSpec(samples, firstSampleFlags: .sync)])
          pictures.description = 2
          $0.trafs.append(pictures)
          $0.addTraf(2) {
            let samples: [SampleSpec] = .samples(47)
            $0.addRun(isSeparate ? samples.withAuxiliary((0..<47).map { big(UInt64($0)) }) : samples)
          }
        }
      }
      let built = file.build()
      let run = run(built.bytes) { $0.key = Packager.Key(uri: "key.bin") }
      #expect(run.recorder.folders.keys.sorted() == (isSeparate ? ["audio"] : []))
      #expect(run.playlist.segments[0].keys.first?.uri == "key.bin")
      #expect(run.lines.count == (isSeparate ? 1 : 0), "\(run.lines)")
      guard isSeparate else { continue }
      #expect(try playlist(run, "audio").segments[0].keys.first?.uri == "../key.bin")
      #expect(try run.main.renditions.map(\.uri) == ["audio/index.m3u8"])
      for (track, recorder) in [(1, run.recorder), (2, try #require(run.recorder.folders["audio"]))] {
        let bytes = (recorder.segments.first?.initialization ?? []) + recorder.segments.flatMap(\.bytes)
        let samples = try SampleReader.readWithInformation(bytes).samples
        #expect(difference([UInt32(track): built.samples[UInt32(track)] ?? []], samples) == nil)
      }
    }
  }

  @Test("Data that cannot be separated is reported, and the rest is used")
  func damage() throws {
    let built = Self.builder(8).build()
    var bytes = built.bytes
    // The third fragment ends early.
    let fragments = try MovieFragmentReading.all(in: bytes)
    bytes.removeSubrange((fragments[3].offset - 40)..<fragments[3].offset)
    let run = LiveRun([bytes]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.keepsAll = true
    }
    #expect(run.error == nil && run.recorder.problems == [] && run.losses > 0)
    let samples = try samples(run)
    for track in [1, 2, 3] as [UInt32] {
      let count = fragments[2].trackFragments.first { $0.track == track }?.runs.reduce(0) { $0 + $1.sampleCount } ?? 0
      #expect(samples[track]?.count == (built.samples[track]?.count ?? 0) - count)
    }
  }
}
