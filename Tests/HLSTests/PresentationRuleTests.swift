import MP4HLS
import Testing

@Suite("Rules for the playlists of a presentation")
struct PresentationRuleTests {
  /// A change to a valid presentation, and the expected finding.
  struct Case: Sendable, CustomTestStringConvertible {
    var rule: PlaylistRule
    var playlist: String
    var edit: @Sendable (inout Presentation) throws -> Void
    var testDescription: String { "\(rule) in \(playlist)" }

    init(_ rule: PlaylistRule, _ playlist: String, _ edit: @escaping @Sendable (inout Presentation) throws -> Void) {
      self.rule = rule
      self.playlist = playlist
      self.edit = edit
    }
  }
  private static func playlist(_ durations: [Int]) -> MediaPlaylist {
    MediaPlaylist(durations.map { Segment("\($0).m4s", duration: .seconds($0)) }, type: .vod, isEnded: true)
  }
  private static func presentation() -> Presentation {
    var main = MultivariantPlaylist()
    var variants = [Variant("v1", bandwidth: 2000), Variant("v2", bandwidth: 1000)]
    for index in variants.indices {
      variants[index].audio = "a"
      variants[index].subtitles = "s"
    }
    main.renditions = [
      Rendition(.audio, group: "a", name: "n", uri: "a1"), Rendition(.subtitles, group: "s", name: "n", uri: "s1"),
    ]
    main.variants = variants
    main.iFrameVariants = [IFrameVariant("i1", bandwidth: 100)]
    var media = ["v1": playlist([6, 6, 2]), "v2": playlist([6, 6, 2]), "a1": playlist([6, 6, 3])]
    media["s1"] = playlist([14])
    var iFrames = playlist([1, 2, 3])
    iFrames.isIFramesOnly = true
    iFrames.version = 4
    media["i1"] = iFrames
    return Presentation(main, media: media)
  }
  private static func key(_ format: String) -> EncryptionKey {
    var key = EncryptionKey(.sampleAES, uri: "k")
    key.keyFormat = format
    return key
  }

  static let cases: [Case] = [
    Case(.targetDurations, "v2") { $0.media["v2"]?.targetSeconds = 7 },
    Case(.targetDurations, "a1") { $0.media["a1"]?.targetSeconds = 8 },
    Case(.playlistTypes, "a1") { $0.media["a1"]?.playlistType = nil },
    Case(.lengths, "v2") { $0.media["v2"]?.segments += Self.playlist([6, 1]).segments },
    Case(.discontinuities, "a1") { $0.media["a1"]?.segments[1].isDiscontinuity = true },
    Case(.dates, "i1") {
      for uri in ["v1", "v2", "a1", "s1"] {
        $0.media[uri]?.segments[0].programDateTime = DateTime(sinceEpoch: .zero)
      }
    },
    Case(.iFramesOnly, "i1") {
      $0.media["i1"]?.isIFramesOnly = false
      $0.media["i1"]?.targetSeconds = 6
    },
    Case(.sessionKeyMatch, "v1") {
      $0.main.sessionKeys = [Self.key("x")]
      $0.media["v2"]?.segments[0].keys = [Self.key("x")]
      $0.media["v1"]?.segments[0].keys = [Self.key("y")]
      for uri in ["v1", "v2"] { $0.media[uri]?.version = 5 }
    },
    Case(.variableUndefined, "v1") {
      $0.media["v1"]?.definitions = [try imported("x")]
      $0.media["v1"]?.version = 8
    },
    Case(.segmentTooLong, "v1") { $0.media["v1"]?.segments[0].duration = .seconds(7) },
  ]
  private static func imported(_ name: String) throws -> VariableDefinition {
    var list = AttributeList()
    list["IMPORT", .string] = name
    return VariableDefinition(attributes: list)
  }

  @Test("Consistent playlists have no findings; missing ones are not checked")
  func right() {
    var presentation = Self.presentation()
    #expect(presentation.findings == [])
    presentation.media["v1"] = nil
    presentation.media["i1"] = nil
    #expect(presentation.findings == [])
    #expect(Presentation(presentation.main, media: [:]).findings == [])
  }

  @Test("An inconsistent playlist has exactly this finding", arguments: cases)
  func rules(example: Case) throws {
    var presentation = Self.presentation()
    try example.edit(&presentation)
    let findings = presentation.findings
    #expect(findings.map(\.rule) == [example.rule], "\(findings)")
    #expect(findings.map(\.playlist) == [example.playlist])
    #expect(findings.first?.description.hasPrefix(example.playlist + ": ") == true)
  }
}
