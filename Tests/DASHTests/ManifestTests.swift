import MP4DASH
import Testing

@Suite("Manifests as text")
struct ManifestTests {
  @Test("Elements and attributes are written in the order of the schema, and texts are escaped")
  func document() {
    var set = MPD.AdaptationSet()
    set.id = "1"
    set.language = "en"
    set.isSegmentAligned = true
    set.common.labels = ["Tom & \"Jerry\" <\u{1}>"]
    set.roles = [MPD.Descriptor("urn:mpeg:dash:role:2011", "main")]
    set.common.contentProtections = [MPD.ContentProtection("urn:uuid:0")]
    set.common.contentProtections[0].protectionHeaders = ["AAAA"]
    var representation = MPD.Representation()
    representation.id = "a"
    representation.bandwidth = 1000
    representation.common.codecs = ["avc1.64001F", "mp4a.40.2"]
    representation.baseURLs = ["a b.mp4?x=1&y=2"]
    var list = MPD.SegmentList()
    list.timing.timescale = 90_000
    list.initialization = MPD.Location(nil, 0..<100)
    list.timeline = MPD.SegmentTimeline([900_000, 990_000, 1_080_000, 1_100_000], hasRepeats: false)
    list.segmentURLs = [MPD.SegmentURL(nil, 100..<200)]
    representation.segments.list = list
    set.representations = [representation]
    var period = MPD.Period()
    period.adaptationSets = [set]
    var manifest = MPD()
    manifest.profiles = [MPD.Profile.main]
    manifest.duration = .milliseconds(62_500)
    manifest.minBufferTime = .seconds(6)
    manifest.periods = [period]
    #expect(
      manifest.text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" xmlns:cenc="urn:mpeg:cenc:2013" \
        profiles="urn:mpeg:dash:profile:isoff-main:2011" type="static" mediaPresentationDuration="PT1M2.5S" \
        minBufferTime="PT6S">
          <Period>
            <AdaptationSet id="1" lang="en" segmentAlignment="true">
              <ContentProtection schemeIdUri="urn:uuid:0">
                <cenc:pssh>AAAA</cenc:pssh>
              </ContentProtection>
              <Label>Tom &amp; &quot;Jerry&quot; &lt; &gt;</Label>
              <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
              <Representation id="a" bandwidth="1000" codecs="avc1.64001F,mp4a.40.2">
                <BaseURL>a b.mp4?x=1&amp;y=2</BaseURL>
                <SegmentList timescale="90000">
                  <Initialization range="0-99"/>
                  <SegmentTimeline>
                    <S t="900000" d="90000"/>
                    <S d="90000"/>
                    <S d="20000"/>
                  </SegmentTimeline>
                  <SegmentURL mediaRange="100-199"/>
                </SegmentList>
              </Representation>
            </AdaptationSet>
          </Period>
        </MPD>

        """)
  }

  @Test("Durations are exact with up to nine decimals, and otherwise rounded up")
  func durations() {
    func text(_ duration: Duration) -> String? {
      var manifest = MPD()
      manifest.duration = duration
      return manifest.text.split(separator: "\"").first { $0.hasPrefix("PT") }.map(String.init)
    }
    #expect(text(.zero) == "PT0S")
    #expect(text(.seconds(3600)) == "PT1H")
    #expect(text(.seconds(3 * 3600 + 60)) == "PT3H1M")
    #expect(text(.nanoseconds(1)) == "PT0.000000001S")
    #expect(text(.milliseconds(8010)) == "PT8.01S")
    #expect(text(Duration(secondsComponent: 0, attosecondsComponent: 333_333_333_333_333_333)) == "PT0.333333334S")
    #expect(text(Duration(secondsComponent: 59, attosecondsComponent: 999_999_999_999_999_999)) == "PT1M")
    #expect(text(.seconds(-1)) == "PT0S")
  }
}
