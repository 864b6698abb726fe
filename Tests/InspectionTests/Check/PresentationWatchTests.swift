import MP4
import MP4HLS
import MP4Inspection
import MP4Presentations
import Support
import Testing

@Suite("Checks of changing presentations")
struct PresentationWatchTests {
  /// A live playlist with these segments.
  private static func text(_ sequence: Int, _ segments: [String], target: Int = 2, isEnded: Bool = false) -> String {
    "#EXTM3U\n#EXT-X-TARGETDURATION:\(target)\n#EXT-X-MEDIA-SEQUENCE:\(sequence)\n"
      + segments.map { "#EXTINF:2,\n\($0)\n" }.joined() + (isEnded ? "#EXT-X-ENDLIST\n" : "")
  }

  static let changes: [(rule: String, texts: [String], seconds: Int)] = [
    ("hls-live-sequence", [text(5, ["a", "b", "c"]), text(4, ["z", "a", "b", "c"])], 2),
    ("hls-live-changed", [text(5, ["a", "b", "c"]), text(5, ["a", "x", "c"])], 2),
    ("hls-live-stale", [text(5, ["a", "b", "c"]), text(5, ["a", "b", "c"])], 4),
    ("hls-live-short", [text(5, ["a", "b", "c"]), text(7, ["c", "d"])], 2),
    ("hls-live-ended", [text(5, ["a", "b", "c"], isEnded: true), text(5, ["a", "b", "c", "d"], isEnded: true)], 2),
    ("hls-live-target", [text(5, ["a", "b", "c"]), text(5, ["a", "b", "c", "d"], target: 3)], 2),
  ]

  private static func findings(_ texts: [String], seconds: Int) throws -> [[String]] {
    let folder = try TemporaryFolder()
    for name in ["a", "b", "c", "d", "x", "z"] { try folder.write(name, Array("WEBVTT\n\n".utf8)) }
    var check = Check()
    check.profiles = [.hls]
    var watch = PresentationWatch(check)
    return try texts.enumerated().map { index, text in
      try folder.write("live.m3u8", Array(text.utf8))
      let presentation = try OpenedPresentation(reading: PlaylistLocation(file: folder("live.m3u8")))
      return try watch.result(of: presentation, at: .seconds(index * seconds)).findings.map(\.rule.id)
    }
  }

  @Test("A forbidden change is reported once", arguments: changes)
  func change(rule: String, texts: [String], seconds: Int) throws {
    #expect(try Self.findings(texts, seconds: seconds) == [[], [rule]])
    #expect(try Self.findings(texts + [texts[1]], seconds: seconds).last?.contains(rule) == false)
  }

  @Test("A playlist that advances has no findings")
  func right() throws {
    let texts = [Self.text(5, ["a", "b", "c"]), Self.text(6, ["b", "c", "d"]), Self.text(6, ["b", "c", "d", "x"])]
    #expect(try Self.findings(texts, seconds: 2) == [[], [], []])
  }
}
