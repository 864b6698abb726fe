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

@Suite struct PipeSourceTests {
  /// A pipe to which another thread writes `bytes` in small pieces.
  private func pipe(_ bytes: [UInt8], spool: Bool = false, onSpool: (() -> Void)? = nil) throws -> any ByteSource {
    // A test may stop reading before the writer has finished.
    Signals.ignoreBrokenPipes()
    let (reading, end) = try makePipe()
    defer { close(reading) }
    _ = Background {
      for start in stride(from: 0, to: bytes.count, by: 10_000) {
        _ = put(Array(bytes[start...].prefix(10_000)), in: end)
      }
      close(end)
      return []
    }
    return try FileSource.open(try #require(Pathname("/dev/fd/\(reading)")), spool: spool, onSpool: onSpool)
  }

  @Test("A pipe is read forward, skips bytes, and knows its size at its end")
  func forward() throws {
    let bytes = pattern(2_000_000)
    let source = try pipe(bytes)
    #expect(source is PipeSource)
    #expect(source.byteCount == nil)
    #expect(try source.bytes(at: 10, 100) == Array(bytes[10..<110]))
    #expect(try source.bytes(at: 1_000_000, 900_000) == Array(bytes[1_000_000..<1_900_000]))
    #expect(try source.bytes(at: 1_999_990, 100) == Array(bytes[1_999_990...]))
    #expect(source.byteCount == 2_000_000)
    #expect(try source.bytes(at: 3_000_000, 1) == [])
  }

  @Test("The last 256 KiB can be read again; earlier bytes are an error with the reason")
  func back() throws {
    let bytes = pattern(2_000_000)
    let source = try pipe(bytes)
    #expect(try source.bytes(at: 999_999, 1) == [bytes[999_999]])
    let oldest = 1_000_000 - PipeSource.keptCount
    #expect(try source.bytes(at: oldest, PipeSource.keptCount) == Array(bytes[oldest..<1_000_000]))
    let error = try #require(throws: IOError.self) { try source.bytes(at: 0, 1) }
    #expect(error.operation == .read)
    #expect(error.offset == 0)
    #expect(error.code == ESPIPE)
    #expect(error.reason.contains("pipes cannot seek"))
  }

  @Test("A spooled pipe can be read again at any position, and reports the spooling once")
  func spool() throws {
    let bytes = pattern(2_000_000)
    var told = 0
    let source = try pipe(bytes, spool: true) { told += 1 }
    #expect(try source.bytes(at: 0, 1000) == Array(bytes[..<1000]))
    #expect(told == 0)
    #expect(try source.bytes(at: 1_999_000, 2000) == Array(bytes[1_999_000...]))
    #expect(told == 1)
    #expect(try source.bytes(at: 0, 2_000_000) == bytes)
    #expect(try source.bytes(at: 1_234_567, 700_000) == Array(bytes[1_234_567..<1_934_567]))
    #expect(told == 1)
  }

  @Test("A short spooled pipe stays in memory", arguments: [0, 1, 512 << 10])
  func short(count: Int) throws {
    let bytes = pattern(count)
    var told = 0
    let source = try pipe(bytes, spool: true) { told += 1 }
    #expect(try source.bytes(at: count - min(count, 1), 1).count == min(count, 1))
    #expect(try source.bytes(at: 0, count) == bytes)
    #expect(told == 0)
  }

  @Test("A FIFO is opened by its path")
  func fifo() throws {
    let folder = TemporaryFolder()
    let path = folder("fifo")
    path.makeFIFO()
    _ = Background {
      let file = path.open(O_WRONLY)
      _ = put(Array("hello".utf8), in: file)
      close(file)
      return []
    }
    let source = try FileSource.open(path)
    #expect(try source.bytes(at: 0, 10) == Array("hello".utf8))
    #expect(source.byteCount == 5)
  }

  @Test("Short and long ranges of a pipe are copied to an output")
  func copies() throws {
    let folder = TemporaryFolder()
    let bytes = pattern(2_000_000)
    let source = try pipe(bytes)
    let output = try OutputFile(folder("out"))
    try output.copy(10..<20, of: source)
    try output.copy(100..<1_900_000, of: source)
    try output.commit()
    #expect(folder("out").content == Array(bytes[10..<20] + bytes[100..<1_900_000]))
  }
}
