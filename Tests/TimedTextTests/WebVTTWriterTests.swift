import Testing
import TimedText

@Suite struct WebVTTWriterTests {
  @Test("Settings with an arrow are written unchanged")
  func arrowInSettings() throws {
    let document = try WebVTTDocument(Array("WEBVTT\n\n00:01.000 --> 00:02.000 --> 00:03.000 line:0\na\n".utf8))
    #expect(document.cues.map(\.settings) == ["--> 00:03.000 line:0"])
    #expect(try WebVTTDocument(document.bytes).cues == document.cues)
  }

  @Test("A written file is read back as the same value, with a blank line after every block")
  func roundTrip() throws {
    let text = """
      WEBVTT - title
      Kind: captions
      X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000

      STYLE
      ::cue { color: red }

      REGION
      id:a

      NOTE comment
      of two lines

      id
      00:00:01.000 --> 01:00:02.500 line:0
      <i>a</i>
      b

      00:00:03.000 --> 100:00:04.000
      c


      """
    let document = try WebVTTDocument(Array(text.utf8))
    #expect(document.text == text && document.findings.isEmpty)
    let again = try WebVTTDocument(document.bytes)
    #expect(again == document)
  }

  @Test("Invalid text in a cue is written so that it does not end the cue")
  func unfit() throws {
    var cue = Cue(start: -5, end: .max, text: "a --> b\n\nc\r\n--->d")
    cue.identifier = "x\n-->\ny"
    cue.settings = "line:0\nalign:start"
    var document = WebVTTDocument([cue, Cue(start: 0, end: 1, text: "")])
    document.title = " t\n00:00.000 --> 00:01.000"
    document.header = ["a --> b", ""]
    document.blocks.insert(.comment("one\n\n00:00.000 --> 00:01.000"), at: 0)
    let read = try WebVTTDocument(document.bytes)
    #expect(read.cues.count == 2 && read.blocks.count == 3 && read.findings.isEmpty, "\(document.text)")
    #expect(read.cues[0].text == "a --&gt; b\nc\n---&gt;d" && read.cues[0].settings == "line:0 align:start")
    #expect(read.cues[0].start == .zero && read.cues[0].endMilliseconds == CueTime.latest)
  }

  @Test("Visible cues are written in the order of their starts, with the comments before them")
  func order() throws {
    let text = """
      WEBVTT

      STYLE
      a

      NOTE of c

      00:03.000 --> 00:04.000
      c

      00:05.000 --> 00:02.000
      never

      00:01.000 --> 00:02.000
      a

      00:03.000 --> 00:05.000
      d

      00:02.000 --> 00:02.000
      at once

      NOTE at the end
      """
    let document = try WebVTTDocument(Array(text.utf8))
    #expect(document.findings.map(\.problem) == [.neverShown, .neverShown])
    let written = try WebVTTDocument(document.bytes)
    #expect(written.cues.map(\.text) == ["a", "c", "d"] && written.findings.isEmpty)
    let kinds = written.blocks.map { block in
      switch block {
      case .cue(let cue): cue.text
      case .comment(let text): text
      case .style, .region: "style"
      }
    }
    #expect(kinds == ["style", "a", "of c", "c", "d", "at the end"])
  }

  @Test("A cue is shifted together with the times in its text")
  func moving() {
    let cue = Cue(start: 1000, end: 2000, text: "a <00:01.500><i>b</i> <00:00:01.700>c <1> <00:01.5> d")
    let moved = cue.moved(by: 10_000)
    #expect(moved.start == .seconds(11) && moved.end == .seconds(12))
    #expect(moved.text == "a <00:00:11.500><i>b</i> <00:00:11.700>c <1> <00:01.5> d")
    #expect(cue.moved(by: .zero) == cue && cue.moved(by: .seconds(1)).start == cue.start + .seconds(1))
    #expect(cue.moved(by: Int64.min).start < .zero && cue.moved(by: Int64.max).endMilliseconds == .max)
    var document = WebVTTDocument([cue])
    document.timestampMap = TimestampMap(mpegTS: 9)
    document.move(by: 10_000)
    #expect(document.cues == [moved] && document.timestampMap == nil)
  }

  @Test("Replacing the cues keeps global blocks")
  func otherCues() throws {
    let text = "WEBVTT\n\nSTYLE\na\n\nNOTE b\n\n00:01.000 --> 00:02.000\nc\n\n"
    let document = try WebVTTDocument(Array(text.utf8)).with(cues: [Cue(start: 5, end: 6, text: "d")])
    #expect(document.blocks == [.style("a"), .cue(Cue(start: 5, end: 6, text: "d"))])
  }
}
