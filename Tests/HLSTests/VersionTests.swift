import MP4HLS
import Testing

@Suite("The lowest valid version")
struct VersionTests {
  static let mediaCases: [(version: Int, line: String)] = [
    (1, "#EXTINF:6,title 1.5\na"), (1, "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:6,\na"),
    (2, "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x1\n#EXTINF:6,\na"), (3, "#EXTINF:6.0,\na"),
    (4, "#EXTINF:6,\n#EXT-X-BYTERANGE:5@0\na"), (4, "#EXT-X-I-FRAMES-ONLY\n#EXTINF:6,\na"),
    (5, "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:6,\na"),
    (5, "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"identity\"\n#EXTINF:6,\na"),
    (5, "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMATVERSIONS=\"1\"\n#EXTINF:6,\na"),
    (5, "#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI=\"m\"\n#EXTINF:6,\na"),
    (6, "#EXT-X-MAP:URI=\"m\"\n#EXTINF:6,\na"), (8, "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n#EXTINF:6,\na"),
    (8, "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n#EXTINF:6,\n{$a}"), (9, "#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n#EXTINF:6,\na"),
    (10, "#EXT-X-SKIP:SKIPPED-SEGMENTS=3,RECENTLY-REMOVED-DATERANGES=\"x\ty\"\n#EXTINF:6,\na"),
    (11, "#EXT-X-DEFINE:QUERYPARAM=\"a\"\n#EXTINF:6,\na"),
  ]
  static let multivariantCases: [(version: Int, line: String)] = [
    (1, "#EXT-X-STREAM-INF:BANDWIDTH=1,FRAME-RATE=30.000\na"),
    (1, "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"g\",NAME=\"n\",INSTREAM-ID=\"CC1\""),
    (7, "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"g\",NAME=\"n\",INSTREAM-ID=\"SERVICE1\""),
    (12, "#EXT-X-STREAM-INF:BANDWIDTH=1,REQ-VIDEO-LAYOUT=\"CH-STEREO\"\na"),
    (12, "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i\",REQ-OTHER=1"),
    (13, "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"n\",INSTREAM-ID=\"1\""),
  ]

  @Test("It is found and valid, and a lower one is a finding", arguments: mediaCases.indices)
  func media(index: Int) throws {
    let (version, line) = Self.mediaCases[index]
    var playlist = try MediaPlaylist("#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + line)
    #expect(playlist.lowestVersion == version)
    playlist.version = version
    #expect(playlist.version == version)
    #expect(playlist.findings == [])
    playlist.version = version - 1
    #expect(playlist.findings.map(\.rule) == (version > 1 ? [.version] : []))
  }

  @Test("It is found for multivariant playlists too", arguments: multivariantCases.indices)
  func multivariant(index: Int) throws {
    let (version, line) = Self.multivariantCases[index]
    var playlist = try MultivariantPlaylist("#EXTM3U\n" + line)
    #expect(playlist.lowestVersion == version)
    playlist.version = version
    #expect(playlist.findings == [])
    playlist.version = version - 1
    #expect(playlist.findings.map(\.rule) == (version > 1 ? [.version] : []))
    #expect(playlist.findings.allSatisfy { $0.line == (version > 2 ? 3 : 2) })
  }
}
