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

/// Every test runs with a named and with an unnamed temporary file.
@Suite struct OutputFileTests {
  let folder = TemporaryFolder()

  private func options(
    named: Bool, replaces: Bool = true, inputs: InputRegistry = []
  ) -> OutputFile.Options {
    var options = OutputFile.Options()
    options.namesTemporaryFile = named
    options.replacesExisting = replaces
    options.growingInputs = inputs
    return options
  }

  @Test("The complete file appears with the commit, and nothing else is left", arguments: [false, true])
  func commits(named: Bool) throws {
    var options = options(named: named)
    options.syncs = true
    let output = try OutputFile(folder("out"), options: options)
    try output.write("hello")
    try output.flush()
    #expect(folder.names.count == (named ? 1 : 0))
    #expect(folder.names.allSatisfy { $0.hasPrefix(".out.") })
    try output.commit()
    #expect(folder.names == ["out"])
    #expect(folder("out").text == "hello")
  }

  @Test("Written bytes can be replaced, and later bytes are appended", arguments: [false, true])
  func overwrites(named: Bool) throws {
    folder("in").store("45678")
    let output = try OutputFile(folder("out"), options: options(named: named))
    try output.write("0123")
    try output.copy(0..<5, of: try FileSource(folder("in")))
    try output.overwrite(Array("abc".utf8), at: 2)
    try output.write("9")
    #expect(output.position == 10)
    try output.commit()
    #expect(folder("out").text == "01abc56789")
  }

  @Test("A file that becomes an input while the output is written is not replaced", arguments: [false, true])
  func inputMeanwhile(named: Bool) throws {
    let inputs: InputRegistry = []
    let output = try OutputFile(folder("out"), options: options(named: named, inputs: inputs))
    try output.write("new")
    folder("out").store("an input")
    inputs.add(folder("out"))
    let error = try #require(throws: IOError.self) { try output.commit() }
    #expect(error.operation == .create)
    #expect(error.reason == "it is also an input, which would be overwritten")
    #expect(folder.names == ["out"])
    #expect(folder("out").text == "an input")
  }

  @Test("A file from which bytes were copied is not replaced under any name", arguments: [false, true])
  func copiedInput(named: Bool) throws {
    folder("in").store("an input")
    folder("link").link(to: "in")
    let source = try FileSource(folder("in"))
    for name: Pathname in ["in", "link"] {
      let output = try OutputFile(folder(name), options: options(named: named))
      try output.copy(0..<4, of: source)
      let reason = "it is also an input, which would be overwritten"
      #expect(throws: IOError(.create, file: output.name, reason: reason)) { try output.commit() }
    }
    #expect(folder("in").text == "an input")
    #expect(folder.names == ["in", "link"])
  }

  @Test("An output is committed once")
  func onlyOnce() throws {
    let output = try OutputFile(folder("out"))
    try output.write("new")
    try output.commit()
    let again = try #require(throws: IOError.self) { try output.commit() }
    #expect(again.reason == "it was completed or given up before")
    #expect(throws: IOError.self) { try output.write("more") }
    #expect(folder("out").text == "new")
  }

  @Test("A discarded or released output leaves nothing", arguments: [false, true], [false, true])
  func discards(named: Bool, explicitly: Bool) throws {
    folder("out").store("old")
    do {
      let output = try OutputFile(folder("out"), options: options(named: named))
      try output.write("new")
      if explicitly { output.discard() }
    }
    #expect(folder.names == ["out"])
    #expect(folder("out").text == "old")
  }

  @Test("A replaced file keeps its mode", arguments: [false, true], [0o600, 0o640, 0o755] as [mode_t])
  func keepsMode(named: Bool, mode: mode_t) throws {
    folder("out").store(Array("old".utf8), mode: mode)
    let output = try OutputFile(folder("out"), options: options(named: named))
    try output.write("new")
    #expect(folder("out").text == "old")
    try output.commit()
    #expect(folder("out").text == "new")
    #expect(folder("out").mode & 0o7777 == mode)
    #expect(folder.names == ["out"])
  }

  @Test("The umask determines the mode of a new file", arguments: [false, true])
  func umaskDecides(named: Bool) async {
    await #expect(processExitsWith: .success) { [named = named as Bool] in
      let folder = TemporaryFolder()
      var options = OutputFile.Options()
      options.namesTemporaryFile = named
      umask(0o027)
      try OutputFile(folder("out"), options: options).commit()
      #expect(folder("out").mode & 0o7777 == 0o640)
    }
  }

  @Test("A symbolic link is kept, and its target is replaced in the target's folder", arguments: [false, true])
  func links(named: Bool) throws {
    folder("sub").makeFolder()
    folder("sub/file").store("old")
    folder("one").link(to: "sub/file")
    folder("two").link(to: "one")
    let output = try OutputFile(folder("two"), options: options(named: named))
    try output.write("new")
    try output.commit()
    #expect(folder("two").mode & S_IFMT == S_IFLNK)
    #expect(folder("one").mode & S_IFMT == S_IFLNK)
    #expect(folder("sub/file").mode & S_IFMT == S_IFREG)
    #expect(folder("sub/file").text == "new")
    #expect(folder.names == ["one", "sub", "two"])
  }

  @Test("A dangling link creates the file that it names")
  func danglingLink() throws {
    folder("link").link(to: "target")
    let output = try OutputFile(folder("link"))
    try output.write("x")
    try output.commit()
    #expect(folder("link").mode & S_IFMT == S_IFLNK)
    #expect(folder("target").text == "x")
  }

  @Test("Circular links are an error")
  func circle() throws {
    folder("a").link(to: "b")
    folder("b").link(to: "a")
    let error = try #require(throws: IOError.self) { try OutputFile(folder("a")) }
    #expect(error.operation == .create)
    #expect(error.code == ELOOP)
  }

  @Test(
    "An existing file that must be kept is refused at the start, or at the end if it was created meanwhile",
    arguments: [false, true])
  func noClobber(named: Bool) throws {
    let options = options(named: named, replaces: false)
    let output = try OutputFile(folder("out"), options: options)
    try output.write("new")
    folder("out").store("came meanwhile")
    var error = try #require(throws: IOError.self) { try output.commit() }
    #expect(error.code == EEXIST)
    #expect(folder("out").text == "came meanwhile")
    error = try #require(throws: IOError.self) { try OutputFile(folder("out"), options: options) }
    #expect(error.code == EEXIST)
    #expect(folder.names == ["out"])
  }

  @Test("Without an existing file, an output that must not replace one is committed", arguments: [false, true])
  func noClobberOfNothing(named: Bool) throws {
    try OutputFile(folder("out"), options: options(named: named, replaces: false)).commit()
    #expect(folder.names == ["out"])
  }

  @Test("A file that was created meanwhile is replaced if that is allowed", arguments: [false, true])
  func replacesLateComer(named: Bool) throws {
    let output = try OutputFile(folder("out"), options: options(named: named))
    try output.write("new")
    folder("out").store("came meanwhile")
    try output.commit()
    #expect(folder("out").text == "new")
    #expect(folder.names == ["out"])
  }

  @Test("An input is refused as output by any of its names", arguments: ["in", "./in", "hard", "soft"])
  func inputs(name: String) throws {
    folder("in").store("precious")
    folder("hard").link(toFile: folder("in"))
    folder("soft").link(to: "in")
    let source = try FileSource(folder("in"))
    #expect(FileIdentity(of: folder("soft")) == source.identity)
    let path = folder(try #require(Pathname(name)))
    let error = try #require(throws: IOError.self) {
      try OutputFile(path, options: options(named: false, inputs: [source.identity]))
    }
    #expect(error.operation == .create)
    #expect(error.reason.contains("input"))
    #expect(folder("in").text == "precious")
  }

  @Test("A directory, a name with a trailing slash and a missing folder are refused")
  func refuses() throws {
    let codes: [(Pathname, Int32)] = [
      (folder.path, EISDIR), (folder("new/"), EISDIR), (folder("none/new"), ENOENT), ("", ENOENT),
    ]
    for (path, code) in codes {
      let error = try #require(throws: IOError.self) { try OutputFile(path) }
      #expect(error.operation == .create)
      #expect(error.code == code, "\(path)")
    }
    #expect(folder.names == [])
  }

  @Test("A name of maximum length is written", arguments: [false, true])
  func longName(named: Bool) throws {
    let path = folder(try #require(Pathname(String(repeating: "n", count: 255))))
    try OutputFile(path, options: options(named: named)).commit()
    #expect(path.content == [])
  }
}
