import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4HLS
import MP4Inspection
import Support
import Testing

@Suite("The rules for checks")
struct RuleVectorTests {
  static let vectors =
    RuleVector.structure + RuleVector.movieBoxes + RuleVector.sampleTables + RuleVector.durations
    + RuleVector.fragments + RuleVector.samples + RuleVector.codecs + RuleVector.splices + RuleVector.cmaf
    + RuleVector.players + RuleVector.media

  @Test("Each rule is broken by a vector without other findings except for consequences", arguments: vectors)
  func vector(_ vector: RuleVector) throws {
    let before = Set(try vector.findings(vector.base()).map(\.rule.id))
    let findings = try vector.findings(vector.files())
    let after = Set(findings.map(\.rule.id))
    #expect(!before.contains(vector.rule) && after.contains(vector.rule), "\(findings)")
    #expect(after.subtracting(before).subtracting([vector.rule]) == vector.also, "\(findings)")
  }

  @Test("Four zeros may end user data and sample entries, but no other box")
  func terminators() throws {
    for (path, isFine) in [("moov/udta", true), (RuleVector.videoEntry, true), ("moov/trak/mdia", false)] {
      var file = try EditedFile(RuleVector.progressive)
      if path == "moov/udta" { try file.append(Box("udta", boxes: []), to: "moov") }
      var bytes = try file.bytes()
      // The zeros are appended to the box, and all enclosing boxes grow.
      let box = try #require([Box](reading: MemorySource(bytes, name: "a.mp4"), registry: .standard).range(at: path))
      for start in box.starts {
        let size = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } + 4
        for place in 0..<4 { bytes[start + place] = UInt8(truncatingIfNeeded: size >> (24 - 8 * place)) }
      }
      bytes.insert(contentsOf: [0, 0, 0, 0], at: box.end)
      let findings = try Check().run([MemorySource(bytes, name: "a.mp4")]).findings
      #expect(findings.contains { $0.rule.id == "iso-box-remainder" } != isFine, "\(path): \(findings)")
    }
  }

  @Test("Durations of any length are compared")
  func longest() throws {
    var file = try EditedFile(RuleVector.progressive)
    try file.edit("moov/mvhd", MovieHeaderBox.self) { $0.duration = .max - 1 }
    let findings = try Check().run([MemorySource(try file.bytes(), name: "a.mp4")]).findings
    #expect(findings.contains { $0.rule.id == "iso-mvhd-duration" && $0.message.contains("is 9223372036854775.807 s") })
  }

  @Test("If playlist rules are requested, a file without a playlist has a note")
  func withoutPlaylist() throws {
    var check = Check()
    check.profiles = [.apple]
    let source = MemorySource(try readFile(vectorPath("files/progressive.mp4")), name: "a.mp4")
    #expect(try check.run([source]).findings.map(\.rule.id) == ["hls-no-playlist"])
    check.ignored = ["hls-no-playlist"]
    #expect(try check.run([source]).findings.isEmpty)
  }

  @Test("One cause has one finding, unless its rule is ignored")
  func causes() throws {
    var file = try EditedFile(RuleVector.progressive)
    try file.edit("moov/trak/mdia/minf/stbl/ctts", CompositionOffsetBox.self) {
      $0.entries = BoxTable(Array($0.entries).dropLast())
    }
    let source = MemorySource(try file.bytes(), name: "a.mp4")
    var check = Check()
    #expect(try check.run([source]).findings.map(\.rule.id) == ["iso-ctts-count"])
    check.ignored = ["iso-ctts-count"]
    #expect(try check.run([source]).findings.map(\.rule.id) == ["iso-tables"])
  }

  @Test("Each rule has a unique name, a sentence and a vector")
  func complete() {
    let names = Rule.all.map(\.id)
    #expect(Set(names).count == names.count)
    // The rules for lines of playlists have vectors in the HLS tests.
    let lines = names.filter { name in PlaylistRule.allCases.contains { name == "hls-" + $0.name } }
    let tested = Set(
      Self.vectors.map(\.rule) + PlaylistVector.all.map(\.rule) + PlaylistVector.manifests.map(\.rule)
        + PresentationWatchTests.changes.map(\.rule) + lines
        + ["hls-no-playlist"])
    #expect(Set(names).subtracting(tested) == [], "these have no vector")
    #expect(tested.subtracting(names) == [], "there are no such rules")
    for rule in Rule.all {
      #expect(rule.consequence.hasSuffix("."), "\(rule.id) has no consequence in RuleConsequences.swift")
      #expect(rule.causes.subtracting(names) == [] && !rule.causes.contains(rule.id), "\(rule.id)")
      #expect(rule.id.hasPrefix(rule.id.prefix { $0 != "-" } + "-") && rule.meaning.hasSuffix("."), "\(rule.id)")
    }
  }
}

extension [Box] {
  /// The starts of the boxes at a path such as `moov/udta`, and the end of the last one.
  fileprivate func range(at path: String) -> (starts: [Int], end: Int)? {
    var (boxes, starts, end) = (self, [Int](), 0)
    for step in path.split(separator: "/") {
      guard let box = boxes.first(where: { $0.type.description == step }), let header = box.header else { return nil }
      starts.append(header.offset)
      (boxes, end) = (box.boxes, header.end)
    }
    return (starts, end)
  }
}
