import Support
import Testing

@Suite("recover, end to end")
struct CLIRecoverTests {
  /// The offset of a box of this type.
  private func offset(of type: String, in bytes: [UInt8]) throws -> Int {
    try #require(bytes.indices.dropFirst(4).first { bytes[$0...].starts(with: Array(type.utf8)) }) - 4
  }

  /// A folder with `good.mp4`, and with `broken.mp4`, which is the same file without `moov`.
  private func folder() throws -> EndToEnd {
    let shell = try EndToEnd()
    let whole = try readFile(vectorPath("files/progressive-moov-last.mp4"))
    try shell.folder.write("good.mp4", whole)
    try shell.folder.write("broken.mp4", Array(whole[..<offset(of: "moov", in: whole)]))
    return shell
  }

  @Test("A file without moov is rebuilt with all samples, and is not changed")
  func rebuilt() throws {
    let shell = try folder()
    let result = try shell(
      """
      cp broken.mp4 before
      mp4tool recover broken.mp4 --like good.mp4 -o out.mp4 || echo $?
      cmp broken.mp4 before
      for t in 1 2; do
        mp4tool extract --raw --tracks $t good.mp4 -o a; mp4tool extract --raw --tracks $t out.mp4 -o b; cmp a b
      done && rm a b && echo same
      """)
    #expect(result.lines.first == "found by comparison with good.mp4" && result.lines.last == "same", "\(result)")
    #expect(result.lines.filter { $0.hasPrefix("track ") }.count == 2)
    #expect(result.errorLines.count == 1 && result.errorText.hasPrefix("mp4tool: note: broken.mp4: "))
    let json = try shell("mp4tool recover -q --format json broken.mp4 --like good.mp4 -o out.mp4 | tr -d ' \\n'")
    #expect(json.text.hasPrefix(#"{"output":{"name":"out.mp4","size":"#), "\(json)")
    #expect(json.text.contains(#""means":"like""#) && json.text.contains(#""unknown_bytes":0,"#))
    let dry = try shell("rm out.mp4; mp4tool recover -q --dry-run broken.mp4 --like good.mp4 && ls")
    #expect(dry.lines == ["before", "broken.mp4", "good.mp4", "in.mp4"], "\(dry)")
    let piped = try shell("mp4tool recover -q broken.mp4 --like good.mp4 -o - > out.mp4 && mp4tool info out.mp4")
    #expect(piped.exitCode == 0 && piped.text.contains("progressive, moov first"), "\(piped)")
  }

  @Test("Bytes that belong to no track are reported as ranges, with exit code 1")
  func unknown() throws {
    let shell = try folder()
    try shell.folder.write("cut.mp4", shell.bytes("broken.mp4").dropLast(1000))
    let result = try shell("mp4tool recover cut.mp4 --like good.mp4 -o out.mp4; echo $?; mp4tool info out.mp4")
    #expect(result.text.contains("\nnot assigned to a track: ") && result.text.contains(" at byte "), "\(result)")
    #expect(result.lines.contains("1") && result.text.contains("progressive, moov first"))
    #expect(result.errorText.contains("cannot be assigned to a track; omitted"))
  }

  @Test("Without moov and without --like, the message says what is needed; nothing is written")
  func needsPattern() throws {
    let shell = try folder()
    let result = try shell("mp4tool recover broken.mp4 -o out.mp4; echo $?; ls out.mp4")
    #expect(result.lines == ["65"])
    #expect(result.errorText.contains("it has no usable moov") && result.errorText.contains("use --like"), "\(result)")
    let moov = try shell(
      """
      { cat broken.mp4; printf 'noise'; tail -c +$(($(stat -c %s broken.mp4) + 1)) good.mp4; } > behind.mp4
      mp4tool recover behind.mp4 -o out.mp4; mp4tool diff --samples good.mp4 out.mp4 && echo same
      """)
    #expect(moov.lines.first == "found by moov" && moov.lines.last == "same", "\(moov)")
  }

  @Test("Unusable inputs are refused, and no file is lost")
  func refused() throws {
    let shell = try folder()
    let whole = try shell.bytes("good.mp4")
    let result = try shell(
      """
      head -c 3000 /dev/zero > zeros; printf 'hello' > text; : > empty
      for f in zeros text empty; do mp4tool recover $f --like good.mp4 -o out.mp4 2>/dev/null; echo $?; done
      mp4tool recover broken.mp4 --like text -o out.mp4 2>/dev/null; echo $?
      mp4tool recover broken.mp4 --like broken.mp4 -o out.mp4 2>&1 | grep -c 'no usable samples; use an intact file from the'
      mp4tool recover broken.mp4 --like $V/encrypted-cenc.mp4 -o out.mp4 2>/dev/null; echo $?
      mp4tool recover missing.mp4 --like good.mp4 -o out.mp4 2>/dev/null; echo $?
      mp4tool recover broken.mp4 --like missing.mp4 -o out.mp4 2>/dev/null; echo $?
      mp4tool recover broken.mp4 --like good.mp4 2>/dev/null; echo $?
      mp4tool recover broken.mp4 --like good.mp4 --format json -o - 2>/dev/null; echo $?
      mp4tool recover broken.mp4 --like good.mp4 -o broken.mp4 2>/dev/null; echo $?
      mp4tool recover broken.mp4 --like good.mp4 -o good.mp4 2>/dev/null; echo $?
      mp4tool recover broken.mp4 --like good.mp4 -o none/out.mp4 2>/dev/null; echo $?
      ls out.mp4 2>/dev/null
      """)
    #expect(result.lines == ["65", "65", "65", "65", "1", "65", "66", "66", "64", "64", "73", "73", "73"], "\(result)")
    #expect(try shell.bytes("good.mp4") == whole)
  }

  @Test("The header of the media data can have any size or be missing")
  func mediaHeaders() throws {
    let shell = try folder()
    let broken = try shell.bytes("broken.mp4")
    let mdat = try offset(of: "mdat", in: broken)
    let (before, media) = (Array(broken[..<mdat]), Array(broken[(mdat + 8)...]))
    let name = Array("mdat".utf8)
    let headers: [[UInt8]] = [
      [0, 0, 0, 0] + name, [0, 0, 0, 8] + name, [0x7f, 0, 0, 0] + name, [0, 0, 0, 9] + name,
      [0, 0, 0, 1] + name + [UInt8](repeating: 0xff, count: 8), [0, 0, 0, 1] + name + [UInt8](repeating: 0, count: 8),
      [0, 0, 0, 8] + Array("wide".utf8) + [0, 0, 0, 0] + name, [],
    ]
    let expected = try shell("mp4tool recover broken.mp4 --like good.mp4 -o first.mp4")
    #expect(expected.exitCode == 0)
    for header in headers {
      for start in [before, []] {
        try shell.folder.write("changed.mp4", start + header + media)
        let result = try shell(
          """
          mp4tool recover changed.mp4 --like good.mp4 -o out.mp4
          mp4tool diff --samples first.mp4 out.mp4 && echo same
          """)
        #expect(result.lines.last == "same", "\(header)")
        #expect(result.lines.starts(with: expected.lines), "\(header)")
      }
    }
    try shell.folder.write("changed.mp4", before + [0, 0, 0, 8] + name)
    let none = try shell("mp4tool recover changed.mp4 --like good.mp4 -o none.mp4; echo $?; ls none.mp4 2>/dev/null")
    #expect(none.lines == ["65"] && none.errorText == "mp4tool: changed.mp4: it has no media data\n", "\(none)")
  }

  @Test("Space that was never written is padding, and costs little")
  func room() throws {
    let shell = try folder()
    let result = try shell(
      """
      mp4tool recover -q broken.mp4 --like good.mp4 -o first.mp4
      truncate -s 24M broken.mp4
      mp4tool recover broken.mp4 --like good.mp4 -o out.mp4 && echo whole
      mp4tool diff --samples first.mp4 out.mp4 && echo same
      """)
    #expect(result.lines.contains("whole") && result.lines.last == "same", "\(result)")
    #expect(result.lines.contains { $0.hasPrefix("padding: 25") })
  }

  @Test("--strict and --no-clobber write nothing; otherwise a loss writes the rest and exits with 1")
  func options() throws {
    let shell = try folder()
    try shell.folder.write("cut.mp4", shell.bytes("broken.mp4").dropLast(1000))
    let result = try shell(
      """
      mp4tool recover -q --strict cut.mp4 --like good.mp4 -o out.mp4; echo $?; ls out.mp4 2>/dev/null
      mp4tool recover -q cut.mp4 --like good.mp4 -o out.mp4; echo $?; cp out.mp4 before.mp4
      mp4tool recover -q --dry-run cut.mp4 --like good.mp4 -o out.mp4; echo $?
      mp4tool recover -q --no-clobber cut.mp4 --like good.mp4 -o out.mp4; echo $?
      cmp out.mp4 before.mp4; rm out.mp4
      mp4tool recover -q - --like good.mp4 -o out.mp4 < cut.mp4; echo $?; cmp out.mp4 before.mp4; rm out.mp4
      mp4tool recover -q cut.mp4 --like - -o out.mp4 < good.mp4; echo $?; cmp out.mp4 before.mp4; rm out.mp4
      mp4tool recover -q - --like - -o out.mp4 < good.mp4; echo $?; ls out.mp4 2>/dev/null
      """)
    #expect(result.lines == ["65", "1", "1", "73", "1", "1", "64"], "\(result)")
    #expect(result.errorText.contains("BROKEN and GOOD cannot both be standard input"))
  }

  @Test("With a wrong reference file, recovery is refused, or unexplained data is reported")
  func otherPatterns() throws {
    let shell = try folder()
    let before = shell.folder.names
    let result = try shell(
      """
      mp4tool recover broken.mp4 --like broken.mp4 -o out.mp4; echo $?
      mp4tool recover broken.mp4 --like $V/hls/init.mp4 -o out.mp4; echo $?
      head -c 50000 /dev/zero | tr '\\0' '\\252' > bytes
      mp4tool recover bytes --like good.mp4 -o out.mp4; echo $?
      : > empty; mp4tool recover empty --like good.mp4 -o out.mp4; echo $?; rm bytes empty
      """)
    #expect(result.lines == ["65", "65", "65", "65"], "\(result)")
    #expect(result.errorText.contains("bytes: no samples like those of good.mp4 were found\n"))
    #expect(result.errorText.contains("empty: the file is empty"))
    #expect(shell.folder.names == before)
    let other = try shell(
      """
      head -c 60000 /dev/zero | tr '\\0' '\\252' >> broken.mp4
      mp4tool recover broken.mp4 --like good.mp4 -o out.mp4; echo $?
      """)
    #expect(other.lines.last == "1" && other.errorText.contains("recorded with different settings"), "\(other)")
  }

  @Test("Where recover works, info and check name it, and check does not promise that another command fixes the file")
  func advised() throws {
    let shell = try folder()
    let whole = try shell.bytes("good.mp4")
    let (mdat, moov) = (try offset(of: "mdat", in: whole), try offset(of: "moov", in: whole))
    var swallowed = whole
    let size = moov - mdat + 1000
    swallowed.replaceSubrange(mdat..<mdat + 4, with: [0, 0, UInt8(size >> 8 & 255), UInt8(size & 255)])
    try shell.folder.write("swallowed.mp4", swallowed)
    try shell.folder.write("cut.mp4", Array(whole[..<(moov + 600)]))
    for (name, commands) in [
      ("broken.mp4", ["info", "check", "defrag -o out.mp4"]),
      ("swallowed.mp4", ["info", "check", "defrag -o out.mp4"]),
      ("cut.mp4", ["check", "defrag -o out.mp4"]),
    ] {
      for command in commands {
        let result = try shell("mp4tool \(command) \(name) 2>&1")
        #expect(result.text.contains("rebuild moov with 'mp4tool recover'"), "\(command) \(name): \(result)")
        #expect(result.exitCode != 0 && !result.text.contains("` fixes"), "\(command) \(name): \(result)")
      }
      let json = try shell("mp4tool check --format json \(name)")
      #expect(!json.text.contains("mp4tool defrag"), "\(name)")
    }
  }
}
