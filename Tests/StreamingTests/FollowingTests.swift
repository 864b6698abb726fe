import MP4Bytes
import MP4HLS
import MP4Presentations
import MP4Streaming
import Support
import Testing

@Suite("Following a live playlist in a file, with a test clock")
struct FollowingTests {
  private let folder: Support.TemporaryFolder

  init() throws {
    folder = try Support.TemporaryFolder()
    try folder.write("init.mp4", ascii("i"))
    for number in 1...6 { try folder.write("\(number).m4s", ascii("\(number)")) }
  }

  private func publish(_ segments: ClosedRange<Int>, target: Int = 2, isEnded: Bool = false) throws {
    let lines = segments.map { "#EXTINF:2,\n\($0).m4s\n" }.joined()
    let head = "#EXTM3U\n#EXT-X-TARGETDURATION:\(target)\n#EXT-X-MEDIA-SEQUENCE:\(segments.lowerBound)\n"
    let text = head + "#EXT-X-MAP:URI=\"init.mp4\"\n\(lines)" + (isEnded ? "#EXT-X-ENDLIST\n" : "")
    try folder.write("live.m3u8", ascii(text))
  }

  /// Returns the segments read from the playlist, the messages, and the elapsed milliseconds; `change` is called with
  /// the time of each check.
  private func follow(
    _ name: String = "live.m3u8", follows: Bool = true, _ change: @escaping (_ milliseconds: Int) throws -> Void
  ) throws -> (read: String, said: [String], time: Int) {
    var (read, said, time) = ("", [String](), 0)
    let start = ContinuousClock.now
    var clock = FollowingClock()
    clock.now = { start + .milliseconds(time) }
    clock.wait = { (_, milliseconds) throws(PresentationError) in
      time += milliseconds
      // The clock always advances, so that a faulty loop ends, too.
      if time > 100_000 { throw .stopped(file: "it waits for ever") }
      do { try change(time) } catch { throw .stopped(file: "\(error)") }
    }
    var options = PlaylistReader.Options()
    options.follows = follows
    let reader = PlaylistReader(PlaylistLocation(file: folder(name)), options, clock: clock)
    reader.onDiagnostic = { [folder] in
      said.append("\($0.severity): " + $0.description.replacing(folder.path + "/", with: ""))
    }
    #expect(try reader.readStreams { false })
    for piece in reader.streams[0].pieces {
      read += String(decoding: try piece.source?.bytes(limit: 10) ?? ascii("?"), as: UTF8.self)
    }
    return (read, said, time)
  }

  @Test("Added segments are returned once each")
  func ends() throws {
    try publish(1...3)
    let result = try follow { time in
      // Always less than three target durations apart.
      if time == 5000 { try publish(1...4) }
      if time == 10_000 { try publish(2...5) }
      if time == 15_000 { try publish(4...6, isEnded: true) }
    }
    #expect(result.read == "i123456")
    #expect(
      result.said == [
        "note: live.m3u8: no EXT-X-ENDLIST yet; waiting for more segments until it appears, or no segment is added for "
          + "6 s"
      ])
    #expect((15_000...17_000).contains(result.time))
  }

  @Test("A playlist ends if no segment is added for three target durations")
  func stale() throws {
    try publish(1...2)
    let result = try follow { if $0 == 4000 { try publish(1...3) } }
    #expect(result.read == "i123")
    #expect(
      result.said.last == "warning: live.m3u8: no EXT-X-ENDLIST, and no new segment for 6 s; considered complete")
    #expect((10_000...13_000).contains(result.time))
    #expect(try follow { _ in }.time <= 7000)
  }

  @Test("A playlist without segments or without a target duration ends, too", arguments: [0, 2])
  func empty(target: Int) throws {
    try folder.write("live.m3u8", ascii("#EXTM3U\n#EXT-X-TARGETDURATION:\(target)\n"))
    let result = try follow { _ in }
    #expect(result.read == "")
    #expect(result.said.last?.hasSuffix("considered complete") == true)
  }

  @Test("A playlist that is not followed ends at its current end")
  func noFollow() throws {
    try publish(1...3)
    let result = try follow(follows: false) { _ in }
    #expect(result.read == "i123")
    #expect(result.time <= 100)
    #expect(result.said == ["note: live.m3u8: no EXT-X-ENDLIST; the output stops at its current end"])
  }

  /// Writes a manifest whose segments have their times as names, or numbers that start with 1 each time.
  private func publishManifest(_ segments: ClosedRange<Int>, isEnded: Bool = false) throws {
    let type = isEnded ? "static" : "dynamic"
    try folder.write(
      "live.mpd",
      ascii(
        """
        <MPD type="\(type)" minimumUpdatePeriod="PT2S"><Period><AdaptationSet mimeType="video/mp4">
        <SegmentTemplate timescale="10" media="$Time$.m4s" initialization="init.mp4"><SegmentTimeline>
        <S t="\(segments.lowerBound)" d="1" r="\(segments.count - 1)"/>
        </SegmentTimeline></SegmentTemplate><Representation id="v" bandwidth="1000"/>
        </AdaptationSet></Period></MPD>
        """))
  }

  @Test("The segments of a live manifest are returned once each, also if it does not number them")
  func manifest() throws {
    try publishManifest(1...3)
    let result = try follow("live.mpd") { time in
      if time == 4000 { try publishManifest(2...4) }
      if time == 8000 { try publishManifest(3...5) }
      if time == 10_000 { try publishManifest(4...6, isEnded: true) }
    }
    #expect(result.read == "i123456")
    #expect(
      result.said == [
        "detail: live.mpd: using line 4, live.mpd#v",
        "note: live.mpd#v: the manifest is live (type=\"dynamic\"); waiting for more segments until it is static, or "
          + "no segment is added for 6 s",
      ])
    try publishManifest(1...3)
    #expect(
      try follow("live.mpd", follows: false) { _ in }.said.last
        == "note: live.mpd#v: the manifest is live (type=\"dynamic\"); the output stops at its current end")
  }
}
