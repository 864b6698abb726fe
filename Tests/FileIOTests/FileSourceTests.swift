import ISOBMFF
import MP4Bytes
import MP4FileIO
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct FileSourceTests {
  let folder = TemporaryFolder()

  @Test("A file is read at any offset, and fewer bytes mean the end")
  func reads() throws {
    folder("f").store("0123456789")
    let source = try FileSource(folder("f"))
    #expect(source.byteCount == 10)
    #expect(try source.bytes(at: 7, 2) == Array("78".utf8))
    #expect(try source.bytes(at: 0, 3) == Array("012".utf8))
    #expect(try source.bytes(at: 8, 5) == Array("89".utf8))
    #expect(try source.bytes(at: 10, 5) == [])
    #expect(try source.bytes(at: 1000, 5) == [])
  }

  @Test("A file that shrinks returns fewer bytes, one that grows keeps its size")
  func changes() throws {
    folder("f").store("0123456789")
    let source = try FileSource(folder("f"))
    folder("f").cut(to: 4)
    #expect(try source.bytes(at: 2, 5) == Array("23".utf8))
    folder("f").cut(to: 100)
    #expect(try source.bytes(at: 8, 50).count == 2)
    #expect(source.byteCount == 10)
  }

  @Test("A borrowed descriptor keeps its position and can be closed")
  func descriptors() throws {
    folder("f").store("0123456789")
    let file = folder("f").open(O_RDONLY)
    lseek(file, 4, SEEK_SET)
    let source = try FileSource.open(descriptor: file, name: "handle")
    #expect(try source.byteCount == 6 && source.name == "handle" && source.bytes(at: 1, 3) == Array("567".utf8))
    #expect(lseek(file, 0, SEEK_CUR) == 4)
    close(file)
    #expect(try source.bytes(at: 0, 9) == Array("456789".utf8))
    let error = #expect(throws: IOError.self) { try FileSource.open(descriptor: 1 << 20, name: "handle") }
    #expect(error?.operation == .open && error?.file == "handle" && error?.code == EBADF)
  }

  @Test("A descriptor of a pipe is read forward")
  func pipes() throws {
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let source = try FileSource.open(descriptor: ends[0], name: "pipe")
    close(ends[0])
    #expect(put(Array("hello".utf8), in: ends[1]))
    close(ends[1])
    #expect(source.byteCount == nil)
    #expect(try source.bytes(at: 1, 9) == Array("ello".utf8) && source.byteCount == 5)
  }

  @Test("A directory is refused", arguments: [false, true])
  func directory(throughOpenSource: Bool) throws {
    let error = try #require(throws: IOError.self) {
      if throughOpenSource { _ = try FileSource.open(folder.path) } else { _ = try FileSource(folder.path) }
    }
    #expect(error.operation == .open)
    #expect(error.code == EISDIR)
    #expect(error.description == "\(folder.path): cannot open: it is a directory")
  }

  @Test("A missing file is an error that names it")
  func missing() throws {
    let error = try #require(throws: IOError.self) { try FileSource.open(folder("none")) }
    #expect(error.description == "\(folder("none")): cannot open: no such file or directory")
    #expect(error.code == ENOENT)
  }

  @Test("Offsets beyond 4 GiB are read")
  func large() throws {
    let size = 5 << 30
    folder("f").store([])
    folder("f").cut(to: size)
    let file = folder("f").open(O_WRONLY)
    #expect(put(Array("end".utf8), in: file, at: size - 3))
    close(file)
    let source = try FileSource(folder("f"))
    #expect(source.byteCount == size)
    #expect(try source.bytes(at: size - 3, 8) == Array("end".utf8))
  }

  @Test("Names that are not UTF-8 are read and written")
  func names() throws {
    let path = folder(try #require(Pathname([0xFF, 0xFE, 0x2E, 0x6D])))
    let output = try OutputFile(path)
    try output.write("x")
    try output.commit()
    #expect(try FileSource(path).bytes(at: 0, 9) == Array("x".utf8))
  }

  @Test("A descriptor of a file starts at its position and does not move")
  func descriptor() throws {
    folder("f").store("0123456789")
    let number = folder("f").open(O_RDONLY)
    defer { close(number) }
    lseek(number, 4, SEEK_SET)
    let source = try FileSource.open(try #require(Pathname("/dev/fd/\(number)")))
    #expect(source is FileSource)
    #expect(source.byteCount == 6)
    #expect(try source.bytes(at: 1, 3) == Array("567".utf8))
    #expect(lseek(number, 0, SEEK_CUR) == 4)

    let output = try OutputFile(folder("out"))
    try output.copy(2..<6, of: source)
    try output.commit()
    #expect(folder("out").text == "6789")
  }

  @Test("A character device is read as a stream, and /dev/null as an empty one")
  func device() throws {
    #expect(try FileSource.open("/dev/zero").bytes(at: 1_000_000, 4) == [0, 0, 0, 0])
    let null = try FileSource.open("/dev/null")
    #expect(try null.bytes(at: 0, 4) == [])
    #expect(null.byteCount == 0)
    #expect(throws: IOError.self) { try FileSource("/dev/null") }
  }

  @Test("Memory is read like a file")
  func memory() throws {
    let source = MemorySource(Array("0123".utf8))
    #expect(source.byteCount == 4)
    #expect(try source.bytes(at: 1, 2) == Array("12".utf8))
    #expect(try source.bytes(at: 3, 2) == Array("3".utf8))
    #expect(try source.bytes(at: 9, 2) == [])
    let sink = MemorySink()
    try sink.write("ab")
    try sink.copy(1..<4, of: source)
    #expect(sink.bytes == Array("ab123".utf8))
    #expect(sink.position == 5)
    #expect(throws: IOError.self) { try sink.copy(2..<6, of: source) }
  }
}
