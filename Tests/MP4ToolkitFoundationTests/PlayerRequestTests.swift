import Support
import Testing

@testable import MP4ToolkitFoundation

@Suite("What players request, and what encoders return")
struct PlayerRequestTests {
  private func windows(_ offset: Int64, _ count: Int, toEnd: Bool = false, of byteCount: Int) -> [Range<Int>] {
    Array(RequestedWindows(from: offset, count: count, toEnd: toEnd, of: byteCount))
  }

  @Test("Requests are read in windows, as far as the source has bytes")
  func windows() {
    let size = RequestedWindows.size
    #expect(windows(0, 2, of: 100) == [0..<2] && windows(40, 100, of: 100) == [40..<100])
    #expect(windows(40, 1, toEnd: true, of: 100) == [40..<100])
    #expect(windows(100, 5, of: 100).isEmpty && windows(0, 0, of: 100).isEmpty && windows(0, 5, of: 0).isEmpty)
    #expect(windows(7, 2 * size + 1, of: .max) == [7..<7 + size, 7 + size..<7 + 2 * size, 7 + 2 * size..<8 + 2 * size])
    #expect(windows(3, size, of: 10 * size) == [3..<3 + size])
    // Values of no valid request.
    #expect(windows(-5, 3, of: 100) == [0..<3] && windows(5, -3, of: 100).isEmpty)
    #expect(windows(.max, .max, of: 100).isEmpty && windows(.min, .max, of: 100) == [0..<100])
    #expect(windows(.max - 1, .max, toEnd: true, of: .max) == [.max - 1 ..< .max])
  }

  @Test("Windows are read from asynchronous sources too, and a source that becomes shorter is an error")
  func bytes() async throws {
    let data = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let server = AsyncSource.ranges(name: "server", byteCount: 1000) { Array(data[$0]) }
    for source in [MemorySource(data), server] as [any ByteSource] {
      #expect(try await source.wholeBytes(in: 100..<900) == Array(data[100..<900]))
    }
    let error = await #expect(throws: IOError.self) { try await MemorySource(data).wholeBytes(in: 900..<1100) }
    #expect(error?.offset == 1000)
  }

  @Test("Reading a window ends with its task")
  func cancellation() async {
    let server = AsyncSource.ranges(name: "server", byteCount: 1000) { range in
      try await Task.sleep(for: .seconds(1000))
      return [UInt8](repeating: 0, count: range.count)
    }
    let task = Task { try await server.wholeBytes(in: 0..<10) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("The data of several samples is split by their sizes, which must match")
  func splitting() {
    let bytes: [UInt8] = [1, 2, 3, 4]
    #expect(bytes.split(bySizes: [1, 0, 3]) == [[1], [], [2, 3, 4]] && bytes.split(bySizes: [4]) == [bytes])
    #expect([UInt8]().split(bySizes: []) == [] && [UInt8]().split(bySizes: [0]) == [[]])
    for sizes in [[], [3], [5], [2, 3], [-1, 5], [5, -1], [.max, 1], [4, .max], [.min]] {
      #expect(bytes.split(bySizes: sizes) == nil)
    }
  }
}
