import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import Testing
import TimedText

@Suite struct SubtitlePlannerTests {
  static let forms: [SubtitlePlanner.Form] = [.wholeFile, .segments(.seconds(6)), .fragments(.seconds(6))]
  private static let main = """
    #EXTM3U
    # a comment
    #EXT-X-STREAM-INF:BANDWIDTH=2000,CODECS="avc1.64001f", FOO=bar
    v.m3u8

    #EXT-X-STREAM-INF:BANDWIDTH=1000
    w.m3u8
    """

  private func video(_ segments: [String], tags: String = "#EXT-X-PLAYLIST-TYPE:VOD\n", isEnded: Bool = true) throws
    -> MediaPlaylist
  {
    let list = segments.enumerated().map { "\($1)s\($0).m4s\n" }.joined()
    return try MediaPlaylist(
      "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n\(tags)\(list)" + (isEnded ? "#EXT-X-ENDLIST\n" : ""))
  }
  private func subtitles(_ language: String = "en") -> Subtitles {
    let cues = (0..<6).map { Cue(start: Int64($0) * 3000 + 500, end: Int64($0) * 3000 + 4000, text: "c\($0)") }
    return Subtitles(WebVTTDocument(cues), language: language, source: "a.vtt")
  }
  /// A plan and its files, with all general checks done.
  private func planned(
    _ form: SubtitlePlanner.Form, _ video: MediaPlaylist, _ subtitles: [Subtitles], main: String = main,
    starts: [MediaTime] = []
  ) throws -> (plan: SubtitlePlan, files: [String: [UInt8]]) {
    let playlist = try MultivariantPlaylist(main)
    var timing = try PresentationTiming(video)
    for (index, start) in starts.enumerated() { timing.periods[index].mediaStart = start }
    let plan = try SubtitlePlanner(form).plan(subtitles, playlist, timing)
    var files: [String: [UInt8]] = [:]
    for file in plan.files {
      let sink = MemorySink()
      try plan.write(file, to: sink)
      #expect(sink.bytes.count == file.byteCount && files.updateValue(sink.bytes, forKey: file.path) == nil)
    }
    var media = plan.media
    for variant in playlist.variants { media[variant.uri] = video }
    let findings = Presentation(plan.main, media: media).findings
    #expect(findings.isEmpty, "\(findings)")
    for (path, own) in plan.media {
      let folder = path.dropLast("index.m3u8".count)
      for segment in try own.resolved() {
        #expect(files["\(folder)\(segment.uri)"] != nil)
        if let map = segment.map { #expect(files["\(folder)\(map.uri)"] != nil) }
      }
      let lengths = [own, video].map { $0.segments.reduce(Duration.zero) { $0 + $1.duration } }
      #expect(lengths[0] == lengths[1])
    }
    return (plan, files)
  }

  @Test("The playlist keeps all bytes except the variants' attribute, and lists the subtitles", arguments: forms)
  func lines(form: SubtitlePlanner.Form) throws {
    let video = try self.video(Array(repeating: "#EXTINF:4,\n", count: 5))
    let (plan, files) = try planned(form, video, [subtitles(), subtitles("eng"), subtitles("de")])
    let isMP4 = if case .fragments = form { true } else { false }
    let added = plan.main.variants[1].bandwidth - 1000
    let largest =
      files.filter { $0.key.hasPrefix("subtitles/en/") && !$0.key.hasSuffix("m3u8") && !$0.key.hasSuffix("mp4") }
      .map(\.value.count).max() ?? 0
    // The highest segment bit rate; segments of 4 s last at most 8 s, and a single file 20 s.
    #expect((largest * 8 / 20...largest * 8 / 4).contains(added), "\(added)")
    #expect(
      plan.main.text == """
        #EXTM3U
        # a comment
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="English",URI="subtitles/en/index.m3u8",LANGUAGE="en",\
        AUTOSELECT=YES
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="English 2",URI="subtitles/en-2/index.m3u8",LANGUAGE="en"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="German",URI="subtitles/de/index.m3u8",LANGUAGE="de",\
        AUTOSELECT=YES
        #EXT-X-STREAM-INF:BANDWIDTH=\(2000 + added),CODECS="avc1.64001f\(isMP4 ? ",wvtt" : "")",FOO=bar,SUBTITLES="subtitles"
        v.m3u8

        #EXT-X-STREAM-INF:BANDWIDTH=\(1000 + added),SUBTITLES="subtitles"
        w.m3u8
        """, "\(plan.main.text)")
  }

  @Test("Cues across a cut are in both segments, and each segment declares the media time")
  func segments() throws {
    let video = try self.video(Array(repeating: "#EXTINF:4,\n", count: 5))
    let (_, files) = try planned(.segments(.seconds(8)), video, [subtitles()], starts: [MediaTime(10, 1)])
    let documents = try (1...3).map { try WebVTTDocument(#require(files["subtitles/en/segment\($0).vtt"])) }
    #expect(documents.map { $0.cues.map(\.text) } == [["c0", "c1", "c2"], ["c2", "c3", "c4", "c5"], ["c5"]])
    #expect(documents.allSatisfy { $0.timestampMap == TimestampMap(mpegTS: 900_000) })
    #expect(documents[1].cues[0].start == .milliseconds(6500))
  }

  @Test("After a discontinuity, times are those of the media there", arguments: forms)
  func discontinuities(form: SubtitlePlanner.Form) throws {
    let cut = "#EXT-X-DISCONTINUITY\n#EXTINF:4,\n"
    let video = try self.video(["#EXTINF:4,\n", "#EXTINF:4,\n", cut, "#EXTINF:4,\n", cut])
    let starts = [MediaTime(10, 1), MediaTime(1, 2), MediaTime(1 << 34, 90_000)]
    let (plan, files) = try planned(form, video, [subtitles()], starts: starts)
    let playlist = try #require(plan.media["subtitles/en/index.m3u8"])
    #expect(playlist.segments.map(\.isDiscontinuity) == [false, true, true])
    if case .fragments = form {
      #expect(playlist.segments.map { $0.map?.uri } == ["init.mp4", "init2.mp4", "init3.mp4"])
      let sources = try ["init2.mp4", "segment2.m4s"].map { MemorySource(try #require(files["subtitles/en/\($0)"])) }
      let times = try Movie(reading: sources).tracks.map(\.start)
      #expect(times == [MediaTime(1, 2)])
      return
    }
    let maps = try (1...3).map { try WebVTTDocument(#require(files["subtitles/en/segment\($0).vtt"])).timestampMap }
    #expect(maps.map { $0?.local } == [.zero, .seconds(8), .seconds(16)])
    // Timestamps have 33 bits.
    #expect(maps.map { $0?.mpegTS } == [900_000, 45_000, 0])
  }

  @Test("A cue across a discontinuity ends there and starts again")
  func clipped() throws {
    let cut = "#EXT-X-DISCONTINUITY\n#EXTINF:4,\n"
    let video = try self.video(["#EXTINF:4,\n", "#EXTINF:4,\n", cut, cut])
    let one = Subtitles(WebVTTDocument([Cue(start: 3000, end: 30_000, text: "c")]), language: "en")
    let (_, files) = try planned(
      .segments(.seconds(4)), video, [one], starts: Array(repeating: MediaTime(0, 1), count: 3))
    let cues = try (1...4).map { try WebVTTDocument(#require(files["subtitles/en/segment\($0).vtt"])).cues }
    // Between segments of one timeline, a cue is not split, as players require.
    #expect(cues.map { $0.map(\.startMilliseconds) } == [[3000], [3000], [8000], [12_000]])
    #expect(cues.map { $0.map(\.endMilliseconds) } == [[8000], [8000], [12_000], [30_000]])
  }

  @Test("X-TIMESTAMP-MAP shifts cues to the times of the media, which is reported if it changes anything")
  func timestampMap() throws {
    let video = try self.video(Array(repeating: "#EXTINF:4,\n", count: 5))
    func planned(_ map: TimestampMap, _ start: MediaTime?) throws -> ([Int64], [String]) {
      var one = subtitles()
      one.document.timestampMap = map
      let (plan, files) = try self.planned(.wholeFile, video, [one], starts: start.map { [$0] } ?? [])
      let document = try WebVTTDocument(#require(files["subtitles/en/subtitles.vtt"]))
      #expect(document.timestampMap?.local == .zero)
      return (document.cues.map(\.startMilliseconds), plan.diagnostics.map { "\($0)" })
    }
    let starts = subtitles().document.cues.map(\.startMilliseconds)
    let same = try planned(TimestampMap(mpegTS: 900_000), MediaTime(10, 1))
    #expect(same.0 == starts && same.1.isEmpty)
    let later = try planned(TimestampMap(local: .seconds(1), mpegTS: 900_000), MediaTime(8, 1))
    #expect(later.0 == starts.map { $0 + 1000 })
    #expect(later.1 == ["a.vtt: X-TIMESTAMP-MAP makes its cues 00:00:01.000 later in this presentation"])
    // Timestamps wrap around after 33 bits, and cues before the presentation are reported.
    let earlier = try planned(TimestampMap(mpegTS: (1 << 33) - 9000), MediaTime(5, 1))
    #expect(earlier.0 == starts.dropFirst().map { max(0, $0 - 5100) } && earlier.1.count == 2, "\(earlier)")
    #expect(earlier.1.last == "a.vtt: 1 cue ends before the presentation starts and cannot be shown")
    let before = try planned(TimestampMap(mpegTS: 900_000), MediaTime(21, 2))
    #expect(before.1.first == "a.vtt: X-TIMESTAMP-MAP makes its cues 00:00:00.500 earlier in this presentation")
    let restarted = try planned(TimestampMap(mpegTS: 9000), MediaTime((1 << 33) - 90_000, 90_000))
    #expect(restarted.0 == starts.map { $0 + 1100 } && restarted.1.count == 1, "\(restarted)")
    let unknown = try planned(TimestampMap(mpegTS: 900_000), nil)
    #expect(unknown.0 == starts && unknown.1.count == 1, "\(unknown)")
  }

  @Test("For playlists that are not of type VOD, segments are not longer than those of the playlist", arguments: forms)
  func otherTypes(form: SubtitlePlanner.Form) throws {
    for tags in ["", "#EXT-X-PLAYLIST-TYPE:EVENT\n"] {
      let video = try self.video(["#EXTINF:4,\n", "#EXTINF:3.5,\n", "#EXTINF:1,\n"], tags: tags)
      let (plan, _) = try planned(form, video, [subtitles()])
      let playlist = try #require(plan.media["subtitles/en/index.m3u8"])
      #expect(playlist.segments.map(\.duration) == video.segments.map(\.duration) && playlist.targetSeconds == 4)
      #expect(
        plan.diagnostics.contains { $0.severity == .note && "\($0)".contains("not of type VOD") }
          == (form == .wholeFile))
    }
  }

  @Test("Times of day are written if the presentation has them", arguments: forms)
  func dates(form: SubtitlePlanner.Form) throws {
    let date = "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\n#EXTINF:4,\n"
    _ = try planned(form, try video([date, "#EXTINF:4,\n", "#EXTINF:4,\n"]), [subtitles()])
  }

  @Test("New subtitles join all existing groups, with distinct names")
  func groups() throws {
    let main = """
      #EXTM3U
      #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="a",NAME="English",LANGUAGE="en",URI="a.m3u8",DEFAULT=YES,AUTOSELECT=YES
      #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="b",NAME="English",LANGUAGE="en",URI="b.m3u8",DEFAULT=YES,AUTOSELECT=YES
      #EXT-X-STREAM-INF:BANDWIDTH=2000,SUBTITLES="b"
      v.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=1000
      w.m3u8

      """
    let video = try self.video(["#EXTINF:4,\n"])
    var deaf = subtitles()
    deaf.describesSounds = true
    // Existing subtitles are not added a second time.
    #expect(throws: SubtitleError.self) {
      _ = try SubtitlePlanner().plan([subtitles()], try MultivariantPlaylist(main), try PresentationTiming(video))
    }
    let (plan, _) = try planned(.wholeFile, video, [subtitles("de"), deaf], main: main)
    #expect(plan.main.variants.map(\.subtitles) == ["b", "a"])
    #expect(plan.main.renditions.map(\.group) == ["a", "b", "a", "a", "b", "b"])
    #expect(Set(plan.main.renditions.map(\.name)) == ["English", "German", "English (SDH)"])
    let described = plan.main.renditions.filter { $0.characteristics?.contains("transcribes-spoken-dialog") == true }
    #expect(described.map(\.name) == ["English (SDH)", "English (SDH)"] && described.allSatisfy { $0.isAutoselected })
    #expect(plan.main.text.hasPrefix(main.split(separator: "\n").prefix(3).joined(separator: "\n") + "\n"))
    var (other, second) = (subtitles(), subtitles())
    other.isDefault = true
    second.name = "English"
    let timing = try PresentationTiming(video)
    for one in [other, second] {
      #expect(throws: SubtitleError.self) {
        _ = try SubtitlePlanner().plan([one], try MultivariantPlaylist(main), timing)
      }
    }
    #expect(throws: SubtitleError.self) {
      _ = try SubtitlePlanner().plan([other, other], try MultivariantPlaylist(Self.main), timing)
    }
  }

  @Test("A live playlist, one without segments and one without variants are refused; late cues are reported")
  func refused() throws {
    let main = try MultivariantPlaylist(Self.main)
    for playlist in [try video(["#EXTINF:4,\n"], isEnded: false), try video([])] {
      #expect(throws: SubtitleError.self) {
        _ = try SubtitlePlanner().plan([subtitles()], main, try PresentationTiming(playlist))
      }
    }
    let short = try PresentationTiming(try video(["#EXTINF:4,\n"]))
    #expect(throws: SubtitleError.self) {
      _ = try SubtitlePlanner().plan([subtitles()], try MultivariantPlaylist("#EXTM3U\n"), short)
    }
    let diagnostics = try SubtitlePlanner().plan([subtitles()], main, short).diagnostics
    #expect(
      diagnostics.map(\.severity) == [.warning] && "\(diagnostics)".contains("4 cues start after the end"),
      "\(diagnostics)")
  }
}
