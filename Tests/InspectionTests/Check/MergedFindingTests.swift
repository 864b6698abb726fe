import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Inspection
import MP4Presentations
import MP4Records
import Support
import Testing

@Suite("Findings at many places")
struct MergedFindingTests {
  /// The findings for a presentation in which some segments have an unknown box.
  private static func result(_ wrong: ClosedRange<Int>, folder: TemporaryFolder) throws -> CheckResult {
    for (name, bytes) in try PlaylistVector.base() {
      var bytes = bytes
      if wrong.contains(where: { "v\($0).m4s" == name }) {
        var file = try EditedFile(bytes)
        // A type that no standard defines. The first box shows that the segment is MP4.
        file.boxes.insert(contentsOf: [Box("free", bytes: []), Box("zzzz", bytes: [1])], at: 0)
        bytes = try file.bytes()
      }
      try folder.write(name, bytes)
    }
    let presentation = try OpenedPresentation(reading: PlaylistLocation(file: folder("master.m3u8")))
    return try Check().run(presentation)
  }

  @Test("A rule with more than three findings in a presentation has one, with the number and the first three places")
  func merged() throws {
    let folder = try TemporaryFolder()
    let few = try Self.result(1...3, folder: folder).findings.filter { $0.rule.id == "iso-box-unknown" }
    #expect(few.count == 3)
    let result = try Self.result(1...4, folder: folder)
    let found = result.findings.filter { $0.rule.id == "iso-box-unknown" }
    let finding = try #require(found.first)
    #expect(found.count == 1 && finding.places == 4 && result.count(.note) >= 4)
    #expect(finding.description.contains("(and 3 more places: \(folder("v2.m4s")): zzzz at byte 8; "))
    #expect(finding.description.contains("v3.m4s: zzzz at byte 8)  [iso-box-unknown, "))
    let json = MemorySink()
    try result.write(.json, to: json)
    let value = try JSONValue(json.bytes)["findings"]?.elements.first { $0["rule"]?.string == "iso-box-unknown" }
    #expect(value?["places"]?.number == "4")
    #expect(value?["other_places"]?.elements.map { $0["file"]?.string } == [folder("v2.m4s"), folder("v3.m4s")])
    let xml = MemorySink()
    try result.writeJUnit(failingOn: .note, to: xml)
    let text = String(decoding: xml.bytes, as: UTF8.self)
    // Each file has its test.
    #expect(text.components(of: "name=\"iso-box-unknown\"") == 4)
    let sarif = MemorySink()
    try result.writeSARIF(version: "1", to: sarif)
    #expect(String(decoding: sarif.bytes, as: UTF8.self).contains("\"relatedLocations\""))
  }

  @Test("A baseline with a merged finding applies while one of its places is the same")
  func baseline() throws {
    let folder = try TemporaryFolder()
    let all = try Self.result(1...4, folder: folder)
    let baseline = try #require(Baseline(all.text, operands: [folder("master.m3u8")]))
    #expect(all.findings.allSatisfy(baseline.contains))
    // The first place was fixed.
    let fewer = try Self.result(2...4, folder: folder)
    #expect(fewer.findings.allSatisfy(baseline.contains), "\(fewer.findings.filter { !baseline.contains($0) })")
    // Another rule is new.
    let other = try #require(Baseline("(1 rule of iso)", operands: []))
    #expect(!all.findings.contains(where: other.contains))
  }

  @Test("Codecs and sizes of all sources of a playlist are compared with its declarations")
  func sources() throws {
    let folder = try TemporaryFolder()
    var files = try PlaylistVector.base()
    var file = try EditedFile(files["v.mp4"] ?? [])
    try file.edit("moov/trak/mdia/minf/stbl/stsd/avc1/avcC", AVCConfigurationBox.self) { $0.avcLevelIndication = 12 }
    files["x.mp4"] = try file.bytes()
    let media = String(decoding: files["v.m3u8"] ?? [], as: UTF8.self)
    files["v.m3u8"] = Array(
      media.replacing("#EXTINF:2.0,\nv4", with: "#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"x.mp4\"\n#EXTINF:2.0,\nv4").utf8
    )
    for (codecs, isFine) in [("avc1.64000B,", false), ("avc1.64000B,avc1.64000C,", true)] {
      let main = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self)
      var own = files
      own["master.m3u8"] = Array(main.replacing("CODECS=\"avc1.64000B,", with: "CODECS=\"" + codecs).utf8)
      for (name, bytes) in own { try folder.write(name, bytes) }
      let presentation = try OpenedPresentation(reading: PlaylistLocation(file: folder("master.m3u8")))
      let findings = try Check().run(presentation).findings
      #expect(findings.contains { $0.rule.id == "hls-codecs-media" } != isFine, "\(findings)")
    }
  }
}

extension String {
  fileprivate func components(of part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
