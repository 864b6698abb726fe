import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Live packaging")
struct LivePackagerTests {
  /// Fragments of a second with both tracks, each starting with a sync sample; the audio is slightly longer.
  static func builder(_ count: Int, seed: UInt64 = 1) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video(), .audio()], seed: seed)
    for _ in 0..<count {
      file.addFragment {
        $0.addTraf(1, .samples(25), firstSampleFlags: .sync)
        $0.addTraf(2, .samples(47))
      }
    }
    return file
  }

  static let names = [
    "base-data-offset.mp4", "fragmented.mp4", "global-sidx.mp4", "hevc-fragmented.mp4",
    "ismv.ismv", "negative-cts.mp4", "omit-tfhd-offset.mp4", "prft.mp4", "separate-moof.mp4", "hls", "video", "audio",
  ]

  @Test(
    "Segments contain the samples of every source, for pieces of any size",
    arguments: Effort.some(names, short: 4))
  func vectors(name: String) throws {
    let source = try PackagerVectorTests.files(name)
    let samples = try SampleReader.read(source.flatMap { $0 }).samples
    for piece in [1, 700, 1 << 20] where piece > 1 || source.flatMap({ $0 }).count < 200_000 {
      for seconds in [1, 6] as [Int64] {
        let run = LiveRun([source.flatMap { $0 }], piece: piece) {
          $0.segmentDuration = MediaTime(seconds, 1)
          $0.keepsAll = true
        }
        #expect(run.error == nil && run.losses == 0, "\(run.lines)")
        #expect(run.recorder.problems == [])
        let written = try run.recorder.samples()
        #expect(written.count == 1)
        #expect(difference(samples, written.first ?? [:]) == nil)
        #expect(run.playlist.isEnded && run.playlist.playlistType == .event)
        // Without absolute offsets, players find the data wherever the segment is.
        for segment in run.recorder.segments where name != "ismv.ismv" {
          let flags = try MovieFragmentReading.all(in: segment.bytes).flatMap { $0.trackFragments.map(\.flags) }
          #expect(flags.allSatisfy { $0 & 1 == 0 })
        }
      }
    }
  }

  @Test("Files of a folder give the same result as one stream")
  func files() throws {
    let built = Self.builder(9).build()
    let whole = LiveRun([built.bytes]) { $0.segmentDuration = MediaTime(2, 1) }
    let parts = LiveRun([built.initialization] + built.segments) { $0.segmentDuration = MediaTime(2, 1) }
    let complete = LiveRun(built.segments.map { built.initialization + $0 }) { $0.segmentDuration = MediaTime(2, 1) }
    for run in [whole, parts, complete] {
      #expect(run.error == nil && run.recorder.problems == [] && run.diagnostics.isEmpty, "\(run.lines)")
      #expect(run.recorder.segments.map(\.bytes) == whole.recorder.segments.map(\.bytes))
    }
    #expect(try whole.recorder.samples().map { difference(built.samples, $0) } == [nil])
    #expect(whole.playlist.segments.map(\.duration) == [2, 2, 2, 2, 1].map { .seconds($0) })
  }

  @Test("The window follows the rules, and files are removed when no client needs them", arguments: [2, 6, 20])
  func window(count: Int) throws {
    let run = LiveRun([Self.builder(120).build().bytes], piece: 400) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.windowCount = count
    }
    #expect(run.recorder.problems == [])
    #expect(run.recorder.segments.count == 60)
    // Three target durations of 2 s are three segments.
    #expect(run.playlist.segments.count == max(count, 3))
    #expect(run.playlist.mediaSequence == 61 - max(count, 3))
    #expect(run.recorder.removed.count > 20)
    #expect(run.recorder.removed == (1...run.recorder.removed.count).map { "segment\($0).m4s" })
    let dates = run.playlist.segments.compactMap(\.programDateTime)
    #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 + .seconds(2) == $1 })
    let main = try MultivariantPlaylist(run.recorder.files["master.m3u8"] ?? [])
    #expect(main.findings.isEmpty)
    #expect(main.variants[0].uri == "index.m3u8" && main.variants[0].frameRate == 25)
  }

  @Test("A restarted source gets its own init segment after a discontinuity, and numbers continue")
  func restart() throws {
    let first = Self.builder(6).build()
    var other = Self.builder(9, seed: 2)
    other.movieTimescale = 600
    let second = other.build()
    let run = LiveRun([first.bytes + second.bytes + first.bytes]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.windowCount = 3
    }
    #expect(run.error == nil && run.recorder.problems == [])
    #expect(run.lines.count == 2 && run.losses == 0)
    #expect(run.lines[0].hasSuffix(": the source restarted; a discontinuity was inserted"))
    #expect(
      try zip([first, second, first], run.recorder.samples()).map { difference($0.samples, $1) } == [nil, nil, nil])
    let last = try run.playlist.resolved()
    #expect(last.map(\.discontinuitySequence) == [2, 2, 2])
    #expect(last.map { $0.map?.uri } == ["init3.mp4", "init3.mp4", "init3.mp4"])
    #expect(run.playlist.discontinuitySequence == 1 && run.playlist.segments[0].isDiscontinuity)
  }

  @Test("A movie box with all samples after the fragments is the end of a recording, and no loss")
  func finished() throws {
    let built = Self.builder(3).build()
    let progressive = try readFile(vectorPath("files/progressive.mp4"))
    let moov = try #require(BoxOutline.all(in: progressive).first { $0.type == "moov" }).range
    let run = LiveRun([built.bytes + progressive[moov]]) { $0.segmentDuration = MediaTime(1, 1) }
    #expect(run.error == nil && run.recorder.problems == [] && run.diagnostics.isEmpty, "\(run.lines)")
    var packager = LivePackager("file", to: LiveRecorder())
    let moment = LiveTimestamp(uptime: .zero, date: DateTime(sinceEpoch: .zero))
    for (bytes, isAtEnd) in [(built.bytes, false), (Array(progressive[moov]), true), (built.segments[0], false)] {
      try packager.append(bytes[...], at: moment)
      #expect(packager.isAtEndOfMovie == isAtEnd)
    }
  }

  @Test("After a change of source, the multivariant playlist lists all codecs in the playlist")
  func sources() throws {
    let first = Self.builder(4).build()
    var other = FragmentedFileBuilder([.audio()], seed: 2)
    other.movieTimescale = 600
    for _ in 0..<80 { other.addFragment { $0.addTraf(2, .samples(47)) } }
    for keepsAll in [true, false] {
      let run = LiveRun([first.bytes + other.build().bytes]) {
        $0.segmentDuration = MediaTime(2, 1)
        $0.keepsAll = keepsAll
      }
      #expect(run.error == nil && run.recorder.problems == [])
      let variant = try MultivariantPlaylist(run.recorder.files["master.m3u8"] ?? []).variants[0]
      #expect(variant.codecs == (keepsAll ? "avc1.64000B,mp4a.40.2" : "mp4a.40.2"))
      #expect((variant.resolution != nil) == keepsAll)
      let average = variant.averageBandwidth ?? 0
      #expect(average > 0 && average <= variant.bandwidth)
    }
  }

  @Test("A playlist with removed segments declares the discontinuity sequence from the start")
  func discontinuitySequence() throws {
    let built = Self.builder(4).build()
    let window = LiveRun([built.bytes]) { $0.segmentDuration = MediaTime(2, 1) }
    #expect(window.recorder.states.allSatisfy { $0.hasDiscontinuitySequence && $0.discontinuitySequence == 0 })
    let all = LiveRun([built.bytes]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.keepsAll = true
    }
    #expect(all.recorder.states.allSatisfy { !$0.hasDiscontinuitySequence })
  }

  @Test("The same source from its start is a discontinuity with the same init segment")
  func again() throws {
    let built = Self.builder(4).build()
    let run = LiveRun([built.bytes, built.bytes]) { $0.segmentDuration = MediaTime(2, 1) }
    #expect(run.recorder.problems == [] && run.losses == 0)
    #expect(run.lines.count == 1 && run.lines[0].contains("times go back by 4.000 s to 0.000 s"))
    #expect(run.playlist.segments.map(\.isDiscontinuity) == [false, false, true, false])
    #expect(run.recorder.files["init2.mp4"] == nil)
    let dates = run.playlist.segments.compactMap(\.programDateTime)
    #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 + .seconds(2) <= $1 })
  }

  @Test("A full disk ends the playlist with the complete segments")
  func fullDisk() throws {
    let built = Self.builder(9).build()
    let run = LiveRun([built.bytes], roomLeft: built.bytes.count / 2) { $0.segmentDuration = MediaTime(2, 1) }
    guard case .io(let error) = run.error else {
      Issue.record("\(String(describing: run.error))")
      return
    }
    #expect(error.code == 28 && run.recorder.problems == [])
    #expect(run.playlist.isEnded && run.playlist.segments.count == 2)
  }

  @Test("A stream without fragments is reported with a remedy")
  func notAStream() throws {
    let progressive = try readFile(vectorPath("files/progressive.mp4"))
    let run = LiveRun([progressive])
    #expect(run.error?.obstacle?.code == "not_fragmented" && run.error?.remedy == .streamFragments)
    #expect(run.recorder.files.isEmpty)
    let nothing = LiveRun([Self.builder(0).build().bytes])
    #expect(nothing.error?.file == "stream" && nothing.error?.obstacle?.code == "no_usable_fragments")
    #expect(nothing.recorder.files.isEmpty)
  }
}
