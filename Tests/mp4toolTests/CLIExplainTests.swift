import Support
import Testing

@Suite("explain, from end to end")
struct CLIExplainTests {
  @Test("The layout of a box is a table; every meaning of a code is shown")
  func tables() throws {
    let shell = try EndToEnd()
    let one = try shell("mp4tool explain trex")
    #expect(one.exitCode == 0)
    #expect(one.lines.prefix(2) == ["trex  Track Extends Box  (ISO/IEC 14496-12:2022, 8.8.3)", "  in mvex"])
    #expect(one.lines.contains("  default_sample_duration           uint(32)"))
    let both = try shell("mp4tool explain alac 'url '")
    #expect(both.lines.filter { $0.hasPrefix("alac  ") }.count == 2)
    #expect(both.lines.filter { $0.hasPrefix("url   ") }.count == 1)
    #expect(try shell("mp4tool explain url").text.hasPrefix("url   "))
    #expect(try shell("mp4tool explain moov").text.hasSuffix("  in file\n  only boxes\n"))
    #expect(try shell("mp4tool explain mdat").text.hasSuffix("  bytes that are not looked at\n"))
    let user = try shell("mp4tool explain A2394F52-5A9B-4F14-A244-6C427C648DF4")
    #expect(user.lines.contains("  user type a2394f52-5a9b-4f14-a244-6c427c648df4"))
  }

  @Test("The list has a line for each box, with code, name, place and clause")
  func list() throws {
    let shell = try EndToEnd()
    let all = try shell("mp4tool explain --list")
    #expect(all.exitCode == 0)
    #expect(all.lines.count > 100)
    let codes = all.lines.map { $0.prefix(4) }
    #expect(codes == codes.sorted())
    #expect(
      all.lines.contains { line in
        line.split(separator: " ")
          == ["tfdt", "Track", "Fragment", "Base", "Media", "Decode", "Time", "Box", "traf", "ISO/IEC"]
          + ["14496-12:2022,", "8.8.12"]
      })
    #expect(try shell("mp4tool explain --list alac").lines.count == 2)
  }

  @Test("The JSON says the same", .enabled(if: Effort.has("jq"), "needs MP4TOOL_TESTS=all and jq"))
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
      "mp4tool explain --format json $(mp4tool explain --list | cut -c1-4 | grep -ax '[a-z]*' | sort -u) | jq '.[0].type'"
    )
    #expect(every.exitCode == 0 && every.lines.count == 1)
  }

  @Test("A code that is not known is a usage error, which says what may be meant")
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
