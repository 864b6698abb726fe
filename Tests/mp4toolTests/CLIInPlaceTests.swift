import Support
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("defrag --in-place, end to end")
struct CLIInPlaceTests {
  @Test("The file becomes progressive in place; a second time there is nothing to do")
  func changes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ln in.mp4 hard; inode=$(ls -i in.mp4); mp4tool defrag in.mp4 -o want.mp4
      mp4tool defrag --in-place -v in.mp4; echo $?
      test "$inode" = "$(ls -i in.mp4)" && cmp in.mp4 hard && echo same file; cp in.mp4 once.mp4
      mp4tool defrag in.mp4 --in-place; echo $?; cmp in.mp4 once.mp4
      mp4tool dump --verbosity 0 in.mp4 | grep -o '^\\[[a-z]*'
      """)
    #expect(result.lines == ["0", "same file", "0", "[ftyp", "[mdat", "[moov"])
    let grown = try shell.bytes("once.mp4").count - readFile(vectorPath("files/fragmented.mp4")).count
    #expect(
      result.errorLines == [
        "mp4tool: note: in.mp4: changed in place, \(grown) bytes were appended",
        "mp4tool: note: in.mp4: already progressive; nothing to do",
      ])
    let want = try SampleReader.read(shell.bytes("want.mp4"))
    #expect(try SampleReader.read(shell.bytes("in.mp4")).samples == want.samples)
    #expect(shell.folder.names == ["hard", "in.mp4", "once.mp4", "want.mp4"])
  }

  @Test("A file that would lose a track is not changed, and the message has an alternative")
  func lostTrack() throws {
    let shell = try EndToEnd()
    var bytes = try shell.bytes("in.mp4")
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: ascii("tkhd")) })
    bytes.replaceSubrange(place..<(place + 4), with: ascii("free"))
    try shell.folder.write("in.mp4", bytes)
    let result = try shell("mp4tool defrag --in-place in.mp4; echo $?")
    #expect(result.lines == ["65"])
    #expect(
      result.errorLines == [
        "mp4tool: in.mp4: moov/trak/tkhd: the box is missing; a track would be lost; not changed; -o writes the other "
          + "tracks to a new file"
      ])
    #expect(try shell.bytes("in.mp4") == bytes)
  }

  @Test(
    "Options that conflict with --in-place are wrong usage, and the file is not changed",
    arguments: [
      (
        "in.mp4 -o out.mp4",
        "options '--in-place' and '--output' contradict each other: the media is not moved, and no other file is "
          + "written"
      ),
      (
        "in.mp4 --no-clobber",
        "options '--in-place' and '--no-clobber' contradict each other: the media is not moved, and no other file is "
          + "written"
      ),
      (
        "in.mp4 --moov last",
        "options '--in-place' and '--moov' contradict each other: the media is not moved, and no other file is written"
      ),
      ("in.mp4 in.mp4", "option '--in-place' needs exactly one INPUT, not 2"),
      ("-", "option '--in-place' needs a regular file, and '-' is not one"),
      ("/dev/stdin", "option '--in-place' needs a regular file, and '/dev/stdin' is not one"),
      ("pipe", "option '--in-place' needs a regular file, and 'pipe' is not one"),
      ("", "INPUT is missing: 'mp4tool defrag [OPTION]... {-o OUT | --in-place} INPUT...'"),
    ])
  func usage(arguments: String, message: String) throws {
    let shell = try EndToEnd()
    let result = try shell("mkfifo pipe; mp4tool defrag --in-place \(arguments) < in.mp4")
    #expect(result.exitCode == 64)
    #expect(result.errorText == "mp4tool defrag: \(message)\nTry 'mp4tool defrag --help'.\n")
    #expect(try shell.bytes("in.mp4") == readFile(vectorPath("files/fragmented.mp4")))
    #expect(shell.folder.names == ["in.mp4", "pipe"])
  }

  @Test("A dry run in place changes nothing, and both it and the change can have a report")
  func report() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp in.mp4 before.mp4
      mp4tool defrag --in-place --dry-run --report dry.json in.mp4; echo $?; cmp in.mp4 before.mp4 && echo same
      mp4tool defrag --in-place --report in.mp4 in.mp4 2> /dev/null; echo $?; cmp in.mp4 before.mp4 && echo same
      mp4tool defrag --in-place --tracks 2 --report made.json in.mp4; echo $?
      mp4tool dump in.mp4 | grep -c '\\[trak\\]'
      mp4tool defrag -q --in-place --report again.json in.mp4; echo $?
      """)
    #expect(result.text == "0\nsame\n73\nsame\n0\n1\n0\n")
    let again = try JSONValue(shell.bytes("again.json"))
    #expect(again["output"]?["is_written"] == .bool(false) && again["tracks"]?.elements.count == 1)
    let dry = try JSONValue(shell.bytes("dry.json"))
    let made = try JSONValue(shell.bytes("made.json"))
    #expect(dry["output"]?["is_written"] == .bool(false) && made["output"]?["is_written"] == .bool(true))
    #expect(dry["tracks"]?.elements.count == 2 && made["tracks"]?.elements.count == 1)
  }

  @Test("Changes that are impossible in place exit with their code and change nothing")
  func refusals() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      head -c 1000 in.mp4 > init.mp4; echo text > text; cat "$V"/hls/segment1.m4s "$V"/hls/init.mp4 > last.mp4
      head -c 30000 in.mp4 > cut.mp4; mkdir folder
      for file in init.mp4 text last.mp4; do
        cksum $file > sum; mp4tool defrag --in-place $file 2>/dev/null; echo $file $?; cksum $file | cmp - sum
      done
      cksum cut.mp4 > sum; mp4tool defrag --strict --in-place cut.mp4 2> messages; echo strict $?; cksum cut.mp4 | cmp - sum
      tail -n 1 messages
      mp4tool defrag --in-place none.mp4; echo $?; mp4tool defrag --in-place folder; echo $?
      exec 5>> in.mp4; cksum in.mp4 > sum; mp4tool defrag --in-place in.mp4; echo $?; cksum in.mp4 | cmp - sum
      """)
    #expect(
      result.lines == [
        "init.mp4 65", "text 65", "last.mp4 65", "strict 65",
        "mp4tool: cut.mp4: not changed because of 3 errors (--strict)", "66", "66",
        "73",
      ])
    #expect(
      result.errorLines == [
        "mp4tool: none.mp4: cannot open: no such file or directory",
        "mp4tool: folder: cannot open: it is a directory",
        "mp4tool: in.mp4: cannot change: another program has it open for writing; is it still being recorded?",
      ])
  }

  @Test(
    "A read-only file is refused with 73",
    .enabled(if: geteuid() != 0, "root may write everything"))
  func readOnly() throws {
    let result = try EndToEnd()("chmod 444 in.mp4; mp4tool defrag --in-place in.mp4")
    #expect(result.exitCode == 73)
    #expect(result.errorText == "mp4tool: in.mp4: cannot change: permission denied\n")
  }

  @Test("A truncated recording keeps the same samples as a copy", arguments: [16_000, 20_000, 30_000])
  func cut(count: Int) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      head -c \(count) in.mp4 > cut.mp4; mp4tool defrag -q cut.mp4 -o want.mp4 2> want.text; echo $?
      mp4tool defrag --in-place cut.mp4 2> text; echo $?; cmp text want.text && echo same
      """)
    #expect(result.lines == ["1", "1", "same"])
    let want = try SampleReader.read(shell.bytes("want.mp4"))
    #expect(try SampleReader.read(shell.bytes("cut.mp4")).samples == want.samples)
  }

  @Test("If the disk or a limit allows no more bytes, the file is unchanged")
  func noRoom() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "cp in.mp4 copy; (ulimit -f 46; trap '' XFSZ; mp4tool defrag --in-place in.mp4); echo $?; cmp in.mp4 copy && "
        + "echo same"
    )
    #expect(result.lines == ["74", "same"])
    #expect(result.errorText.hasPrefix("mp4tool: in.mp4: cannot write at byte 47104: "))
    #expect(result.errorText.hasSuffix("the file system or a limit does not allow a file of this size\n"))
  }

  /// The calls that change the file, in order, each with its number. The fifth one is the last write.
  private static let calls = [
    ("write", 1), ("fsync", 1), ("write", 2), ("fsync", 2), ("pwrite64", 1), ("fsync", 3),
  ]

  @Test(
    "After a termination signal the file is unchanged byte for byte, or finished after the last write",
    .enabled(if: Effort.has("strace"), "needs MP4TOOL_TESTS=all and strace"), arguments: [("INT", 130), ("TERM", 143)])
  func stopped(signal: (name: String, code: Int)) throws {
    let shell = try EndToEnd()
    for (index, call) in Self.calls.enumerated() {
      let result = try shell(
        """
        cp in.mp4 file.mp4
        strace -qq -o trace -e trace=\(call.0) -e inject=\(call.0):signal=SIG\(signal.name):when=\(call.1) \\
          mp4tool defrag --in-place file.mp4; echo $?
        cmp -s in.mp4 file.mp4 && echo same
        """)
      #expect(result.lines == ["\(signal.code)"] + (index < 4 ? ["same"] : []), "\(call)")
      // Only the shell reports the signal.
      #expect(!result.errorText.contains("mp4tool"))
      if index >= 4 { #expect(try !SampleReader.read(shell.bytes("file.mp4")).isFragmented) }
    }
  }

  @Test(
    "After SIGKILL at any call the file is fragmented or finished, and the command can be repeated",
    .enabled(if: Effort.has("strace"), "needs MP4TOOL_TESTS=all and strace"))
  func killed() throws {
    let shell = try EndToEnd()
    let before = try SampleReader.read(shell.bytes("in.mp4")).samples.mapValues { $0.map(\.payload) }
    for call in Self.calls {
      let killed = try shell(
        """
        cp in.mp4 file.mp4
        strace -qq -o trace -e trace=\(call.0) -e inject=\(call.0):signal=SIGKILL:when=\(call.1) \\
          mp4tool defrag --in-place file.mp4; echo $?
        """)
      #expect(killed.lines == ["137"])
      let left = try SampleReader.read(shell.bytes("file.mp4"))
      #expect(left.samples.mapValues { $0.map(\.payload) } == before, "\(call)")
      let again = try shell("mp4tool defrag -q --in-place file.mp4")
      #expect(again.exitCode == 0)
      let finished = try SampleReader.read(shell.bytes("file.mp4"))
      #expect(!finished.isFragmented)
      #expect(finished.samples.mapValues { $0.map(\.payload) } == before, "\(call)")
    }
  }

  /// Creates before.mp4, between.mp4 (interrupted before the last write), after.mp4, and copy.mp4 without `--in-place`.
  private static let moments = """
    cp in.mp4 before.mp4; cp in.mp4 between.mp4; cp in.mp4 after.mp4
    { strace -qq -o trace -e trace=pwrite64 -e inject=pwrite64:signal=SIGKILL:when=1 \\
      mp4tool defrag --in-place between.mp4; } 2>/dev/null
    mp4tool defrag --in-place after.mp4; mp4tool defrag before.mp4 -o copy.mp4

    """

  @Test(
    "ffprobe reads the file before, between and after without a message",
    .enabled(if: Effort.has("ffprobe", "strace"), "needs MP4TOOL_TESTS=all and ffmpeg and strace"))
  func otherReader() throws {
    let result = try EndToEnd()(
      Self.moments + """
        for moment in before between after; do
          ffprobe -v warning -count_packets -show_entries stream=nb_read_packets -of csv=p=0 $moment.mp4 | tr '\\n' ' '
        done
        """)
    #expect(result.errorText == "")
    #expect(result.text == String(repeating: "152 131 ", count: 3))
  }

  @Test(
    "GStreamer reads the same media before and between, and afterwards as from a copy, without a message",
    .enabled(if: Effort.has("gst-launch-1.0", "strace"), "needs MP4TOOL_TESTS=all and GStreamer and strace"))
  func anotherReader() throws {
    let result = try EndToEnd()(
      Self.moments + """
        for moment in before between after copy; do
          gst-launch-1.0 -q filesrc location=$moment.mp4 ! qtdemux name=demux \\
            demux.video_0 ! queue ! filesink location=video demux.audio_0 ! queue ! filesink location=audio
          cksum video audio | cut -d ' ' -f 1,2 | tr '\\n' ' '; echo
        done
        """)
    #expect(result.errorText == "")
    try #require(result.lines.count == 4)
    #expect(result.lines[0] == result.lines[1] && result.lines[2] == result.lines[3])
    #expect(result.lines.first?.split(separator: " ").count == 4)
  }
}
