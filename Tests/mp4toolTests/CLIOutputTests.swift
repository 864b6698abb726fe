import Support
import Testing

@Suite("Outputs, end to end")
struct CLIOutputTests {
  @Test(
    "An output that cannot be created is reported with its name and 73, and nothing is left",
    arguments: [
      ("-o none/out.mp4", "none/out.mp4: cannot create: no such file or directory"),
      ("-o text/out.mp4", "text/out.mp4: cannot create: a part of the path is not a directory"),
      ("-o folder", "folder: cannot create: it is a directory"),
      ("-o folder/", "folder/: cannot create: it is a directory"),
      ("-o new/", "new/: cannot create: it is a directory"),
      ("-o .", ".: cannot create: it is a directory"),
      ("-o loop", "loop: cannot create: symbolic links form a loop"),
      ("-o dangling", "dangling: cannot create: no such file or directory"),
      ("--no-clobber -o text", "text: cannot create: the file exists"),
      ("--no-clobber -o link", "link: cannot create: the file exists"),
      ("-o in.mp4", "in.mp4: cannot create: it is also an input, which would be overwritten"),
      ("-o ./in.mp4", "./in.mp4: cannot create: it is also an input, which would be overwritten"),
      ("-o folder/../in.mp4", "folder/../in.mp4: cannot create: it is also an input, which would be overwritten"),
      ("-o hard", "hard: cannot create: it is also an input, which would be overwritten"),
      ("-o soft", "soft: cannot create: it is also an input, which would be overwritten"),
      ("-o /dev/fd/77", "/dev/fd/77: cannot create: Bad file descriptor"),
    ])
  func refused(options: String, message: String) throws {
    let shell = try EndToEnd()
    _ = try shell(
      """
      mkdir folder; echo text > text; ln -s loop loop; ln -s none/out dangling; ln in.mp4 hard; ln -s in.mp4 soft
      ln -s text link; cksum in.mp4 text > sums
      """)
    let names = shell.folder.names
    for command in ["defrag in.mp4", "join in.mp4 \"$V/hls/segment1.m4s\""] {
      let result = try shell("mp4tool \(command) \(options)")
      #expect(result.exitCode == 73)
      #expect(result.errorText == "mp4tool: \(message)\n")
      #expect(shell.folder.names == names)
      #expect(try shell("ls -A folder; cksum in.mp4 text | cmp - sums").description == "exit code 0\n\n")
    }
  }

  @Test("An input from a standard stream is not overwritten under another name either")
  func redirections() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp in.mp4 copy.mp4
      mp4tool defrag - -o in.mp4 < in.mp4; echo $?
      mp4tool defrag in.mp4 -o - >> in.mp4; echo $?
      mp4tool defrag in.mp4 -o /dev/stdout 1<> in.mp4; echo $?
      cmp in.mp4 copy.mp4 && echo same
      """)
    #expect(result.lines == ["73", "73", "73", "same"])
    #expect(result.errorLines.count == 3)
    #expect(
      result.errorLines.allSatisfy { $0.hasSuffix("cannot create: it is also an input, which would be overwritten") })
  }

  @Test(
    "A full disk is reported with 74, and a disk that is too small with 73", .enabled(if: fileExists("/dev/full")))
  func fullDisk() throws {
    let shell = try EndToEnd()
    let device = try shell("mp4tool defrag in.mp4 -o /dev/full")
    #expect(device.exitCode == 74)
    #expect(device.errorText == "mp4tool: /dev/full: cannot write at byte 0: the disk is full\n")
    let text = try shell("mp4tool dump in.mp4 > /dev/full")
    #expect(text.exitCode == 74)
    #expect(text.errorText == "mp4tool: standard output: cannot write: the disk is full\n")
    let limited = try shell(
      "ulimit -f 16; trap '' XFSZ; echo old > out.mp4; mp4tool defrag in.mp4 -o out.mp4; c=$?; cat out.mp4; exit $c")
    #expect(limited.exitCode == 74)
    #expect(limited.text == "old\n")
    #expect(limited.errorText.hasPrefix("mp4tool: out.mp4: cannot write at byte "))
    #expect(shell.folder.names == ["in.mp4", "out.mp4"])
  }

  @Test("Devices and open descriptors are written directly")
  func devices() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag in.mp4 -o want.mp4; mkfifo pipe
      mp4tool defrag in.mp4 -o /dev/null; echo $?
      mp4tool defrag in.mp4 -o /dev/null --no-clobber; echo $?
      mp4tool defrag in.mp4 -o - | cmp - want.mp4 && echo same
      mp4tool defrag in.mp4 -o /dev/stdout | cmp - want.mp4 && echo same
      mp4tool defrag in.mp4 -o - > file; cmp file want.mp4 && echo same
      mp4tool defrag in.mp4 -o /dev/fd/7 7> file; cmp file want.mp4 && echo same
      mp4tool defrag in.mp4 -o pipe & cmp pipe want.mp4 && wait $! && echo same
      test -p pipe && test -c /dev/null && echo still
      """)
    #expect(result.lines == ["0", "0", "same", "same", "same", "same", "same", "still"])
    #expect(result.errorText == "")
  }

  @Test("A link stays a link, a replaced file keeps its mode, and a new one has the mode of the umask")
  func linksAndModes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mode() { ls -l "$1" | cut -c1-10; }
      mp4tool defrag in.mp4 -o want.mp4
      mkdir store; echo old > store/real; chmod 640 store/real; ln -s store/real link; ln -s link chain; ln -s store/new fresh
      mp4tool defrag in.mp4 -o chain && cmp want.mp4 store/real && test -L link -a -L chain && mode store/real
      mp4tool defrag in.mp4 -o fresh && cmp want.mp4 store/new && test -L fresh && echo new
      (umask 077; mp4tool defrag in.mp4 -o private; mode private); (umask 002; mp4tool defrag in.mp4 -o shared; mode shared)
      (umask 022; mp4tool defrag in.mp4 -o private; mode private)
      ls -A store
      """)
    #expect(result.lines == ["-rw-r-----", "new", "-rw-------", "-rw-rw-r--", "-rw-------", "new", "real"])
    #expect(result.errorText == "")
  }
}
