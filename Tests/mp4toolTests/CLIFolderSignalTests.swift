import Support
import Testing

@Suite("Signals while a folder is written, end to end")
struct CLIFolderSignalTests {
  /// The system calls at which a signal arrives, in order: the folder appears only with the last one, the rename.
  private static let calls = [
    ("mkdir,mkdirat", 1), ("write", 1), ("write", 2), ("close", 1), ("rename,renameat,renameat2", 1),
  ]

  @Test(
    "A signal at any call ends the tool with that signal, and leaves the complete folder or nothing",
    .enabled(if: Effort.has("strace"), "needs MP4TOOL_TESTS=all and strace"),
    arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
  func stopped(signal: (name: String, code: Int)) throws {
    let shell = try EndToEnd()
    for (index, call) in Self.calls.enumerated() {
      let result = try shell(
        """
        rm -rf made
        strace -qq -o trace -e trace=\(call.0) -e inject=\(call.0):signal=SIG\(signal.name):when=\(call.1) \\
          mp4tool fragment -q in.mp4 --segment-duration 1 --segments made; echo $?
        ls -A | tr '\\n' ' '; ls made 2> /dev/null | wc -l
        """)
      let isWritten = index == Self.calls.count - 1
      #expect(result.lines.first == "\(signal.code)", "\(call)")
      #expect(
        result.lines.last.map { $0.hasPrefix(isWritten ? "in.mp4 made trace " : "in.mp4 trace 0") } == true, "\(call)")
      if isWritten { #expect(try shell("mp4tool join -q made/init.mp4 made/*.m4s -o /dev/null").exitCode == 0) }
      #expect(!result.errorText.contains("mp4tool: "))
    }
  }

  @Test("A signal while the input is read and the folder is still empty leaves nothing either")
  func whileReading() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkfifo pipe; set -m
      for signal in INT TERM HUP; do
        mp4tool fragment pipe --segments made & tool=$!
        exec 5> pipe; head -c 20000 in.mp4 >&5; until_waiting $tool
        ls -Ad .made.* | wc -l; kill -$signal $tool; wait $tool 2> /dev/null; echo $?; exec 5>&-
      done
      ls -A
      """)
    #expect(result.lines == ["1", "130", "1", "143", "1", "129", "in.mp4", "pipe"])
  }

  /// The timing of the signal depends on the machine; the result must be right in any case.
  private static let delays = Effort.some(
    ["0", "0.002", "0.005", "0.01", "0.015", "0.02", "0.03", "0.05", "0.07", "0.1", "0.15"], short: 3
  ).joined(separator: " ")

  @Test("Stopped at any time, the tool leaves the whole folder or nothing; killed, it leaves no folder with the name")
  func anyTime() throws {
    let shell = try EndToEnd()
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<600 {
      file.addFragment { fragment in
        fragment.addTraf(1, .samples(10, size: 3000))
        fragment.addTraf(2, .samples(20, size: 300))
      }
    }
    try shell.folder.write("long.mp4", file.build().bytes)
    let result = try shell(
      """
      mp4tool fragment -q long.mp4 --segment-duration 0.3 --segments want; ls want | wc -l > count; cat want/* | cksum > sum; mkdir made
      for signal in KILL INT; do
        for delay in \(Self.delays); do
          rm -rf made/out made/.o*
          (set -m; mp4tool fragment -q long.mp4 --segment-duration 0.3 --segments made/out & sleep $delay; kill -$signal $!; wait $!) 2>/dev/null
          code=$?
          if test -d made/out; then
            if ls made/out | wc -l | cmp -s - count && cat made/out/* | cksum | cmp -s - sum; then echo whole; else echo broken; fi
          else echo nothing; fi
          test $code = 0 -o $code = 130 -o $code = 137 || echo "ended with $code"
          test $signal = KILL || ls -A made | grep -v '^out$'
        done
      done | sort -u
      """)
    #expect(Set(result.lines).subtracting(["whole", "nothing"]) == [])
    #expect(result.errorText == "")
  }

  @Test(
    "--fsync syncs every file and folder before the rename, and the parent folder after it",
    .enabled(if: Effort.has("strace"), "needs MP4TOOL_TESTS=all and strace"))
  func syncs() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      strace -qq -o trace -e trace=fsync,rename,renameat,renameat2 mp4tool fragment -q in.mp4 --fsync --segments made
      ls made | wc -l; cut -d '(' -f 1 trace | sed 's/rename.*/rename/' | uniq -c | awk '{ print $2, $1 }'
      strace -qq -o trace -e trace=fsync mp4tool fragment -q in.mp4 --segments other; wc -l < trace
      """)
    let files = try #require(result.lines.first.flatMap { Int($0) })
    // Each file and the folder, the rename, and the parent folder.
    #expect(result.lines.dropFirst() == ["fsync \(files + 1)", "rename 1", "fsync 1", "0"])
  }
}
