import Support
import Testing

@Suite("explain, end to end")
struct CLIExplainTests {
  @Test("The layout of a box is a table; every meaning of a type is shown")
  func tables() throws {
    let shell = try EndToEnd()
    let one = try shell("mp4tool explain trex")
    #expect(one.exitCode == 0)
    #expect(one.lines.first == "trex  Track Extends Box  (ISO/IEC 14496-12:2022, 8.8.3)")
    #expect(one.lines[1] == "  version                           uint(8)" && one.lines.last == "  in mvex")
    #expect(one.lines.contains("  default_sample_duration           uint(32)"))
    let both = try shell("mp4tool explain alac 'url '")
    #expect(both.lines.filter { $0.hasPrefix("alac  ") }.count == 2)
    #expect(both.lines.filter { $0.hasPrefix("url   ") }.count == 1)
    #expect(try shell("mp4tool explain url").text.hasPrefix("url   "))
    #expect(try shell("mp4tool explain moov").text.hasSuffix("  only child boxes\n  in file\n"))
    #expect(try shell("mp4tool explain mdat").text.hasSuffix("  opaque bytes\n  in file\n"))
    // Every visual sample entry can contain it. JSON lists all of them.
    let colr = try shell("mp4tool explain colr")
    #expect(colr.lines[1] == "  colour_type               code(32)" && colr.text.utf8.count < 2000)
    #expect(colr.lines.last?.hasPrefix("  in avc1, ") == true && colr.lines.last?.hasSuffix(" more") == true, "\(colr)")
    let count = try shell("mp4tool explain --format json colr | tr -cd , | wc -c").text
    #expect(Int(count.filter { $0 != "\n" && $0 != " " }).map { $0 > 200 } == true)
    #expect(try shell("mp4tool explain --list | grep ' Colour Information Box '").text.utf8.count < 200)
    let user = try shell("mp4tool explain A2394F52-5A9B-4F14-A244-6C427C648DF4")
    #expect(user.lines.contains("  user type a2394f52-5a9b-4f14-a244-6c427c648df4"))
  }

  @Test("dump and explain know boxes of a definition file, and mistakes in it have a line and a column")
  func boxes() throws {
    let shell = try EndToEnd()
    // This also tests the example in the manual.
    let page = try #require(Files.read(Files.repository + "/man/mp4tool-boxes.5"))
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix(".Bd -literal") })
    let example = lines[(start + 1)...].prefix { $0 != ".Ed" }.joined(separator: "\n")
    try shell.folder.write("acme.boxes", Array((example + "\n").utf8))
    try shell.folder.write("wrong.boxes", Array("box acmf \"Third\" in udta\n  size  uint(99)\n".utf8))
    let acme = box(
      "acme",
      [1, 0, 0, 1] + big(UInt32(0xcafe)) + [0x20] + big(UInt64(5)) + Array("lens".utf8) + [0] + big(UInt16(1))
        + big(UInt32(9)) + big(UInt16(0x1580)))
    try shell.folder.write("a.mp4", box("udta", acme))
    let dump = try shell("mp4tool dump --boxes acme.boxes --verbosity 3 a.mp4")
    #expect(dump.exitCode == 0)
    #expect(
      dump.lines.dropFirst() == [
        "  [acme] size=8+30, offset=8", "    version = 1", "    flags = 0x1 (has a name)", "    sensor_id = 0xcafe",
        "    mode = 2 (time lapse)", "    duration = 5", "    name = lens", "    reading_count = 1", "    readings:",
        "      (       0) time = 9, celsius = 21.5",
      ])
    #expect(try shell("MP4TOOL_BOXES=acme.boxes mp4tool dump --verbosity 3 a.mp4").text == dump.text)
    let twice = try shell("mp4tool dump --boxes acme.boxes --boxes ./acme.boxes --verbosity 3 a.mp4")
    #expect(twice.exitCode == 0 && twice.output == dump.output)
    let layout = try shell("mp4tool explain --boxes acme.boxes acme")
    #expect(layout.lines.first == "acme  Acme Sensor Box  (Acme File Format 2, 3.1)")
    #expect(try shell("mp4tool explain --boxes acme.boxes --check").exitCode == 0)
    let wrong = try shell("mp4tool explain --boxes acme.boxes --boxes wrong.boxes --check")
    #expect(wrong.exitCode == 65)
    #expect(
      wrong.errorText == "mp4tool: wrong.boxes: line 2, column 9: expected a width of 1 to 56 or of 64 bits\n")
    // One mistake per definition is printed, and ten per file.
    let mistakes = (1...12).map { "box acm \"Short \($0)\"\n  size  uint(0)\n" }.joined()
    try shell.folder.write("several.boxes", Array(mistakes.utf8))
    let several = try shell("mp4tool explain --boxes several.boxes --check")
    #expect(several.exitCode == 65)
    #expect(
      several.errorText
        == (1...10).map {
          "mp4tool: several.boxes: line \(2 * $0 - 1), column 5: expected a four-character code\n"
        }.joined())
    #expect(try shell("mp4tool dump --boxes missing.boxes a.mp4").exitCode == 66)
    #expect(try shell("mp4tool explain --check").exitCode == 64)
    #expect(try shell("MP4TOOL_BOXES=acme.boxes mp4tool explain --check").exitCode == 0)
    // Definitions are inputs that no output replaces, even if they are not needed.
    #expect(try shell("mp4tool extract --boxes acme.boxes --cover in.mp4 -o acme.boxes").exitCode == 73)
    #expect(String(decoding: try shell.bytes("acme.boxes"), as: UTF8.self) == example + "\n")
  }

  @Test("The list has a line for each box, with type, name, container and clause")
  func list() throws {
    let shell = try EndToEnd()
    let all = try shell("mp4tool explain --list")
    #expect(all.exitCode == 0)
    #expect(all.lines.count > 100)
    // Some codes have control characters, which are printed as escape sequences.
    let codes = all.lines.map { $0.prefix(4) }.filter { !$0.contains("\\") }
    #expect(codes == codes.sorted())
    #expect(
      all.lines.contains { line in
        line.split(separator: " ")
          == ["tfdt", "Track", "Fragment", "Base", "Media", "Decode", "Time", "Box", "traf", "ISO/IEC"]
          + ["14496-12:2022,", "8.8.12"]
      })
    #expect(try shell("mp4tool explain --list alac").lines.count == 2)
  }

  @Test("The JSON has the same information", .enabled(if: Effort.has("jq"), "needs MP4TOOL_TESTS=all and jq"))
  func json() throws {
    let shell = try EndToEnd()
    let fields = try shell(
      "mp4tool explain --format json tfhd | jq -c '.[0] | .containers, .fields[2], .fields[3]'")
    #expect(
      fields.lines == [
        #"["traf"]"#, #"{"name":"track_ID","type":"uint","bits":32}"#,
        #"{"name":"base_data_offset","type":"uint","bits":64,"flags":[1]}"#,
      ])
    let count = try shell(
      "mp4tool explain --list --format json | jq length; mp4tool explain --list | wc -l")
    #expect(count.lines[0] == count.lines[1])
    let every = try shell(
      "mp4tool explain --format json $(mp4tool explain --list | cut -c1-4 | grep -ax '[a-z]*' | sort -u) | jq "
        + "'.[0].type'"
    )
    #expect(every.exitCode == 0 && every.lines.count == 1)
  }

  @Test("An unknown type is a usage error with a suggestion")
  func unknown() throws {
    let shell = try EndToEnd()
    let wrong = try shell("mp4tool explain trum")
    #expect(wrong.exitCode == 64 && wrong.text == "")
    #expect(wrong.errorText.contains("unknown box 'trum'; did you mean 'trun'"))
    let none = try shell("mp4tool explain")
    #expect(none.exitCode == 64)
    #expect(none.errorText.contains("CODE is missing"))
    #expect(try shell("mp4tool explain --list nnnn").exitCode == 64)
  }
}
