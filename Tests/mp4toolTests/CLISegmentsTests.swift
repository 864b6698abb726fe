import Support
import Testing

@Suite("fragment --segments, end to end")
struct CLISegmentsTests {
  /// The boxes of a file concatenated, except for those of one type.
  private static func without(_ type: String, _ file: [UInt8]) -> [UInt8] {
    var (kept, start) = ([UInt8](), 0)
    while start + 8 <= file.count {
      let size = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, start + size <= file.count else { break }
      if String(decoding: file[start + 4..<start + 8], as: UTF8.self) != type { kept += file[start..<start + size] }
      start += size
    }
    return kept
  }

  @Test(
    "The joined segments equal the file that -o writes, except for styp",
    arguments: [
      ("progressive.mp4", ""), ("progressive.mp4", "--tracks video --fragment-duration 0.5"),
      ("progressive.mp4", "--profile apple --segment-duration 2"), ("progressive.mov", "--segment-duration 1"),
      ("encrypted-cenc.mp4", "--segment-duration 1"), ("hevc-fragmented.mp4", "--segment-duration 1"), ("pcm.mov", ""),
    ])
  func joined(file: String, options: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool fragment -q "$V/\(file)" \(options) -o whole.mp4; echo $?
      mp4tool fragment -q "$V/\(file)" \(options) --segments made; echo $?
      mp4tool join -q made/init.mp4 made/segment*.m4s -o joined.mp4; echo $?
      for segment in made/segment*.m4s; do mp4tool dump --verbosity 0 $segment | head -n 1; done | sort -u
      mp4tool defrag -q whole.mp4 -o one.mp4; mp4tool defrag -q made/init.mp4 made/segment*.m4s -o two.mp4
      cmp one.mp4 two.mp4 && echo same
      """)
    #expect(result.lines.first == "0" && result.lines[1] == "0" && result.lines[2] == "0", "\(result)")
    #expect(result.lines.dropFirst(3).first?.hasPrefix("[styp] size=8+") == true)
    #expect(result.lines.last == "same")
    #expect(try Self.without("styp", shell.bytes("joined.mp4")) == shell.bytes("whole.mp4"))
    #expect(shell.folder.names == ["in.mp4", "joined.mp4", "made", "one.mp4", "two.mp4", "whole.mp4"])
  }

  @Test("Files are named as requested, with numbers from 1, and the folder contains nothing else")
  func names() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cut="mp4tool fragment -q $V/progressive.mp4 --cut-at 2,4 --segments"
      $cut a && ls -A a
      $cut b --segment-name seg-%05d.m4s --init-name head.mp4 && ls -A b
      $cut ./c/ --segment-name %d --init-name=.init && ls -A c
      $cut d --segment-name=%01d%% 2> usage; echo $?
      $cut d --segment-name=%020d.m4s && ls -A d
      """)
    let expected = """
      init.mp4 segment1.m4s segment2.m4s segment3.m4s head.mp4 seg-00001.m4s seg-00002.m4s seg-00003.m4s .init 1 2 3 64 \
      00000000000000000001.m4s 00000000000000000002.m4s 00000000000000000003.m4s init.mp4
      """
    #expect(result.lines.joined(separator: " ") == expected)
    #expect(result.errorText == "")
  }

  private static let pattern = "takes a file name that contains one %d or %0Nd, such as seg-%05d.m4s, not"

  private static let usage: [(options: String, message: String)] =
    [
      ("", "option '--output' is missing: add '-o OUT' or '--segments DIR'"),
      (
        "-o out.mp4 --segments made",
        "options '--segments' and '--output' contradict each other: the output is either a folder or a file"
      ),
      (
        "--mfra --segments made",
        "options '--segments' and '--mfra' contradict each other: the table is at the end of one file"
      ),
      ("--segments -", "option '--segments' writes a folder, which cannot go to standard output"),
      ("--segments ''", "option '--segments' needs a value"),
      ("-o out.mp4 --segment-name s%d.m4s", "option '--segment-name' needs '--segments DIR'"),
      ("--dry-run --init-name i.mp4", "option '--init-name' needs '--segments DIR'"),
      ("--segments made --init-name a/b", "option '--init-name' takes a file name without slashes, not 'a/b'"),
      ("--segments made --init-name ..", "option '--init-name' takes a file name without slashes, not '..'"),
      (
        "--segments made --init-name segment3.m4s",
        "the init segment and a media segment would both be named 'segment3.m4s'"
      ),
      (
        "--segments made --segment-name a%03d --init-name a007",
        "the init segment and a media segment would both be named 'a007'"
      ),
    ]
    + ["s.m4s", "a/s%d.m4s", "s%d-%d.m4s", "s%5d.m4s", "s%0d.m4s", "s%021d", "s%s.m4s", "s%", "%%d", ""].map {
      ("--segments made --segment-name '\($0)'", "option '--segment-name' \(pattern) '\($0)'")
    }

  @Test("Conflicting options and impossible names are wrong usage, and nothing is written", arguments: usage)
  func wrongUsage(options: String, message: String) throws {
    let shell = try EndToEnd()
    let result = try shell("mp4tool fragment in.mp4 \(options)")
    #expect(result.exitCode == 64)
    #expect(result.errorText == "mp4tool fragment: \(message)\nTry 'mp4tool fragment --help'.\n")
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test(
    "Names similar to those of segments are accepted", arguments: ["segment0.m4s", "segment01.m4s", "segment.m4s"])
  func similarNames(name: String) throws {
    let result = try EndToEnd()("mp4tool fragment -q in.mp4 --segments made --init-name \(name) && ls made")
    #expect(result.lines.contains(Substring(name)))
    #expect(result.exitCode == 0)
  }

  @Test(
    "A folder that cannot be created is reported with its name and 73 before anything is read, and nothing is left",
    arguments: [
      ("full", "full: cannot create: the directory is not empty"),
      (".", ".: cannot create: the directory is not empty"),
      ("in.mp4", "in.mp4: cannot create: the file exists"),
      ("--no-clobber full", "full: cannot create: the directory is not empty"),
      ("--dry-run full", "full: cannot create: the directory is not empty"),
      ("none/made", "none/made: cannot create: no such file or directory"),
      ("in.mp4/made", "in.mp4/made: cannot create: a part of the path is not a directory"),
      ("loop", "loop: cannot create: symbolic links form a loop"),
      ("/dev/null", "/dev/null: cannot create: the file exists"),
    ])
  func refused(folder: String, message: String) throws {
    let shell = try EndToEnd()
    _ = try shell("mkdir full; echo text > full/text; ln -s loop loop; echo damaged > bad.mp4")
    let names = shell.folder.names
    let words = folder.split(separator: " ")
    let options = (words.dropLast() + ["--segments", words[words.count - 1]]).joined(separator: " ")
    let result = try shell("mp4tool fragment bad.mp4 \(options)")
    #expect(result.exitCode == 73)
    #expect(result.errorText == "mp4tool: \(message)\n")
    #expect(shell.folder.names == names)
  }

  @Test("An empty folder and a link to one are filled; --no-clobber and --fsync have no other effect")
  func empty() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir -m 750 empty; ln -s empty link
      mp4tool fragment -q in.mp4 --segments link --no-clobber --fsync --strict; echo $?
      test -L link && stat -c %a empty && ls link | head -n 1
      mp4tool fragment -q in.mp4 --segments link; echo $?
      """)
    #expect(result.lines == ["0", "750", "init.mp4", "73"])
    #expect(shell.folder.names == ["empty", "in.mp4", "link"])
  }

  @Test("A dry run reports the size, --strict refuses losses, and neither creates the folder")
  func notMade() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool fragment -v --dry-run in.mp4 --segments made; echo $?
      mp4tool fragment -v in.mp4 --segments made; cat made/* | wc -c
      head -c 30000 in.mp4 > cut.mp4
      mp4tool fragment -q --strict cut.mp4 --segments strict 2> messages; echo $?; tail -n 1 messages
      mp4tool fragment -q cut.mp4 --segments lossy 2> messages; echo $?
      echo damaged > bad.mp4; mp4tool fragment -q bad.mp4 --segments bad 2> messages; echo $?
      """)
    let size = try #require(result.lines.dropFirst().first)
    #expect(
      result.lines == [
        "0", size, "65",
        "mp4tool: strict: not written because of 3 errors (--strict)", "1", "65",
      ])
    #expect(
      result.errorLines.first == "mp4tool: note: the output would have \(size) bytes, 1 segment"
        || result.errorLines.first?.hasPrefix("mp4tool: note: the output would have \(size) bytes, ") == true)
    #expect(result.errorLines.last == "mp4tool: note: made: \(size) bytes")
    #expect(shell.folder.names == ["bad.mp4", "cut.mp4", "in.mp4", "lossy", "made", "messages"])
  }

  @Test("A report lists the folder and its files with their sizes, and must not be inside the folder")
  func report() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool fragment -q in.mp4 --segments made --report report.json; echo $?; mkdir empty
      mp4tool fragment -q in.mp4 --segments empty --report empty/report.json 2> first; echo $?
      mp4tool fragment -q in.mp4 --segments new --report ./new 2> second; echo $?; cat first second
      mp4tool fragment -q --dry-run in.mp4 --segments new --report dry.json; echo $?
      """)
    let message = "cannot create: it is also the output, which would be overwritten"
    #expect(
      result.lines == ["0", "73", "73", "mp4tool: empty/report.json: \(message)", "mp4tool: ./new: \(message)", "0"])
    #expect(namesInFolder(shell.folder("empty")) == [])
    #expect(shell.folder.names == ["dry.json", "empty", "first", "in.mp4", "made", "report.json", "second"])
    let report = try JSONValue(shell.bytes("report.json"))
    #expect(report["output"]?["name"] == .string("made") && report["output"]?["is_written"] == .bool(true))
    let files = try #require(report["segments"]?.elements)
    #expect(files.count == namesInFolder(shell.folder("made")).count)
    for file in files {
      let name = try #require(file["name"]?.string)
      #expect(file["size"]?.number == "\(try shell.bytes("made/" + name).count)")
    }
    #expect(try JSONValue(shell.bytes("dry.json"))["output"]?["is_written"] == .bool(false))
  }

  @Test("A file that exceeds a limit is reported with 74, and neither the folder nor a part of it is left")
  func limit() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "ulimit -f 8; trap '' XFSZ; mp4tool fragment -q in.mp4 --segment-duration 2 --segments made; echo $?; ls -A")
    #expect(result.lines == ["74", "in.mp4"])
    #expect(result.errorText.hasPrefix("mp4tool: made/segment1.m4s: cannot write at byte "))
  }
}
