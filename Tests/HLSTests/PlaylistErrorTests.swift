import MP4HLS
import Testing

@Suite("Errors name the unreadable line")
struct PlaylistErrorTests {
  private static let whole = "but can only be a whole number without a sign, such as 6"
  private static let attributes = "but can only be attributes such as NAME=1,OTHER=\"text\""
  private static let range = "but can only be LENGTH@OFFSET or LENGTH"

  @Test(
    "The message has the line, its contents and what is valid",
    arguments: [
      ("", "line 1: it is empty or starts with an empty line; a playlist must begin with #EXTM3U"),
      ("<html>", "line 1: it is an HTML page, not a playlist"),
      ("{}", "line 1: a playlist must begin with #EXTM3U, not \"{}\""),
      ("#EXTM3U\n#EXT-X-TARGETDURATION:6.5\n", "line 2: EXT-X-TARGETDURATION is \"6.5\" \(whole)"),
      (
        "#EXTM3U\n\n#EXT-X-MEDIA-SEQUENCE:9223372036854775808",
        "line 3: EXT-X-MEDIA-SEQUENCE is \"9223372036854775808\" \(whole)"
      ),
      ("#EXTM3U\r\n#EXT-X-BYTERANGE:5@x\r\n", "line 2: EXT-X-BYTERANGE is \"5@x\" \(range)"),
      (
        "#EXTM3U\n#EXT-X-BYTERANGE:9223372036854775807@1\n",
        "line 2: EXT-X-BYTERANGE is \"9223372036854775807@1\" \(range)"
      ),
      (
        "#EXTM3U\n#EXT-X-PROGRAM-DATE-TIME:yesterday\n",
        "line 2: EXT-X-PROGRAM-DATE-TIME is \"yesterday\" but can only be a date such as 2024-05-01T09:30:00.000Z"
      ),
      ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=many\na\n", "line 2: BANDWIDTH of EXT-X-STREAM-INF is \"many\" \(whole)"),
      (
        "#EXTM3U\n#EXT-X-STREAM-INF:RESOLUTION=16:9\na\n",
        "line 2: RESOLUTION of EXT-X-STREAM-INF is \"16:9\" but can only be WIDTHxHEIGHT"
      ),
      ("#EXTM3U\n#EXT-X-KEY:METHOD\n", "line 2: EXT-X-KEY is \"METHOD\" \(attributes)"),
      ("#EXTM3U\n#EXT-X-MAP:URI=\"a\n", "line 2: EXT-X-MAP is \"URI=\"a\" \(attributes)"),
      ("#EXTM3U\n#EXT-X-MAP:URI=\"a\"b\n", "line 2: EXT-X-MAP is \"URI=\"a\"b\" \(attributes)"),
    ])
  func messages(text: String, message: String) {
    #expect {
      try Playlist(text)
    } throws: {
      ($0 as? PlaylistError)?.description == message
    }
  }

  @Test("Bytes that are not UTF-8 are an error with the line")
  func encoding() {
    let bytes = Array("#EXTM3U\n#EXTINF:1,caf".utf8) + [0xE9] + Array("\na.ts\n".utf8)
    #expect(throws: PlaylistError(.notUTF8, line: 2)) { try Playlist(bytes) }
  }

  @Test("A playlist of the wrong kind is reported with the tag that shows it")
  func kinds() {
    let media = "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:1,\na\n"
    let main = "#EXTM3U\n\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n"
    #expect(throws: PlaylistError(.otherKind(tag: "EXTINF", expected: "a multivariant playlist"), line: 3)) {
      try MultivariantPlaylist(media)
    }
    #expect(throws: PlaylistError(.otherKind(tag: "EXT-X-STREAM-INF", expected: "a media playlist"), line: 3)) {
      try MediaPlaylist(main)
    }
    #expect(PlaylistError(.undefinedVariable("v"), line: 0).description == "the variable \"v\" is not defined")
    let keys = PlaylistError(.tooManyKeys(limit: 4), line: 2)
    #expect(keys.description == "line 2: there are keys of more than 4 formats at once")
    #expect(PlaylistError(.tooLong(limit: 4), line: 0).description == "variables expand to more than 4 bytes")
  }

  @Test("Content that clients must ignore is accepted: unknown tags and attributes, comments, unreadable date ranges")
  func forgiven() throws {
    let text = """
      #EXTM3U
      #EXT-X-NEW:what,ever="
      # EXTINF:x
      #EXTINFO:y
      #EXT-X-DATERANGE:ID=
      #EXT-X-DATERANGE:ID="a",DURATION=-1
      #EXT-X-MAP:URI="i",X-NEW=anything,BYTERANGE="{$range}"
      #EXTINF:1
      a.ts
      """
    let playlist = try MediaPlaylist(text)
    #expect(playlist.text == text && playlist.segments.count == 1 && playlist.segments[0].dateRanges.count == 1)
    #expect(playlist.lines.filter { $0.content == .unknownTag }.count == 3)
  }

  @Test("A long text in a message is truncated, and control characters are removed")
  func longText() {
    let error = PlaylistError(.notAPlaylist(text: "\u{1B}[31m" + String(repeating: "x", count: 10_000)), line: 1)
    #expect(error.description.utf8.count < 200 && !error.description.contains("\u{1B}"))
  }
}
