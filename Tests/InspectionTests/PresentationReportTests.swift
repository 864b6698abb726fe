import MP4
import MP4Bytes
import MP4HLS
import MP4Inspection
import MP4Presentations
import MP4Records
import Support
import Testing

@Suite("The report page of a presentation")
struct PresentationReportTests {
  /// A folder with an init segment, segments of two seconds, and the playlists that `write` writes.
  private static func presentation(
    _ main: String, _ media: (_ segmentCount: Int) -> String
  ) throws -> (OpenedPresentation, TemporaryFolder) {
    var fragmenter = Fragmenter()
    fragmenter.options.cutting = .interval(MediaTime(2, 1))
    let source = MemorySource(try readFile(vectorPath("files/progressive.mp4")))
    let plan = try fragmenter.plan(try Movie(reading: [source]))
    let folder = try TemporaryFolder()
    let initialization = MemorySink()
    try plan.writeInitialization(to: initialization)
    try folder.write("init.mp4", initialization.bytes)
    for index in 0..<plan.segments.count {
      let segment = MemorySink()
      try plan.writeSegment(index, to: segment)
      try folder.write("\(index).m4s", segment.bytes)
    }
    try folder.write(
      "media.m3u8",
      ascii(
        "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-MAP:URI=\"init.mp4\"\n"
          + media(plan.segments.count) + "#EXT-X-ENDLIST\n"))
    try folder.write("master.m3u8", ascii("#EXTM3U\n" + main + "media.m3u8\n"))
    return (try OpenedPresentation(reading: PlaylistLocation(file: folder("master.m3u8"))), folder)
  }

  private static func data(_ report: PresentationReport) throws -> (page: String, JSONValue) {
    let sink = MemorySink()
    try report.write(to: sink)
    let page = String(decoding: sink.bytes, as: UTF8.self)
    let start = try #require(page.split(separator: "id=\"data\">").last)
    let text = try #require(start.split(separator: "</script>").first)
    return (page, try JSONValue(Array(text.utf8)))
  }

  @Test("Segments, bit rates, buffers and tracks match the media")
  func numbers() throws {
    let (presentation, folder) = try Self.presentation(
      "#EXT-X-STREAM-INF:BANDWIDTH=60000,AVERAGE-BANDWIDTH=30000,RESOLUTION=320x180\n"
    ) { (0..<$0).map { "#EXTINF:2,\n\($0).m4s\n" }.joined() }
    let report = try PresentationReport(presentation)
    defer { withExtendedLifetime(folder) {} }
    let (page, data) = try Self.data(report)
    let info = MemorySink()
    try FileSummary.write([.presentation(PresentationSummary(presentation))], .jsonLines, to: info)
    #expect(try data["summary"] == JSONValue(info.bytes))
    let playlist = try #require(report.playlists.first)
    let sizes = try (0..<playlist.segmentCount).map { try readFile(folder("\($0).m4s")).count }
    #expect(sizes.count == 12 && playlist.segments.bytes == sizes && playlist.segments.segmentsPerBin == 1)
    #expect(playlist.segments.rates == sizes.map { $0 * 4 } && playlist.segments.peaks == playlist.segments.rates)
    // The buffer levels at the declared bandwidth after each segment.
    #expect(report.buffers.map(\.claim) == ["BANDWIDTH", "AVERAGE-BANDWIDTH"])
    #expect(report.buffers.map(\.simulation.bitRate) == [60_000, 30_000])
    for buffer in report.buffers {
      let times = sizes.indices.map { last in
        Duration.seconds(sizes[...last].reduce(0, +) * 8) / buffer.simulation.bitRate
      }
      #expect(buffer.simulation.arrivals.map(\.time) == times)
    }
    #expect(report.buffers[1].simulation.stalls.count > 0)
    #expect(data["buffers"]?[1]?["stall_count"]?.number == "\(report.buffers[1].simulation.stalls.count)")
    // Media whose times match the playlist is drawn at these times.
    #expect(page.contains("presented from 0:00.000 to 0:24.000"))
    #expect(page.contains("Wrong declarations") && page.contains("<td>320x180</td><td>160x90</td>"))
    #expect(!page.contains("://"))
  }

  @Test("Findings of a check are shown at their segment")
  func findings() throws {
    let (presentation, folder) = try Self.presentation("#EXT-X-STREAM-INF:BANDWIDTH=100000\n") { _ in
      "#EXTINF:2,\n0.m4s\n#EXTINF:1,\n1.m4s\n#EXTINF:2,\n7.m4s\n"
    }
    let report = try PresentationReport(presentation)
    defer { withExtendedLifetime(folder) {} }
    func time(_ rule: String) -> MediaTime? { report.findings.first { $0.rule?.id == rule }?.time }
    #expect(time("iso-decode-gap") == MediaTime(3, 1) && time("hls-duration") == MediaTime(2, 1))
    let (_, data) = try Self.data(report)
    #expect(data["findings"]?.elements.count == report.findings.count)
  }

  /// Damage in the third of twelve segments, the end of the presented tracks, and the reason why the segment is
  /// unplayable.
  private static let damages: [(bytes: @Sendable ([UInt8]) -> [UInt8]?, end: String, reason: String)] = [
    ({ _ in nil }, "0:04.000", "SEGMENT: cannot open: no such file or directory"),
    ({ Array($0.prefix($0.count - 4000)) }, "0:05.480", "SEGMENT: track 1: no data for "),
    ({ Array($0.prefix(200)) }, "0:04.000", "SEGMENT: moof: size at byte "),
    ({ _ in [] }, "0:04.000", "2.m4s is empty, not media"),
    ({ _ in ascii("<html>404</html>") }, "0:04.000", "2.m4s is an HTML page, not media"),
    ({ _ in ascii("no such segment") }, "0:04.000", "2.m4s is a text file, not media"),
  ]

  @Test("An unplayable segment is a gap in its track, and the end of the buffers", arguments: 0..<6)
  func holes(damage: Int) throws {
    let (bytes, end, sentence) = Self.damages[damage]
    let (whole, folder) = try Self.presentation(
      "#EXT-X-STREAM-INF:BANDWIDTH=60000,AVERAGE-BANDWIDTH=30000,RESOLUTION=160x90\n"
    ) { (0..<$0).map { "#EXTINF:2,\n\($0).m4s\n" }.joined() }
    #expect(try PresentationReport(whole).problems == [])
    let damaged = bytes(try readFile(folder("2.m4s")))
    let segment = folder(damaged == nil ? "none" : "2.m4s")
    if let damaged { try folder.write("2.m4s", damaged) }
    let list = String(decoding: try readFile(folder("media.m3u8")), as: UTF8.self)
    let other = list.split(separator: "2.m4s").joined(separator: "none")
    try folder.write("media.m3u8", ascii(damaged == nil ? other : list))
    let report = try PresentationReport(OpenedPresentation(reading: PlaylistLocation(file: folder("master.m3u8"))))
    let reason = sentence.hasPrefix("SEGMENT") ? segment + sentence.dropFirst(7) : sentence
    let line = "\(folder("media.m3u8")): line 11: "
    #expect(report.problems.count == 1 && report.problems[0].hasPrefix(line + reason), "\(report.problems)")
    let (page, data) = try Self.data(report)
    #expect(page.contains("presented from 0:00.000 to \(end)<"), "\(page.split(separator: "presented from").count)")
    #expect(page.contains("presented from 0:06.000 to 0:24.000<"))
    #expect(page.contains("cannot be played: \(reason)"))
    let unusable = try #require(data["playlists"]?[0]?["unusable_segments"]).elements
    #expect(unusable.map { $0["number"]?.number } == ["3"] && unusable[0]["start_seconds"]?.number == "4.000000")
    #expect(report.buffers.count == 2)
    for (buffer, own) in zip(report.buffers, try #require(data["buffers"]).elements) {
      #expect(buffer.simulation.length == .seconds(4) && buffer.simulation.obstacle?.number == 3)
      #expect(own["played_seconds"]?.number == "4.000000" && own["unusable_segment"]?["number"]?.number == "3")
      #expect(buffer.levels.count == Int(4 / report.axis.bin.seconds) + 1)
    }
    #expect(page.contains("at 0:04.000 a player waits or fails, because segment 3 of "))
    #expect(!page.contains("never runs empty"))
  }

  @Test("Events and stalls equal those that events and samples list")
  func happenings() throws {
    let (presentation, folder) = try Self.presentation("#EXT-X-STREAM-INF:BANDWIDTH=100000\n") { _ in
      """
      #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z
      #EXT-X-DATERANGE:ID="ad",START-DATE="2026-01-01T00:00:03Z",DURATION=1.5
      #EXTINF:2,
      0.m4s
      #EXT-X-GAP
      #EXTINF:2,
      1.m4s
      #EXTINF:2,
      2.m4s

      """
    }
    let report = try PresentationReport(presentation)
    defer { withExtendedLifetime(folder) {} }
    let movies = PresentationMovies(presentation)
    let events = try EventListing(movies).events
    #expect(report.events.map(\.summary) == events.map(\.summary) && events.count == 2)
    let stalls = PresentationStalls(movies).stalls
    let found = report.findings.filter { $0.severity == .stall }
    #expect(found.map(\.message) == stalls.map(\.description) && found.map(\.time) == stalls.map(\.time))
    #expect(!stalls.isEmpty)
    let (page, data) = try Self.data(report)
    #expect(page.contains("<section id=\"events\"") && page.contains("data-chart=\"events\""))
    #expect(data["events"]?.elements.map { $0["seconds"]?.number } == ["0.000000", "3.000000"])
    #expect(page.contains("<path class=\"finding stall\""))
  }

  @Test("Buffers of short streams have fine bins, and seconds on their axes")
  func short() throws {
    let (presentation, folder) = try Self.presentation("#EXT-X-STREAM-INF:BANDWIDTH=1000000\n") { _ in
      "#EXTINF:2,\n0.m4s\n"
    }
    let report = try PresentationReport(presentation)
    defer { withExtendedLifetime(folder) {} }
    #expect(report.axis.bin == MediaTime(50, 1000) && report.buffers[0].levels.count == 40)
    let (page, _) = try Self.data(report)
    #expect(page.contains(">1 s</span>") && page.contains(">2 s</span>") && !page.contains(" ms<"))
  }

  @Test("Three hours of segments give a page of at most 1 MB", .enabled(if: Effort.all, "needs MP4TOOL_TESTS=all"))
  func long() throws {
    let (presentation, folder) = try Self.presentation(
      (0..<5).map { "#EXT-X-STREAM-INF:BANDWIDTH=\($0 + 1)0000,AVERAGE-BANDWIDTH=40000\nmedia.m3u8\n" }.joined()
        + "#EXT-X-STREAM-INF:BANDWIDTH=70000,AVERAGE-BANDWIDTH=40000\n"
    ) { count in
      (0..<1800).map { index in
        (index % count == 0 ? "#EXT-X-DISCONTINUITY\n" : "") + "#EXTINF:6,\n\(index % count).m4s\n"
      }.joined()
    }
    let report = try PresentationReport(presentation)
    defer { withExtendedLifetime(folder) {} }
    let (page, data) = try Self.data(report)
    #expect(page.utf8.count < 1_000_000)
    #expect(report.summary.duration == MediaTime(10_800, 1) && report.buffers.count == 12)
    let segments = try #require(data["playlists"]?[0]?["segments"])
    let sum = try #require(segments["bytes"]).elements.compactMap { $0.number.flatMap { Int($0) } }.reduce(0, +)
    #expect(report.playlists[0].segments.segmentsPerBin == 3 && sum == report.playlists[0].segments.bytes.reduce(0, +))
  }

  @Test("A playlist without readable media, and malicious names, have a page")
  func hostile() throws {
    let (presentation, folder) = try Self.presentation("#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"</script><b>\"\n") { _ in
      "#EXTINF:99999999999999,\n</script><img>.m4s\n#EXT-X-GAP\n#EXTINF:1,\nnone\n"
    }
    let (page, _) = try Self.data(PresentationReport(presentation))
    defer { withExtendedLifetime(folder) {} }
    #expect(page.split(separator: "</script").count == 3 && !page.contains("<img>") && !page.contains("<b></"))
  }
}
