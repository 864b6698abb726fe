import MP4DASH
import Testing

@Suite("Reading manifests")
struct ManifestReadingTests {
  private func manifest(_ period: String, _ attributes: String = "", before: String = "") throws -> MPD {
    try MPD(
      Array(
        """
        <?xml version="1.0"?>
        <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" \(attributes)>\(before)
        <Period>\(period)</Period>
        </MPD>
        """.utf8))
  }
  private func representation(_ contents: String) throws -> MPD.Representation {
    let text =
      "<AdaptationSet mimeType='video/mp4'><Representation id='v' bandwidth='1000'>\(contents)"
      + "</Representation></AdaptationSet>"
    return try #require(try manifest(text).periods.first?.adaptationSets.first?.representations.first)
  }
  private func lines(_ contents: String, in duration: Duration? = nil) throws -> [String] {
    let found = try #require(try representation(contents).segments(in: duration))
    return found.segments.map { "\($0.uri) \($0.start)+\($0.duration)" }
  }

  @Test("What was written is read")
  func roundTrip() throws {
    var set = MPD.AdaptationSet()
    (set.id, set.contentType, set.language) = ("1", "audio", "en")
    set.common.labels = ["Tom & \"Jerry\""]
    var representation = MPD.Representation()
    (representation.id, representation.bandwidth) = ("a", 1000)
    representation.common.codecs = ["mp4a.40.2"]
    var list = MPD.SegmentList()
    list.timing.timescale = 90_000
    list.initialization = MPD.Location("a b.mp4", 0..<100)
    list.timeline = MPD.SegmentTimeline([0, 90_000, 180_000])
    list.segmentURLs = [MPD.SegmentURL(nil, 100..<200), MPD.SegmentURL("b&c", nil)]
    representation.segments.list = list
    set.representations = [representation]
    var period = MPD.Period()
    period.adaptationSets = [set]
    var manifest = MPD()
    (manifest.duration, manifest.minBufferTime) = (.milliseconds(3_723_500), .seconds(6))
    manifest.periods = [period]
    #expect(try MPD(manifest.bytes).text == manifest.text)
  }

  @Test("Representations inherit segments and properties; base URLs stay where they are")
  func inheritance() throws {
    let text = """
      <BaseURL>p/</BaseURL><SegmentTemplate timescale="10" duration="20" media="$Number$.m4s" startNumber="5"/>
      <AdaptationSet width="640" codecs="avc1.640028"><SegmentTemplate initialization="$RepresentationID$-$Bandwidth%06d$.mp4"/>
      <Representation id="a" bandwidth="1"/><Representation id="b" bandwidth="2" width="320"><SegmentTemplate
      media="b$$$Number%03d$.m4s"/></Representation><Representation id="c" bandwidth="3"><SegmentBase indexRange="0-9"/>
      </Representation></AdaptationSet>
      """
    let period = try #require(try manifest(text).periods.first)
    let all = try #require(period.adaptationSets.first?.representations)
    #expect(all.map(\.common.width) == [640, 320, 640])
    #expect(all.map(\.common.codecs) == Array(repeating: ["avc1.640028"], count: 3))
    #expect(all.map(\.line) == [5, 5, 6])
    #expect((period.baseURLs, all[0].baseURLs) == (["p/"], []))
    let (first, second) = (try #require(try all[0].segments(in: .seconds(5))), try all[1].segments(in: .seconds(5)))
    #expect(first.initialization?.sourceURL == "a-000001.mp4")
    #expect(first.segments.map(\.uri) == ["5.m4s", "6.m4s", "7.m4s"])
    #expect(first.segments.map(\.duration) == [20, 20, 10])
    #expect(second?.segments.map(\.uri) == ["b$005.m4s", "b$006.m4s", "b$007.m4s"])
    #expect(second?.initialization?.sourceURL == "b-000002.mp4")
    #expect(try all[2].segments(in: nil) == nil)
  }

  @Test("Timelines repeat segments, up to the next run or the end of the period")
  func timelines() throws {
    let template = "<SegmentTemplate timescale='10' presentationTimeOffset='100' media='$Time$'><SegmentTimeline>"
    let end = "</SegmentTimeline></SegmentTemplate>"
    #expect(
      try lines("\(template)<S t='100' d='20' r='1'/><S d='5'/><S t='200' d='10'/>\(end)")
        == ["100 100+20", "120 120+20", "140 140+5", "200 200+10"])
    #expect(
      try lines("\(template)<S t='100' d='20' r='-1'/><S t='150' d='7' r='-1'/>\(end)", in: .seconds(6))
        == ["100 100+20", "120 120+20", "140 140+20", "150 150+7", "157 157+7"])
    let list = "<SegmentList duration='2'><SegmentURL media='a' mediaRange='0-9'/><SegmentURL mediaRange='10-19'/>"
    #expect(try lines(list + "</SegmentList>", in: .seconds(3)) == ["a 0+2", " 2+1"])
  }

  @Test("Segments of equal duration of a live presentation exist up to now")
  func live() throws {
    let template = "<SegmentTemplate duration='2' media='$Number$'/>"
    let found = try representation(template).segments(in: nil, elapsed: .seconds(101), depth: .seconds(6))
    #expect(found?.segments.map(\.number) == [47, 48, 49, 50])
    #expect(found?.segments.first?.start == 92)
  }

  @Test(
    "Durations",
    arguments: [
      ("PT1H2M3.5S", Duration.milliseconds(3_723_500)), ("P1DT1S", .seconds(86_401)), ("PT0.040S", .milliseconds(40)),
      ("P0Y0M0DT0H1M0S", .seconds(60)), ("PT", nil), ("P1Y", nil), ("1S", nil), ("PT1.5M", nil), ("PT-1S", nil),
    ])
  func durations(text: String, value: Duration?) throws {
    let own = try? manifest("", "mediaPresentationDuration='\(text)'")
    #expect(own?.duration == value)
  }

  @Test(
    "What cannot be used is an error with its line",
    arguments: [
      (
        "<AdaptationSet><Representation id='a' bandwidth='x'/></AdaptationSet>",
        "line 3: Representation@bandwidth has no valid value: \"x\""
      ),
      (
        "<AdaptationSet xlink:href='http://example.com/a.xml'/>",
        "line 3: the contents of 'AdaptationSet' are in another document (xlink:href=\"http://example.com/a.xml\"), "
          + "which is not read"
      ),
      ("<AdaptationSet>", "line 3: column 24: the end tag 'Period' does not match 'AdaptationSet'"),
    ])
  func errors(text: String, message: String) {
    #expect { try manifest(text) } throws: { "\($0)" == message }
  }

  @Test("Links that stand for nothing are removed")
  func removedLinks() throws {
    let link = "<AdaptationSet xlink:href='urn:mpeg:dash:resolve-to-zero:2013'/><AdaptationSet id='1'/>"
    #expect(try manifest(link).periods.first?.adaptationSets.map(\.id) == ["1"])
  }

  @Test(
    "Segments that cannot be determined are errors",
    arguments: [
      ("<SegmentTemplate media='$Number$'/>", "SegmentTemplate has neither a duration nor a SegmentTimeline"),
      ("<SegmentTemplate duration='2'/>", "SegmentTemplate has no attribute 'media'"),
      ("<SegmentTemplate duration='2' media='$Numb$'/>", "the identifier '$Numb$' in a template is not supported"),
      ("<SegmentTemplate duration='2' media='$Number'/>", "a '$' is missing in the template '$Number'"),
      (
        "<SegmentTemplate duration='2' media='$Number%x$'/>",
        "the format of '$Number%x$' in a template is not valid; it is like '%05d'"
      ),
      (
        "<SegmentTemplate duration='2' media='$Number$'/>",
        "the number of segments is unknown, because the period has no duration"
      ),
      (
        "<SegmentTemplate media='$Time$'><SegmentTimeline><S d='1' r='99999999'/></SegmentTimeline></SegmentTemplate>",
        "a representation has over 1000000 segments"
      ),
      (
        "<SegmentList><SegmentURL/><SegmentURL/></SegmentList>",
        "SegmentList has neither a duration nor a SegmentTimeline"
      ),
    ])
  func segments(text: String, message: String) {
    #expect { try representation(text).segments(in: nil) } throws: { "\($0)" == message }
  }

  @Test("A document is recognized by its element")
  func start() {
    let starts = [
      "<MPD type='static'>", "\u{FEFF}<?xml version='1.0'?>\n<!-- made by hand -->\n<MPD>", "<a:MPD xmlns:a='b'/>",
    ]
    for text in starts { #expect(MPD.isStart(Array(text.utf8)), "\(text)") }
    for text in ["<tt/>", "#EXTM3U <MPD>", "", "<?xml version='1.0'?>", "MPD"] {
      #expect(!MPD.isStart(Array(text.utf8)), "\(text)")
    }
  }
}
