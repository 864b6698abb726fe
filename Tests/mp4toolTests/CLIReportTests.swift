import Support
import Testing

@Suite("Reports and dry runs, end to end")
struct CLIReportTests {
  private func cutFile() throws -> EndToEnd {
    let shell = try EndToEnd()
    _ = try shell("head -c 40000 in.mp4 > cut.mp4")
    return shell
  }

  @Test("The report of a damaged file is written beside the output, and has the messages of standard error")
  func report() throws {
    let shell = try cutFile()
    let result = try shell("mp4tool defrag cut.mp4 -o out.mp4 --report report.json")
    #expect(result.exitCode == 1)
    #expect(result.text == "")
    let report = try JSONValue(shell.bytes("report.json"))
    let messages = report["diagnostics"]?.elements.compactMap { diagnostic -> String? in
      guard let file = diagnostic["file"]?.string, let message = diagnostic["message"]?.string else { return nil }
      return "mp4tool: \(file): \(message)"
    }
    #expect(messages == result.errorLines.map(String.init))
    #expect(report["severity"]?.string == "error")
    #expect(report["totals"]?["lost_samples"]?.number == "43")
    #expect(report["output"]?["name"]?.string == "out.mp4")
    #expect(report["output"]?["is_written"] == .bool(true))
    #expect(report["output"]?["size"]?.number == "\(try shell.bytes("out.mp4").count)")
    #expect(shell.folder.names == ["cut.mp4", "in.mp4", "out.mp4", "report.json"])
  }

  @Test(
    "The JSON Schema of reports is printed without an input or output",
    arguments: ["defrag", "fragment", "hls", "recover"])
  func schema(command: String) throws {
    let shell = try cutFile()
    let printed = try shell("mp4tool \(command) --print-schema")
    #expect(printed.exitCode == 0 && printed.text.hasPrefix("{\"$schema\":"), "\(printed)")
    let form = command == "recover" ? "--format json" : "--report -"
    let report = try JSONValue(shell("mp4tool \(command) --dry-run \(form) in.mp4").text.utf8.map { $0 })
    let members = try JSONValue(printed.text.utf8.map { $0 })["properties"]?.keys ?? []
    #expect(report.keys.count > 3 && Set(report.keys).isSubset(of: members), "\(report.keys)")
  }

  @Test("If --strict refuses the output, the report is written nevertheless")
  func strict() throws {
    let shell = try cutFile()
    let result = try shell("mp4tool defrag --strict cut.mp4 -o out.mp4 --report report.json")
    #expect(result.exitCode == 65)
    #expect(shell.folder.names == ["cut.mp4", "in.mp4", "report.json"])
    #expect(try JSONValue(shell.bytes("report.json"))["output"]?["is_written"] == .bool(false))
  }

  @Test("A dry run has the same messages and exit code, and writes nothing except for the report")
  func dryRun() throws {
    let shell = try cutFile()
    let real = try shell("mp4tool defrag cut.mp4 -o out.mp4; c=$?; rm out.mp4; exit $c")
    for options in ["", "-o out.mp4", "-o -"] {
      let result = try shell("mp4tool defrag --dry-run cut.mp4 \(options)")
      #expect(result.exitCode == real.exitCode)
      #expect(result.errorText == real.errorText)
      #expect(result.text == "")
      #expect(shell.folder.names == ["cut.mp4", "in.mp4"])
    }
    #expect(try shell("mp4tool defrag --dry-run --strict cut.mp4").exitCode == 65)
    #expect(try shell("mp4tool defrag --dry-run in.mp4").description == "exit code 0\n\n")
    #expect(
      try shell("mp4tool defrag --dry-run -v in.mp4").errorText
        == "mp4tool: note: the output would have \(try size(of: "in.mp4", shell)) bytes, 2 tracks and 283 samples\n")
    #expect(try shell("mp4tool defrag --dry-run in.mp4 -o none/out.mp4").exitCode == 73)
    let printed = try shell("mp4tool defrag --dry-run cut.mp4 --report - 2>/dev/null")
    #expect(try JSONValue(printed.output)["output"]?["name"] == .null)
    #expect(shell.folder.names == ["cut.mp4", "in.mp4"])
  }

  private func size(of name: String, _ shell: EndToEnd) throws -> Int {
    _ = try shell("mp4tool defrag \(name) -o size.mp4")
    let size = try shell.bytes("size.mp4").count
    _ = try shell("rm size.mp4")
    return size
  }

  @Test(
    "A report that is impossible or would replace another file is refused before anything is written",
    arguments: [
      ("-o out.mp4 --report in.mp4", "in.mp4: cannot create: it is also an input, which would be overwritten"),
      ("-o out.mp4 --report ./out.mp4", "./out.mp4: cannot create: it is also the output, which would be overwritten"),
      ("-o out.mp4 --report link", "link: cannot create: it is also the output, which would be overwritten"),
      ("-o old --report old", "old: cannot create: it is also the output, which would be overwritten"),
      (
        "-o old --report /dev/fd/7 7>>old",
        "/dev/fd/7: cannot create: it is also the output, which would be overwritten"
      ),
      ("-o out.mp4 --report none/a", "none/a: cannot create: no such file or directory"),
      ("-o out.mp4 --no-clobber --report old", "old: cannot create: the file exists"),
      (
        "-o /dev/stdout --report - | cat; exit ${PIPESTATUS[0]}",
        "standard output: cannot create: it is also the output, which would be overwritten"
      ),
    ])
  func refused(options: String, message: String) throws {
    let shell = try EndToEnd()
    _ = try shell("echo old > old; ln -s out.mp4 link; cksum in.mp4 old > sums")
    let names = shell.folder.names
    let result = try shell("mp4tool defrag in.mp4 \(options)")
    #expect(result.exitCode == 73)
    #expect(result.errorText == "mp4tool: \(message)\n")
    #expect(result.text == "")
    #expect(shell.folder.names == names)
    #expect(try shell("cksum in.mp4 old | cmp - sums").exitCode == 0)
  }

  @Test("A report without a destination, or two outputs to standard output, are wrong usage")
  func usage() throws {
    let shell = try EndToEnd()
    let both = try shell("mp4tool defrag in.mp4 -o - --report -")
    #expect(both.exitCode == 64)
    #expect(both.errorLines.first == "mp4tool defrag: the output and the report cannot both go to standard output")
    let none = try shell("mp4tool defrag in.mp4 --report report.json")
    #expect(none.exitCode == 64)
    #expect(none.errorLines.first?.hasPrefix("mp4tool defrag: option '--output' is missing: add '-o OUT'") == true)
    let name = try shell("mp4tool dump -w.mp4")
    #expect(name.errorLines.first == "mp4tool dump: unknown option '-w' in '-w.mp4'; did you mean './-w.mp4'?")
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test("An unusable input leaves no report or part of one, and an existing report is not changed")
  func noReport() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "echo old > report.json; echo text > text; mp4tool defrag text -o out.mp4 --report report.json")
    #expect(result.exitCode == 65)
    #expect(try shell("cat report.json; ls").lines == ["old", "in.mp4", "report.json", "text"])
  }

  @Test("A full disk for the report is an error with 74", .enabled(if: fileExists("/dev/full")))
  func fullDisk() throws {
    let shell = try EndToEnd()
    let result = try shell("mp4tool defrag in.mp4 -o out.mp4 --report /dev/full")
    #expect(result.exitCode == 74)
    #expect(result.errorText == "mp4tool: /dev/full: cannot write at byte 0: the disk is full\n")
    #expect(shell.folder.names == ["in.mp4", "out.mp4"])
  }
}
