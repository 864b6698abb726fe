import MP4HLS
import Testing

@Suite("Properties of segments from previous lines")
struct ResolvedSegmentTests {
  @Test("Byte ranges of one resource are consecutive")
  func byteRanges() throws {
    let text = try #require(Examples.media.first { $0.name == "Apple's segmenter" }).text
    let segments = try MediaPlaylist(text).resolved()
    #expect(segments.map(\.byteRange) == [719..<1_508_719, 1_508_719..<3_018_963, 3_018_963..<4_025_065])
    #expect(segments.map(\.mediaSequence) == [1, 2, 3])
    #expect(segments.map(\.start) == [.zero, .seconds(6), .seconds(12)])
    #expect(segments.allSatisfy { $0.map?.byteRange == ByteRange(0..<719) })
    let none = try MediaPlaylist(
      "#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:5\na\n#EXTINF:1,\nb\n#EXTINF:1,\n"
        + "#EXT-X-BYTERANGE:6\nb\n")
    #expect(try none.resolved().map(\.byteRange) == [0..<5, nil, 0..<6])
  }

  @Test("Keys apply until the next one of the same format or NONE; sequence numbers and dates continue")
  func state() throws {
    let playlist = try MediaPlaylist(
      """
      #EXTM3U
      #EXT-X-MEDIA-SEQUENCE:7
      #EXT-X-DISCONTINUITY-SEQUENCE:2
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="a",KEYFORMAT="x"
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="b",KEYFORMAT="y"
      #EXTINF:2,
      1
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="c",KEYFORMAT="x"
      #EXT-X-MAP:URI="m1"
      #EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:02Z
      #EXTINF:2.5,
      2
      #EXT-X-DISCONTINUITY
      #EXT-X-KEY:METHOD=NONE
      #EXT-X-BITRATE:800
      #EXTINF:2,
      3
      #EXT-X-MAP:URI="m2"
      #EXTINF:2,
      4
      """)
    let segments = try playlist.resolved()
    #expect(segments.map { $0.keys.compactMap(\.uri) } == [["a", "b"], ["b", "c"], [], []])
    #expect(segments.map(\.mediaSequence) == [7, 8, 9, 10])
    #expect(segments.map(\.discontinuitySequence) == [2, 2, 3, 3])
    #expect(segments.map(\.isDiscontinuity) == [false, false, true, false])
    #expect(segments.map(\.map?.uri) == [nil, "m1", "m1", "m2"])
    #expect(segments.map(\.bitrate) == [nil, nil, 800, 800])
    #expect(
      segments.map { $0.programDateTime?.description ?? "" } == [
        "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:02.000Z", "2024-01-01T00:00:04.500Z", "2024-01-01T00:00:06.500Z",
      ])
  }

  @Test("A date is written again in another time zone, even for the same moment")
  func zones() throws {
    var playlist = try MediaPlaylist("#EXTM3U\n#EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:02Z\n#EXTINF:2,\na\n")
    playlist.segments[0].programDateTime = DateTime("2024-01-01T00:00:02.000Z")
    #expect(playlist.text.contains("TIME:2024-01-01T00:00:02Z\n"))
    playlist.segments[0].programDateTime?.zone = 60
    #expect(playlist.text.contains("TIME:2024-01-01T01:00:02.000+01:00\n"))
  }

  @Test("A delta update counts what it skips")
  func skipped() throws {
    let text = try #require(Examples.media.first { $0.name == "low latency" }).text
    #expect(try MediaPlaylist(text).resolved().map(\.mediaSequence) == [269, 270, 271])
  }

  @Test("Removing the first segments does not change the others", arguments: 0...5)
  func sliding(count: Int) throws {
    let text = """
      #EXTM3U
      #EXT-X-TARGETDURATION:2
      #EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:02Z
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="a",KEYFORMAT="x"
      #EXT-X-MAP:URI="m1"
      #EXT-X-BITRATE:9
      #EXTINF:2,
      #EXT-X-BYTERANGE:10@5
      all
      #EXT-X-DISCONTINUITY
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="b",KEYFORMAT="y"
      #EXTINF:2,
      #EXT-X-BYTERANGE:10
      all
      #EXTINF:2,
      #EXT-X-BYTERANGE:10
      all
      #EXT-X-KEY:METHOD=NONE
      #EXT-X-DISCONTINUITY
      #EXTINF:2,
      {$a}
      #EXT-X-ENDLIST
      """
    let whole = try MediaPlaylist(text)
    var playlist = whole
    try playlist.removeFirstSegments(count)
    let variables = try Variables([VariableDefinition(name: "a", value: "b")])
    let expected = try whole.resolved(variables).dropFirst(count)
    let found = try MediaPlaylist(playlist.bytes).resolved(variables)
    #expect(found.count == max(0, 4 - count))
    for (a, b) in zip(expected, found) {
      var a = a
      (a.index, a.start, a.mapSequence) = (b.index, b.start, b.mapSequence)
      #expect(a == b)
    }
    if count == 0 { #expect(playlist.text == text) }
    #expect(playlist.isEnded)
  }

  @Test("Removing the first segments keeps the keys of the init segment", arguments: 0...3)
  func slidingKeys(count: Int) throws {
    let text = """
      #EXTM3U
      #EXT-X-TARGETDURATION:2
      #EXT-X-MAP:URI="m1"
      #EXT-X-KEY:METHOD=AES-128,URI="a",IV=0x01
      #EXTINF:2,
      1
      #EXTINF:2,
      2
      #EXT-X-MAP:URI="m2"
      #EXT-X-KEY:METHOD=NONE
      #EXTINF:2,
      3
      #EXTINF:2,
      4
      #EXT-X-ENDLIST
      """
    let whole = try MediaPlaylist(text)
    var playlist = whole
    try playlist.removeFirstSegments(count)
    let expected = try whole.resolved().dropFirst(count)
    for (a, b) in zip(expected, try MediaPlaylist(playlist.bytes).resolved()) {
      #expect(a.map == b.map && a.keys == b.keys && a.mapKeys == b.mapKeys, "\(playlist.text)")
    }
  }

  @Test("Tags of the whole playlist are kept when adjacent segments are removed")
  func tagsAmongSegments() throws {
    let text = """
      #EXTM3U
      #EXTINF:2,
      0
      #EXT-X-TARGETDURATION:2
      #EXT-X-MEDIA-SEQUENCE:4
      #EXT-X-PLAYLIST-TYPE:EVENT
      #EXT-X-DISCONTINUITY-SEQUENCE:7
      #EXT-X-DISCONTINUITY
      #EXTINF:2,
      1
      #EXT-X-TARGETDURATION:9
      #EXT-X-ENDLIST
      #EXTINF:2,
      2
      #EXTINF:2,
      3
      """
    var playlist = try MediaPlaylist(text)
    try playlist.removeFirstSegments(2)
    try playlist.removeFirstSegments(1)
    let read = try MediaPlaylist(playlist.bytes)
    #expect(read == playlist && read.segments.map(\.uri) == ["3"])
    #expect(read.mediaSequence == 7 && read.discontinuitySequence == 8 && read.targetSeconds == 2)
    #expect(read.playlistType == .event && read.isEnded)
  }

  @Test("Too many key formats at once are an error, instead of a growing list for every segment")
  func manyKeys() throws {
    var text = "#EXTM3U\n"
    for number in 0..<65 { text += "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\",KEYFORMAT=\"\(number)\"\n#EXTINF:1,\na\n" }
    let playlist = try MediaPlaylist(text)
    #expect(throws: PlaylistError(.tooManyKeys(limit: 64), line: 0)) { try playlist.resolved() }
  }
}
