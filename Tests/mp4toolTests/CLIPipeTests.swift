import Support
import Testing

@Suite("Pipes, end to end")
struct CLIPipeTests {
  @Test("The dump of a file, a pipe, a FIFO and every name of standard input is the same")
  func dumpsOfPipes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkfifo pipe
      for options in '' '--verbosity 3' '--format json'; do
        mp4tool dump $options in.mp4 > want
        for input in '- < in.mp4' '/dev/stdin < in.mp4' '/dev/fd/5 5< in.mp4'; do
          eval "mp4tool dump $options $input" | cmp - want && echo same
        done
        cat in.mp4 | mp4tool dump $options - | cmp - want && echo same
        cat in.mp4 | mp4tool dump $options /dev/stdin | cmp - want && echo same
        mp4tool dump $options <(cat in.mp4) | cmp - want && echo same
        cat in.mp4 > pipe & mp4tool dump $options pipe | cmp - want && echo same
      done
      """)
    #expect(result.lines == Array(repeating: "same", count: 21))
    #expect(result.errorText == "")
  }

  @Test("defrag gives the same file from a pipe as from a file")
  func defragOfPipes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag in.mp4 -o want.mp4
      cat in.mp4 | mp4tool defrag - -o out.mp4; cmp out.mp4 want.mp4 && echo same
      mp4tool defrag - -o out.mp4 < in.mp4; cmp out.mp4 want.mp4 && echo same
      mp4tool defrag <(cat in.mp4) -o out.mp4; cmp out.mp4 want.mp4 && echo same
      mp4tool defrag "$V"/hls/{init.mp4,segment*.m4s} -o want.mp4 2>/dev/null
      mp4tool join "$V"/hls/{init.mp4,segment*.m4s} -o - 2>/dev/null | mp4tool defrag - -o - | cmp - want.mp4 && echo same
      cat "$V"/hls/init.mp4 | mp4tool defrag - "$V"/hls/segment?.m4s "$V"/hls/segment??.m4s -o - | cmp - want.mp4 && echo same
      """)
    #expect(result.lines == Array(repeating: "same", count: 5))
    #expect(result.errorText == "")
    #expect(shell.folder.names == ["in.mp4", "out.mp4", "want.mp4"])
  }

  @Test("Truncated data from a pipe is reported and repaired as from a file")
  func damagedPipes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for size in 20000 2000 500; do
        head -c $size in.mp4 > cut.mp4
        mp4tool defrag cut.mp4 -o want.mp4 2> want.txt; want=$?
        cat cut.mp4 | mp4tool defrag - -o out.mp4 2> out.txt; got=$?
        sed -i 's/standard input/cut.mp4/' out.txt
        [ $want = $got ] && cmp out.mp4 want.mp4 && cmp out.txt want.txt && echo same
      done
      init=$V/hls/init.mp4; cut="head -c 5000 $V/hls/segment1.m4s"; $cut > cut.m4s
      mp4tool join $init cut.m4s $V/hls/segment2.m4s -o want.mp4 2> /dev/null
      mp4tool join $init <($cut) $V/hls/segment2.m4s -o out.mp4 2> /dev/null
      cmp out.mp4 want.mp4 && echo same
      """)
    #expect(result.lines == Array(repeating: "same", count: 4))
  }

  @Test(
    "Standard input is read from its position", .enabled(if: which("python3") != nil, "python3 is not installed"))
  func position() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool dump in.mp4 > want
      (printf 'skipped'; cat in.mp4) > both
      python3 -c 'import os; os.lseek(0, 7, 0); os.execvp("mp4tool", ["mp4tool", "dump", "-"])' < both | cmp - want && echo same
      """)
    #expect(result.text == "same\n")
  }

  @Test("A reader that closes the pipe ends the tool quietly, with the exit code of SIGPIPE in a shell")
  func closedPipe() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool dump --verbosity 3 $(yes in.mp4 | head -n 40) | head -n 1; echo ${PIPESTATUS[0]}
      mp4tool dump --format json $(yes in.mp4 | head -n 40) | head -n 1; echo ${PIPESTATUS[0]}
      mp4tool defrag "$V"/progressive.mp4 --quiet -o - | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}
      """)
    #expect(result.lines == ["==> in.mp4 <==", "141", "[", "141", "141"])
    #expect(result.errorText == "")
  }

  @Test("--verbose reports that a pipe is stored in a temporary file, which is removed")
  func spooling() throws {
    let shell = try EndToEnd()
    let size = try shell(
      """
      cat "$V"/hls/init.mp4 > long.mp4; for i in 1 2 3 4 5; do cat "$V"/hls/segment{1,2,3,4,5,6,7,8,9,10,11,12}.m4s; done >> long.mp4
      wc -c < long.mp4
      """)
    #expect((Int(size.lines.first?.drop { $0 == " " } ?? "") ?? 0) > 600_000)
    let result = try shell("cat long.mp4 | mp4tool defrag --verbose - -o out.mp4 2>&1 | grep temporary")
    #expect(result.text == "mp4tool: note: standard input: pipes cannot seek; copied to a temporary file\n")
    #expect(try shell("cat long.mp4 | mp4tool defrag - -o out.mp4 2>&1 | grep temporary").text == "")
    let file = try shell("mp4tool defrag long.mp4 -o want.mp4 2>/dev/null; cmp want.mp4 out.mp4 && echo same")
    #expect(file.text == "same\n")
    #expect(shell.folder.names == ["in.mp4", "long.mp4", "out.mp4", "want.mp4"])
    let full = try shell("cat long.mp4 | TMPDIR=/nowhere mp4tool defrag - -o other.mp4")
    #expect(full.exitCode == 73)
    #expect(
      full.errorText == "mp4tool: temporary file in /nowhere: cannot create: no such file or directory\n")
  }
}
