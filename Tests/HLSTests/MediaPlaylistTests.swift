import MP4HLS
import Support
import Testing

@Suite("Media playlists")
struct MediaPlaylistTests {
  private func example(_ name: String) throws -> MediaPlaylist {
    let text = try #require(Examples.media.first { $0.name == name }).text
    return try MediaPlaylist(text)
  }
  /// The lines that differ between the two texts.
  private func changes(_ before: String, _ after: String) -> (gone: [Substring], new: [Substring]) {
    // As scalars, because CR LF is one character.
    let old = before.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Substring.init)
    let new = after.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Substring.init)
    let difference = new.difference(from: old)
    return (
      difference.removals.map { if case .remove(_, let line, _) = $0 { line } else { "" } },
      difference.insertions.map { if case .insert(_, let line, _) = $0 { line } else { "" } }
    )
  }

  @Test("The tags of the whole playlist are read")
  func tags() throws {
    let playlist = try example("low latency")
    #expect(playlist.targetSeconds == 4)
    #expect(playlist.version == 9)
    #expect(playlist.mediaSequence == 266)
    #expect(playlist.skipped?.count == 3)
    #expect(playlist.partInformation?.target == .microseconds(333_340))
    #expect(playlist.serverControl?.canBlockReload == true)
    #expect(playlist.serverControl?.partHoldBack == .seconds(1))
    #expect(playlist.serverControl?.canSkipUntil == .seconds(24))
    #expect(playlist.serverControl?.holdBack == nil)
    #expect(!playlist.isEnded && playlist.playlistType == nil && playlist.startPoint == nil)
    #expect(playlist.segments.map(\.parts.count) == [0, 3, 0])
    #expect(playlist.parts.map(\.byteRange) == [ByteRange(length: 2000, offset: 1000), ByteRange(length: 3000)])
    #expect(playlist.preloadHints.map(\.kind) == [.part])
    #expect(playlist.preloadHints.first?.start == 6000)
    #expect(playlist.renditionReports.first?.lastSequence == 272)
    #expect(playlist.renditionReports.first?.lastPart == 1)
    let vod = try example("Apple's segmenter")
    #expect(vod.playlistType == .vod && vod.isEnded && vod.hasIndependentSegments && !vod.isIFramesOnly)
    let event = try example("events")
    #expect(event.startPoint?.offset == .milliseconds(-4500) && event.startPoint?.isPrecise == true)
    #expect(event.definitions.map(\.name) == ["host", nil] && event.definitions[1].queryParameter == "token")
  }

  @Test("The tags of a segment are read")
  func segments() throws {
    let live = try example("a streaming server, live")
    #expect(live.segments.map(\.uri) == ["media_w1_2680.ts", "media_w1_2681.ts", "media_w1_2682.ts"])
    #expect(live.segments.map(\.duration) == [.seconds(10), .milliseconds(9500), .seconds(10)])
    #expect(live.segments[0].title == "First, with a comma")
    #expect(live.segments[0].keys.first?.method == .aes128)
    #expect(live.segments[0].keys.first?.uri == "https://priv.example.com/key.php?r=52")
    #expect(live.segments[0].keys.first?.initializationVector?.count == 16)
    #expect(live.segments[0].programDateTime?.description == "2024-02-29T23:59:55.500+02:00")
    #expect(live.segments[2].isDiscontinuity && live.segments[2].keys.first?.method == EncryptionKey.Method.none)
    #expect(live.segments[2].lines.contains { $0.content == .unknownTag && $0.text == "#EXT-X-CUE-OUT:30" })
    let event = try example("events")
    let ranges = event.segments[0].dateRanges
    #expect(ranges.map(\.id) == ["break-1", "quiz"])
    #expect(ranges[0].scte35Out == [0xFC, 0x00, 0x2F] && ranges[0].classIdentifier == "ad")
    #expect(ranges[1].attributes["X-COM-EXAMPLE-ID", .string] == "a,b" && ranges[1].duration == .seconds(2))
    #expect(event.segments[0].bitrate == 1200)
    #expect(try example("low latency").segments.map(\.isGap) == [false, false, true])
  }

  @Test("Changing a property changes only its line", arguments: ["", "\r"])
  func edits(carriageReturn: String) throws {
    let text = try example("Apple's segmenter").text.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: carriageReturn + "\n")
    func check(_ gone: [String], _ new: [String], _ edit: (inout MediaPlaylist) -> Void) throws {
      var playlist = try MediaPlaylist(text)
      edit(&playlist)
      let changes = changes(text, playlist.text)
      #expect(changes.gone.map(String.init) == gone.map { $0 + carriageReturn })
      #expect(changes.new.map(String.init) == new.map { $0 + carriageReturn })
    }
    try check(["#EXT-X-TARGETDURATION:6"], ["#EXT-X-TARGETDURATION:7"]) { $0.targetSeconds = 7 }
    try check(["#EXTINF:6.00000,\t"], ["#EXTINF:5.500000, "]) { $0.segments[1].duration = .milliseconds(5500) }
    try check(["#EXTINF:4.53333,\t"], ["#EXTINF:4.533330,end"]) { $0.segments[2].title = "end" }
    try check(["main.mp4"], ["other.mp4"]) { $0.segments[0].uri = "other.mp4" }
    try check(["#EXT-X-BYTERANGE:1006102"], []) { $0.segments[2].byteRange = nil }
    try check([], ["#EXT-X-DISCONTINUITY"]) { $0.segments[1].isDiscontinuity = true }
    try check([], ["#EXT-X-START:TIME-OFFSET=3.000"]) { $0.startPoint = StartPoint(offset: .seconds(3)) }
    try check(["#EXT-X-ENDLIST"], []) { $0.isEnded = false }
    try check(["#EXT-X-MAP:URI=\"main.mp4\",BYTERANGE=\"719@0\""], ["#EXT-X-MAP:URI=\"main.mp4\",BYTERANGE=\"9@1\""]) {
      $0.segments[0].map?.byteRange = ByteRange(1..<10)
    }
    try check([], ["#EXTINF:2.000000,", "new.mp4"]) {
      $0.segments.append(Segment("new.mp4", duration: .seconds(2)))
    }
    // Properties with equal values are not written again.
    try check([], []) {
      $0.segments[0].duration = .seconds(6)
      $0.segments[2].byteRange = $0.segments[2].byteRange
      $0.targetSeconds = 6
      $0.version = 7
      $0.segments[0].map = $0.segments[0].map
      $0.isEnded = true
    }
  }

  @Test("An unterminated line is terminated when another line is added after it")
  func lastLine() throws {
    var playlist = try MediaPlaylist("#EXTM3U\r\n#EXT-X-TARGETDURATION:1\r\n#EXTINF:1,\r\na.ts")
    playlist.segments.append(Segment("b.ts", duration: .seconds(1)))
    playlist.isEnded = true
    #expect(
      playlist.text == "#EXTM3U\r\n#EXT-X-TARGETDURATION:1\r\n#EXTINF:1,\r\na.ts\r\n#EXTINF:1.000000,\r\nb.ts\r\n"
        + "#EXT-X-ENDLIST\r\n")
  }

  @Test("Tags of the whole playlist are found and changed at any position")
  func scattered() throws {
    let text = "#EXTM3U\n#EXTINF:4,\na.ts\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nb.ts\n#EXT-X-PLAYLIST-TYPE:VOD\n"
    var playlist = try MediaPlaylist(text)
    #expect(playlist.targetSeconds == 4 && playlist.playlistType == .vod)
    playlist.targetSeconds = 5
    playlist.playlistType = .event
    #expect(
      playlist.text
        == "#EXTM3U\n#EXTINF:4,\na.ts\n#EXT-X-TARGETDURATION:5\n#EXTINF:4,\nb.ts\n#EXT-X-PLAYLIST-TYPE:EVENT\n")
    playlist.targetSeconds = 5
    playlist.playlistType = nil
    #expect(playlist.playlistType == nil)
  }

  @Test("A playlist created from values has its tags in order and no findings")
  func building() throws {
    var segments: [Segment] = []
    for number in 1...3 {
      segments.append(Segment("segment\(number).m4s", duration: .units(540_540, timescale: 90_000)))
    }
    segments[0].map = InitializationSection("init.mp4")
    var key = EncryptionKey(.sampleAES, uri: "skd://1")
    key.keyFormat = "com.apple.streamingkeydelivery"
    segments[0].keys = [key]
    segments[1].isDiscontinuity = true
    segments[1].programDateTime = DateTime("2024-05-01T09:30:00Z")
    var playlist = MediaPlaylist(segments, type: .vod, isEnded: true)
    playlist.hasIndependentSegments = true
    #expect(
      playlist.text == """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-TARGETDURATION:6
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://1",KEYFORMAT="com.apple.streamingkeydelivery"
        #EXT-X-MAP:URI="init.mp4"
        #EXTINF:6.006000,
        segment1.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-PROGRAM-DATE-TIME:2024-05-01T09:30:00.000Z
        #EXTINF:6.006000,
        segment2.m4s
        #EXTINF:6.006000,
        segment3.m4s
        #EXT-X-ENDLIST

        """)
    #expect(playlist.findings == [])
    #expect(try MediaPlaylist(playlist.bytes).segments.map(\.duration) == segments.map(\.duration))
    #expect(MediaPlaylist().text == "#EXTM3U\n#EXT-X-TARGETDURATION:1\n")
  }

  @Test("A live playlist with parts is built from values and has no findings")
  func buildingLowLatency() throws {
    var segment = Segment("1.mp4", duration: .seconds(4))
    segment.parts = (0..<4).map { PartialSegment("1.\($0).mp4", duration: .seconds(1), isIndependent: $0 == 0) }
    var playlist = MediaPlaylist([segment])
    playlist.partInformation = PartInformation(target: .seconds(1))
    var control = ServerControl()
    control.canBlockReload = true
    control.partHoldBack = .seconds(3)
    playlist.serverControl = control
    playlist.parts = [PartialSegment("2.0.mp4", duration: .seconds(1), isIndependent: true)]
    playlist.preloadHints = [PreloadHint(.part, uri: "2.1.mp4")]
    playlist.renditionReports = [RenditionReport("../b/index.m3u8", lastSequence: 1, lastPart: 0)]
    playlist.version = playlist.lowestVersion
    #expect(playlist.findings == [])
    #expect(
      playlist.text == """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:4
        #EXT-X-PART-INF:PART-TARGET=1.000
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3.000
        #EXT-X-PART:DURATION=1.000,URI="1.0.mp4",INDEPENDENT=YES
        #EXT-X-PART:DURATION=1.000,URI="1.1.mp4"
        #EXT-X-PART:DURATION=1.000,URI="1.2.mp4"
        #EXT-X-PART:DURATION=1.000,URI="1.3.mp4"
        #EXTINF:4.000000,
        1.mp4
        #EXT-X-PART:DURATION=1.000,URI="2.0.mp4",INDEPENDENT=YES
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="2.1.mp4"
        #EXT-X-RENDITION-REPORT:URI="../b/index.m3u8",LAST-MSN=1,LAST-PART=0

        """)
    #expect(try MediaPlaylist(playlist.text).parts == playlist.parts)
  }

  @Test("Text that does not fit in one line is written without the invalid characters")
  func unfitText() throws {
    var playlist = MediaPlaylist([Segment("a\n#EXT-X-ENDLIST", duration: .seconds(1), title: "x\r\ny")])
    playlist.segments[0].map = InitializationSection("a\"b\nc")
    let again = try MediaPlaylist(playlist.bytes)
    #expect(again.segments.map(\.uri) == ["a #EXT-X-ENDLIST"] && again.segments[0].title == "x  y" && !again.isEnded)
    #expect(again.segments[0].map?.uri == "a'b c")
    var skipped = SkippedSegments(4)
    skipped.removedDateRanges = ["one", "two"]
    playlist.skipped = skipped
    #expect(try MediaPlaylist(playlist.bytes).skipped?.removedDateRanges == ["one", "two"])
  }

  @Test("A long playlist is read, resolved and written in linear time")
  func long() throws {
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MAP:URI=\"i.mp4\"\n"
    for number in 0..<20_000 { text += "#EXTINF:6.006,\n#EXT-X-BYTERANGE:1000\nsegment.m4s\n#EXT-X-FOO:\(number)\n" }
    let clock = WorkClock()
    let playlist = try MediaPlaylist(text)
    #expect(try playlist.resolved().last?.byteRange == 19_999_000..<20_000_000)
    #expect(playlist.bytes.count == text.utf8.count)
    #expect(clock.elapsed < .seconds(30))
  }
}
