import MP4Toolkit
import Support
import Testing

@Suite("Tasks are suspended while the library reads and writes")
struct SuspendingTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }
  private func path(_ name: String) throws -> Pathname { try #require(Pathname(folder(name))) }

  // MARK: Asynchronous sources

  /// The ranges that a source was asked for.
  private actor Requests {
    private(set) var ranges: [Range<Int>] = []
    private let bytes: [UInt8]
    private var isBlocked = false
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(_ range: Range<Int>) async throws -> [UInt8] {
      ranges.append(range)
      if isBlocked { try await Task.sleep(nanoseconds: 1_000_000_000_000) }
      return Array(bytes[range])
    }
    func block() { isBlocked = true }
  }

  private func source(_ requests: Requests, _ bytes: [UInt8]) -> AsyncSource {
    .ranges(name: "server", byteCount: bytes.count) { try await requests.read($0) }
  }

  /// A movie of many samples, with a large movie box at its end.
  private func longMovie() throws -> [UInt8] {
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (640, 360)
    let track = try writer.add(MovieWriter.Track(Box(entry, type: "jpeg"), timescale: 1000))
    for index in 0..<20_000 {
      let bytes = [UInt8](repeating: UInt8(index & 255), count: 10 + index % 41)
      try writer.append(bytes, to: track, duration: MediaTime(Int64(30 + index % 7), 1000), isSync: index % 30 == 0)
    }
    try writer.finish()
    return sink.bytes
  }

  @Test("Few requests open a movie, with the movie box first or last")
  func fewRequests() async throws {
    let last = try longMovie()
    let (first, _) = try await Defragmenter().run(inMemory: [MemorySource(last)])
    for (bytes, limit) in [(first, 4), (last, 6)] {
      let boxes = try [Box](reading: MemorySource(bytes))
      #expect(boxes.first { $0.type == "moov" }.map { $0.header?.size ?? 0 > 190_000 } == true)
      let requests = Requests(bytes)
      let movie = try await Movie(reading: [source(requests, bytes)])
      #expect(movie.tracks.map(\.samples.count) == [20_000])
      let ranges = await requests.ranges
      #expect(ranges.count <= limit, "\(ranges)")
    }
  }

  @Test("Movies are converted from an asynchronous source", arguments: ["fragmented.mp4", "progressive.mp4"])
  func asynchronousSource(name: String) async throws {
    let bytes = try readFile(vectorPath("files/\(name)"))
    let expected = try await Defragmenter().run(inMemory: [MemorySource(bytes, name: "server")])
    let requests = Requests(bytes)
    // Small blocks, so that there are several requests.
    let small = AsyncSource(name: "server", byteCount: bytes.count, blockSize: 100) { try await requests.read($0) }
    let unknown = AsyncSource(name: "server", byteCount: nil) { range in
      Array(bytes[range.clamped(to: 0..<bytes.count)])
    }
    for source in [small, unknown, source(requests, bytes)] {
      let result = try await Defragmenter().run(inMemory: [source])
      #expect(result.bytes == expected.bytes && result.diagnostics == expected.diagnostics)
    }
    let ranges = await requests.ranges
    #expect(ranges.allSatisfy { $0.upperBound <= bytes.count && !$0.isEmpty })
  }

  @Test("Errors of an asynchronous source are errors of reading")
  func asynchronousErrors() async throws {
    struct Offline: Error, CustomStringConvertible { let description = "the server is offline" }
    let offline = AsyncSource(name: "server", byteCount: 1000) { _ in throw Offline() }
    var error = await #expect(throws: MovieError.self) { try await Movie(reading: [offline]) }
    #expect(error?.description == "server: cannot read at byte 0: the server is offline")
    let short = AsyncSource(name: "server", byteCount: 1000) { _ in [1, 2] }
    error = await #expect(throws: MovieError.self) { try await Movie(reading: [short]) }
    #expect(error?.reason == "it returned 2 bytes instead of 1000")
    // A synchronous function in a task would keep the task of the source from running.
    let ignored = try await Movie(reading: [vectorPath("files/progressive.mp4")])
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    let movie = try await Movie(reading: [source(Requests(bytes), bytes)])
    let sample = try #require(movie.tracks[0].samples.first)
    #expect { try sample.bytes() } throws: { "\($0)".contains("this source is asynchronous") }
    #expect(try await MediaThread.run { try sample.bytes() } == (try ignored.tracks[0].samples[0].bytes()))
  }

  @Test("An offset of a damaged file behind every block is the end of a source of unknown size")
  func largeOffsets() async throws {
    let source = AsyncSource(name: "a", byteCount: nil, blockSize: 1000) { _ in [] }
    #expect(try await MediaThread.run { try source.bytes(in: Int.max - 10..<Int.max) } == [])
  }

  @Test("Many movies are read from sources that wait for each other's tasks")
  func manySources() async throws {
    let bytes = try readFile(vectorPath("files/fragmented.mp4"))
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<100 {
        group.addTask {
          // The closure of a source uses the library itself.
          let source = AsyncSource(name: "outer", byteCount: bytes.count, blockSize: 1000) { range in
            let inner = AsyncSource(name: "inner", byteCount: bytes.count) { Array(bytes[$0]) }
            return try await MediaThread.run { try inner.bytes(in: range) }
          }
          return try await Movie(reading: [source]).tracks.count
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 2, count: 100))
  }

  // MARK: Waiting and cancelling

  /// Bytes that are read only while a gate is open; reads wait for it in their thread.
  private final class GatedSource: ByteSource, @unchecked Sendable {
    let name = "gate"
    private let bytes: MemorySource
    private let gate: Gate
    var byteCount: Int? { bytes.byteCount }
    init(_ bytes: [UInt8], _ gate: Gate) { (self.bytes, self.gate) = (MemorySource(bytes), gate) }

    func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
      gate.pass()
      return try bytes.read(at: offset, into: &buffer)
    }
  }

  @Test("Operations that wait for slow sources do not keep other tasks from running")
  func waiting() async throws {
    let (bytes, gate) = (try readFile(vectorPath("files/fragmented.mp4")), Gate())
    let operations = (0..<20).map { _ in
      Task { try await Movie(reading: [GatedSource(bytes, gate)]).tracks.count }
    }
    // All reads wait until this task runs.
    await gate.waitForReaders(20)
    gate.open()
    for operation in operations { #expect(try await operation.value == 2) }
  }

  @Test("Cancelled operations read at most once more, and leave nothing")
  func cancelled() async throws {
    let (bytes, gate) = (try readFile(vectorPath("files/fragmented.mp4")), Gate())
    let outputs = try (0..<5).map { try path("\($0).mp4") }
    let operations = outputs.map { output in
      Task { try await Defragmenter().run([GatedSource(bytes, gate)], to: output) }
    }
    await gate.waitForReaders(5)
    for operation in operations { operation.cancel() }
    gate.open()
    for operation in operations { await #expect(throws: CancellationError.self) { try await operation.value } }
    #expect(gate.count == 5 && namesInFolder(folder("")).isEmpty)
  }

  @Test("A read of an asynchronous source is cancelled with the operation")
  func cancelledRead() async throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    let requests = Requests(bytes)
    await requests.block()
    let blocked = source(requests, bytes)
    let operations: [@Sendable () async throws -> Void] = [
      { _ = try await Movie(reading: [blocked]) },
      { _ = try await Defragmenter().run(inMemory: [blocked]) },
      { _ = try await Check().run([blocked]) },
      { _ = try await FileReport(reading: [blocked]) },
      { _ = try await FileSummary(reading: [blocked]) },
      { _ = try await BoxComparison(blocked, MemorySource(bytes)).differences() },
      { _ = try await Recovery(of: blocked, like: nil) },
      { _ = try await MediaThread.run { try blocked.bytes(in: 0..<8) } },
    ]
    for (index, operation) in operations.enumerated() {
      let task = Task { try await operation() }
      while await requests.ranges.count <= index { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self, "\(index)") { try await task.value }
    }
    #expect(await requests.ranges.count == operations.count)
  }

  @Test("A task that was cancelled before reads nothing")
  func cancelledBefore() async throws {
    let requests = Requests([])
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Movie(reading: [AsyncSource(name: "a", byteCount: 8) { try await requests.read($0) }])
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await requests.ranges.isEmpty)
  }

  @Test("A pipe without data does not keep a cancelled operation")
  func pipe() async throws {
    let (reading, writing) = try makePipe()
    defer { closeDescriptors(reading, writing) }
    let source = try FileSource.open(descriptor: reading, name: "pipe")
    let task = Task { try await Movie(reading: [source]) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  // MARK: Outputs

  private final class CollectingSink: ByteSink, @unchecked Sendable {
    let name = "collector"
    private(set) var bytes: [UInt8] = []
    var position: Int { bytes.count }
    func write(_ bytes: RawSpan) throws(IOError) {
      for offset in 0..<bytes.byteCount {
        unsafe self.bytes.append(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
      }
    }
    func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) { bytes += try source.bytes(in: range) }
  }

  @Test("A file, memory and a sink get the same bytes")
  func outputs() async throws {
    let input = try FileSource.open(vectorPath("files/fragmented.mp4"))
    try await Defragmenter().run([input], to: folder("a.mp4"))
    let expected = try readFile(folder("a.mp4"))
    #expect(try await Defragmenter().run(inMemory: [input]).bytes == expected)
    let (sink, other) = (CollectingSink(), CollectingSink())
    try await Defragmenter().run([input], to: sink)
    #expect(sink.bytes == expected)
    let plan = try await Defragmenter().plan([input])
    try await plan.write(to: other)
    #expect(other.bytes == expected)
    #expect(try await plan.bytes() == expected)
  }

  @Test("Examining a file reports its progress, and stops")
  func examining() async throws {
    struct Enough: Error {}
    let source = try FileSource.open(vectorPath("files/fragmented.mp4"))
    let operations: [@Sendable (@escaping OperationProgress.Handler) async throws -> Void] = [
      { _ = try await Check().run([source], onProgress: $0) },
      { _ = try await FileReport(reading: [source], onProgress: $0) },
      { _ = try await Recovery(of: source, like: nil, onProgress: $0) },
    ]
    for operation in operations {
      let steps = Steps()
      try await operation { steps.append($0) }
      let fractions = steps.all.compactMap(\.fraction)
      #expect(fractions.first == 0 && fractions.last == 1)
      #expect(zip(fractions, fractions.dropFirst()).allSatisfy { $0 < $1 })
      for fraction in fractions {
        await #expect(throws: Enough.self) { try await operation { if $0.fraction == fraction { throw Enough() } } }
      }
    }
    #expect(
      try await Check().run([source]).findings.count
        == MediaThread.run { try Check().run([source]) }.findings.count)
  }

  @Test("An error of the app's closure arrives, in all operations")
  func underlying() async throws {
    struct Refused: Error, Equatable { let status: Int }
    let asynchronous: AsyncSource = .ranges(name: "a", byteCount: 10_000) { _ in throw Refused(status: 401) }
    let synchronous = ClosureSource(name: "b", byteCount: 10_000) { _ in throw Refused(status: 401) }
    for source in [asynchronous, synchronous] as [any ByteSource] {
      for run in [
        { _ = try await Movie(reading: [source]) }, { _ = try await MovieEditor(source) },
        { _ = try await Defragmenter().run(inMemory: [source]) },
        { _ = try await Decryption(of: [source], with: .init()) },
      ] as [() async throws -> Void] {
        let error = await #expect(throws: MovieError.self) { try await run() }
        #expect(error?.underlying as? Refused == Refused(status: 401))
      }
      let error = await #expect(throws: IOError.self) { _ = try await source.bytes(in: 0..<5) }
      #expect(error?.underlying as? Refused == Refused(status: 401))
    }
  }

  @Test("No input is an error of every operation", arguments: 0..<6)
  func nothing(number: Int) async {
    let (none, output): ([any ByteSource], Pathname) = ([], "/nowhere/out.mp4")
    let error = await #expect(throws: MovieError.self) {
      switch number {
      case 0: _ = try await Movie(reading: none)
      case 1: _ = try await Concatenator().plan(none)
      case 2: _ = try await Defragmenter().plan(none)
      case 3: _ = try await Joiner().plan(none)
      case 4: _ = try await Cut(.keeping([])).plan(none)
      default: _ = try await Fragmenter().run(none, to: output)
      }
    }
    if number < 5 { #expect(error?.obstacle?.code == "no_inputs", "\(error.debugDescription)") }
  }
}
