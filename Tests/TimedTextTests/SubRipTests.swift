import Support
import Testing
import TimedText

@Suite struct SubRipTests {
  private func read(_ text: String) throws -> WebVTTDocument { try WebVTTDocument(subRip: Array(text.utf8)) }

  @Test("Cues are read with and without numbers, and with blank lines in their text")
  func cues() throws {
    let document = try read(
      """

      1
      00:00:01,000 --> 00:00:02,500
      one
      line two


      00:00:03.000 --> 00:00:04,5  X1:40 X2:600 Y1:20 Y2:50
      no number

      with a blank line
      7

      3
      1:00:05,000-->1:00:06
      last

      """)
    #expect(
      document.cues.map(\.startMilliseconds) == [1000, 3000, 3_605_000]
        && document.cues.map(\.endMilliseconds) == [2500, 4500, 3_606_000])
    #expect(document.cues.map(\.text) == ["one\nline two", "no number\n\u{a0}\nwith a blank line\n7", "last"])
    #expect(document.findings.isEmpty, "\(document.findings)")
    let again = try WebVTTDocument(document.bytes)
    #expect(again.cues == document.cues)
  }

  @Test(
    "WebVTT tags are kept and nested; other tags are removed, and everything else is text",
    arguments: [
      ("<i>a</i> <B>b</B> <u>c", "<i>a</i> <b>b</b> <u>c</u>"), ("<b><i>a</b>b</i>", "<b><i>a</i></b><i>b</i>"),
      ("a & b < c > d", "a &amp; b &lt; c &gt; d"), ("a --> b", "a --&gt; b"), ("</i>a", "a"), ("<3 {x}", "&lt;3 {x}"),
      ("<font color=\"#ffff00\">a</font>b", "<c.yellow>a</c>b"), ("<font color=red>a", "<c.red>a</c>"),
      ("<font color=\"#123456\">a</font>", "a"), ("<font face=x><i>a</font></i>", "<i>a</i><i></i>"),
      ("{\\an8}a", "a"), ("{\\i1}a{\\i0}b", "<i>a</i>b"), ("a<br>b", "a\nb"), ("a<br></br>b<br>", "a\n\u{a0}\nb"),
      ("<s></s>a", "a"), ("<s>a</s>", "a"), ("<", "&lt;"),
      ("{", "{"), ("<i", "&lt;i"), ("&amp;", "&amp;amp;"),
    ])
  func markup(text: String, expected: String) throws {
    let document = try read("1\n00:00:01,000 --> 00:00:02,000\n\(text)\n")
    #expect(document.cues.map(\.text) == [expected])
  }

  @Test("Unclosed tags take proportional time")
  func deepTags() throws {
    for piece in ["<i>", "<i><b></i>", "<font color=a>", "{\\i1}", "<u", "{", "&"] {
      let text = "00:00:01,000 --> 00:00:02,000\n" + String(repeating: piece, count: 20_000)
      let clock = WorkClock()
      _ = try read(text)
      #expect(clock.elapsed < .seconds(20))
    }
  }

  @Test("SubStation Alpha positions become settings")
  func places() throws {
    let settings = try (1...9).map { place in
      try read("00:00:01,000 --> 00:00:02,000\n{\\an\(place)}a").cues[0].settings
    }
    #expect(settings[7] == "line:0" && settings[1] == "" && settings[0] == "align:start" && Set(settings).count == 9)
    #expect(settings.allSatisfy { CueSettings($0).ignored.isEmpty })
  }

  @Test("UTF-8 and UTF-16 with byte order marks are read; other encodings must be given")
  func encodings() throws {
    let text = "1\r\n00:00:01,000 --> 00:00:02,000\r\n\u{201c}é€\u{201d} 😀\r\n"
    let units = Array(text.utf16)
    var (little, big): ([UInt8], [UInt8]) = ([0xff, 0xfe], [0xfe, 0xff])
    for unit in units {
      little += [UInt8(unit & 0xff), UInt8(unit >> 8)]
      big += [UInt8(unit >> 8), UInt8(unit & 0xff)]
    }
    let utf8 = Array(text.utf8)
    for bytes in [utf8, [0xef, 0xbb, 0xbf] + utf8, little, big] {
      let document = try WebVTTDocument(subRip: bytes)
      #expect(document.cues.map(\.text) == ["\u{201c}é€\u{201d} 😀"] && document.findings.isEmpty)
    }
    let old = Array("1\n00:00:01,000 --> 00:00:02,000\n".utf8) + [0x93, 0xe9, 0x80, 0x94]
    #expect(throws: TimedTextError(.notUTF8, line: 3)) { try WebVTTDocument(subRip: old) }
    let document = try WebVTTDocument(subRip: old, encoding: TextEncoding(named: "Windows-1252"))
    #expect(document.cues.map(\.text) == ["\u{201c}é€\u{201d}"] && document.findings.isEmpty)
  }

  @Test("A file without times is not SubRip; an invalid line of times is omitted and reported")
  func errors() throws {
    for text in ["", "a\nb", "WEBVTT\n", "1\n00:00:99,000 --> x\n"] {
      #expect(throws: TimedTextError.self) { _ = try read(text) }
    }
    let document = try read("stray\n\n1\n00:00:99,000 --> x\nlost\n\n2\n00:00:01,000 --> 00:00:02,000\na")
    #expect(document.cues.map(\.text) == ["a"] && document.findings.map(\.line) == [1, 4])
    #expect(document.findings.allSatisfy { $0.isLoss })
  }

  @Test("The first line shows the format of a file if its name does not")
  func kinds() throws {
    let webVTT = Array("WEBVTT\n\n00:01.000 --> 00:02.000\na".utf8)
    let subRip = Array("1\n00:00:01,000 --> 00:00:02,000\na".utf8)
    for bytes in [webVTT, subRip] {
      let document = try WebVTTDocument(bytes, isSubRip: nil)
      #expect(document.cues.count == 1)
    }
    #expect(throws: TimedTextError.self) { _ = try WebVTTDocument(subRip, isSubRip: false) }
  }
}
