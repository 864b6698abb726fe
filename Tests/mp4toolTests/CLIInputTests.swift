import Support
import Testing

@Suite("Unusable inputs, end to end")
struct CLIInputTests {
  private static let text = "this is a text file, not MP4; use an MP4 file or an init segment"
  private static let empty = "the file is empty; copy or download it again"

  /// A command before `-o out.mp4`, its exit code, and its message after `mp4tool: `.
  private static let refusals: [(command: String, code: Int32, message: String)] = [
    ("defrag text", 65, "text: \(text)"),
    ("defrag empty", 65, "empty: \(empty)"),
    (
      "defrag cut.mp4", 65,
      "cut.mp4: the file is cut off before its moov box, which is needed to locate samples; copy or download it again, "
        + "or if the recording was interrupted, rebuild moov with 'mp4tool recover'"
    ),
    ("fragment empty", 65, "empty: \(empty)"),
    ("defrag folder", 66, "folder: cannot open: it is a directory"),
    ("defrag none.mp4", 66, "none.mp4: cannot open: no such file or directory"),
    (
      "defrag ftp://h/in.mp4", 66,
      "ftp://h/in.mp4: cannot open: no such file, and ftp:// URLs are not supported here"
    ),
    (
      "defrag - < list.m3u8", 65,
      "standard input: this is an HLS playlist, not MP4; specify it as a file or URL, so that its segments can be found"
    ),
    ("defrag in.mp4/x", 66, "in.mp4/x: cannot open: a part of the path is not a directory"),
    ("defrag loop", 66, "loop: cannot open: symbolic links form a loop"),
    (
      "defrag segment.m4s", 65,
      "segment.m4s: this is a media segment without a moov box; put the init segment before it"
    ),
    ("defrag init.mp4", 65, "init.mp4: it has no samples; add the segments of this init segment"),
    ("defrag init.mp4 none.m4s", 66, "none.m4s: cannot open: no such file or directory"),
    ("defrag init.mp4 text", 65, "text: it has no movie fragment (moof), so it is not a media segment"),
    (
      "defrag other.mp4 segment.m4s", 65,
      "segment.m4s: its fragments belong to track 2, but other.mp4 has track 1; use the matching init segment"
    ),
    (
      "join segment.m4s", 65,
      "segment.m4s: this is a media segment without a moov box; put the init segment before it"
    ),
    ("join init.mp4", 65, "init.mp4: no segments to join; name them too"),
    (
      "join whole.mp4", 65,
      "whole.mp4: it is already progressive; nothing can be joined to it; 'mp4tool concat' concatenates movies"
    ),
    ("join text segment.m4s", 65, "text: \(text)"),
    ("join empty segment.m4s", 65, "empty: \(empty)"),
    ("join init.mp4 text", 65, "text: it has no movie fragment (moof), so it is not a media segment"),
    ("join init.mp4 empty", 65, "empty: \(empty)"),
    ("join init.mp4 init.mp4", 65, "init.mp4: it has no movie fragment (moof), so it is not a media segment"),
    ("join init.mp4 folder", 66, "folder: cannot open: it is a directory"),
    (
      "join other.mp4 segment.m4s", 65,
      "segment.m4s: its fragments belong to track 2, but other.mp4 has track 1; use the matching init segment"
    ),
    (
      "join init.mp4 segment.m4s other.mp4", 65,
      "other.mp4: its moov differs from that of init.mp4; only segments of one init segment can be joined; 'mp4tool "
        + "concat' concatenates movies"
    ),
  ]

  private func shell() throws -> EndToEnd {
    let shell = try EndToEnd()
    _ = try shell(
      """
      echo 'this is plain text, and more of it' > text; : > empty; mkdir folder; ln -s loop loop
      cp "$V/hls/init.mp4" init.mp4; cp "$V/audio/init.mp4" other.mp4; cp "$V/hls/segment1.m4s" segment.m4s
      cp "$V/progressive.mp4" whole.mp4; echo '#EXTM3U' > list.m3u8; head -c 5000 "$V/progressive-moov-last.mp4" > cut.mp4
      """)
    return shell
  }

  @Test("Each unusable input is named in one line, and nothing is left")
  func refused() throws {
    let shell = try shell()
    let names = shell.folder.names
    for (command, code, message) in Self.refusals {
      let result = try shell("mp4tool \(command) -o out.mp4")
      #expect(result.exitCode == code, "\(command)")
      #expect(result.text == "")
      #expect(result.errorText == "mp4tool: \(message)\n")
      #expect(shell.folder.names == names, "\(command)")
    }
  }

  @Test("An existing output is unchanged, byte for byte, if an input is unusable")
  func olderOutputStays() throws {
    let shell = try shell()
    try shell.folder.write("out.mp4", [1, 2, 3])
    let names = shell.folder.names
    for (command, _, _) in Self.refusals { _ = try shell("mp4tool \(command) -o out.mp4") }
    #expect(try shell.bytes("out.mp4") == [1, 2, 3])
    #expect(shell.folder.names == names)
  }

  @Test("A truncated recording gives its remaining data and 1; with --strict it gives 65 and no output")
  func truncated() throws {
    let shell = try EndToEnd()
    let plain = try shell("head -c 30000 in.mp4 > cut.mp4; mp4tool defrag cut.mp4 -o out.mp4")
    #expect(plain.exitCode == 1)
    #expect(
      plain.errorLines.first
        == "mp4tool: cut.mp4: moof: size at byte 29385 is 752 but 615 bytes are left; the file is cut off")
    #expect(plain.errorLines.allSatisfy { $0.hasPrefix("mp4tool: cut.mp4: ") })
    #expect(shell.folder.names == ["cut.mp4", "in.mp4", "out.mp4"])
    let strict = try shell("rm out.mp4; mp4tool defrag --strict cut.mp4 -o out.mp4")
    #expect(strict.exitCode == 65)
    let errors = plain.errorLines.count
    let refusal = "mp4tool: out.mp4: not written because of \(errors) errors (--strict)\n"
    #expect(strict.errorText == plain.errorText + refusal)
    #expect(shell.folder.names == ["cut.mp4", "in.mp4"])
    try shell.folder.write("out.mp4", [7])
    #expect(try shell("mp4tool defrag --strict cut.mp4 -o out.mp4").exitCode == 65)
    #expect(try shell.bytes("out.mp4") == [7])
  }

  @Test("--strict writes no file if a segment is missing, and one if there are no problems")
  func strictJoin() throws {
    let shell = try EndToEnd()
    let hole = try shell("mp4tool join --strict $V/hls/init.mp4 $V/hls/segment[13].m4s -o out.mp4")
    #expect(hole.exitCode == 65)
    #expect(
      hole.errorLines.last
        == "mp4tool: out.mp4: not written because of 1 warning (--strict)")
    #expect(shell.folder.names == ["in.mp4"])
    // --quiet does not hide the reason why there is no output.
    let quiet = try shell("mp4tool join -q --strict $V/hls/init.mp4 $V/hls/segment[13].m4s -o out.mp4")
    #expect(quiet.errorText == hole.errorText && hole.errorLines.count == 2)
    let whole = try shell("mp4tool join --strict $V/hls/init.mp4 $V/hls/segment[213].m4s -o out.mp4")
    #expect(whole.exitCode == 0)
    #expect(shell.folder.names == ["in.mp4", "out.mp4"])
  }

  @Test(
    "Of several unusable inputs, the one with the highest exit status counts, in any order",
    arguments: ["dump", "info", "check", "edit --in-place --title x"])
  func highestStatus(command: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      ": > empty; mp4tool \(command) empty none.mp4 > out; echo $?; mp4tool \(command) none.mp4 empty > out; echo $?")
    #expect(result.lines == ["66", "66"], "\(result)")
  }

  @Test("No command changes its input")
  func inputStays() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp -r "$V" vectors; cd vectors; cksum $(find . -type f) > ../before
      for file in *.mp4 *.mov *.ismv; do
        mp4tool dump --verbosity 3 "$file"; mp4tool dump --format json "$file"; mp4tool defrag "$file" -o ../out.mp4
      done > /dev/null 2>&1
      mp4tool join hls/init.mp4 hls/segment*.m4s -o ../out.mp4 2>/dev/null
      cksum $(find . -type f) | cmp - ../before && echo same
      """)
    #expect(result.text == "same\n")
  }

  @Test(
    "An unreadable file counts as missing, and a read-only folder accepts no output",
    .enabled(if: unprivileged != nil, "this is root, and setpriv is not installed"))
  func permissions() throws {
    let shell = try EndToEnd()
    let user = try #require(unprivileged)
    let input = try shell(
      "chmod 755 .; cp \"$(type -P mp4tool)\" tool; chmod 0 in.mp4; \(user) ./tool defrag in.mp4 -o /dev/null; c=$?; "
        + "chmod 644 in.mp4; exit $c"
    )
    #expect(input.exitCode == 66)
    #expect(input.errorText == "mp4tool: in.mp4: cannot open: permission denied\n")
    let output = try shell("chmod 555 .; \(user) ./tool defrag in.mp4 -o out.mp4; c=$?; chmod 755 .; exit $c")
    #expect(output.exitCode == 73)
    #expect(output.errorText == "mp4tool: out.mp4: cannot create: permission denied\n")
    let readOnly = try shell(
      "mkdir free; chmod 777 free; echo old > free/out.mp4; chmod 444 free/out.mp4; \(user) ./tool defrag in.mp4 -o "
        + "free/out.mp4; c=$?; cat free/*; exit $c"
    )
    #expect(readOnly.exitCode == 73)
    #expect(readOnly.text == "old\n")
    #expect(readOnly.errorText == "mp4tool: free/out.mp4: cannot create: permission denied\n")
    let fromReadOnly = try shell(
      "chmod 555 .; \(user) ./tool defrag in.mp4 -o free/new.mp4; c=$?; ls -A free; chmod 755 .; exit $c")
    #expect(fromReadOnly.exitCode == 0)
    #expect(fromReadOnly.text == "new.mp4\nout.mp4\n")
  }
}

/// The prefix that runs the rest of a line without root privileges: empty if the user is not root, `nil` if it is
/// impossible.
private let unprivileged: String? =
  if let id = try? run("id", ["-u"]).text, id != "0\n" { "" } else {
    which("setpriv") != nil ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : nil
  }
