import MP4
import Support
import Testing

@Suite("Times are exact")
struct MediaTimeTests {
  @Test("Times of different timescales are compared without rounding or overflow")
  func comparison() {
    #expect(MediaTime(1, 3) < MediaTime(334, 1000) && MediaTime(333, 1000) < MediaTime(1, 3))
    #expect(MediaTime(.max, 1) > MediaTime(.max, .max) && MediaTime(.min, 1) < MediaTime(.min, .max))
    #expect(MediaTime(.max, .max) > MediaTime(.max - 1, .max))
    #expect(MediaTime(-1, 2) < MediaTime(0, 7) && MediaTime(-1, 2) < MediaTime(-1, 3))
    // Neighbours that a Double cannot tell apart.
    #expect(MediaTime(1 << 60, 90_000) < MediaTime(1 << 60 + 1, 90_000))
  }

  @Test("The same time in two timescales is the same time")
  func equality() {
    #expect(MediaTime(1, 2) == MediaTime(24_000, 48_000))
    #expect(MediaTime(0, 2) == MediaTime(0, 48_000))
    #expect(MediaTime(1, 3) != MediaTime(333, 1000))
    #expect(!(MediaTime(1, 2) < MediaTime(24_000, 48_000)))
  }

  @Test("A time in another timescale is rounded to the nearest unit, halves away from 0")
  func conversion() {
    func converted(_ time: MediaTime, _ scale: UInt32) -> [Int64] {
      let (value, isExact) = time.converted(to: scale)
      return [value, isExact ? 1 : 0]
    }
    #expect(converted(MediaTime(1024, 48_000), 1000) == [21, 0])
    #expect(converted(MediaTime(24, 48_000), 1000) == [1, 0])
    #expect(converted(MediaTime(23, 48_000), 1000) == [0, 0])
    #expect(converted(MediaTime(-24, 48_000), 1000) == [-1, 0])
    #expect(converted(MediaTime(480, 48_000), 1000) == [10, 1])
    #expect(converted(MediaTime(.max, .max), .max) == [.max, 1])
    #expect(converted(MediaTime(.min, 1), .max) == [.min, 0])
    #expect(converted(MediaTime(.max, 1), 2) == [.max, 0])
    #expect(converted(MediaTime(5, 1), 0) == [0, 1])
  }

  @Test("A timescale of 0 counts as 1")
  func noTimescale() { #expect(MediaTime(3, 0) == MediaTime(3, 1)) }

  @Test("Seconds are shown with three decimals")
  func text() {
    #expect(MediaTime(12_345, 10_000).description == "1.234 s")
    #expect(MediaTime(-1, 1000).description == "-0.001 s")
    #expect(MediaTime(.min, 1).description == "-9223372036854775808.000 s")
  }
}
