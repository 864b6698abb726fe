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
      let source = try openSource(form == "-" ? "-" : "/dev/stdin")
      let output = try OutputFile(form == "-" ? "-" : "/dev/stdout")
      try output.copy(2..<8, of: source)
      try output.commit()
      #expect(folder("out").text == "234567")
      #expect(source.name == (form == "-" ? "standard input" : "/dev/stdin"))
      // Only the output's own copy of the descriptor is closed.
      #expect(put([1], in: 1))
    }
  }
}
