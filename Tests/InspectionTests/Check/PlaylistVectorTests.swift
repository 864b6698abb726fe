import MP4
import MP4HLS
import MP4Inspection
import MP4Presentations
import Support
import Testing

@Suite("The rules for checks of presentations")
struct PlaylistVectorTests {
  private static func findings(
    _ files: PlaylistVector.Files, of first: String = "master.m3u8"
  ) throws -> [Finding] {
    let folder = try TemporaryFolder()
    for (name, bytes) in files { try folder.write(name, bytes) }
    let presentation = try OpenedPresentation(reading: PlaylistLocation(file: folder(first)))
    var check = Check()
    check.profiles = [.iso, .hls, .apple, .dash]
    return try check.run(presentation).findings
  }

  private static let rulesOfBase = Result { Set(try findings(PlaylistVector.base()).map(\.rule.id)) }

  @Test("A correct presentation has only advice as findings")
  func base() throws {
    let findings = try Self.findings(PlaylistVector.base())
    #expect(findings.filter { $0.severity > .note }.map(\.description) == [])
  }

  @Test("Unreadable durations are the only findings; lengths and bit rates that depend on them have none")
  func durations() throws {
    var files = try PlaylistVector.base()
    let before = Set(try Self.findings(files).map(\.rule.id))
    for (name, unread) in [("v.m3u8", "#EXTINF:two,"), ("a.m3u8", "#EXTIFN:2.0,")] {
      files[name] = Array(
        String(decoding: files[name] ?? [], as: UTF8.self).replacing("#EXTINF:2.0,", with: unread).utf8)
    }
    let findings = try Self.findings(files).filter { !before.contains($0.rule.id) }
    #expect(Set(findings.map(\.rule.id)) == ["hls-tag-value", "hls-duration-missing"], "\(findings)")
    // The findings are sorted by playlist and by line.
    let places = findings.map { ($0.file.hasSuffix("a.m3u8") ? "a" : "v", $0.rule.id, $0.line ?? 0, $0.places) }
    let expected = [("v", "hls-tag-value", 6, 4), ("a", "hls-duration-missing", 6, 4)]
    #expect(places.elementsEqual(expected, by: ==), "\(findings)")
    for finding in findings { #expect(finding.description.contains(" (and 3 more places: line 8; line 10)  ")) }
  }

  @Test("Sound that is longer than the target duration is an error, but not a sample that is extended over a pause")
  func longSound() throws {
    func findings(_ samples: [SampleSpec]) throws -> [Finding] {
      var file = FragmentedFileBuilder([.video(), .audio()])
      for sound in [.samples(94), samples] {
        file.addFragment {
          $0.addTraf(1, .samples(50), firstSampleFlags: .sync)
          $0.addTraf(2, sound)
        }
      }
      let built = file.build()
      let media = "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"init.mp4\"\n"
      let list = "#EXTINF:2.0,\n1.m4s\n#EXTINF:2.0,\n2.m4s\n#EXT-X-ENDLIST\n"
      let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nv.m3u8\n"
      return try Self.findings([
        "init.mp4": built.initialization, "1.m4s": built.segments[0], "2.m4s": built.segments[1],
        "v.m3u8": Array((media + list).utf8), "master.m3u8": Array(main.utf8),
      ]).filter { $0.rule.id == "hls-target-duration-media" }
    }
    let long = try findings(.samples(563))
    #expect(long.map(\.severity) == [.error] && long.first?.line == 8, "\(long.map(\.line))")
    #expect(long.first?.message == "the samples last 12.011 s, but EXT-X-TARGETDURATION is 2")
    var paused: [SampleSpec] = .samples(94)
    paused[93].duration = 480_000
    #expect(try findings(paused).isEmpty && findings(.samples(100)).isEmpty)
  }

  @Test("Each rule is broken by a vector without other findings except for consequences", arguments: PlaylistVector.all)
  func vector(_ vector: PlaylistVector) throws {
    var files = try PlaylistVector.base()
    let before = try Self.rulesOfBase.get()
    try vector.change(&files)
    let findings = try Self.findings(files)
    let after = Set(findings.map(\.rule.id))
    #expect(!before.contains(vector.rule) && after.contains(vector.rule), "\(findings)")
    #expect(after.subtracting(before).subtracting([vector.rule]) == vector.also, "\(findings)")
  }

  private static let rulesOfManifest = Result {
    Set(try findings(PlaylistVector.manifestBase(), of: "m.mpd").map(\.rule.id))
  }

  @Test("A correct manifest has no findings")
  func manifest() throws {
    for hasPlaylists in [false, true] {
      let files = try PlaylistVector.manifestBase(hasPlaylists: hasPlaylists)
      #expect(try Self.findings(files, of: "m.mpd").map(\.description) == [])
    }
  }

  @Test("A manifest and playlists that do not say the same have a finding for each difference")
  func different() throws {
    func messages(_ old: String, _ new: String, in name: String = "m.mpd") throws -> [String] {
      var files = try PlaylistVector.manifestBase(hasPlaylists: true)
      files[name] = Array(String(decoding: files[name] ?? [], as: UTF8.self).replacing(old, with: new).utf8)
      return try Self.findings(files, of: "m.mpd").filter { $0.rule.id == "dash-hls" }.map(\.message)
    }
    let language = try messages("lang=\"en\"", "lang=\"fr\"")
    #expect(language.count == 1 && language[0].hasPrefix("its language is fr, but en in "), "\(language)")
    let shorter = try messages("r=\"3\"", "r=\"2\"")
    #expect(shorter.count == 1 && shorter[0].hasPrefix("it has 3 segments, but "), "\(shorter)")
    #expect(shorter.first?.hasSuffix("v.m3u8 has 4; the first 3 are the same") == true, "\(shorter)")
    let missing = try messages("v.m3u8", "a.m3u8", in: "master.m3u8")
    #expect(missing.count == 1 && missing[0].contains("#v has other segments than each playlist of "), "\(missing)")
  }

  @Test("Each rule of manifests is broken by a vector", arguments: PlaylistVector.manifests)
  func manifestVector(_ vector: PlaylistVector) throws {
    var files = try PlaylistVector.manifestBase()
    try vector.change(&files)
    let findings = try Self.findings(files, of: "m.mpd")
    #expect(Set(findings.map(\.rule.id)) == vector.also.union([vector.rule]), "\(findings)")
    for finding in findings where finding.rule.source.profile == .dash {
      #expect(!finding.message.contains("EXT") && !finding.message.contains("playlist"), "\(finding)")
    }
  }
}
