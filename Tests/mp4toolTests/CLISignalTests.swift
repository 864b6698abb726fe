import Support
import Testing

@Suite("Signals, end to end")
struct CLISignalTests {
  /// Sends a signal to a defrag that waits in the middle of its input (a FIFO), then to one that waits in the middle of
  /// its output, and prints the exit codes and the contents of the output folder.
  private static let lines = """
    mkfifo pipe; mkdir made; echo old > made/old.mp4
    # With job control, SIGINT is not ignored in the background.
    set -m
    mp4tool defrag pipe -o made/$NAME & tool=$!
    exec 5> pipe; head -c 20000 in.mp4 >&5; until_waiting $tool
    ls -A made | tr '\\n' ' '
    kill -$SIGNAL $tool; wait $tool 2>/dev/null; echo $?
    ls -A made | tr '\\n' ' '; cat made/old.mp4
    """

  @Test(
    "A signal ends the tool with that signal, leaves no output or temporary file, and keeps an existing output",
    arguments: [("INT", 130), ("TERM", 143), ("HUP", 129), ("KILL", 137)], ["new.mp4", "old.mp4"])
  func whileReading(signal: (name: String, code: Int), output: String) throws {
    let shell = try EndToEnd()
    let result = try shell("SIGNAL=\(signal.name) NAME=\(output)\n" + Self.lines)
    #expect(result.text == "old.mp4 \(signal.code)\nold.mp4 old\n")
    #expect(shell.folder.names == ["in.mp4", "made", "pipe"])
  }

  @Test(
    "A signal in the middle of writing leaves nothing either",
    .enabled(if: Effort.has("strace"), "needs MP4TOOL_TESTS=all and strace"),
    arguments: [("INT", 130), ("TERM", 143), ("KILL", 137)])
  func whileWriting(signal: (name: String, code: Int)) throws {
    let shell = try EndToEnd()
    // strace delivers the signal in the middle of writing, and when the output is about to get its name. Between the
    // linkat and the renameat that replaces a file, the complete output has a temporary name, which SIGKILL leaves.
    for call in ["write,writev,copy_file_range", "linkat", "renameat,renameat2"].prefix(signal.name == "KILL" ? 2 : 3) {
      let result = try shell(
        """
        mkdir -p made; echo old > made/old.mp4
        strace -qq -o trace -e trace=\(call) -e inject=\(call):signal=SIG\(signal.name):when=1 \\
          mp4tool defrag in.mp4 -o made/old.mp4; echo $?
        ls -A made
        """)
      #expect(result.lines == ["\(signal.code)", "old.mp4"], "\(call)")
    }
  }

  @Test("A signal that was ignored from the start stays ignored, as under nohup")
  func ignored() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkfifo pipe; trap '' HUP
      mp4tool defrag pipe -o out.mp4 & tool=$!
      exec 5> pipe; head -c 20000 in.mp4 >&5; until_waiting $tool; kill -HUP $tool
      tail -c +20001 in.mp4 >&5; exec 5>&-; wait $tool; echo $?
      mp4tool defrag in.mp4 -o want.mp4; cmp want.mp4 out.mp4 && echo same
      """)
    #expect(result.lines == ["0", "same"])
  }
}
