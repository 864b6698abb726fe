import MP4HLS
import Testing

/// A playlist that breaks one rule, and the line number of the violation.
struct RuleCase: Sendable, CustomTestStringConvertible {
  var rule: PlaylistRule
  var line: Int
  var text: String

  init(_ rule: PlaylistRule, _ line: Int, _ text: String) {
    self.rule = rule
    self.line = line
    self.text = text
  }
  var testDescription: String { "\(rule), line \(line)" }

  /// A media playlist: `#EXTM3U`, version 13 and the target duration as the first three lines, then the given lines.
  static func media(_ rule: PlaylistRule, _ line: Int, _ lines: String...) -> RuleCase {
    RuleCase(
      rule, line, "#EXTM3U\n#EXT-X-VERSION:13\n#EXT-X-TARGETDURATION:6\n" + lines.map { $0 + "\n" }.joined())
  }
  /// A multivariant playlist: `#EXTM3U` and version 13 as the first two lines, then the given lines.
  static func multivariant(_ rule: PlaylistRule, _ line: Int, _ lines: String...) -> RuleCase {
    RuleCase(rule, line, "#EXTM3U\n#EXT-X-VERSION:13\n" + lines.map { $0 + "\n" }.joined())
  }
  var findings: [PlaylistFinding] {
    get throws { try Playlist(Array(text.utf8), isTolerant: true).findings }
  }
}

@Suite("Rules for media playlists")
struct MediaRuleTests {
  static let segment = "#EXTINF:6,\na.ts"
  static let dated = "#EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00Z\n" + segment
  static let parts = "#EXT-X-PART-INF:PART-TARGET=1\n#EXT-X-SERVER-CONTROL:PART-HOLD-BACK=3"

  static let cases: [RuleCase] = [
    // Rules for every playlist.
    RuleCase(.encoding, 1, "\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n"),
    RuleCase(.empty, 0, "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n"),
    .media(.tagValue, 4, "#EXTINF:six,", "a.ts"),
    .media(.tagValue, 4, "#EXT-X-BYTERANGE:all", segment),
    .media(.tagName, 4, "#EXT-X-MEDIA-SEQENCE:1", segment),
    .media(.tagName, 4, "#EXT-X-MAPS:URI=\"a\"", segment),
    .media(.tagName, 5, "#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-Endlist", segment),
    .media(.durationMissing, 4, "#EXTIFN:6,", "a.ts"),
    RuleCase(.targetDurationMissing, 2, "#EXTM3U\n#EXT-TARGETDURATION:6\n" + segment),
    .media(.attributeName, 4, "#EXT-X-KEY:METHOD=NONE,KEYFORMT=\"a\"", segment),
    .media(.encoding, 4, "#EXTINF:6,a\u{7}b", "a.ts"),
    .media(.encoding, 4, "# \u{85}", segment),
    .media(.uri, 5, "#EXTINF:6,", "a b.ts"),
    .media(.tagOnce, 4, "#EXT-X-TARGETDURATION:6", segment),
    .media(.tagOnce, 6, segment, "#EXTM3U"),
    .media(.tagOnce, 7, segment, "#EXT-X-ENDLIST", "#EXT-X-ENDLIST"),
    .media(.tagKind, 6, segment, "#EXT-X-SESSION-DATA:DATA-ID=\"a\",VALUE=\"b\""),
    .media(.attributeForm, 4, "#EXT-X-MAP:URI=init.mp4", segment),
    .media(.attributeForm, 4, "#EXT-X-KEY:METHOD=\"AES-128\",URI=\"a\"", segment),
    .media(.attributeForm, 4, "#EXT-X-KEY:METHOD=AES-128,URI=\"a\",IV=12", segment),
    .media(.attributeForm, 4, "#EXT-X-START:TIME-OFFSET=1,PRECISE=TRUE", segment),
    .media(.attributeForm, 4, "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"now\"", dated),
    .media(.attributeTwice, 4, "#EXT-X-MAP:URI=\"a\",URI=\"b\"", segment),
    .media(.attributeMissing, 4, "#EXT-X-MAP:BYTERANGE=\"5@0\"", segment),
    .media(.attributeMissing, 4, "#EXT-X-DATERANGE:ID=\"a\"", dated),
    .media(.definition, 4, "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\",IMPORT=\"c\"", segment),
    .media(.definition, 4, "#EXT-X-DEFINE:NAME=\"a\"", segment),
    .media(.definition, 4, "#EXT-X-DEFINE:VALUE=\"a\"", segment),
    .media(.definition, 4, "#EXT-X-DEFINE:NAME=\"a b\",VALUE=\"c\"", segment),
    .media(.definition, 5, "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"", "#EXT-X-DEFINE:IMPORT=\"a\"", segment),
    .media(.variableUndefined, 5, "#EXTINF:6,", "{$a}.ts"),
    .media(.variableUndefined, 4, "#EXT-X-MAP:URI=\"{$a}\"", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"", segment),
    .media(.startOffset, 4, "#EXT-X-START:TIME-OFFSET=6.001", segment),
    .media(.startOffset, 4, "#EXT-X-START:TIME-OFFSET=-7", segment),

    // Rules for the playlist as a whole.
    RuleCase(.targetDurationMissing, 0, "#EXTM3U\n#EXTINF:6,\na.ts\n"),
    .media(.segmentTooLong, 4, "#EXTINF:6.5,", "a.ts"),
    .media(.mediaSequencePlace, 6, segment, "#EXT-X-MEDIA-SEQUENCE:1"),
    .media(.discontinuitySequencePlace, 6, segment, "#EXT-X-DISCONTINUITY-SEQUENCE:1"),
    .media(.discontinuitySequencePlace, 5, "#EXT-X-DISCONTINUITY", "#EXT-X-DISCONTINUITY-SEQUENCE:1", segment),
    .media(.playlistType, 4, "#EXT-X-PLAYLIST-TYPE:LIVE", segment),
    .media(.endMissing, 4, "#EXT-X-PLAYLIST-TYPE:VOD", segment),
    .media(
      .iFrameRange, 9, "#EXT-X-I-FRAMES-ONLY", "#EXT-X-MAP:URI=\"m\"", segment, "#EXTINF:6,", "a.ts"),

    // Segments.
    .media(.durationMissing, 4, "a.ts"),
    .media(.durationComma, 4, "#EXTINF:6", "a.ts"),
    .media(.segmentTagTwice, 5, "#EXTINF:6,", "#EXTINF:6,", "a.ts"),
    .media(.strayTag, 6, segment, "#EXTINF:6,"),
    .media(.strayTag, 6, segment, "#EXT-X-GAP"),
    .media(.byteRangeStart, 4, "#EXT-X-BYTERANGE:5", segment),
    .media(.byteRangeStart, 6, segment, "#EXT-X-BYTERANGE:5", segment),
    .media(.byteRangeStart, 8, "#EXT-X-BYTERANGE:5@0", segment, "#EXTINF:1,", "#EXT-X-BYTERANGE:5", "b.ts"),
    .media(.key, 4, "#EXT-X-KEY:METHOD=NONE,URI=\"a\"", segment),
    .media(.key, 4, "#EXT-X-KEY:METHOD=AES-128", segment),
    .media(.key, 4, "#EXT-X-KEY:METHOD=AES-128,URI=\"a\",IV=0x0000000000000000000000000000000001", segment),

    // Date ranges.
    .media(.dateRangeSyntax, 4, "#EXT-X-DATERANGE:ID=\"a", segment),
    .media(.dateMissing, 4, "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2024-01-01T00:00:00Z\"", segment),
    .media(
      .dateRange, 4,
      "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2024-01-01T00:00:00Z\",END-DATE=\"2023-12-31T23:59:59Z\"", dated),
    .media(
      .dateRange, 4,
      "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2024-01-01T00:00:00Z\",END-DATE=\"2024-01-01T00:00:09Z\",DURATION=8",
      dated),
    .media(.dateRangeNext, 4, "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2024-01-01T00:00:00Z\",END-ON-NEXT=YES", dated),
    .media(
      .dateRangeNext, 4,
      "#EXT-X-DATERANGE:ID=\"a\",CLASS=\"c\",START-DATE=\"2024-01-01T00:00:00Z\",END-ON-NEXT=YES,DURATION=1", dated),
    .media(
      .dateRangeNext, 4, "#EXT-X-DATERANGE:ID=\"c\",CLASS=\"c\",START-DATE=\"2024-01-01T00:00:04Z\"",
      "#EXT-X-DATERANGE:ID=\"b\",CLASS=\"c\",START-DATE=\"2024-01-01T00:00:01Z\",DURATION=5",
      "#EXT-X-DATERANGE:ID=\"a\",CLASS=\"c\",START-DATE=\"2024-01-01T00:00:00Z\",END-ON-NEXT=YES", dated),
    .media(
      .dateRangeSame, 5, "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2024-01-01T00:00:04Z\",X-A=1",
      "#EXT-X-DATERANGE:ID=\"a\",X-A=2", dated),

    // Low latency.
    .media(.partInformationMissing, 4, "#EXT-X-PART:DURATION=1,URI=\"p\"", segment),
    .media(.partTooLong, 6, parts, "#EXT-X-PART:DURATION=1.001,URI=\"p\"", segment),
    .media(
      .partTooShort, 6, parts, "#EXT-X-PART:DURATION=0.84,URI=\"p\"", "#EXT-X-PART:DURATION=0.1,URI=\"q\"", segment),
    .media(
      .byteRangeStart, 7, parts, "#EXT-X-PART:DURATION=1,URI=\"p\"",
      "#EXT-X-PART:DURATION=1,URI=\"p\",BYTERANGE=\"5\"", segment),
    .media(.serverControl, 4, "#EXT-X-PART-INF:PART-TARGET=1", segment),
    .media(.serverControl, 4, "#EXT-X-SERVER-CONTROL:PART-HOLD-BACK=1.9", "#EXT-X-PART-INF:PART-TARGET=1", segment),
    .media(.serverControl, 4, "#EXT-X-SERVER-CONTROL:HOLD-BACK=17.9", segment),
    .media(.serverControl, 4, "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=35", segment),
    .media(.serverControl, 4, "#EXT-X-SERVER-CONTROL:CAN-SKIP-DATERANGES=YES", segment),
    .media(
      .preloadHintTwice, 7, segment, "#EXT-X-PRELOAD-HINT:TYPE=MAP,URI=\"a\"",
      "#EXT-X-PRELOAD-HINT:TYPE=MAP,URI=\"b\""),
    .media(.renditionReport, 6, segment, "#EXT-X-RENDITION-REPORT:URI=\"https://h/a\",LAST-MSN=1"),
  ]

  @Test("A playlist that breaks a rule has exactly this finding, at the right line", arguments: cases)
  func rules(example: RuleCase) throws {
    let findings = try example.findings
    #expect(findings.map(\.rule) == [example.rule], "\(findings)")
    #expect(findings.first?.line == example.line, "\(findings)")
  }

  @Test("A playlist without its first line has this finding")
  func firstLine() {
    var playlist = MediaPlaylist([Segment("a.ts", duration: .seconds(6))])
    playlist.version = 3
    playlist.header.removeFirst()
    #expect(playlist.findings.map(\.rule) == [.firstLine])
  }

  @Test(
    "A URI that would be read differently than it was set has a finding",
    arguments: ["", "#a.ts", "#EXT-X-GAP", " a.ts", "a.ts ", "a\n.ts", "\ta.ts"])
  func unreadableURI(uri: String) throws {
    var playlist = MediaPlaylist([Segment("a.ts", duration: .seconds(6)), Segment("b.ts", duration: .seconds(6))])
    #expect(playlist.findings == [])
    playlist.segments[0].uri = uri
    #expect(playlist.findings.map(\.rule) == [.uri] && playlist.findings.first?.line == 5, "\(playlist.findings)")
    #expect(try MediaPlaylist(playlist.text).segments.first?.uri != uri)
  }

  @Test("A negative number becomes 0 in the text, in the findings and in the property")
  func negative() {
    var playlist = MediaPlaylist([Segment("a.ts", duration: .seconds(6))])
    playlist.targetDuration = .seconds(-3)
    #expect(playlist.targetDuration == .zero && playlist.text.contains("#EXT-X-TARGETDURATION:0\n"))
    #expect(
      playlist.findings.map(\.reason) == [
        "this segment lasts 6 s but EXT-X-TARGETDURATION is 0; it must be at least 6"
      ])
  }

  @Test("The examples follow the rules, except for tabs, which are control characters")
  func examples() throws {
    for (name, text) in Examples.media {
      let findings = try MediaPlaylist(text).findings
      #expect(findings.map(\.rule) == (text.contains("\t") ? [.encoding, .encoding, .encoding] : []), "\(name)")
    }
    for (name, text) in Examples.multivariant {
      let findings = try MultivariantPlaylist(text).findings
      #expect(findings.map(\.rule) == (text.contains("\t") ? [.encoding, .uri] : []), "\(name)")
    }
  }

  @Test("Findings are sorted by line")
  func order() throws {
    let text = "#EXTM3U\n#EXTINF:9,\na\n#EXT-X-MEDIA-SEQUENCE:1\nb\n#EXTINF:1.5,\u{7}\nc\n"
    let findings = try MediaPlaylist(text).findings
    #expect(
      findings.map(\.rule)
        == [.targetDurationMissing, .mediaSequencePlace, .durationMissing, .encoding, .version])
    #expect(findings.map(\.line) == [0, 4, 5, 6, 6])
  }

  @Test("A finding has its position, the problem, the remedy and the clause of the standard")
  func description() throws {
    let finding = try #require(RuleCase.media(.segmentTooLong, 4, "#EXTINF:7.250,", "a.ts").findings.first)
    #expect(
      finding.description
        == "line 4: this segment lasts 7.25 s but EXT-X-TARGETDURATION is 6; it must be at least 7 (4.4.3.1)")
    for rule in PlaylistRule.allCases { #expect(rule.section.first?.isNumber == true) }
  }

  @Test("Tags and attributes that other standards and vendors define are not taken for misspelled ones")
  func otherNames() throws {
    let lines = [
      "#EXT-X-CUE-OUT:30", "#EXT-X-CUE-IN", "#EXT-X-CUE", "#EXT-X-SCTE35:CUE=\"a\"", "#EXT-X-ASSET:CAID=1",
      "#EXT-X-FAXS-CM:a", "#EXT-X-AD", "#EXTVLCOPT:a", "#EXTGRP:a", "#EXTIMG:a", "#EXTALB:a", "#EXT-X-PREFETCH:a.ts",
      "#EXT-X-IMAGES-ONLY", "#EXT-X-TILES:RESOLUTION=1x1", "#EXT-X-SPLICEPOINT-SCTE35:a", "#EXT-OATCLS-SCTE35:a",
      "#EXT-X-KEY:METHOD=NONE,KEYID=\"a\"",
      "#EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00Z",
      "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2024-01-01T00:00:00Z\",X-ASSET-URI=\"a\",X-DURATION=1,SCTE35-CUE=1",
    ]
    let text = "#EXTM3U\n#EXT-X-VERSION:5\n#EXT-X-TARGETDURATION:6\n\(lines.joined(separator: "\n"))\n\(Self.segment)\n"
    #expect(try MediaPlaylist(text).findings.map(\.description) == [])
    let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,NAME=\"a\",PROGRAM-ID=1,VBV=1,QUALITY=\"a\"\nv.m3u8\n"
    #expect(try MultivariantPlaylist(main).findings.map(\.description) == [])
  }

  @Test("Every rule has a playlist that breaks it")
  func complete() {
    let tested =
      (Self.cases + MultivariantRuleTests.cases).map(\.rule)
      + PresentationRuleTests.cases.map(\.rule) + [.firstLine, .version]
    #expect(Set(PlaylistRule.allCases).subtracting(tested) == [])
  }
}
