import MP4
import MP4Inspection
import Support
import Testing

@Suite("The player buffer")
struct BufferSimulationTests {
  private typealias Download = BufferSimulation.Download

  /// Four segments of four seconds; the third one is large.
  private static let downloads = [1000, 1000, 3000, 1000].enumerated().map { index, size in
    Download(start: .seconds(4 * index), duration: .seconds(4), byteCount: size)
  }

  @Test("The buffer runs empty if a segment exceeds the bit rate, until the segment has arrived")
  func stalls() throws {
    let buffer = try #require(BufferSimulation(Self.downloads, bitRate: 2000))
    #expect(buffer.arrivals.map(\.time) == [4, 8, 20, 24].map(Duration.seconds))
    #expect(buffer.arrivals.map(\.position) == [0, 4, 8, 12].map(Duration.seconds))
    #expect(buffer.arrivals.map(\.before) == [0, 0, 0, 0].map(Duration.seconds))
    #expect(buffer.arrivals.map(\.after) == [4, 4, 4, 4].map(Duration.seconds))
    #expect(buffer.start == .seconds(4) && buffer.length == .seconds(16))
    // A segment that arrives exactly when it is needed does not cause a stall.
    #expect(buffer.stalls == [.init(position: .seconds(8), duration: .seconds(8))])
    #expect(buffer.leastStart == .seconds(12) && buffer.stalled == .seconds(8))
  }

  @Test("With the reported start-up delay the buffer never runs empty; with any shorter one it does")
  func start() throws {
    let buffer = try #require(BufferSimulation(Self.downloads, bitRate: 2000, start: .seconds(12)))
    #expect(buffer.stalls.isEmpty && buffer.start == .seconds(12))
    #expect(buffer.arrivals.map(\.before) == [0, 4, 0, 0].map(Duration.seconds))
    #expect(buffer.arrivals.map(\.after) == [4, 8, 4, 4].map(Duration.seconds))
    let early = try #require(BufferSimulation(Self.downloads, bitRate: 2000, start: .milliseconds(11_999)))
    #expect(early.stalled == .milliseconds(1))
  }

  @Test("Times that are not decimal fractions are compared without rounding")
  func exact() throws {
    let buffer = try #require(BufferSimulation(Self.downloads, bitRate: 3000))
    #expect(buffer.arrivals.map(\.time) == [8, 16, 40, 48].map { .seconds($0) / 3 })
    #expect(buffer.arrivals.map(\.before) == [.zero, .seconds(4) / 3, .zero, .seconds(4) / 3])
    #expect(buffer.stalls == [.init(position: .seconds(8), duration: .seconds(8) / 3)])
    // Segments of 0.3 s that arrive exactly when they are needed.
    let even = (0..<3000).map { index in
      Download(start: .milliseconds(300 * index), duration: .milliseconds(300), byteCount: 3)
    }
    #expect(BufferSimulation(even, bitRate: 80)?.stalls.isEmpty == true)
  }

  @Test("The download stops at an unplayable segment, and playback ends before it")
  func obstacle() throws {
    let segment = UnusableSegment(
      playlist: "p", line: 1, number: 3, uri: "3", time: MediaTime(8, 1)..<MediaTime(12, 1), reason: "3: missing")
    var downloads = Self.downloads
    downloads[2] = Download(start: .seconds(8), duration: .seconds(4), byteCount: 0, obstacle: segment)
    // Complete audio does not help.
    let sound = (0..<4).map { Download(start: .seconds(4 * $0), duration: .seconds(4), byteCount: 10, stream: 1) }
    let buffer = try #require(
      BufferSimulation(zip(downloads, sound).flatMap { [$0, $1] }, bitRate: 2000))
    #expect(buffer.obstacle?.number == 3 && buffer.length == .seconds(8) && buffer.arrivals.count == 4)
    #expect(buffer.levels(.seconds(4), 4).suffix(1) == [.zero ... .zero])
    let none = try #require(BufferSimulation(Array(downloads.suffix(2)), bitRate: 2000))
    #expect(none.obstacle != nil && none.arrivals.isEmpty && none.length == .zero)
  }

  @Test("Levels have the minimum and maximum of each bin")
  func levels() throws {
    let buffer = try #require(BufferSimulation(Self.downloads, bitRate: 4000))
    // Arrivals at 2, 4, 10 and 12 s; playback starts at 2 s, so the positions are 0, 2, 8 and 10 s.
    #expect(buffer.arrivals.map(\.position) == [0, 2, 8, 10].map(Duration.seconds))
    #expect(buffer.stalls.isEmpty)
    let levels = buffer.levels(.seconds(4), 4)
    #expect(levels.map(\.lowerBound) == [2, 0, 0, 0].map(Duration.seconds))
    #expect(levels.map(\.upperBound) == [6, 4, 6, 4].map(Duration.seconds))
  }

  @Test("Impossible numbers are refused")
  func absurd() {
    let huge = [Download(start: .zero, duration: .seconds(Int64.max / 4), byteCount: 1)]
    #expect(BufferSimulation(huge, bitRate: 1) == nil && BufferSimulation([], bitRate: 1) == nil)
    let sizes = [Download(start: .zero, duration: .seconds(1), byteCount: .max)]
    #expect(BufferSimulation(sizes, bitRate: 1000) == nil)
    #expect(BufferSimulation(Self.downloads, bitRate: 0) == nil)
    #expect(BufferSimulation(Self.downloads, bitRate: .max) == nil)
  }

  @Test("Simulating second by second gives the same buffer levels")
  func followed() throws {
    var random = SplitMix64(seed: 21)
    func number(_ limit: Int) -> Int { 1 + Int(random.next() % UInt64(limit)) }
    for _ in 0..<Effort.count(short: 200, all: 5000) {
      let streams = number(3)
      var downloads: [Download] = []
      for stream in 0..<streams {
        var time = 0
        for _ in 0..<number(12) {
          let duration = number(6)
          downloads.append(
            Download(start: .seconds(time), duration: .seconds(duration), byteCount: number(9), stream: stream))
          time += duration
        }
      }
      downloads = downloads.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        .map(\.element)
      // One byte takes one second.
      let buffer = try #require(BufferSimulation(downloads, bitRate: 8))
      var (position, available, stalled, isPlaying, positions) = (0, 0, 0, false, [Duration]())
      for (index, download) in downloads.enumerated() {
        for _ in 0..<download.byteCount where isPlaying {
          if position < available { position += 1 } else { stalled += 1 }
        }
        positions.append(.seconds(position))
        let left = Set(downloads[(index + 1)...].map(\.stream))
        let ends = left.map { own in
          downloads[...index].filter { $0.stream == own }.map { $0.start + $0.duration }.max() ?? .zero
        }
        let end = ends.min() ?? buffer.length
        available = max(available, Int(end.components.seconds))
        isPlaying = isPlaying || available > 0
      }
      #expect(buffer.arrivals.map(\.position) == positions)
      #expect(buffer.stalled == .seconds(stalled))
    }
  }
}
