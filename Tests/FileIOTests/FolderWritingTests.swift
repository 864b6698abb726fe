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

/// Tests of writing many files into one output folder.
@Suite struct FolderWritingTests {
  let folder = TemporaryFolder()

  @Test("Ranges are merged into few copies within a file, and written in order")
  func copies() throws {
    let bytes = pattern(1_000_000)
    folder("in").store(bytes)
    let source = try FileSource(folder("in"))
    let output = try OutputFolder(folder("out"))
    for number in 0..<4 {
      let sink = try output.begin(try #require(Pathname("\(number)")))
      try sink.write("head")
      let start = number * 250_000
      for offset in stride(from: start, to: start + 250_000, by: 10) { try sink.copy(offset..<offset + 10, of: source) }
      #expect(sink.position == 250_004)
    }
    try output.commit()
    for number in 0..<4 {
      let expected = Array("head".utf8) + bytes[number * 250_000..<(number + 1) * 250_000]
      #expect(folder(try #require(Pathname("out/\(number)"))).content == expected)
    }
    #expect(output.calls.writes == 8)
    #expect(output.calls.reads == 4)
  }

  @Test("2,500 small files need one write each, few reads, and no more descriptors than one file")
  func many() throws {
    let count = 2500
    let bytes = pattern(count * 1000)
    folder("in").store(bytes)
    let source = try FileSource(folder("in"))
    let output = try OutputFolder(folder("out"))
    var lowest: Set<Int32> = []
    for number in 0..<count {
      let sink = try output.begin(try #require(Pathname("segment\(number).m4s")))
      try sink.write("moof")
      try sink.copy(number * 1000..<(number + 1) * 1000, of: source)
      if number % 500 == 0 {
        let next = dup(0)
        lowest.insert(next / 64)
        close(next)
      }
    }
    try output.commit()
    #expect(output.calls.writes == count && output.calls.kernelCopies == 0)
    #expect(output.calls.reads < 40)
    #expect(lowest.count <= 2)
    #expect(folder("out").namesInside.count == count)
    for number in [0, 1, 1234, count - 1] {
      let expected = Array("moof".utf8) + bytes[number * 1000..<(number + 1) * 1000]
      #expect(folder(try #require(Pathname("out/segment\(number).m4s"))).content == expected)
    }
  }

  @Test(
    "Progress counts the bytes of all files, during a long copy and before the folder appears")
  func progress() throws {
    let size = 40 << 20
    folder("in").store([])
    folder("in").cut(to: size)
    let source = try FileSource(folder("in"))
    let output = try OutputFolder(folder("out"))
    var told: [Int] = []
    output.onProgress = {
      told.append($0)
      return true
    }
    try output.begin("a").copy(0..<size, of: source)
    try output.begin("b").copy(0..<size, of: source)
    try output.commit()
    #expect(told == told.sorted())
    #expect(told.last == 2 * size)
    #expect(told.contains { $0 > 0 && $0 < size } && told.contains { $0 > size && $0 < 2 * size })
  }

  @Test("Progress can stop writing with ECANCELED: in a copy, among many files, and before the commit")
  func stops() throws {
    folder("in").store([])
    folder("in").cut(to: 20 << 20)
    let source = try FileSource(folder("in"))
    let works: [(OutputFolder) throws -> Void] = [
      { try $0.begin("a").copy(0..<20 << 20, of: source) },
      { output in for number in 0..<100 { try output.begin(try #require(Pathname("\(number)"))).write("x") } },
      { try $0.begin("a").write("x") },
    ]
    for work in works {
      let output = try OutputFolder(folder("out"))
      output.onProgress = { _ in false }
      let error = try #require(throws: IOError.self) {
        try work(output)
        try output.commit()
      }
      #expect(error.operation == .write && error.code == ECANCELED)
      #expect(throws: error) { try output.commit() }
      output.discard()
      #expect(folder.names == ["in"])
    }
  }

  @Test("A source that ends early makes the commit fail, regardless of later writes")
  func sourceEnds() throws {
    folder("in").store(pattern(100_000))
    let source = try FileSource(folder("in"))
    let output = try OutputFolder(folder("out"))
    try output.begin("a").write("x")
    try output.begin("b").copy(50_000..<200_000, of: source)
    let error = try #require(throws: IOError.self) { try output.begin("c") }
    #expect(error.operation == .read)
    #expect(throws: error) { try output.begin("d").write("x") }
    #expect(throws: error) { try output.commit() }
    output.discard()
    #expect(folder.names == ["in"])
  }

  @Test("A sink cannot be used after the next file was started", arguments: [false, true])
  func oldSinks(isCommitted: Bool) async {
    await #expect(processExitsWith: .failure) { [isCommitted = isCommitted as Bool] in
      let folder = TemporaryFolder()
      let output = try OutputFolder(folder("out"))
      let sink = try output.begin("a")
      if isCommitted { try output.commit() } else { _ = try output.begin("b") }
      try sink.write("x")
    }
  }

  @Test(
    "A disk that becomes full in a later file is reported, and nothing is left",
    .enabled(if: SmallDisk.canBeMade))
  func fillsUp() throws {
    let disk = try #require(SmallDisk())
    folder("in").store(pattern(3_000_000))
    let source = try FileSource(folder("in"))
    let output = try OutputFolder(disk.folder("out"))
    let error = try #require(throws: IOError.self) {
      for number in 0..<30 {
        try output.begin(try #require(Pathname("sub/\(number)"))).copy(
          number * 100_000..<(number + 1) * 100_000, of: source)
      }
      try output.commit()
    }
    #expect(error.operation == .write && error.code == ENOSPC && error.reason == "the disk is full")
    #expect(error.file.hasPrefix(disk.folder("out/sub/").description))
    output.discard()
    #expect(disk.folder.names == [])
  }

  @Test("Files that do not fit on the disk are refused immediately", .enabled(if: SmallDisk.canBeMade))
  func refusesAtOnce() throws {
    let disk = try #require(SmallDisk())
    let output = try OutputFolder(disk.folder("out"))
    let error = try #require(throws: IOError.self) { try output.expect(byteCount: 3_000_000) }
    #expect(error.operation == .create)
    #expect(error.reason == "3000000 bytes are needed, but 1048576 are free on the disk")
    try output.expect(byteCount: 1_000_000)
    try output.commit()
    #expect(disk.folder.names == ["out"])
  }

  @Test(
    "A mount point is refused, because it cannot be replaced", .enabled(if: SmallDisk.canBeMade))
  func mounted() throws {
    let disk = try #require(SmallDisk())
    let error = try #require(throws: IOError.self) { try OutputFolder(disk.folder.path) }
    #expect(error.operation == .create && error.code == EBUSY)
    #expect(error.reason == "it is a mount point; use a new directory in it")
  }
}

@Suite struct FolderSignalTests {
  @Test("A signal removes a folder in which nothing was written", arguments: [SIGINT, SIGTERM, SIGHUP])
  func whileEmpty(number: Int32) async {
    let folder = TemporaryFolder()
    let bytes = folder.path.bytes
    await #expect(processExitsWith: .signal(number)) { [bytes = bytes as [UInt8], number = number as Int32] in
      Signals.removeTemporaryFilesWhenStopped()
      let output = try OutputFolder(Pathname(bytes)!.appending("out"))
      raiseUnblocked(number)
      _ = output
      exit(1)
    }
    #expect(folder.names == [])
  }

  @Test("Deferred signals remove a folder in the middle of a copy, and then end the program")
  func held() async {
    let folder = TemporaryFolder()
    folder("in").store([])
    folder("in").cut(to: 64 << 20)
    let bytes = folder.path.bytes
    await #expect(processExitsWith: .signal(SIGTERM)) { [bytes = bytes as [UInt8]] in
      Signals.removeTemporaryFilesWhenStopped()
      var none = sigset_t()
      unsafe sigemptyset(&none)
      unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
      let path = Pathname(bytes)!
      try Signals.holdingStops { isWaiting in
        let output = try OutputFolder(path.appending("out"))
        output.onProgress = { written in
          if written > 30 << 20 { pthread_kill(pthread_self(), SIGTERM) }
          return !isWaiting()
        }
        try output.begin("sub/a").write("x")
        let error = try #require(throws: IOError.self) {
          try output.begin("sub/b").copy(0..<64 << 20, of: try FileSource(path.appending("in")))
          try output.commit()
        }
        guard error.code == ECANCELED, (error.offset ?? 0) < 40 << 20 else { exit(1) }
        output.discard()
      }
      exit(2)
    }
    #expect(folder.names == ["in"])
  }
}
