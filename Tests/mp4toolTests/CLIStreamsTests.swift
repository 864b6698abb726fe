import Support
import Testing

@Suite("Closed standard streams and signals, end to end")
struct CLIStreamsTests {
  @Test("Messages are never written to the output, regardless of the descriptors at the start")
  func closedStreams() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      head -c 30000 in.mp4 > cut.mp4
      mp4tool defrag cut.mp4 -o want.mp4 2>messages
      for streams in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
        eval "mp4tool defrag cut.mp4 -o have.mp4 2>again $streams"
        echo $? $(cmp want.mp4 have.mp4 && echo same)
      done
      """)
    #expect(result.lines == Array(repeating: "1 same", count: 7))
    #expect(try shell.bytes("messages").isEmpty == false)
  }

  @Test("A closed standard input cannot be read, and a closed standard output cannot be written")
  func useOfClosedStreams() throws {
    let shell = try EndToEnd()
    for line in ["mp4tool dump - <&-", "mp4tool defrag - -o o.mp4 <&-", "mp4tool join - in.mp4 -o o.mp4 <&-"] {
      let input = try shell(line)
      #expect(input.exitCode == 74)
      #expect(input.errorText == "mp4tool: standard input: cannot read at byte 0: Bad file descriptor\n")
      #expect(shell.folder.names == ["in.mp4"])
    }
    for line in ["mp4tool dump in.mp4 >&-", "mp4tool --help >&-"] {
      let output = try shell(line)
      #expect(output.exitCode == 74)
      #expect(output.errorText == "mp4tool: standard output: cannot write: Bad file descriptor\n")
    }
    let copy = try shell("mp4tool defrag in.mp4 -o - >&-")
    #expect(copy.exitCode == 74)
    #expect(copy.errorText == "mp4tool: standard output: cannot write at byte 0: Bad file descriptor\n")
  }
}
