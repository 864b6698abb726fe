import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct CopyTests {
  let folder = TemporaryFolder()

  @Test("Adjacent ranges become one copy")
  func merges() throws {
    let bytes = pattern(1_000_000)
    folder("in").store(bytes)
    let source = try FileSource(folder("in"))
    let output = try OutputFile(folder("out"))
    for start in stride(from: 10, to: 1_000_000, by: 10) { try output.copy(start..<start + 10, of: source) }
    #expect(output.position == 999_990)
    try output.flush()
    #expect(output.calls.writes == 2)
    #expect(output.calls.reads == 2)
    try output.commit()
    #expect(folder("out").content == Array(bytes[10...]))
  }

  @Test("Short ranges from two positions need few system calls and keep their order")
  func interleaves() throws {
    let bytes = pattern(4_000_000)
    folder("in").store(bytes)
    let source = try FileSource(folder("in"))
    let output = try OutputFile(folder("out"))
    var expected: [UInt8] = []
    for start in stride(from: 0, to: 2_000_000, by: 1000) {
      for range in [start..<start + 999, 2_000_000 + start..<2_001_000 + start] {
        try output.copy(range, of: source)
        expected += bytes[range]
      }
    }
    try output.commit()
    #expect(folder("out").content == expected)
    #expect(output.calls.reads < 40)
    #expect(output.calls.writes <= 16)
    #expect(output.calls.kernelCopies == 0)
  }

  @Test(
    "Any mixture of writes and copies is written in order",
    arguments: 1...Effort.count(short: 2, all: 6) as ClosedRange<UInt64>)
  func mixes(seed: UInt64) throws {
    let bytes = [pattern(1_500_000, seed: seed), pattern(700_000, seed: seed + 100)]
    folder("a").store(bytes[0])
    folder("b").store(bytes[1])
    let sources: [any ByteSource] = [try FileSource(folder("a")), try FileSource(folder("b"))]
    let memory = bytes.map { MemorySource($0) }
    let output = try OutputFile(folder("out"))
    var expected: [UInt8] = []
    var state = seed
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for _ in 0..<300 {
      let which = random(2)
      let start = random(bytes[which].count)
      let count = min(random([10, 5000, 70_000, 600_000][random(4)]), bytes[which].count - start)
      let range = start..<start + count
      switch random(3) {
      case 0: try output.write(Array(bytes[which][range]))
      case 1: try output.copy(range, of: memory[which])
      default: try output.copy(range, of: sources[which])
      }
      expected += bytes[which][range]
      #expect(output.position == expected.count)
    }
    try output.commit()
    #expect(folder("out").content == expected)
  }

  @Test("A source that ends early is an error with the position", arguments: [100, 1_000_000])
  func ends(count: Int) throws {
    folder("in").store(pattern(count))
    let source = try FileSource(folder("in"))
    folder("in").cut(to: count - 10)
    let output = try OutputFile(folder("out"))
    let error = try #require(throws: IOError.self) {
      try output.copy(0..<count, of: source)
      try output.flush()
    }
    #expect(error.operation == .read)
    #expect(error.offset == count - 10)
    #expect(error.reason == "the file ends at byte \(count - 10) of \(count)")
    #expect(throws: error) { try output.commit() }
    #expect(folder.names == ["in"])
  }

  @Test("Ranges beyond 4 GiB are copied, including a hole of 5 GiB")
  func large() throws {
    folder("in").store([])
    folder("in").cut(to: 5 << 30)
    let file = folder("in").open(O_WRONLY)
    #expect(put(pattern(300_000), in: file, at: (5 << 30) - 300_000))
    close(file)
    let source = try FileSource(folder("in"))
    let output = try OutputFile(folder("out"))
    try output.copy((5 << 30) - 300_000..<5 << 30, of: source)
    try output.copy((5 << 30) - 10..<5 << 30, of: source)
    try output.commit()
    #expect(folder("out").content == pattern(300_000) + pattern(300_000).suffix(10))
  }

  @Test("A file is copied to another file system", .enabled(if: Pathname("/dev/shm").isWritable))
  func acrossFileSystems() throws {
    let other = TemporaryFolder(in: "/dev/shm")
    let bytes = pattern(3_000_000)
    folder("in").store(bytes)
    let source = try FileSource(folder("in"))
    let output = try OutputFile(other("out"))
    try output.copy(5..<3_000_000, of: source)
    try output.commit()
    #expect(other("out").content == Array(bytes[5...]))
  }

  @Test("Progress is reported every few megabytes, and can stop the copy")
  func progress() throws {
    folder("in").store([])
    folder("in").cut(to: 40 << 20)
    let source = try FileSource(folder("in"))
    let output = try OutputFile(folder("out"))
    var told: [Int] = []
    output.onProgress = {
      told.append($0)
      return $0 < 20 << 20
    }
    let error = try #require(throws: IOError.self) {
      try output.copy(0..<40 << 20, of: source)
      try output.flush()
    }
    #expect(error.code == ECANCELED)
    #expect(told == told.sorted())
    #expect((3...6).contains(told.count))
    output.discard()
    #expect(folder.names == ["in"])
  }
}
