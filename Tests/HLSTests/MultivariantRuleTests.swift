import MP4HLS
import Testing

@Suite("Rules for multivariant playlists")
struct MultivariantRuleTests {
  static let variant = "#EXT-X-STREAM-INF:BANDWIDTH=1000\nv.m3u8"
  static func media(_ kind: String, _ rest: String, group: String = "g", name: String = "n") -> String {
    "#EXT-X-MEDIA:TYPE=\(kind),GROUP-ID=\"\(group)\",NAME=\"\(name)\"\(rest.isEmpty ? "" : ",")\(rest)"
  }

  static let cases: [RuleCase] = [
    .multivariant(.attributeMissing, 3, "#EXT-X-STREAM-INF:CODECS=\"mp4a.40.2\"", "v.m3u8"),
    .multivariant(.attributeMissing, 3, "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1", variant),
    .multivariant(.attributeMissing, 3, "#EXT-X-MEDIA:TYPE=AUDIO,NAME=\"a\"", variant),
    .multivariant(.attributeMissing, 3, "#EXT-X-STREAM-INF:BANDWITH=1", "v.m3u8"),
    .multivariant(.attributeName, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,AVERAGE-BANDWITH=1", "v.m3u8"),
    .multivariant(.attributeName, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,Codecs=\"avc1\"", "v.m3u8"),
    .multivariant(.variantURI, 5, variant, "#EXT-X-STREAMINF:BANDWIDTH=1", "v.m3u8"),
    .multivariant(.attributeForm, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=avc1", "v.m3u8"),
    .multivariant(.attributeForm, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,VIDEO-RANGE=HDR", "v.m3u8"),
    .multivariant(.attributeForm, 3, media("AUDIO", "DEFAULT=yes"), variant),
    .multivariant(.tagKind, 5, variant, "#EXT-X-ENDLIST"),
    .multivariant(.tagOnce, 4, "#EXT-X-INDEPENDENT-SEGMENTS", "#EXT-X-INDEPENDENT-SEGMENTS", variant),
    .multivariant(.definition, 3, "#EXT-X-DEFINE:IMPORT=\"a\"", variant),
    .multivariant(.variableUndefined, 4, "#EXT-X-STREAM-INF:BANDWIDTH=1000", "{$x}.m3u8"),

    .multivariant(.variantURI, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1", variant),
    .multivariant(.variantURI, 5, variant, "v.m3u8"),
    .multivariant(.groupMissing, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"g\"", "v", media("VIDEO", "")),
    .multivariant(.groupMissing, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,VIDEO=\"g\"", "v"),
    .multivariant(
      .groupMissing, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES=\"h\"", "v", media("SUBTITLES", "URI=\"s\"")),
    .multivariant(.groupMissing, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,CLOSED-CAPTIONS=\"g\"", "v"),
    .multivariant(.groupMissing, 3, "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i\",VIDEO=\"g\"", variant),
    .multivariant(.closedCaptions, 5, "#EXT-X-STREAM-INF:BANDWIDTH=1,CLOSED-CAPTIONS=NONE", "u", variant),
    .multivariant(.frameRate, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,FRAME-RATE=29.9700", "v"),
    .multivariant(.averageBandwidth, 3, "#EXT-X-STREAM-INF:BANDWIDTH=10,AVERAGE-BANDWIDTH=11", "v"),
    .multivariant(.videoLayout, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,REQ-VIDEO-LAYOUT=\"CH-STEREO,\"", "v"),
    .multivariant(.videoLayout, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,REQ-VIDEO-LAYOUT=\"\"", "v"),
    .multivariant(.supplementalCodecs, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,SUPPLEMENTAL-CODECS=\"dvh1.08.07/db4h\"", "v"),
    .multivariant(.stableID, 3, "#EXT-X-STREAM-INF:BANDWIDTH=1,STABLE-VARIANT-ID=\"a b\"", "v"),
    .multivariant(.stableID, 3, media("AUDIO", "STABLE-RENDITION-ID=\"ä\""), variant),

    .multivariant(.nameTwice, 4, media("AUDIO", ""), media("AUDIO", "LANGUAGE=\"en\""), variant),
    .multivariant(.defaultTwice, 4, media("AUDIO", "DEFAULT=YES"), media("AUDIO", "DEFAULT=YES", name: "m"), variant),
    .multivariant(.autoselect, 3, media("AUDIO", "DEFAULT=YES,AUTOSELECT=NO"), variant),
    .multivariant(.forced, 3, media("AUDIO", "FORCED=NO"), variant),
    .multivariant(.inStreamID, 3, media("CLOSED-CAPTIONS", ""), variant),
    .multivariant(.inStreamID, 3, media("CLOSED-CAPTIONS", "INSTREAM-ID=\"SERVICE64\""), variant),
    .multivariant(.renditionURI, 3, media("CLOSED-CAPTIONS", "INSTREAM-ID=\"CC1\",URI=\"a\""), variant),
    .multivariant(.renditionURI, 3, media("SUBTITLES", ""), variant),
    .multivariant(.audioAttribute, 3, media("VIDEO", "CHANNELS=\"2\""), variant),
    .multivariant(.audioAttribute, 3, media("VIDEO", "SAMPLE-RATE=48000"), variant),
    .multivariant(.channels, 3, media("AUDIO", "CHANNELS=\"stereo\""), variant),
    .multivariant(.groupsAlike, 4, media("AUDIO", ""), media("AUDIO", "LANGUAGE=\"en\"", group: "h"), variant),
    .multivariant(
      .groupsAlike, 5, media("AUDIO", ""), media("AUDIO", "", name: "m"), media("AUDIO", "", group: "h"), variant),

    .multivariant(.sessionData, 3, "#EXT-X-SESSION-DATA:DATA-ID=\"a\"", variant),
    .multivariant(.sessionData, 3, "#EXT-X-SESSION-DATA:DATA-ID=\"a\",VALUE=\"b\",URI=\"c\"", variant),
    .multivariant(
      .sessionDataTwice, 4, "#EXT-X-SESSION-DATA:DATA-ID=\"a\",VALUE=\"b\"",
      "#EXT-X-SESSION-DATA:DATA-ID=\"a\",VALUE=\"c\"", variant),
    .multivariant(.sessionKey, 3, "#EXT-X-SESSION-KEY:METHOD=NONE", variant),
    .multivariant(.sessionKey, 3, "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES", variant),
    .multivariant(
      .sessionKeyTwice, 4, "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"a\"",
      "#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI=\"a\"", variant),
    .multivariant(.pathway, 3, "#EXT-X-CONTENT-STEERING:SERVER-URI=\"s\",PATHWAY-ID=\"A\"", variant),
  ]

  @Test("A playlist that breaks a rule has exactly this finding, at the right line", arguments: cases)
  func rules(example: RuleCase) throws {
    let findings = try example.findings
    #expect(findings.map(\.rule) == [example.rule], "\(findings)")
    #expect(findings.first?.line == example.line, "\(findings)")
  }

  @Test("Valid playlists have no findings")
  func allowed() throws {
    let text = """
      #EXTM3U
      #EXT-X-VERSION:8
      #EXT-X-DEFINE:NAME="q",VALUE="2"
      #EXT-X-CONTENT-STEERING:SERVER-URI="s",PATHWAY-ID="."
      #EXT-X-SESSION-DATA:DATA-ID="a",VALUE="b",LANGUAGE="en"
      #EXT-X-SESSION-DATA:DATA-ID="a",VALUE="c",LANGUAGE="fr"
      #EXT-X-SESSION-DATA:DATA-ID="b",URI="c"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n",CHANNELS="{$q}",STABLE-RENDITION-ID="{$q}"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="n",DEFAULT=NO,CHANNELS="6/-/BINAURAL",URI="n.m3u8"
      #EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="a",NAME="n",DEFAULT=YES
      #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="a",NAME="n",INSTREAM-ID="CC4",DEFAULT=YES,AUTOSELECT=YES
      #EXT-X-STREAM-INF:BANDWIDTH=9,AVERAGE-BANDWIDTH=9,FRAME-RATE=30,AUDIO="a",VIDEO="a",CLOSED-CAPTIONS="a"
      v
      #EXT-X-STREAM-INF:BANDWIDTH=9,FRAME-RATE=59.94,AUDIO="b",PATHWAY-ID="B"

      v
      """
    #expect(try MultivariantPlaylist(text).findings == [])
  }
}
