import MP4HLS
import Testing

@Suite("Selection of streams")
struct StreamChoiceTests {
  static let master = """
    #EXTM3U
    #EXT-X-DEFINE:NAME="q",VALUE="high"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",URI="en.m3u8",LANGUAGE="en-GB",AUTOSELECT=YES
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",URI="de.m3u8",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="Low",URI="low.m3u8",LANGUAGE="en"
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="Text",URI="text.m3u8",LANGUAGE="fr"
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="Text 2",URI="text2.m3u8",LANGUAGE="en"
    #EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1280x720,AUDIO="a",SUBTITLES="t"
    720.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x1080,AUDIO="a",SUBTITLES="t"
    {$q}.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=500000,RESOLUTION=640x360,AUDIO="b"
    360.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x800,AUDIO="a"
    wide.m3u8
    """

  private func chosen(
    _ variant: String = "best", _ languages: [String] = [], text: Bool = false
  ) throws -> [StreamChoice.Stream] {
    var choice = StreamChoice()
    choice.variant = try #require(VariantChoice(variant))
    choice.languages = languages
    choice.takesText = text
    return try choice.streams(of: MultivariantPlaylist(Self.master), at: URIReference("https://a/m.m3u8")).streams
  }

  @Test(
    "A variant is selected by quality, position, size or bandwidth",
    arguments: [
      ("best", "high.m3u8"), ("worst", "360.m3u8"), ("1", "720.m3u8"), ("4", "wide.m3u8"), ("1280x720", "720.m3u8"),
      ("4999999", "720.m3u8"), ("500000", "360.m3u8"), ("99999999", "high.m3u8"),
    ])
  func variants(text: String, uri: String) throws { #expect(try chosen(text)[0].uri == uri) }

  @Test(
    "Invalid choices are refused", arguments: ["", "0", "-1", "1280x", "x720", "bset", "1e6", "99999999999999999999"])
  func noChoice(text: String) { #expect(VariantChoice(text) == nil) }

  @Test("A missing stream is reported with the existing ones")
  func missing() throws {
    #expect(
      throws: StreamChoice.Failure.noVariant(there: [
        "1 (1280x720, 2000000 bit/s)", "2 (1920x1080, 5000000 bit/s)",
        "3 (640x360, 500000 bit/s)", "4 (1920x800, 5000000 bit/s)",
      ])
    ) { try chosen("5") }
    #expect(throws: StreamChoice.Failure.self) { try chosen("400000") }
    #expect(throws: StreamChoice.Failure.noLanguage("fr", there: ["en-GB", "de"])) { try chosen("best", ["fr"]) }
  }

  @Test("The audio of the group is selected: the default, or the requested languages")
  func sound() throws {
    #expect(try chosen().map(\.uri) == ["high.m3u8", "de.m3u8"])
    #expect(try chosen().map(\.line) == [11, 4])
    #expect(try chosen("best", ["en"]).map(\.uri) == ["high.m3u8", "en.m3u8"])
    #expect(try chosen("best", ["de", "en"]).map(\.uri) == ["high.m3u8", "de.m3u8", "en.m3u8"])
    #expect(try chosen("worst").map(\.uri) == ["360.m3u8", "low.m3u8"])
  }

  @Test("Subtitles are selected on request, all of them or the requested languages")
  func text() throws {
    #expect(try chosen(text: true).map(\.uri) == ["high.m3u8", "de.m3u8", "text.m3u8", "text2.m3u8"])
    #expect(try chosen("best", ["en"], text: true).map(\.uri) == ["high.m3u8", "en.m3u8", "text2.m3u8"])
    #expect(try chosen("best", ["fr"], text: true).map(\.uri) == ["high.m3u8", "de.m3u8", "text.m3u8"])
  }
}
