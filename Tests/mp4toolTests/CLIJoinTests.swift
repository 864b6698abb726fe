import Support
import Testing

@Suite("join, end to end")
struct CLIJoinTests {
  /// The init segment and the media segments with these numbers of a set, as file names for a shell.
  private static func names(_ set: String, _ numbers: some Sequence<Int>) -> String {
    (["init.mp4"] + numbers.map { "segment\($0).m4s" }).map { "\"$V\"/\(set)/\($0)" }.joined(separator: " ")
  }

  @Test(
    "For any segment order, the result is their concatenation in time order, with a note",
    arguments: [("hls", 12), ("video", 5), ("audio", 4)])
  func order(set: String, count: Int) throws {
    let shell = try EndToEnd()
    let want = "cat \(Self.names(set, 1...count)) > want"
    let ordered = try shell("\(want); mp4tool join \(Self.names(set, 1...count)) -o out; cmp out want && echo same")
    #expect(ordered.text == "same\n")
    #expect(ordered.errorText == "")
    let note = "segments were sorted by decode time\n"
    let reverse = try shell("mp4tool join \(Self.names(set, (1...count).reversed())) -o out; cmp out want && echo same")
    #expect(reverse.text == "same\n")
    #expect(reverse.errorText.hasPrefix("mp4tool: note: ") && reverse.errorText.hasSuffix(note))
    #expect(reverse.errorLines.count == 1)
    let given = try shell(
      """
      mp4tool join --order given \(Self.names(set, (1...count).reversed())) -o out 2>/dev/null
      cat \(Self.names(set, (1...count).reversed())) | cmp out - && echo same
      """)
    #expect(given.text == "same\n")
  }

  @Test("A gap is reported in seconds with the names of both files")
  func hole() throws {
    let result = try EndToEnd()(
      "cd \"$V\"/hls; mp4tool join init.mp4 segment1.m4s segment2.m4s segment4.m4s -o /dev/null")
    #expect(result.exitCode == 0)
    #expect(
      result.errorText
        == "mp4tool: warning: segment4.m4s: gap of 2.000 s between segment2.m4s and this segment\n")
  }

  @Test("A repeated segment is reported with both names")
  func duplicate() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "cp \"$V\"/hls/* .; cp segment2.m4s again.m4s; mp4tool join init.mp4 segment1.m4s segment2.m4s again.m4s "
        + "segment3.m4s -o /dev/null"
    )
    #expect(result.exitCode == 0)
    #expect(
      result.errorLines.last
        == "mp4tool: warning: segment2.m4s: this segment has the same times as again.m4s; one of them is a duplicate")
  }

  @Test("Any number of segments is joined, regardless of the initial limit of open files")
  func manySegments() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for i in $(seq 1 \(Effort.count(short: 20, all: 150))); do
        mkdir -p many/$i; ln "$V"/hls/segment*.m4s many/$i 2>/dev/null || cp "$V"/hls/segment*.m4s many/$i
      done
      ulimit -Sn 64
      mp4tool join -q --order given "$V"/hls/init.mp4 many/*/*.m4s -o out; echo $?
      cat "$V"/hls/init.mp4 many/*/*.m4s | cmp - out && echo same
      """)
    #expect(result.lines == ["0", "same"])
    #expect(result.errorText == "")
    // If the system itself allows no more, the message says so and nothing is written.
    let few = try shell("ulimit -n 64; rm out; mp4tool join \"$V\"/hls/init.mp4 many/*/*.m4s -o out")
    #expect(few.exitCode == 66)
    #expect(few.errorText.hasSuffix(".m4s: cannot open: too many files are open\n"))
    #expect(!fileExists(shell.folder("out")))
  }
}
