import Bytes
import HLS
import Inspection
import Support
import Testing

@Suite("The rules of checks")
struct RuleVectorTests {
  static let vectors =
    RuleVector.structure + RuleVector.movieBoxes + RuleVector.sampleTables + RuleVector.fragments
    + RuleVector.samples + RuleVector.codecs + RuleVector.cmaf + RuleVector.players

  @Test("A vector breaks each rule, and nothing else but what follows from that", arguments: vectors)
  func vector(_ vector: RuleVector) throws {
    let before = Set(try RuleVector.findings(vector.base()).map(\.rule.id))
    let findings = try RuleVector.findings(vector.files())
    let after = Set(findings.map(\.rule.id))
    #expect(!before.contains(vector.rule) && after.contains(vector.rule), "\(findings)")
    #expect(after.subtracting(before).subtracting([vector.rule]) == vector.also, "\(findings)")
  }

  @Test("Each rule has a name of its own, a sentence and a vector")
  func complete() {
    let names = Rule.all.map(\.id)
    #expect(Set(names).count == names.count)
    // Those of the lines of playlists have theirs beside the rules of HLS.
    let lines = names.filter { name in PlaylistRule.allCases.contains { name == "hls-" + $0.name } }
    let tested = Set(
      Self.vectors.map(\.rule) + PlaylistVector.all.map(\.rule) + PresentationWatchTests.changes.map(\.rule) + lines)
    #expect(Set(names).subtracting(tested) == [], "these have no vector")
    #expect(tested.subtracting(names) == [], "there are no such rules")
    for rule in Rule.all {
      #expect(rule.id.hasPrefix(rule.id.prefix { $0 != "-" } + "-") && rule.meaning.hasSuffix("."), "\(rule.id)")
    }
  }
}
