import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Box versions")
struct VersionTests {
  @Test("The fields of an unknown version are not shown, which is not damage")
  func unknown() throws {
    let bytes = box("moov", fullBox("mvhd", version: 7, [1, 2, 3, 4], zeros(92)), box("trak"))
    #expect(
      try dumpLines(bytes) == [
        "[moov] size=8+116", "  [mvhd] size=12+96, version=7",
        "    ?? version at byte 16 is 7, and only 0 and 1 are known", "  [trak] size=8+0",
      ])
    let json = try dumpJSON(bytes)
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(#""version":7,"flags":0,"rest":"01020304"#))
    #expect(
      text.contains(
        #""note":{"field":"version","offset":16,"message":"version at byte 16 is 7, and only 0 and 1 are known"}"#))
    var dump = BoxDump(MemorySource(bytes))
    let summary = try dump.run(to: DevNull())
    #expect(summary.problems == 0 && summary.notes == 1)
    #expect(summary.firstNote?.path.description == "moov/mvhd")
  }

  @Test("The boxes in a box of unknown version are shown")
  func container() throws {
    let bytes = box("stbl", fullBox("stsd", version: 9, big(UInt32(1)), box("abcd", zeros(8))))
    #expect(
      try dumpLines(bytes).map { $0.trimmingPrefix { $0 == " " } } == [
        "[stbl] size=8+32", "[stsd] size=12+20, version=9", "?? version at byte 16 is 9, and only 0 and 1 are known",
        "[abcd] size=8+8", "data_reference_index = 0",
      ])
  }

  @Test("Every version with its own layout is known", arguments: PayloadCase.all)
  func layouts(_ box: PayloadCase) throws {
    // The declarations of these list the known versions; later versions are unknown.
    guard let versions = box.declaration.blank.knownVersions,
      !["senc", "iloc", "assp", "uuid"].contains(box.info.type)
    else { return }
    var seen: [[FieldDescription]] = []
    for version in 0...UInt8(8) {
      let layout =
        box.declaration.describe(version: version) + box.declaration.describe(version: version, flags: 0xff_ffff)
      if versions.contains(version) || seen.contains(layout) {
        seen.append(layout)
      } else {
        Issue.record("\(box.info.type): version \(version)")
      }
    }
  }

  @Test(
    "Undamaged files of the corpus have no unknown versions",
    .enabled(if: corpusFolder != nil, "needs MP4TOOL_CORPUS"))
  func corpusFiles() throws {
    for path in corpus() where !path.contains("fuzz") && !path.contains("broken") && !path.hasSuffix(".tsv") {
      var dump = BoxDump(MemorySource(try readFile(path)))
      #expect(try dump.run(to: DevNull()).notes == 0, "\(path)")
    }
  }
}
