import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform
import Support
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { unsafe pipe(ends) }

@Suite struct StreamOutputTests {
  let folder = TemporaryFolder()

  @Test("/dev/null is written to and stays a device")
  func null() throws {
    folder("in").store(pattern(300_000))
    let output = try OutputFile("/dev/null")
    try output.write("x")
    try output.copy(0..<300_000, of: try FileSource(folder("in")))
    try output.commit()
    #expect(output.position == 300_001)
    #expect(Pathname("/dev/null").mode & S_IFMT == S_IFCHR)
  }

  @Test("Written bytes of a stream cannot be replaced")
  func order() throws {
    let output = try OutputFile("/dev/null")
    try output.write("hello")
    let error = #expect(throws: IOError.self) { try output.overwrite([0], at: 1) }
    #expect(error?.code == ESPIPE)
    // The bytes would be wrong, so the output must never count as complete.
    #expect(throws: IOError.self) { try output.commit() }
  }

  @Test("A full device is an error with that reason")
  func full() throws {
    let output = try OutputFile("/dev/full")
    try output.write("x")
    let error = try #require(throws: IOError.self) { try output.commit() }
    #expect(error.description == "/dev/full: cannot write at byte 0: the disk is full")
    #expect(error.code == ENOSPC)
  }

  @Test("A FIFO is written in order and stays a FIFO")
  func fifo() throws {
    let path = folder("fifo")
    path.makeFIFO()
    let reader = Background { path.content ?? [] }
    folder("in").store(pattern(300_000))
    let output = try OutputFile(path)
    try output.write("x")
    try output.copy(0..<300_000, of: try FileSource(folder("in")))
    try output.commit()
    // The reader waits for the end of the stream, that is, until the last descriptor is closed.
    #expect(reader.wait() == Array("x".utf8) + pattern(300_000))
    #expect(path.mode & S_IFMT == S_IFIFO)
  }

  @Test("Writing to a closed pipe fails with EPIPE")
  func closedPipe() throws {
    Signals.ignoreBrokenPipes()
    let end = try makeClosedPipe()
    let output = try OutputFile(try #require(Pathname("/dev/fd/\(end)")))
    close(end)
    try output.write("x")
    let error = try #require(throws: IOError.self) { try output.commit() }
    #expect(error.code == EPIPE)
  }

  @Test("A redirected file is written at the descriptor's position, also for appending", arguments: [0, O_APPEND])
  func redirected(flags: Int32) throws {
    folder("in").store(pattern(300_000))
    folder("out").store("before ")
    let number = folder("out").open(O_WRONLY | flags)
    lseek(number, 7, SEEK_SET)
    let output = try OutputFile(try #require(Pathname("/dev/fd/\(number)")))
    try output.write("x")
    try output.copy(0..<300_000, of: try FileSource(folder("in")))
    try output.commit()
    #expect(lseek(number, 0, SEEK_CUR) == 300_008)
    close(number)
    #expect(folder("out").content == Array("before x".utf8) + pattern(300_000))
  }

  @Test("A redirection to an input is refused")
  func redirectedOntoInput() throws {
    folder("in").store("precious")
    let number = folder("in").open(O_WRONLY | O_APPEND)
    defer { close(number) }
    var options = OutputFile.Options()
    options.inputs = [try FileSource(folder("in")).identity]
    let path = try #require(Pathname("/dev/fd/\(number)"))
    let error = try #require(throws: IOError.self) { try OutputFile(path, options: options) }
    #expect(error.operation == .create)
    #expect(error.reason.contains("input"))
  }

  @Test("- and /dev/stdin are standard input, - and /dev/stdout standard output", arguments: ["-", "/dev"])
  func standard(form: String) async {
    await #expect(processExitsWith: .success) { [form = form as String] in
      let folder = TemporaryFolder()
      folder("in").store("0123456789")
      dup2(folder("in").open(O_RDONLY), 0)
      dup2(folder("out").open(O_CREAT | O_WRONLY, 0o644), 1)
      let source = try FileSource.open(form == "-" ? "-" : "/dev/stdin")
      let output = try OutputFile(form == "-" ? "-" : "/dev/stdout")
      try output.copy(2..<8, of: source)
      try output.commit()
      #expect(folder("out").text == "234567")
      #expect(source.name == (form == "-" ? "standard input" : "/dev/stdin"))
      // Only the output's own copy of the descriptor is closed.
      #expect(put([1], in: 1))
    }
  }

  // MARK: Files that are written directly

  private var direct: OutputFile.Options {
    var options = OutputFile.Options()
    options.writesDirectly = true
    return options
  }

  @Test("A file in a folder that cannot be written is written directly if the options say so")
  func directFile() throws {
    let path = folder("out")
    path.store(pattern(5000))
    let inode = try FileSource(path).identity
    folder("in").store(pattern(300_000))
    let output = try OutputFile(path, options: direct)
    try output.write("xyz")
    try output.copy(0..<300_000, of: try FileSource(folder("in")))
    try output.overwrite(Array("a".utf8), at: 1)
    try output.commit()
    #expect(path.content == Array("xaz".utf8) + pattern(300_000))
    #expect(try FileSource(path).identity == inode)
    let new = try OutputFile(folder("new"), options: direct)
    try new.write("abc")
    try new.commit()
    #expect(folder("new").content == Array("abc".utf8))
    // Without the end, nothing may look complete.
    let discarded = try OutputFile(path, options: direct)
    try discarded.write("abc")
    discarded.discard()
    #expect(path.content == [])
  }

  @Test("A file that is written directly keeps its contents until writing starts")
  func untouched() throws {
    let path = folder("out")
    path.store(pattern(5000))
    let output = try OutputFile(path, options: direct)
    output.discard()
    #expect(path.content == pattern(5000))
    let empty = try OutputFile(path, options: direct)
    try empty.commit()
    #expect(path.content == [])
  }

  @Test("A file that is written directly is no input, and is not emptied before that is known")
  func directInputs() throws {
    let path = folder("out")
    path.store(pattern(5000))
    var options = direct
    options.inputs = try [FileSource(path).identity]
    #expect(throws: IOError.self) { try OutputFile(path, options: options) }
    #expect(path.content == pattern(5000))
    options.inputs = []
    options.replacesExisting = false
    #expect(throws: IOError.self) { try OutputFile(path, options: options) }
    #expect(path.content == pattern(5000))
    let output = try OutputFile(path, options: direct)
    try output.write(String(repeating: "x", count: 100))
    try output.flush()
    let error = #expect(throws: IOError.self) { try output.copy(0..<10, of: try FileSource(path)) }
    #expect(error?.reason == "it is also an input, which would be overwritten")
  }

  @Test("A descriptor is written from its position on, and stays open")
  func descriptor() throws {
    let path = folder("out")
    path.store(pattern(5000))
    let number = unsafe open(path.description, O_RDWR)
    defer { close(number) }
    #expect(lseek(number, 10, SEEK_SET) == 10)
    let output = try OutputFile(descriptor: number, name: "the document")
    try output.write("hello")
    try output.overwrite(Array("J".utf8), at: 0)
    try output.commit()
    #expect(path.content == pattern(5000).prefix(10) + Array("Jello".utf8))
    #expect(lseek(number, 0, SEEK_CUR) == 15)
    let given = try OutputFile(descriptor: number, name: "the document")
    try given.write("unwanted")
    try given.flush()
    given.discard()
    #expect(lseek(number, 0, SEEK_CUR) == 15 && path.content?.count == 15)
    var pipe: [Int32] = [0, 0]
    #expect(unsafe makePipe(&pipe) == 0)
    let stream = try OutputFile(descriptor: pipe[1], name: "the pipe")
    try stream.write("hello")
    try stream.flush()
    #expect(throws: IOError.self) { try stream.overwrite([1], at: 0) }
    var text = [UInt8](repeating: 0, count: 5)
    #expect(unsafe read(pipe[0], &text, 5) == 5 && text == Array("hello".utf8))
    for end in pipe { close(end) }
    #expect(throws: IOError.self) { try OutputFile(descriptor: number + 1000, name: "closed") }
  }
}
