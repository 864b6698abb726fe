import Testing
import TimedText

@Suite struct CueSettingsTests {
  @Test("Settings are read by name")
  func settings() {
    let settings = CueSettings("vertical:rl line:-1,end\tposition:12.5%,line-left size:100% align:left region:a:b")
    #expect(settings.vertical == .rightToLeft && settings.size == 100_000 && settings.alignment == .left)
    #expect(settings.line?.thousandths == -1000 && settings.line?.alignment == .end)
    #expect(settings.line?.isPercentage == false)
    #expect(settings.position?.thousandths == 12_500 && settings.position?.alignment == .left)
    #expect(settings.region == "a:b" && settings.ignored.isEmpty)
    #expect(CueSettings("line:50.25%").line?.thousandths == 50_250)
    #expect(CueSettings("line:50.25%").line?.isPercentage == true)
    #expect(CueSettings("line:1 line:2").line?.thousandths == 2000)
    #expect(CueSettings("align:start align:foo").alignment == .start)
  }

  @Test(
    "Unreadable settings are ignored and reported",
    arguments: [
      "a", ":a", "a:", "line:", "line:%", "line:-", "line:1.", "line:.5", "line:1.2.3", "line:1-", "line:5,top",
      "line:101%", "line:-1%", "position:50", "position:50%,start", "position:100.1%", "size:-1%", "size:50",
      "size:5 %",
      "vertical:up", "align:middle", "Line:1", "line:1%,",
    ])
  func ignored(text: String) {
    let settings = CueSettings(text)
    #expect(settings.ignored.joined(separator: " ") == text || text == "size:5 %" && settings.ignored.count == 2)
    #expect(settings.line == nil && settings.position == nil && settings.size == nil && settings.alignment == nil)
  }
}
