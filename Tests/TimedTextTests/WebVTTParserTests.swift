import Support
import Testing
import TimedText

/// The topics of the W3C test suite for files, with our own cases.
@Suite struct WebVTTParserTests {
  private func read(_ text: String) throws -> WebVTTDocument { try WebVTTDocument(Array(text.utf8)) }

  @Test(
    "A file starts with WEBVTT, alone or followed by a space or tab",
    arguments: [
      "WEBVTT", "WEBVTT\n", "\u{feff}WEBVTT\n", "WEBVTT title\n", "WEBVTT\ttitle", "WEBVTT\r\n", "WEBVTT\r",
      "WEBVTT\n\n",
      "WEBVTT \n\n\n",
    ])
  func signature(text: String) throws {
    let document = try read(text)
    #expect(document.blocks.isEmpty && document.findings.isEmpty)
  }

  @Test(
    "Any other first line is an error in line 1",
    arguments: [
      "", "\n", "WEBVT", "webvtt\n", " WEBVTT", "\nWEBVTT\n", "WEBVTTx\n", "WEBVTT-x", "\u{feff}\u{feff}WEBVTT",
    ])
  func otherSignature(text: String) {
    #expect(throws: TimedTextError.self) { _ = try read(text) }
    do { _ = try read(text) } catch let error as TimedTextError { #expect(error.line == 1) } catch {}
  }

  @Test("All line endings are equivalent", arguments: ["\n", "\r", "\r\n"])
  func endings(ending: String) throws {
    let text = "WEBVTT\n\nid\n00:01.000 --> 00:02.000 align:start\na\nb\n\n00:03.000 --> 00:04.000\nc"
    let document = try read(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: ending))
    #expect(document.cues.map(\.text) == ["a\nb", "c"])
    #expect(document.cues[0].identifier == "id" && document.cues[0].settings == "align:start")
  }

  @Test(
    "Times are read according to the standard",
    arguments: [
      ("00:00:01.000 --> 00:00:02.500", 1000, 2500), ("00:01.000-->00:02.500", 1000, 2500),
      ("\t 00:01.000\t-->\t00:02.500 ", 1000, 2500), ("1:00:00.000 --> 100:00:00.001", 3_600_000, 360_000_001),
      ("00:59.999 --> 59:59.999", 59_999, 3_599_999), ("00:01.000 --> 00:02.000line:0", 1000, 2000),
      ("99999999999999999999:00:00.000 --> 99999999999999999999:00:00.000", CueTime.latest, CueTime.latest),
    ] as [(String, Int64, Int64)])
  func times(line: String, start: Int64, end: Int64) throws {
    let document = try read("WEBVTT\n\n\(line)\ntext\n")
    #expect(document.cues.map(\.startMilliseconds) == [start] && document.cues.map(\.endMilliseconds) == [end])
  }

  @Test(
    "A cue with invalid times is omitted and reported with its line, and the next one is read",
    arguments: [
      "1 --> 2", "00:01 --> 00:02", "00:01.00 --> 00:02.000", "00:01.0000 --> 00:02.000", "0:01.000 --> 00:02.000",
      "00:60.000 --> 00:61.000", "00:60:00.000 --> 00:61:00.000", "00:01,000 --> 00:02,000", "00:01.000 -> x-->",
      "-00:01.000 --> 00:02.000", "00:01.000 --> ", " --> 00:02.000", "00:01.000 --> 00:02.000 --> 00:03.000x -->x-->",
      "a 00:01.000 --> 00:02.000", "000:01.000 --> 00:02.000",
    ])
  func badTimes(line: String) throws {
    let document = try read("WEBVTT\n\nid\n\(line)\ntext\nmore\n\n00:05.000 --> 00:06.000\nnext\n")
    if line.hasPrefix("00:01.000 --> 00:02.000 -->") {
      // Everything after the times is settings.
      return #expect(document.cues.count == 2)
    }
    #expect(document.cues.map(\.text) == ["next"])
    #expect(document.findings.map(\.line) == [4] && document.findings[0].isLoss, "\(document.findings)")
  }

  @Test("A line with an arrow starts the next cue, even without a blank line before it")
  func noBlankLine() throws {
    let document = try read(
      "WEBVTT\n00:01.000 --> 00:02.000\na\n00:03.000 --> 00:04.000\nb\nid\n00:05.000 --> 00:06.000\n"
        + "00:07.000 --> 00:08.000\nd")
    // The line before it is text of the previous cue.
    #expect(document.cues.map(\.text) == ["a", "b\nid", "", "d"])
    #expect(document.cues.allSatisfy { $0.identifier.isEmpty })
  }

  @Test("The header ends at the first blank line or times, and X-TIMESTAMP-MAP is read in both orders")
  func header() throws {
    let document = try read(
      "WEBVTT - x\nKind: captions\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:01.500\n00:01.000 --> 00:02.000\na")
    #expect(document.title == " - x" && document.header == ["Kind: captions"])
    #expect(
      document.timestampMap == TimestampMap(local: .milliseconds(1500), mpegTS: 900_000) && document.cues.count == 1)
    let other = try read("WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:1\n\na\n")
    #expect(other.timestampMap == TimestampMap(mpegTS: 1))
    for text in ["LOCAL:1,MPEGTS:2", "MPEGTS:2", "LOCAL:00:00.000", "LOCAL:00:00.000,MPEGTS:-1", "x", ""] {
      let bad = try read("WEBVTT\nX-TIMESTAMP-MAP=\(text)\n\n")
      #expect(bad.timestampMap == nil && bad.findings.map(\.line) == [2], "\(text)")
    }
  }

  @Test("Comments, style sheets and regions are recognized, the latter two only before the first cue")
  func blocks() throws {
    let document = try read(
      """
      WEBVTT

      STYLE
      ::cue { color: red }

      REGION \t
      id:a
      width:50%

      NOTE
      several
      lines

      NOTE one line

      NOTED
      is none

      00:01.000 --> 00:02.000 region:a
      a

      STYLE
      too late

      NOTE at the end
      """)
    #expect(
      document.blocks.prefix(4) == [
        .style("::cue { color: red }"), .region("id:a\nwidth:50%"), .comment("\nseveral\nlines"), .comment("one line"),
      ])
    #expect(document.cues.count == 1 && document.blocks.last == .comment("at the end"))
    #expect(document.findings.map(\.line) == [16, 22], "\(document.findings)")
    // With an arrow in the second line, it is a cue with this identifier.
    let cue = try read("WEBVTT\n\nSTYLE\n00:01.000 --> 00:02.000\na\n")
    #expect(cue.cues.map(\.identifier) == ["STYLE"])
  }

  @Test("Lines of spaces are text, and NUL and invalid UTF-8 become U+FFFD and are reported")
  func characters() throws {
    let bytes = Array("WEBVTT\n\n00:01.000 --> 00:02.000\na\n \nb\0c\n".utf8) + [0x64, 0xff, 0xc3, 0x0a, 0xe2, 0x82]
    let document = try WebVTTDocument(bytes, encoding: .utf8)
    #expect(document.cues.map(\.text) == ["a\n \nb\u{fffd}c\nd\u{fffd}\u{fffd}\n\u{fffd}"])
    #expect(document.findings.map(\.line) == [6, 7, 8])
  }

  @Test("A cue that ends before it starts, and an ignored setting, are kept and reported")
  func softFindings() throws {
    let document = try read(
      "WEBVTT\n\n00:02.000 --> 00:01.000\na\n\n00:02.000 --> 00:03.000 line:x foo:1 size:101% align:middle\nb\n")
    #expect(document.cues.count == 2)
    #expect(document.findings.map(\.line) == [3, 6, 6, 6, 6] && !document.findings.contains(where: \.isLoss))
  }

  @Test("Reading takes proportional time for any file")
  func isLinear() throws {
    for piece in [
      "a\n", "-->\n", "\n", "00:01.000 --> 00:02.000\n", "NOTE\n\n", "<", "00:00:00.000 --> 00:00:00.000 a:b ",
    ] {
      let text = "WEBVTT\n\n" + String(repeating: piece, count: 200_000 / piece.utf8.count)
      let clock = WorkClock()
      _ = try read(text)
      #expect(clock.elapsed < .seconds(20))
    }
  }
}
