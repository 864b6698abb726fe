import MP4
import MP4Bytes
import MP4Packaging
import Support
import Testing
import TimedText

@Suite("Reading subtitle files")
struct SubtitleReadingTests {
  private func subtitles(_ bytes: [UInt8], _ name: String, _ encoding: TextEncoding? = nil) throws(SubtitleFileError)
    -> Subtitles
  {
    try Subtitles(reading: MemorySource(bytes, name: name), language: "en", encoding: encoding)
  }
  private func failure(_ bytes: [UInt8], _ name: String = "a.vtt") -> String {
    do throws(SubtitleFileError) {
      _ = try subtitles(bytes, name)
      return "none"
    } catch { return error.description }
  }

  @Test("SubRip is recognized by the file name or the first lines, and the given encoding is used")
  func formats() throws {
    let cue = ascii("1\n00:00:01,000 --> 00:00:02,000\ncaf") + [0xE9] + ascii("\n")
    for name in ["a.srt", "a.SRT", "a"] {
      let subtitles = try subtitles(cue, name, TextEncoding(named: "windows-1252"))
      #expect(subtitles.document.cues.map(\.text) == ["café"] && subtitles.source == name)
    }
    #expect(failure(cue, "a.srt").contains("UTF-8"))
  }

  @Test("A file that is not subtitles is an error that names its format")
  func errors() throws {
    #expect(failure([]) == "a.vtt: the file is empty")
    #expect(
      failure(try readFile(vectorPath("files/progressive.mp4"))) == "a.vtt: this is an MP4 file, not WebVTT or SubRip")
    #expect(throws: SubtitleFileError.self) { try subtitles([UInt8](repeating: 0x61, count: (64 << 20) + 1), "a") }
  }

  @Test("Features that a track cannot express are reported")
  func tracks() throws {
    var subtitles = try subtitles(ascii("WEBVTT\n\n00:01.000 --> 00:02.000\na\n"), "a.vtt")
    #expect(subtitles.diagnostics(ofTrack: .webVTT).isEmpty)
    (subtitles.isForced, subtitles.describesSounds) = (true, true)
    #expect(subtitles.diagnostics(ofTrack: .webVTT).map(\.severity) == [.warning, .note])
    #expect(subtitles.diagnostics(ofTrack: .timedText).map(\.severity) == [.note])
  }
}
