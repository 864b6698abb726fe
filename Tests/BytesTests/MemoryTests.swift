import MP4Bytes
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

  @Test("Bytes are read at their offset, which need not start at 0")
  func offsets() throws {
    let source = MemorySource([1, 2, 3, 4], name: "part", baseOffset: 100)
    #expect(source.range == 100..<104 && source.byteCount == 104)
    #expect(try read(source, at: 100, count: 2) == [1, 2])
    #expect(try read(source, at: 102, count: 9) == [3, 4])
    for offset in [0, 99, 104, 105, Int.max] { #expect(try read(source, at: offset, count: 4) == []) }
  }

  @Test("A copy has the bytes of the range, and fails if the source ends earlier")
  func copies() throws {
    let source = MemorySource(Array(0..<200), name: "a", baseOffset: 50)
    let sink = MemorySink()
    try sink.copy(60..<70, of: source)
    try sink.write([9])
    #expect(sink.bytes == Array(10..<20) + [9] && sink.position == 11)
    let error = #expect(throws: IOError.self) { try sink.copy(240..<260, of: source) }
    #expect(error?.offset == 250 && sink.bytes.suffix(10) == Array(190..<200))
  }

  @Test("Written bytes can be replaced, and later bytes are appended")
  func overwrites() throws {
    let sink = MemorySink()
    try sink.write([1, 2, 3, 4])
    try sink.overwrite([9, 8], at: 1)
    try sink.write([5])
    #expect(sink.bytes == [1, 9, 8, 4, 5] && sink.position == 5)
  }

  @Test("A closure is not asked for bytes after the end", arguments: [10, nil])
  func closures(byteCount: Int?) throws {
    let source = ClosureSource(name: "made", byteCount: byteCount) { range in
      if range.lowerBound == 3 { throw IOError(.read, file: "made", offset: 3, reason: "there is a hole") }
      return range.lowerBound < 10 ? (range.lowerBound..<min(10, range.upperBound)).map { UInt8($0) } : []
    }
    func bytes(_ offset: Int, _ count: Int) throws -> [UInt8] {
      var window = ByteWindow(source, readAhead: 0)
      return Array(try window.slice(at: offset, count: count))
    }
    #expect(try bytes(0, 4) == [0, 1, 2, 3] && bytes(8, 4) == [8, 9] && bytes(10, 1) == [] && bytes(99, 1) == [])
    #expect(source.name == "made" && source.byteCount == byteCount)
    #expect(throws: IOError(.read, file: "made", offset: 3, reason: "there is a hole")) { try bytes(3, 2) }
  }

  @Test("A closure that fails or returns a wrong number of bytes is a read error")
  func wrongClosures() throws {
    struct Missing: Error, CustomStringConvertible { let description = "row 7 is missing" }
    func expect(
      _ reason: String, _ byteCount: Int?, _ bytes: @escaping @Sendable (Range<Int>) throws -> [UInt8]
    ) {
      let source = ClosureSource(name: "made", byteCount: byteCount, bytes: bytes)
      #expect(throws: IOError(.read, file: "made", offset: 0, reason: reason)) {
        try MemorySink().copy(0..<4, of: source)
      }
    }
    expect("row 7 is missing", 10) { _ in throw Missing() }
    expect("it returned 3 bytes instead of 4", 10) { _ in [1, 2, 3] }
    expect("it returned 0 bytes instead of 4", 10) { _ in [] }
    expect("it returned 5 bytes instead of 4", nil) { _ in [1, 2, 3, 4, 5] }
  }

  @Test("Types of movie boxes are found at every position, also where parts of them repeat")
  func movieTypes() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in Array("mofvo".utf8).randomElement() ?? 0 }
      if let at = bytes.indices.randomElement() { bytes.insert(contentsOf: Array("moov".utf8), at: at) }
      let expected = bytes.indices.filter { at in
        [Array("moov".utf8), Array("moof".utf8)].contains { bytes[at...].starts(with: $0) }
      }
      var found: [Int] = []
      var next = 0
      while let at = unsafe bytes.span.bytes.movieType(from: next, upTo: bytes.count) {
        found.append(at)
        next = at + 4
      }
      #expect(found == expected, "\(bytes)")
      let before = unsafe bytes.span.bytes.movieType(from: 0, upTo: expected.first ?? 0)
      #expect(before == nil)
    }
  }
}
