import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct OutputFolderTests {
  let folder = TemporaryFolder()

  @Test("The folder appears with the commit, with all files and nothing else", arguments: [false, true])
  func commits(syncs: Bool) throws {
    let output = try OutputFolder(folder("out"), syncs: syncs)
    try output.begin("master").write("one")
    try output.begin("video/hd/init").write("two")
    let sink = try output.begin("video/hd/segment")
    try sink.write("three")
    #expect(sink.position == 5)
    #expect(sink.name == folder("out/video/hd/segment").description)
    try output.begin("audio/init").write("four")
    #expect(folder.names.count == 1 && folder.names[0].hasPrefix(".out."))
    try output.commit()
    #expect(folder.names == ["out"])
    #expect(folder("out").namesInside == ["audio", "master", "video"])
    #expect(folder("out/video").namesInside == ["hd"] && folder("out/video/hd").namesInside == ["init", "segment"])
    let files = ["master", "video/hd/init", "video/hd/segment", "audio/init"] as [Pathname]
    #expect(files.map { folder("out").appending($0).text } == ["one", "two", "three", "four"])
  }

  @Test("A discarded or released folder leaves nothing", arguments: [false, true], [0, 3])
  func discards(explicitly: Bool, count: Int) throws {
    do {
      let output = try OutputFolder(folder("out"))
      for number in 0..<count { try output.begin(try #require(Pathname("a/b\(number)/file"))).write("x") }
      #expect(folder.names.count == 1)
      if explicitly { output.discard() }
    }
    #expect(folder.names == [])
  }

  @Test("A folder that is not empty or cannot be created is refused before anything is written")
  func refuses() throws {
    folder("file").store("x")
    folder("full").makeFolder()
    folder("full/file").store("x")
    folder("link").link(to: "full")
    folder("circle").link(to: "circle")
    folder("dangling").link(to: "none/out")
    folder("pipe").makeFIFO()
    let names = folder.names
    let cases: [(Pathname, Int32, String)] = [
      (folder("full"), ENOTEMPTY, "the directory is not empty"),
      (folder("full/"), ENOTEMPTY, "the directory is not empty"),
      (folder("link"), ENOTEMPTY, "the directory is not empty"),
      (folder("full/.."), ENOTEMPTY, "the directory is not empty"),
      (folder("file"), EEXIST, "the file exists"), (folder("file/"), EEXIST, "the file exists"),
      (folder("pipe"), EEXIST, "the file exists"), ("/dev/null", EEXIST, "the file exists"),
      (folder("file/out"), ENOTDIR, "a part of the path is not a directory"),
      (folder("none/out"), ENOENT, "no such file or directory"),
      (folder("dangling"), ENOENT, "no such file or directory"),
      ("", ENOENT, "no such file or directory"), (folder("circle"), ELOOP, "symbolic links form a loop"),
      ("/", ENOTEMPTY, "the directory is not empty"),
    ]
    for (path, code, reason) in cases {
      let error = try #require(throws: IOError.self) { try OutputFolder(path) }
      #expect(error.operation == .create && error.code == code && error.reason == reason, "\(path): \(error)")
    }
    #expect(folder.names == names)
  }

  @Test("A read-only folder is refused", .enabled(if: geteuid() != 0, "root may write everything"))
  func readOnly() throws {
    folder("parent").makeFolder()
    folder("parent/empty").makeFolder()
    _ = unsafe chmod(folder("parent/empty").c, 0o555)
    #expect(try #require(throws: IOError.self) { try OutputFolder(folder("parent/empty")) }.code == EACCES)
    _ = unsafe chmod(folder("parent").c, 0o555)
    #expect(try #require(throws: IOError.self) { try OutputFolder(folder("parent/out")) }.code == EACCES)
    #expect(folder("parent").namesInside == ["empty"])
  }

  @Test("The current directory is refused, because processes would stay in the replaced one")
  func current() async {
    await #expect(processExitsWith: .success) {
      let folder = TemporaryFolder()
      folder("here").makeFolder()
      #expect(unsafe chdir(folder("here").c) == 0)
      for path in [".", "./", "../here", folder("here")] as [Pathname] {
        let error = try #require(throws: IOError.self) { try OutputFolder(path) }
        #expect(error.code == EBUSY && error.operation == .create)
      }
      // A folder inside the current directory is allowed.
      try OutputFolder("out").commit()
      #expect(folder("here").namesInside == ["out"] && folder.names == ["here"])
    }
  }

  @Test(
    "An empty folder is replaced and keeps its mode", arguments: ["out", "out/", "link", "link/", "out/."],
    [0o700, 0o750] as [mode_t])
  func replacesEmpty(name: String, mode: mode_t) throws {
    folder("out").makeFolder()
    _ = unsafe chmod(folder("out").c, mode)
    folder("link").link(to: "out")
    let output = try OutputFolder(folder(try #require(Pathname(name))))
    try output.begin("file").write("x")
    #expect(folder("out").namesInside == [])
    try output.commit()
    #expect(folder("out").namesInside == ["file"])
    #expect(folder("out").mode == S_IFDIR | mode)
    #expect(folder("link").mode & S_IFMT == S_IFLNK)
    #expect(folder.names == ["link", "out"])
  }

  @Test(
    "A dangling link creates the folder that it names, with or without a trailing slash",
    arguments: ["link", "link/", "new/"])
  func makes(name: String) throws {
    folder("sub").makeFolder()
    folder("link").link(to: "sub/new")
    let path = folder(try #require(Pathname(name)))
    let output = try OutputFolder(path)
    try output.begin("file").write("x")
    try output.commit()
    #expect(path.namesInside == ["file"])
    #expect(folder("link").mode & S_IFMT == S_IFLNK)
  }

  @Test("The umask determines the mode of a new folder and of its files")
  func umaskDecides() async {
    await #expect(processExitsWith: .success) {
      let folder = TemporaryFolder()
      umask(0o027)
      let output = try OutputFolder(folder("out"))
      try output.begin("sub/file").write("x")
      try output.commit()
      #expect(folder("out").mode == S_IFDIR | 0o750 && folder("out/sub").mode == S_IFDIR | 0o750)
      #expect(folder("out/sub/file").mode == S_IFREG | 0o640)
    }
  }

  @Test("A file or non-empty folder created meanwhile is kept", arguments: ["file", "full", "empty"])
  func cameMeanwhile(kind: String) throws {
    let output = try OutputFolder(folder("out"))
    try output.begin("file").write("new")
    if kind == "file" { folder("out").store("late") } else { folder("out").makeFolder() }
    if kind == "full" { folder("out/late").store("late") }
    if kind == "empty" {
      try output.commit()
      #expect(folder("out/file").text == "new")
    } else {
      let error = try #require(throws: IOError.self) { try output.commit() }
      #expect(error.operation == .create && error.code == (kind == "file" ? EEXIST : ENOTEMPTY))
      #expect(kind == "file" ? folder("out").text == "late" : folder("out").namesInside == ["late"])
    }
    #expect(folder.names == ["out"])
  }

  @Test("A name of maximum length is written, and a longer file name is an error that leaves nothing")
  func longNames() throws {
    let path = folder(try #require(Pathname(String(repeating: "n", count: 255))))
    try OutputFolder(path).commit()
    #expect(path.mode & S_IFMT == S_IFDIR)
    let output = try OutputFolder(folder("out"))
    let long = try #require(Pathname(String(repeating: "n", count: 256)))
    let error = try #require(throws: IOError.self) { try output.begin(long) }
    #expect(error.operation == .create && error.code == ENAMETOOLONG && error.file.hasSuffix("/out/\(long)"))
    // Ignoring the error must not lead to a folder without the file.
    #expect(throws: error) { try output.commit() }
    output.discard()
    #expect(folder.names.count == 1)
  }

  @Test("A report file in the replaced folder, or with its name, is refused")
  func sameAs() throws {
    folder("out").makeFolder()
    folder("sub").makeFolder()
    let output = try OutputFolder(folder("out"))
    #expect(output.isSame(as: try OutputFile(folder("out/report"))))
    #expect(!output.isSame(as: try OutputFile(folder("report"))))
    #expect(!output.isSame(as: try OutputFile("/dev/null")))
    let other = try OutputFolder(folder("sub/new"))
    #expect(other.isSame(as: try OutputFile(folder("sub/new"))))
    #expect(!other.isSame(as: try OutputFile(folder("sub/report"))))
  }
}
