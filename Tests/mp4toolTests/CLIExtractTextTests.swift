import Support
import Testing

@Suite("extract of subtitles and other text, end to end")
struct CLIExtractTextTests {
  private let subtitles = """
    WEBVTT

    STYLE
    ::cue { color: lime }

    1
    00:00:00.500 --> 00:00:01.200 line:0 align:start
    <i>One</i> &amp; all

    00:00:01.000 --> 00:00:02.000
    Two
    lines

    NOTE of nothing

    00:00:02.500 --> 00:00:03.000
    <b>Three</b>


    """

  private let subRip = """
    1
    00:00:00,500 --> 00:00:01,200
    <i>One</i> & all

    2
    00:00:01,000 --> 00:00:02,000
    Two
    lines

    3
    00:00:02,500 --> 00:00:03,000
    <b>Three</b>


    """

  @Test("WebVTT of a track equals the added file with complete cues, and SubRip lacks positions")
  func webVTT() throws {
    let shell = try EndToEnd()
    try shell.folder.write("in.vtt", Array(subtitles.utf8))
    let result = try shell(
      """
      mp4tool defrag -q --subtitles en=in.vtt --text-format wvtt $V/progressive.mp4 -o text.mp4 || exit
      mp4tool fragment -q text.mp4 -o fragmented.mp4
      mp4tool extract --tracks text text.mp4 -o out.vtt
      mp4tool extract --tracks text fragmented.mp4 -o - | cmp - out.vtt && echo same
      mp4tool extract --tracks text --format srt text.mp4 -o out.srt
      """)
    #expect(result.text == "same\n")
    #expect(
      result.errorText
        == "mp4tool: note: text.mp4: track 3: SubRip has no positions; the positions of cues are not written\n")
    let text = try String(decoding: shell.bytes("out.vtt"), as: UTF8.self)
    #expect(
      text.split(separator: "\n").filter { !$0.hasPrefix("NOTE") }
        == subtitles.split(separator: "\n").filter { !$0.hasPrefix("NOTE") })
    #expect(try String(decoding: shell.bytes("out.srt"), as: UTF8.self) == subRip)
  }

  @Test("3GPP text becomes WebVTT or SubRip")
  func timedText() throws {
    let shell = try EndToEnd()
    try shell.folder.write(
      "in.srt",
      Array(
        "1\n00:00:00,500 --> 00:00:01,000\n<i>One</i> & all\n\n2\n00:00:02,000 --> 00:00:03,250\nTwo\nlines\n\n".utf8))
    let result = try shell(
      """
      mp4tool defrag -q --subtitles en=in.srt --text-format tx3g $V/progressive.mp4 -o text.mp4 || exit
      mp4tool extract --tracks text --format srt text.mp4 -o out.srt && cmp out.srt in.srt && echo same
      mp4tool extract -q --tracks text text.mp4 -o out.vtt && head -1 out.vtt
      entry=moov/trak[3]/mdia/minf/stbl/stsd/tx3g
      mp4tool edit -q --set $entry/text_color_rgba=0xffff00ff text.mp4 -o colored.mp4
      mp4tool extract --tracks text colored.mp4 -o colored.vtt
      mp4tool edit -q --set $entry/horizontal_justification=0 text.mp4 -o placed.mp4
      mp4tool extract --tracks text placed.mp4 -o placed.vtt
      """)
    #expect(result.text == "same\nWEBVTT\n", "\(result.errorText)")
    #expect(
      result.errorLines == [
        "mp4tool: note: colored.mp4: track 3: text colors are not preserved",
        "mp4tool: note: placed.mp4: track 3: text positions are not preserved",
      ])
  }

  /// A movie with a TTML track whose documents have the same duration.
  private func movie(_ documents: [String]) throws -> [UInt8] {
    let entry = box("stpp", zeros(6), big(UInt16(1)), ascii("http://www.w3.org/ns/ttml"), [0, 0, 0])
    var track = TrackSpec.text(id: 3)
    (track.handler, track.sampleEntries, track.timescale) = ("subt", [entry], 1000)
    var file = FragmentedFileBuilder([track])
    let size = UInt32(documents[0].utf8.count)
    file.addFragment { $0.addTraf(3, .samples(documents.count, size: size, duration: 1000)) }
    let built = file.build()
    var bytes = built.bytes
    for (place, document) in zip(try #require(built.places[3]), documents) {
      bytes.replaceSubrange(place, with: Array(document.utf8))
    }
    return bytes
  }

  @Test("TTML documents that differ only in their text become one, without repetitions; others are refused")
  func ttml() throws {
    func document(_ first: String, _ second: String, language: String = "en") -> String {
      "<tt:tt xml:lang=\"\(language)\" xmlns:tt=\"http://www.w3.org/ns/ttml\"><!-- <body> --><tt:body><tt:div>"
        + [first, second].map { "<tt:p begin=\"\($0)s\">\($0)</tt:p>" }.joined() + "</tt:div></tt:body></tt:tt>"
    }
    let shell = try EndToEnd()
    try shell.folder.write("one.mp4", movie([document("1", "2")]))
    try shell.folder.write("same.mp4", movie([document("1", "2"), document("2", "3"), document("2", "3")]))
    try shell.folder.write("other.mp4", movie([document("1", "2"), document("2", "3", language: "de")]))
    let result = try shell(
      "mp4tool extract one.mp4 -o one.ttml; mp4tool extract same.mp4 -o same.ttml; mp4tool extract other.mp4 -o out")
    #expect(result.exitCode == 65)
    #expect(
      result.errorLines == [
        "mp4tool: note: same.mp4: track 3: its 2 TTML documents were merged into one",
        "mp4tool: other.mp4: track 3: its 2 documents differ in more than their text, so they cannot be merged; --raw "
          + "writes the samples unchanged",
      ])
    #expect(try shell.bytes("one.ttml") == Array(document("1", "2").utf8))
    let merged = document("1", "2").replacingEnd(
      "</tt:div></tt:body></tt:tt>",
      with: "</tt:div><tt:div><tt:p begin=\"3s\">3</tt:p></tt:div></tt:body></tt:tt>")
    #expect(try String(decoding: shell.bytes("same.ttml"), as: UTF8.self) == merged)
    #expect(!shell.folder.names.contains("out"))
  }

  @Test("TTML as WebVTT and SubRip: cues that continue in the next document are one")
  func ttmlCues() throws {
    func document(_ paragraphs: String, _ language: String = "en") -> String {
      let start = "<tt xml:lang=\"\(language)\" xmlns=\"http://www.w3.org/ns/ttml\"><body><div>\(paragraphs)"
      return start + String(repeating: " ", count: 300 - start.utf8.count) + "</div></body></tt>"
    }
    let (open, long) = ("<p begin=\"0.5s\">open</p>", "<p begin=\"0.6s\" end=\"1.8s\">long<br/>cue</p>")
    let split = ("<p begin=\"0.9s\" end=\"1s\">split</p>", "<p begin=\"1s\" end=\"1.2s\">split</p>")
    let documents = [document(open + long + split.0), document(long + split.1, "de"), document("")]
    let shell = try EndToEnd()
    try shell.folder.write("a.mp4", movie(documents))
    let result = try shell(
      "mp4tool extract --format vtt a.mp4 -o a.vtt; mp4tool extract --quiet --format srt a.mp4 -o a.srt")
    #expect(result.exitCode == 0)
    #expect(result.errorLines == ["mp4tool: note: a.mp4: track 3: positions and colors are not preserved"])
    let expected = """
      WEBVTT

      00:00:00.500 --> 00:00:01.000
      open

      00:00:00.600 --> 00:00:01.800
      long
      cue

      00:00:00.900 --> 00:00:01.200
      split

      """
    let text = try String(decoding: shell.bytes("a.vtt"), as: UTF8.self)
    #expect(text == expected + "\n")
    #expect(
      try String(decoding: shell.bytes("a.srt"), as: UTF8.self).hasPrefix("1\n00:00:00,500 --> 00:00:01,000\nopen\n"))
  }

  @Test("Chapter tracks do not count when text is selected")
  func chapters() throws {
    let shell = try EndToEnd()
    try shell.folder.write("in.vtt", Array(subtitles.utf8))
    try shell.folder.write("chapters.txt", Array("0:00 One\n0:05 Two\n".utf8))
    let result = try shell(
      "mp4tool defrag -q --subtitles en=in.vtt $V/progressive.mp4 -o text.mp4; "
        + "mp4tool edit --chapters chapters.txt text.mp4 -o both.mp4; "
        + "mp4tool extract -q --tracks text text.mp4 -o expected.vtt; "
        + "mp4tool extract -q --tracks text both.mp4 -o out.vtt")
    #expect(result.exitCode == 0, "\(result)")
    #expect(try shell.bytes("out.vtt") == shell.bytes("expected.vtt"))
  }

  @Test("Text formats and other formats are not interchangeable, and file names for others are noted")
  func refused() throws {
    let shell = try EndToEnd()
    try shell.folder.write("in.vtt", Array(subtitles.utf8))
    _ = try shell("mp4tool defrag -q --subtitles en=in.vtt --text-format wvtt $V/progressive.mp4 -o text.mp4")
    let names = shell.folder.names
    for (line, code, message) in [
      ("--tracks text --format ivf text.mp4 -o out", 65, "text.mp4: track 3: its codec wvtt cannot be written as IVF"),
      (
        "--tracks video --format vtt text.mp4 -o out", 65,
        "text.mp4: track 1: its codec avc1.64000B cannot be written as WebVTT"
      ),
      ("--tracks text --format srt --raw text.mp4 -o out", 64, "options '--raw' and '--format' contradict each other"),
      ("--tracks text --frame 1 text.mp4 -o out", 65, "there is no elementary stream format for its codec wvtt"),
    ] as [(String, Int32, String)] {
      let result = try shell("mp4tool extract \(line)")
      #expect(result.exitCode == code, "\(line): \(result.errorText)")
      #expect(result.errorText.contains(message), "\(line): \(result.errorText)")
    }
    #expect(shell.folder.names == names)
    let named = try shell("mp4tool extract --tracks text text.mp4 -o out.srt")
    #expect(named.errorText == "mp4tool: note: out.srt: the content is WebVTT, which is usually named .vtt\n")
  }
}

extension String {
  fileprivate func replacingEnd(_ end: String, with other: String) -> String { dropLast(end.count) + other }
}

@Suite(
  "Extracted text equals that of ffmpeg", .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
struct CLIExtractTextReadersTests {
  @Test("tx3g text that ffmpeg writes equals its source text")
  func timedText() throws {
    let shell = try EndToEnd()
    try shell.folder.write(
      "in.srt",
      Array("1\n00:00:00,500 --> 00:00:01,000\nOne & all\n\n2\n00:00:02,000 --> 00:00:03,250\nTwo\nlines ä€\n\n".utf8))
    let result = try shell(
      """
      ffmpeg -nostdin -v error -i in.srt -c:s mov_text made.mp4 || exit
      mp4tool extract -q --format srt made.mp4 -o out.srt && cmp out.srt in.srt && echo same
      mp4tool extract -q made.mp4 -o out.vtt && ffmpeg -nostdin -v error -i out.vtt -c:s srt again.srt
      tr -d '\\r' < again.srt | cmp - in.srt && echo same
      """)
    #expect(result.text == "same\nsame\n", "\(result.errorText)")
  }
}
