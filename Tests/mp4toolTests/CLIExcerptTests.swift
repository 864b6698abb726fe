import Support
import Testing

@Suite("extract --box, --init, --cover and --chapters, end to end")
struct CLIExcerptTests {
  private let picture: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 1, 2, 3]

  @Test("A box is extracted as its payload, or completely with --whole, which several boxes require")
  func boxes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool extract --box ftyp in.mp4 -o a && mp4tool extract --box ftyp --whole in.mp4 -o b
      tail -c +9 b | cmp - a && head -c $(stat -c %s b) in.mp4 | cmp - b && echo same
      mp4tool extract --box //trak --whole in.mp4 -o c && head -c 8 c | tail -c 4 && cat in.mp4 | \
      mp4tool extract --box '//trak[1],//trak[2]' --whole - -o - | cmp - c && echo same
      mp4tool dump --only trak c
      mp4tool extract --box moof//tfdt $V/video/segment1.m4s -o - | wc -c
      """)
    #expect(result.errorText == "")
    #expect(result.lines.first == "same" && result.lines.dropFirst().first == "traksame")
    #expect(result.lines.filter { $0.hasPrefix("[trak]") }.count == 2)
    #expect(["8", "12"].contains(result.lines.last ?? ""))
  }

  @Test("The init segment equals that of the segments, and starts the same movie with them")
  func initSegment() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cat $V/video/init.mp4 $V/video/segment?.m4s > whole.mp4
      mp4tool extract --init whole.mp4 -o a && cmp a $V/video/init.mp4 && echo same
      mp4tool extract --init in.mp4 -o - | cat - in.mp4 > /dev/null; mp4tool extract --init a -o b && cmp a b && echo same
      mp4tool extract --init --dry-run in.mp4 2>&1 | head -1
      """)
    #expect(result.lines.prefix(2) == ["same", "same"], "\(result.errorText)")
  }

  @Test("A movie box with tables that are too short has an init segment")
  func shortTable() throws {
    let shell = try EndToEnd()
    let track = box("trak", box("mdia", box("minf", box("stbl", box("stsz", [0, 0, 0])))))
    let movie = box("ftyp", ascii("isom"), zeros(4)) + box("moov", track, box("mvex"))
    try shell.folder.write("short.mp4", movie + box("moof"))
    #expect(try shell("mp4tool extract --init short.mp4 -o out").exitCode == 0)
    #expect(try shell.bytes("out") == movie)
  }

  @Test("The cover has the added bytes, and a file name for another format is noted")
  func cover() throws {
    let shell = try EndToEnd()
    try shell.folder.write("cover.png", picture)
    let result = try shell(
      """
      mp4tool edit in.mp4 --cover cover.png -o tagged.mp4
      mp4tool extract --cover tagged.mp4 -o a.png && cmp a.png cover.png && echo same
      mp4tool extract --cover tagged.mp4 -o b.jpg && cmp b.jpg cover.png && echo same
      """)
    #expect(result.text == "same\nsame\n")
    #expect(
      result.errorText == "mp4tool: note: b.jpg: the content is a PNG picture, which is usually named .png\n")
  }

  @Test("Chapters are lines that edit reads, from Nero's list and from a chapter track")
  func chapters() throws {
    let shell = try EndToEnd()
    let text = "00:00:00.000 Start\n00:00:01.500 Ein Kapitel: süß\n00:00:02.040 End\n"
    try shell.folder.write("chapters.txt", Array(text.utf8))
    let result = try shell(
      """
      mp4tool edit in.mp4 --chapters chapters.txt -o made.mp4
      mp4tool extract --chapters made.mp4 -o - | cmp - chapters.txt && echo same
      mp4tool extract --chapters made.mp4 -o again.txt && mp4tool edit in.mp4 --chapters again.txt -o again.mp4
      cmp made.mp4 again.mp4 && echo same
      """)
    #expect(result.text == "same\nsame\n", "\(result.errorText)")
  }

  @Test("Missing content is refused, and nothing is written")
  func refused() throws {
    let shell = try EndToEnd()
    try shell.folder.write("text", Array("text".utf8))
    _ = try shell("mp4tool defrag -q in.mp4 -o flat.mp4; head -c 700 flat.mp4 > cut.mp4")
    let names = shell.folder.names
    for (line, code, message) in [
      ("--box moov/xxxx in.mp4 -o out", 65, "in.mp4: no box matches 'moov/xxxx'"),
      ("--box trak in.mp4 -o out", 65, "in.mp4: no box matches 'trak'; '//trak' matches boxes inside others"),
      (
        "--box moov/trak in.mp4 -o out", 65,
        "in.mp4: 2 boxes match 'moov/trak', but only one payload can be written; select it by its number, such as "
          + "'trak[2]'; --whole writes all of them"
      ),
      ("--box moov cut.mp4 -o out", 65, "cut.mp4: moov: the file is cut off; only "),
      ("--box ,, in.mp4 -o out", 64, "a path such as"),
      ("--whole in.mp4 -o out", 64, "option '--whole' needs '--box'"),
      ("--cover --whole in.mp4 -o out", 64, "option '--whole' needs '--box'"),
      ("--cover --chapters in.mp4 -o out", 64, "options '--cover' and '--chapters' contradict each other"),
      ("--init --tracks 1 in.mp4 -o out", 64, "options '--init' and '--tracks' contradict each other"),
      ("--box moov --raw in.mp4 -o out", 64, "options '--box' and '--raw' contradict each other"),
      ("--init in.mp4 in.mp4 -o out", 64, "option '--init' needs exactly one FILE, not 2"),
      ("--cover in.mp4 -o out", 65, "in.mp4: it has no cover"),
      ("--tracks 1 --boxes nope.boxes in.mp4 -o out", 66, "nope.boxes: cannot open"),
      ("--chapters in.mp4 -o out", 65, "in.mp4: it has no chapters"),
      (
        "--init flat.mp4 -o out", 65,
        "flat.mp4: it is not fragmented, so it has no init segment; 'mp4tool fragment' converts it to a fragmented file"
      ),
      ("--init $V/video/segment1.m4s -o out", 65, "this is a media segment without a moov box"),
      ("--init $V/hybrid.mp4 -o out", 65, "its moov contains samples"),
      ("--init text -o out", 65, "text: no moov box"), ("--cover text -o out", 65, "text"),
      ("--init none.mp4 -o out", 66, "none.mp4"), ("--box moov in.mp4 -o in.mp4", 73, ""), ("--init in.mp4", 64, "-o"),
    ] as [(String, Int32, String)] {
      let result = try shell("mp4tool extract \(line)")
      #expect(result.exitCode == code, "\(line): \(result.errorText)")
      #expect(result.errorText.contains(message), "\(line): \(result.errorText)")
    }
    #expect(shell.folder.names == names)
  }
}
