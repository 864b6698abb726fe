import Testing
import TimedText

/// The cases of the W3C's suite for reading files, in words of our own.
@Suite struct WebVTTParserTests {
  @Test("a first line of WEBVTT, alone or with a blank and a title behind it, begins a file")
  func signature() throws {
    for text in ["WEBVTT", "WEBVTT\n", "\u{feff}WEBVTT\n", "WEBVTT title\n", "WEBVTT\ttitle", "WEBVTT\r\n", "WEBVTT\r"] {
      #expect(try WebVTTDocument(Array(text.utf8)).cues.isEmpty)
    }
    #expect(try WebVTTDocument(Array("WEBVTT - x y".utf8)).title == " - x y")
  }
}
