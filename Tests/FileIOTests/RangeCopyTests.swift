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

/// A fake file system: it fails and limits copies as a test specifies, and records the requests.
private final class FakeFileSystem: Sendable {
  struct Requests {
    var shared: [Range<Int>] = []
    var reserved: [Range<Int>] = []
    var copied: [Int] = []
  }
  private let recorded = Monitor(Requests())
  let transferSize: Int
  /// The errors of sharing and allocating.
  let sharing: Errno?
  let reserving: Errno?
  /// The limits of one copy and of all copies, in bytes.
  let copiedAtOnce: Int
  let copiedInAll: Int

  init(
    transferSize: Int = 4096, sharing: Errno? = nil, reserving: Errno? = nil, copiedAtOnce: Int = 0,
    copiedInAll: Int = .max
  ) {
    self.transferSize = transferSize
    (self.sharing, self.reserving) = (sharing, reserving)
    (self.copiedAtOnce, self.copiedInAll) = (copiedAtOnce, copiedInAll)
  }

  var requests: Requests { recorded { $0 } }

  func output(_ path: Pathname, expecting count: Int? = nil) throws -> OutputFile {
    var options = OutputFile.Options()
    options.expectedSize = count
    options.system = FileSystemCalls(
      share: { range, source, output, offset throws(Errno) in
        self.recorded { $0.shared.append(range) }
        if let error = self.sharing { throw error }
        guard [range.lowerBound, range.upperBound, offset].allSatisfy({ $0 % self.transferSize == 0 }) else {
          throw .invalidArgument
        }
        var bytes = [UInt8](repeating: 0, count: range.count)
        guard try source.read(at: range.lowerBound, into: &bytes) == bytes.count else { throw .invalidArgument }
        try output.write(bytes, at: offset)
      },
      copy: { offset, count, source, output in
        let done = self.recorded { $0.copied.reduce(0, +) }
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, self.copiedAtOnce, self.copiedInAll - done)))
        guard !bytes.isEmpty, let found = try? source.read(at: offset, into: &bytes), found > 0 else { return 0 }
        self.recorded { $0.copied.append(found) }
        bytes.removeLast(bytes.count - found)
        let isWritten = unsafe bytes.withUnsafeBytes { unsafe (try? output.writeAll($0)) != nil }
        return isWritten ? found : 0
      },
      reserve: { range, _ throws(Errno) in
        self.recorded { $0.reserved.append(range) }
        if let error = self.reserving { throw error }
      },
      transferSize: { _ in self.transferSize })
    return try OutputFile(path, options: options)
  }
}

@Suite("Copying ranges")
struct RangeCopyTests {
  let folder = TemporaryFolder()
  let bytes = pattern(3_000_000)
  let source: FileSource

  init() throws {
    folder("in").store(bytes)
    source = try FileSource(folder("in"))
  }

  /// The bytes of these ranges of the source, concatenated.
  private func joined(_ ranges: Range<Int>...) -> [UInt8] { ranges.flatMap { bytes[$0] } }

  @Test("Whole blocks at the same offset in a block are shared, and the bytes around them are copied")
  func shares() throws {
    let system = FakeFileSystem()
    let output = try system.output(folder("out"), expecting: 2_000_000)
    try output.write(Array(bytes[..<100]))
    try output.copy(8292..<2_000_000, of: source)
    try output.flush()
    #expect(system.requests.shared == [12288..<1_998_848])
    // Shared ranges need no preallocated blocks.
    #expect(system.requests.reserved == [])
    #expect(output.calls.reads == 2)
    try output.write([1, 2, 3])
    try output.commit()
    #expect(folder("out").content == joined(0..<100, 8292..<2_000_000) + [1, 2, 3])
  }

  @Test("A standard input that was partly read starts in the middle of a block")
  func sharesRest() throws {
    let number = folder("in").open(O_RDONLY)
    lseek(number, 1000, SEEK_SET)
    defer { close(number) }
    let system = FakeFileSystem()
    let output = try system.output(folder("out"))
    try output.copy(3096..<1_000_000, of: try FileSource.open(descriptor: number, name: "rest"))
    try output.commit()
    #expect(system.requests.shared == [4096..<999_424])
    #expect(folder("out").content == Array(bytes[4096..<1_001_000]))
  }

  @Test("Other ranges are read and written to preallocated blocks")
  func windows() throws {
    let system = FakeFileSystem()
    let output = try system.output(folder("out"), expecting: 2_500_000)
    try output.copy(1..<2_000_000, of: source)
    try output.copy(2_100_000..<2_600_001, of: source)
    try output.commit()
    #expect(system.requests.shared == [] && system.requests.copied == [])
    #expect(system.requests.reserved == [0..<2_500_000])
    #expect(output.calls.reads <= 6)
    #expect(folder("out").content == joined(1..<2_000_000, 2_100_000..<2_600_001))
  }

  @Test("Without a known size, blocks are allocated for each long range")
  func windowsOfUnknownSize() throws {
    let system = FakeFileSystem()
    let output = try system.output(folder("out"))
    try output.copy(1..<1_200_000, of: source)
    try output.copy(1_300_000..<1_400_000, of: source)
    try output.copy(1_500_000..<3_000_000, of: source)
    try output.commit()
    #expect(system.requests.reserved == [0..<1_199_999, 1_299_999..<2_799_999])
    #expect(folder("out").content == joined(1..<1_200_000, 1_300_000..<1_400_000, 1_500_000..<3_000_000))
  }

  @Test("A file system that cannot share is asked once, and one that cannot preallocate copies in the kernel")
  func refuses() throws {
    let system = FakeFileSystem(sharing: .notSupported, reserving: .notSupported, copiedAtOnce: 300_000)
    let output = try system.output(folder("out"), expecting: 2_000_000)
    try output.copy(0..<999_424, of: source)
    try output.copy(1_998_848..<2_998_848, of: source)
    try output.commit()
    #expect(system.requests.shared == [0..<999_424])
    #expect(system.requests.reserved.count == 1)
    #expect(system.requests.copied == [300_000, 300_000, 300_000, 99_424, 300_000, 300_000, 300_000, 100_000])
    #expect(output.calls.reads == 0)
    #expect(folder("out").content == joined(0..<999_424, 1_998_848..<2_998_848))
  }

  @Test("A network file system copies as much as it can, and the rest is read and written")
  func copiesRemotely() throws {
    let system = FakeFileSystem(transferSize: 1 << 20, copiedAtOnce: 700_000, copiedInAll: 1_000_000)
    let output = try system.output(folder("out"), expecting: 2_900_000)
    try output.copy(10..<2_900_010, of: source)
    try output.commit()
    #expect(system.requests.copied == [700_000, 300_000])
    #expect(system.requests.reserved == [])
    #expect(folder("out").content == Array(bytes[10..<2_900_010]))
  }

  @Test("Blocks allocated beyond the end of the output are released")
  func releases() throws {
    let output = try OutputFile(folder("out"))
    try output.expect(byteCount: 40 << 20)
    try output.copy(1..<2_000_000, of: source)
    try output.commit()
    var status = stat()
    #expect(unsafe stat(folder("out").c, &status) == 0)
    #expect(status.st_size == 1_999_999)
    #expect(status.st_blocks * 512 < 3_000_000)
    #expect(folder("out").content == Array(bytes[1..<2_000_000]))
  }

  @Test("Short ranges are read together with the bytes between them, and written without those")
  func gathers() throws {
    let system = FakeFileSystem()
    let output = try system.output(folder("out"), expecting: 2_800_000)
    var expected: [UInt8] = []
    for start in stride(from: 0, to: 2_800_000, by: 28_000) {
      try output.copy(start + 2000..<start + 28_000, of: source)
      expected += bytes[start + 2000..<start + 28_000]
    }
    try output.commit()
    #expect(folder("out").content == expected)
    #expect(system.requests.reserved == [0..<2_800_000])
    #expect(output.calls.reads <= 20 && output.calls.writes <= 20)
  }

  @Test("Ranges of interleaved tracks are read once, even if the output order differs")
  func interleaves() throws {
    let output = try OutputFile(folder("out"))
    var expected: [UInt8] = []
    for fragment in stride(from: 0, to: 2_800_000, by: 28_000) {
      for (first, count) in [(0, 4000), (4000, 3000)] {
        for start in stride(from: fragment + first, to: fragment + 28_000, by: 7000) {
          try output.copy(start..<start + count, of: source)
          expected += bytes[start..<start + count]
        }
      }
    }
    try output.commit()
    #expect(folder("out").content == expected)
    // The whole file, plus the fragments at the ends of windows a second time.
    #expect(output.calls.bytesRead < 3_300_000)
    #expect(output.calls.reads < 100)
  }

  @Test("Little is read around short ranges that are far apart")
  func skips() throws {
    folder("wide").store([])
    folder("wide").cut(to: 100 << 20)
    let source = try FileSource(folder("wide"))
    let output = try OutputFile(folder("out"))
    for start in stride(from: 0, to: 100 << 20, by: 100 << 10) { try output.copy(start..<start + 9000, of: source) }
    try output.commit()
    #expect(output.calls.bytesRead < 2 * 1024 * 9000)
  }

  @Test("A source that ends between short ranges is an error with the position")
  func endsEarly() throws {
    folder("in").cut(to: 1_000_000)
    let output = try OutputFile(folder("out"))
    let error = try #require(throws: IOError.self) {
      for start in stride(from: 0, to: 2_800_000, by: 28_000) {
        try output.copy(start + 2000..<start + 28_000, of: source)
      }
      try output.flush()
    }
    #expect(error.operation == .read && error.offset == 1_000_000)
    #expect(error.reason == "the file ends at byte 1000000 of 1008000")
  }

  @Test("A pipe with partial writes receives all bytes in order")
  func writesPartly() throws {
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let end = ends[0]
    let reader = Background {
      var result: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 5000)
      while true {
        let count = unsafe read(end, &buffer, buffer.count)
        if count <= 0 { return result }
        result += buffer[..<count]
      }
    }
    let output = try OutputFile(try #require(Pathname("/dev/fd/\(ends[1])")))
    close(ends[1])
    var expected: [UInt8] = []
    for start in stride(from: 0, to: 2_800_000, by: 20_000) {
      try output.write([1, 2, 3])
      try output.copy(start + 3000..<start + 20_000, of: source)
      expected += [1, 2, 3]
      expected += bytes[start + 3000..<start + 20_000]
    }
    try output.commit()
    #expect(reader.wait() == expected)
    close(ends[0])
  }
}

@Suite(
  "Copies on file systems that share blocks",
  .enabled(if: LoopDisk.canBeMade, "needs MP4TOOL_TESTS=all, root, btrfs-progs and xfsprogs"))
struct SharedBlockTests {
  @Test("Blocks are shared, and the bytes are the same", arguments: ["btrfs", "xfs"])
  func shares(kind: String) throws {
    let disk = try #require(LoopDisk(kind))
    let bytes = pattern(20_000_000)
    disk.folder("in").store(bytes)
    let source = try FileSource(disk.folder("in"))
    for start in [8192 + 5000, 8192 + 5001] {
      let output = try OutputFile(disk.folder("out"))
      try output.expect(byteCount: bytes.count - start + 5000)
      try output.write(Array(bytes[..<5000]))
      try output.copy(start..<bytes.count, of: source)
      try output.commit()
      #expect(disk.folder("out").content == Array(bytes[..<5000] + bytes[start...]))
      #expect(output.calls.shares == (start % 4096 == 5000 % 4096 ? 1 : 0))
      #expect((output.calls.reads == 2) == (output.calls.shares == 1))
    }
  }
}

/// A file system in a file. Mounting it requires root.
private final class LoopDisk {
  let folder = TemporaryFolder()
  private let image = TemporaryFolder()

  init?(_ kind: String) {
    image("image").store([])
    image("image").cut(to: 400 << 20)
    let (image, folder) = ("\(image("image"))", "\(folder.path)")
    guard let made = try? run("mkfs.\(kind)", ["-q", image]), made.exitCode == 0,
      let mounted = try? run("mount", ["-o", "loop", image, folder]), mounted.exitCode == 0
    else { return nil }
  }

  deinit { _ = try? run("umount", ["-l", "\(folder.path)"]) }

  static let canBeMade = Effort.has("mkfs.btrfs", "mkfs.xfs", "mount") && LoopDisk("btrfs") != nil
}
