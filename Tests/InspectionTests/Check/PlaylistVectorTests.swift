import HLS
import Inspection
import MP4
import Presentations
import Support
import Testing

@Suite("The rules of checks of presentations")
struct PlaylistVectorTests {
  private static func findings(_ files: PlaylistVector.Files) throws -> [Finding] {
    let folder = try TemporaryFolder()
    for (name, bytes) in files { try folder.write(name, bytes) }
    let presentation = try InspectedPresentation(reading: PlaylistLocation(file: folder("master.m3u8")))
    var check = Check()
    check.profiles = [.iso, .hls, .apple]
    return try check.run(on: presentation).findings
  }

  @Test("A presentation that is right has no findings but advice")
  func base() throws {
    let findings = try Self.findings(PlaylistVector.base())
    #expect(findings.filter { $0.severity > .note }.map(\.description) == [])
  }

  @Test("A vector breaks each rule, and nothing else but what follows from that", arguments: PlaylistVector.all)
  func vector(_ vector: PlaylistVector) throws {
    var files = try PlaylistVector.base()
    let before = Set(try Self.findings(files).map(\.rule.id))
    try vector.change(&files)
    let findings = try Self.findings(files)
    let after = Set(findings.map(\.rule.id))
    #expect(!before.contains(vector.rule) && after.contains(vector.rule), "\(findings)")
    #expect(after.subtracting(before).subtracting([vector.rule]) == vector.also, "\(findings)")
  }
}
