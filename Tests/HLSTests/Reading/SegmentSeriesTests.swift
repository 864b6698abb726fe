import MP4HLS
import Support
import Testing

@Suite("The segments of static and growing playlists")
struct SegmentSeriesTests {
  private let place = PlaylistLocation(file: "a/index.m3u8")

  private func playlist(_ lines: String, first: Int = 0, end: Bool = true) throws -> MediaPlaylist {
    try MediaPlaylist(
      "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(first)\n" + lines + (end ? "\n#EXT-X-ENDLIST\n" : ""))
  }
  private func segments(_ numbers: ClosedRange<Int>) -> String {
    "#EXT-X-MAP:URI=\"init.mp4\"\n" + numbers.map { "#EXTINF:6,\n\($0).m4s" }.joined(separator: "\n")
  }

  @Test("Each segment is returned with its line, and with the init segment if that changes")
  func items() throws {
    var series = SegmentSeries(place)
    let update = try series.take(
      playlist(
        """
        #EXT-X-MAP:URI="v.mp4",BYTERANGE="100@0"
        #EXT-X-BYTERANGE:50@100
        #EXTINF:6,
        v.mp4
        #EXT-X-BYTERANGE:60
        #EXTINF:6,
        v.mp4
        #EXT-X-GAP
        #EXTINF:6,
        gone.m4s
        #EXT-X-DISCONTINUITY
        #EXTINF:6,
        w.m4s
        #EXT-X-MAP:URI="x.mp4"
        #EXTINF:6,
        x.m4s
        """))
    #expect(update.entries.map(\.item.byteRange) == [100..<150, 150..<210, nil, nil, nil])
    #expect(update.entries.map(\.item.line) == [7, 10, 13, 16, 19])
    #expect(update.entries.map { $0.map?.line } == [4, nil, nil, 16, 17])
    #expect(update.entries.map { $0.map?.place.path } == ["a/v.mp4", nil, nil, "a/v.mp4", "a/x.mp4"])
    #expect(update.entries.map(\.discontinuity) == [0, 0, 0, 1, 1])
    #expect(update.entries.map(\.isGap) == [false, false, true, false, false])
    #expect(series.isEnded)
  }

  @Test("A growing playlist returns new segments and reports missed ones; if unchanged, it is reloaded sooner")
  func growing() throws {
    var series = SegmentSeries(place)
    #expect(try series.take(playlist(segments(1...3), first: 1, end: false)).entries.count == 3)
    #expect(series.reloadDelay == .seconds(6))
    #expect(!series.isEnded)
    let same = try series.take(playlist(segments(1...3), first: 1, end: false))
    #expect(same.entries.isEmpty && same.missed == 0)
    #expect(series.reloadDelay == .seconds(3))
    let more = try series.take(playlist(segments(3...5), first: 3, end: false))
    #expect(more.entries.map(\.number) == [4, 5])
    #expect(more.entries.allSatisfy { $0.map == nil })
    let late = try series.take(playlist(segments(8...9), first: 8, end: false))
    #expect(late.missed == 2 && late.entries.map(\.number) == [8, 9])
    let older = try series.take(playlist(segments(7...8), first: 7, end: false))
    #expect(older.entries.isEmpty && !older.isRestarted)
    let restarted = try series.take(playlist(segments(1...2), first: 1, end: false))
    #expect(restarted.entries.isEmpty && restarted.isRestarted)
    #expect(try series.take(playlist(segments(9...10), first: 9)).entries.map(\.number) == [10])
    #expect(series.isEnded)
  }

  @Test("Variables of the multivariant playlist and of the URL are replaced")
  func variables() throws {
    let remote = PlaylistLocation(URIReference("http://h/index.m3u8?token=a%2Fb"))
    let imported = try Variables([VariableDefinition(name: "path", value: "x")])
    var series = SegmentSeries(remote, importing: imported)
    let update = try series.take(
      playlist(
        """
        #EXT-X-DEFINE:IMPORT="path"
        #EXT-X-DEFINE:QUERYPARAM="token"
        #EXT-X-MAP:URI="{$path}/init.mp4"
        #EXTINF:6,
        {$path}/s.m4s?t={$token}
        """))
    #expect(update.entries[0].item.place.reference.description == "http://h/x/s.m4s?t=a/b")
    #expect(update.entries[0].map?.place.reference.description == "http://h/x/init.mp4")
  }

  @Test("Keys apply to the init segments and segments after them; the IV is given or the media sequence number")
  func keys() throws {
    var series = SegmentSeries(place)
    let update = try series.take(
      playlist(
        """
        #EXT-X-MAP:URI="i"
        #EXT-X-KEY:METHOD=AES-128,URI="a"
        #EXTINF:6,
        1.m4s
        #EXTINF:6,
        2.m4s
        #EXT-X-KEY:METHOD=AES-128,URI="b",IV=0x0102
        #EXT-X-MAP:URI="i"
        #EXTINF:6,
        3.m4s
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="c"
        #EXTINF:6,
        4.m4s
        #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://c"
        #EXTINF:6,
        5.m4s
        """, first: 258))
    let encryption = update.entries.map(\.item.encryption)
    #expect(encryption.map { $0?.key.place.path } == ["a/a", "a/a", "a/b", nil, nil])
    #expect(encryption.map { $0?.key.line } == [5, 5, 10, nil, nil])
    let zeros = [UInt8](repeating: 0, count: 14)
    #expect(
      encryption.map { $0?.initializationVector } == [zeros + [1, 2], zeros + [1, 3], zeros + [1, 2], nil, nil])
    #expect(update.entries.map { $0.map?.encryption?.key.place.path } == [nil, nil, "a/b", nil, nil])
    #expect(update.entries.map { $0.map != nil } == [true, false, true, false, false])
    #expect(update.entries.map { $0.sampleKey?.place.path } == [nil, nil, nil, "a/c", nil])
  }

  @Test(
    "Unreadable playlists are refused with the line",
    arguments: [
      ("#EXTINF:6,\ns.ts", "line 5: \"s.ts\" has no init segment (EXT-X-MAP), so it is MPEG-TS, not MP4; "),
      (
        "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"x\"\n#EXT-X-MAP:URI=\"i\"\n#EXTINF:6,\ns.m4s",
        "line 4: the segments are encrypted (AES-128) with a key of \"x\"; "
      ),
      (
        "#EXT-X-MAP:URI=\"i\"\n#EXTINF:6,\n../s.m4s",
        "line 6: \"../s.m4s\" is not allowed: it is outside the folder"
      ),
      (
        "#EXT-X-MAP:URI=\"file:///i\"\n#EXTINF:6,\ns.m4s",
        "line 4: \"file:///i\" is not allowed: the scheme \"file:\" is not supported here"
      ),
      ("#EXT-X-MAP:URI=\"{$x}\"\n#EXTINF:6,\ns.m4s", "the variable \"x\" is not defined"),
    ])
  func refused(lines: String, message: String) throws {
    var series = SegmentSeries(place)
    let playlist = try playlist(lines)
    #expect { try series.take(playlist) } throws: { "\($0)".hasPrefix(message) }
  }

  @Test("Sample encryption is not refused")
  func sampleEncryption() throws {
    var series = SegmentSeries(place)
    let lines = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://k\"\n" + segments(1...2)
    #expect(try series.take(playlist(lines)).entries.count == 2)
  }

  @Test("Reading a large number of segments is fast")
  func many() throws {
    let count = Effort.count(short: 20_000, all: 100_000)
    let playlist = try playlist(segments(1...count), first: 1)
    let clock = WorkClock()
    var series = SegmentSeries(place)
    #expect(try series.take(playlist).entries.count == count)
    #expect(clock.elapsed < .seconds(60))
  }
}
