import Testing
import TimedText

@Suite struct CueTextTests {
  @Test(
    "The text is returned without tags",
    arguments: [
      ("a <i>b</i> c", "a b c"), ("<v.loud Mary>Hi</v>", "Hi"), ("<00:01.000>a", "a"), ("a<b", "a"),
      ("&lt;i&gt;", "<i>"),
      ("&amp;amp; &nbsp;&#65;&#x42;", "&amp; \u{a0}AB"), ("a & b &x; &", "a & b &x; &"),
      ("<ruby>a<rt>b</rt></ruby>", "ab"),
      ("&#0;&#1114112;&lrm;", "&#0;&#1114112;\u{200e}"), ("", ""), ("é😀", "é😀"),
    ])
  func text(cue: String, expected: String) { #expect(CueText(cue).text == expected) }

  @Test("Bold, italic and underlined letters are counted in scalars")
  func runs() {
    let text = CueText("é<i>😀b<b>c</b></i><u></u>d<c.x><u>e</u></c>f<b>g")
    #expect(text.text == "é😀bcdefg")
    #expect(
      text.runs == [
        CueText.Run(scalars: 1..<3, style: .italic), CueText.Run(scalars: 3..<4, style: [.italic, .bold]),
        CueText.Run(scalars: 5..<6, style: .underlined), CueText.Run(scalars: 7..<8, style: .bold),
      ])
    // Only the innermost tag can end.
    #expect(CueText("<i>a<b>b</i>c").runs.map(\.scalars) == [0..<1, 1..<3])
  }
}
