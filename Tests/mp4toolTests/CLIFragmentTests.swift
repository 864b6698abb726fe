import Support
import Testing

@Suite("fragment, end to end")
struct CLIFragmentTests {
  @Test("Wrong usage exits with 64 and writes nothing")
  func usage() throws {
    let shell = try EndToEnd()
    let lines = [
      ("fragment in.mp4", "option '--output' is missing: add '-o OUT' or '--segments DIR'"),
      ("fragment -o out.mp4", "INPUT is missing: 'mp4tool fragment [OPTION]... {-o OUT | --segments DIR} INPUT...'"),
      (
        "fragment --segment-duration 0 in.mp4 -o out.mp4",
        "option '--segment-duration' takes a positive number of seconds, at most 2000000000, such as 0.5, not '0'"
      ),
      (
        "fragment --cut-at 3,2 in.mp4 -o out.mp4",
        "option '--cut-at' takes increasing seconds separated by commas, such as 6,12.5, not '3,2'"
      ),
      (
        "fragment --profile appel in.mp4 -o out.mp4",
        "option '--profile' can be 'source', 'cmaf', 'cmf2' or 'apple', not 'appel'; did you mean 'apple'?"
      ),
      ("fragment --time-offset 5 in.mp4 -o out.mp4", "option '--time-offset' needs '--profile apple'"),
      (
        "fragment --segment-duration 2 --cut-at 4 in.mp4 -o out.mp4",
        "options '--segment-duration' and '--cut-at' contradict each other: segments are cut by duration or at given "
          + "times"
      ),
      ("fragment in.mp4 -o - --report -", "the output and the report cannot both go to standard output"),
    ]
    for (arguments, message) in lines {
      let result = try shell("mp4tool \(arguments)")
      #expect(result.exitCode == 64 && result.errorLines.first == "mp4tool fragment: \(message)", "\(result)")
    }
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test("A cut without a sync sample, and an input without samples, exit with 65 and write nothing")
  func notUsable() throws {
    let shell = try EndToEnd()
    let cut = try shell("mp4tool fragment --cut-at 2,3.3 \"$V\"/progressive.mp4 -o out.mp4")
    #expect(cut.exitCode == 65)
    let reason =
      "no sync sample at 3.300 s, where a segment should start; the nearest are at 2.000 s and 4.000 s"
    #expect(cut.errorText.hasSuffix("progressive.mp4: \(reason)\n"))
    let empty = try shell("mp4tool fragment \"$V\"/hls/init.mp4 -o out.mp4")
    #expect(empty.exitCode == 65 && empty.errorText.hasSuffix("add the segments of this init segment\n"))
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test("With --strict a loss exits with 65 and writes nothing except for the report")
  func strict() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "head -c 40000 in.mp4 > cut.mp4; mp4tool fragment --strict cut.mp4 -o out.mp4 --report report.json")
    #expect(result.exitCode == 65)
    #expect(shell.folder.names == ["cut.mp4", "in.mp4", "report.json"])
    let report = try JSONValue(shell.bytes("report.json"))
    #expect(report["output"]?["is_written"] == .bool(false) && report["severity"]?.string == "error")
    #expect(try shell("mp4tool fragment cut.mp4 -o out.mp4").exitCode == 1)
    #expect(shell.folder.names == ["cut.mp4", "in.mp4", "out.mp4", "report.json"])
  }

  @Test("A dry run lists the same segments that are then written")
  func dryRun() throws {
    let shell = try EndToEnd()
    let dry = try shell("mp4tool fragment --dry-run --report - --segment-duration 2 in.mp4")
    #expect(dry.exitCode == 0 && dry.errorText == "" && shell.folder.names == ["in.mp4"])
    let made = try shell("mp4tool fragment --report - --segment-duration 2 in.mp4 -o out.mp4")
    let (before, after) = (try JSONValue(dry.output), try JSONValue(made.output))
    #expect(before["segments"] == after["segments"] && before["tracks"] == after["tracks"])
    #expect(before["output"]?["name"] == .null && after["output"]?["name"]?.string == "out.mp4")
    let size = try shell.bytes("out.mp4").count
    #expect(before["output"]?["size"]?.number == "\(size)" && after["output"]?["size"]?.number == "\(size)")
    let line = try shell("mp4tool fragment --dry-run -v --segment-duration 2 in.mp4").errorText
    #expect(line.hasPrefix("mp4tool: note: the output would have \(size) bytes, ") && line.contains(" segments"))
  }

  @Test("Pipes give the same output as files")
  func pipes() throws {
    let result = try EndToEnd()(
      """
      mp4tool fragment in.mp4 -o want.mp4
      mp4tool fragment in.mp4 -o - | cmp - want.mp4 && echo same
      cat in.mp4 | mp4tool fragment - -o out.mp4; cmp out.mp4 want.mp4 && echo same
      mp4tool fragment <(cat in.mp4) -o - | cmp - want.mp4 && echo same
      mp4tool defrag in.mp4 -o back.mp4; mp4tool fragment back.mp4 -o want.mp4
      mp4tool defrag in.mp4 -o - | mp4tool fragment - -o - | cmp - want.mp4 && echo same
      mp4tool fragment want.mp4 -o - | cmp - want.mp4 && echo same
      mp4tool fragment "$V"/progressive.mp4 -o - | head -c 1 > /dev/null; echo ${PIPESTATUS[0]}
      """)
    #expect(result.lines == Array(repeating: "same", count: 5) + ["141"] && result.errorText == "", "\(result)")
  }

  @Test("An output that is an input, or must not be replaced, is refused with 73 and not changed")
  func output() throws {
    let shell = try EndToEnd()
    let result = try shell("cksum in.mp4 > sum; ln in.mp4 link.mp4; mp4tool fragment in.mp4 -o link.mp4")
    #expect(result.exitCode == 73)
    #expect(result.errorText == "mp4tool: link.mp4: cannot create: it is also an input, which would be overwritten\n")
    #expect(try shell("mp4tool fragment --no-clobber \"$V\"/progressive.mp4 -o in.mp4").exitCode == 73)
    #expect(try shell("mp4tool fragment in.mp4 -o none/out.mp4").exitCode == 73)
    #expect(try shell("cksum in.mp4 | cmp - sum").exitCode == 0)
    #expect(shell.folder.names == ["in.mp4", "link.mp4", "sum"])
  }

  @Test("Options have their documented effects")
  func options() throws {
    let shell = try EndToEnd()
    func types(_ options: String) throws -> [String] {
      let made = try shell("mp4tool fragment \(options) \"$V\"/progressive.mp4 -o out.mp4")
      #expect(made.exitCode == 0, "\(made)")
      return try SampleReader.read(shell.bytes("out.mp4")).boxTypes
    }
    #expect(try types("--segment-duration 2 --sidx --mfra").prefix(4) == ["ftyp", "moov", "sidx", "moof"])
    #expect(try types("--segment-duration 2 --mfra").last == "mfra")
    let few = try types("--segment-duration 4").filter { $0 == "moof" }.count
    let many = try types("--segment-duration 4 --fragment-duration 1").filter { $0 == "moof" }.count
    #expect(few > 1 && many > few * 3)
    #expect(try types("--cut-at 4").filter { $0 == "moof" }.count == 2)
    _ = try types("--tracks video")
    let video = try SampleReader.read(shell.bytes("out.mp4"))
    #expect(video.tracks.map(\.handler) == ["vide"] && video.brands.contains("cmfc") && !video.brands.contains("cmf2"))
    _ = try types("--tracks video --profile cmf2")
    #expect(try SampleReader.read(shell.bytes("out.mp4")).brands.contains("cmf2"))
    _ = try types("--profile apple --time-offset 7")
    let apple = try SampleReader.read(shell.bytes("out.mp4"))
    #expect(apple.tracks.allSatisfy { $0.edits.isEmpty })
    #expect(apple.presentationStart[apple.tracks[0].id] == Seconds(7, 1))
  }

  @Test("The help names every option, and the report has the keys in the man page")
  func help() throws {
    let shell = try EndToEnd()
    let help = try shell("mp4tool fragment --help")
    #expect(help.exitCode == 0 && help.errorText == "")
    for option in [
      "profile", "time-offset", "segment-duration", "cut-at", "fragment-duration", "sidx", "mfra", "tracks", "report",
    ] {
      #expect(help.text.contains("--\(option)"))
    }
    let report = try JSONValue(try shell("mp4tool fragment --dry-run --report - in.mp4").output)
    let manual = String(decoding: try readFile(repository + "/man/mp4tool-fragment.1"), as: UTF8.self)
    let segment = report["segments"]?[1]
    let keys =
      report.keys + (segment?.keys ?? []) + (segment?["tracks"]?[0]?.keys ?? [])
      + (report["tracks"]?[0]?.keys ?? []) + (segment?["tracks"]?[0]?["first_sample"]?.keys ?? [])
    #expect(keys.count > 30)
    for key in keys { #expect(manual.contains(key), "\(key)") }
  }
}
