import Support
import Testing
import TimedText

@Suite("Cues of TTML documents")
struct TTMLCueTests {
  private func lines(_ body: String, _ attributes: String = "", head: String = "") -> [String]? {
    let text = "<?xml version=\"1.0\"?><tt xmlns=\"http://www.w3.org/ns/ttml\" \(attributes)>\(head)\(body)</tt>"
    return TTMLDocument.cues(in: ascii(text))?.map { "\($0.startMilliseconds)-\($0.endMilliseconds) \($0.text)" }
  }

  @Test(
    "Times are clock times and offsets, in the units of the document",
    arguments: [
      ("00:00:01", "00:01:02.5", "", "1000-62500 a"), ("100:00:00.000", "100:00:01.0004", "", "360000000-360001000 a"),
      ("1.5s", "2500ms", "", "1500-2500 a"), ("1m", "0.5h", "", "60000-1800000 a"),
      ("00:00:01:15", "00:00:02:29", "", "1500-2967 a"),
      ("00:00:01:12", "50f", "ttp:frameRate=\"25\"", "1480-2000 a"),
      ("30f", "60f", "ttp:frameRate=\"30\" ttp:frameRateMultiplier=\"1000 1001\"", "1001-2002 a"),
      ("10000000t", "25000000t", "ttp:tickRate=\"10000000\"", "1000-2500 a"), ("1t", "2t", "", "1000-2000 a"),
    ])
  func times(_ begin: String, _ end: String, _ attributes: String, _ expected: String) {
    #expect(lines("<body><p begin=\"\(begin)\" end=\"\(end)\">a</p></body>", attributes) == [expected])
    #expect(lines("<body><p begin=\"\(begin)\" end=\"1:2\">a</p></body>", attributes) == [])
  }

  @Test("Times are relative to those of the containing element, and end with it")
  func nesting() {
    #expect(
      lines(
        "<body begin=\"10s\"><div begin=\"5s\" end=\"20s\"><p begin=\"1s\" dur=\"2s\">a</p><p begin=\"9s\">b</p></div>"
          + "<div timeContainer=\"seq\"><p dur=\"1s\">c</p><p dur=\"2s\">d</p></div></body>")
        == ["16000-18000 a", "24000-30000 b", "10000-11000 c", "11000-13000 d"])
    // Parts with times of their own are cues of their own.
    #expect(
      lines(
        "<body><p begin=\"1s\" end=\"9s\"><span begin=\"1s\" end=\"2s\">a</span> <span begin=\"3s\">b</span></p></body>"
      )
        == ["2000-3000 a", "4000-9000 b"])
    #expect(lines("<body><p>a</p></body>") == ["0-\(Int64.max) a"])
  }

  @Test("White space, line breaks, references and styles")
  func text() {
    func text(_ content: String, _ attributes: String = "", head: String = "") -> String? {
      lines("<body><p begin=\"0s\" end=\"1s\">\(content)</p></body>", attributes, head: head)?.first
        .map { String($0.dropFirst("0-1000 ".count)) }
    }
    #expect(text("\n  one\n  two<br/>\n three <br></br>four ") == "one two\nthree\nfour")
    #expect(text("a <span>b</span> c<span> d</span>") == "a b c d")
    #expect(text("a  b", "xml:space=\"preserve\"") == "a  b")
    #expect(
      text("&lt;i&gt; &amp; &quot;&#x2014;&#65;&apos; > &nothing; &") == "&lt;i&gt; &amp; \"\u{2014}A' &gt;  &amp;")
    #expect(text("<![CDATA[a<b & c]]>") == "a&lt;b &amp; c")
    #expect(text("<!-- <b> -->a<metadata><title>no</title></metadata>") == "a")
    #expect(
      text(
        "a<span tts:fontStyle=\"italic\">b<span tts:fontWeight=\"bold\" tts:fontStyle=\"normal\">c</span></span>"
          + "<span style=\"u x\">d</span>",
        head: "<head><styling><style xml:id=\"u\" tts:textDecoration=\"underline\"/></styling></head>")
        == "a<i>b</i><b>c</b><u>d</u>")
    #expect(text("<tt:span xmlns:tt=\"\">a</tt:span>") == "a")
  }

  @Test("Damaged documents")
  func damage() {
    #expect(TTMLDocument.cues(in: ascii("<svg/>")) == nil && TTMLDocument.cues(in: []) == nil)
    #expect(TTMLDocument.cues(in: [0xff, 0xfe, 0xfd]) == nil)
    #expect(lines("<body><p begin=\"0s\" end=\"2s\">a</div></span>b") == ["0-2000 ab"])
    #expect(lines("<body><p begin=\"2s\" end=\"1s\">a</p></body>") == [])
    #expect(lines("<body><p begin=\"1s\" end=\"2s\">  </p></body>") == [])
    // Wall clock times have no place on a timeline.
    #expect(lines("<body><p begin=\"0s\" end=\"1s\">a</p></body>", "ttp:timeBase=\"clock\"") == [])
    let deep = String(repeating: "<div begin=\"999999999s\">", count: 200)
    let ends = String(repeating: "</div>", count: 200)
    #expect(lines("<body>\(deep)<p>a</p>\(ends)<p end=\"1s\">b</p></body>") == ["0-1000 b"])
    #expect(lines("<body>" + String(repeating: "<", count: 1000)) == [])
  }
}
