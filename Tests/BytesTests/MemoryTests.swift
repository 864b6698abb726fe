import Bytes
import Testing

@Suite("Sources and sinks in memory")
struct MemoryTests {
  private func read(_ source: MemorySource, at offset: Int, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xee, count: count)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let read = try source.read(at: offset, into: &raw)
    return Array(bytes.prefix(read))
  }

  @Test("Bytes are read where they are, which may not be at 0")
  func offsets() throws {
    let source = MemorySource([1, 2, 3, 4], name: "part", baseOffset: 100)
    #expect(source.range == 100..<104 && source.byteCount == 104)
    #expect(try read(source, at: 100, count: 2) == [1, 2])
    #expect(try read(source, at: 102, count: 9) == [3, 4])
    for offset in [0, 99, 104, 105, Int.max] { #expect(try read(source, at: offset, count: 4) == []) }
  }

  @Test("A copy has the bytes of the range, and fails where the source ends before it")
  func copies() throws {
    let source = MemorySource(Array(0..<200), name: "a", baseOffset: 50)
    let sink = MemorySink()
    try sink.copy(60..<70, of: source)
    try sink.write([9])
    #expect(sink.bytes == Array(10..<20) + [9] && sink.position == 11)
    let error = #expect(throws: IOError.self) { try sink.copy(240..<260, of: source) }
    #expect(error?.offset == 250 && sink.bytes.suffix(10) == Array(190..<200))
  }

  @Test("What was written is replaced, and what follows goes after the end")
  func overwrites() throws {
    let sink = MemorySink()
    try sink.write([1, 2, 3, 4])
    try sink.overwrite([9, 8], at: 1)
    try sink.write([5])
    #expect(sink.bytes == [1, 9, 8, 4, 5] && sink.position == 5)
  }
}
