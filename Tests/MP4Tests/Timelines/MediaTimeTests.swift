import MP4
import Support
import Testing

@Suite("Exact media times")
struct MediaTimeTests {
  @Test("Times of different timescales are compared without rounding or overflow")
  func comparison() {
    #expect(MediaTime(1, 3) < MediaTime(334, 1000) && MediaTime(333, 1000) < MediaTime(1, 3))
    #expect(MediaTime(.max, 1) > MediaTime(.max, .max) && MediaTime(.min, 1) < MediaTime(.min, .max))
    #expect(MediaTime(.max, .max) > MediaTime(.max - 1, .max))
    #expect(MediaTime(-1, 2) < MediaTime(0, 7) && MediaTime(-1, 2) < MediaTime(-1, 3))
    // Adjacent values that Double cannot distinguish.
    #expect(MediaTime(1 << 60, 90_000) < MediaTime(1 << 60 + 1, 90_000))
  }

  @Test("Equal times in two timescales are equal")
  func equality() {
    #expect(MediaTime(1, 2) == MediaTime(24_000, 48_000))
    #expect(MediaTime(0, 2) == MediaTime(0, 48_000))
    #expect(MediaTime(1, 3) != MediaTime(333, 1000))
    #expect(!(MediaTime(1, 2) < MediaTime(24_000, 48_000)))
  }

  @Test("A time fits into a smaller timescale exactly, as a reduced fraction, or rounded")
  func fitting() {
    func fitting(_ time: MediaTime, _ limit: UInt32) -> [Int64] {
      let (fitting, isExact) = time.fitting(limit)
      return [fitting.value, Int64(fitting.timescale), isExact ? 1 : 0]
    }
    #expect(fitting(MediaTime(7, 1000), 1000) == [7, 1000, 1])
    #expect(fitting(MediaTime(-2000, 4000), 1000) == [-1, 2, 1])
    #expect(fitting(MediaTime(0, .max), 1000) == [0, 1, 1])
    #expect(fitting(MediaTime(.min, 1 << 31), 1000) == [-1 << 32, 1, 1])
    #expect(fitting(MediaTime(-7, .max), 1 << 31 - 1) == [-3, 1 << 31 - 1, 0])
    #expect(fitting(MediaTime(1, .max), 1000) == [0, 1000, 0])
    #expect(fitting(MediaTime(.max, .max), 1 << 31 - 1).last == 0)
    for value in [Int64.min, -3, 5, .max] {
      let (time, isExact) = MediaTime(value, .max - 4).fitting(1 << 31 - 1)
      #expect(time.timescale < 1 << 31 && isExact == (time == MediaTime(value, .max - 4)))
    }
  }

  @Test("Conversion to another timescale rounds to the nearest unit, with halves away from 0")
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

  @Test("Sums and differences are exact if there is a common timescale, and clamped if they are too large")
  func arithmetic() {
    #expect((MediaTime(1, 3) + MediaTime(1, 2)).value == 5 && (MediaTime(1, 3) + MediaTime(1, 2)).timescale == 6)
    #expect(MediaTime(1001, 30_000) - MediaTime(1, 25) == MediaTime(-199, 30_000))
    #expect(MediaTime(1, 2).adding(MediaTime(1, 3)).isExact)
    // No common timescale exists.
    let (time, isExact) = MediaTime(7, .max).subtracting(MediaTime(1, .max - 1))
    #expect(!isExact && time.value == 6 && time.timescale == .max)
    #expect(MediaTime(.max, 1) + MediaTime(1, 1) == MediaTime(.max, 1))
    #expect(MediaTime(.min, 1) - MediaTime(1, 90_000) == MediaTime(.min, 1))
    #expect(MediaTime(.min, 1) - MediaTime(.min, 1) == MediaTime(0, 1))
    #expect(!MediaTime(.max, 1).adding(MediaTime(1, 1)).isExact)
    var random = SplitMix64(seed: 7)
    for _ in 0..<1000 {
      let scales = (0..<2).map { _ in UInt32.random(in: 1...50_000, using: &random) }
      let values = (0..<2).map { _ in Int64.random(in: -1 << 30...1 << 30, using: &random) }
      let (a, b) = (MediaTime(values[0], scales[0]), MediaTime(values[1], scales[1]))
      #expect(a + b - b == a && a - b + b == a && (a - b < MediaTime(0, 1)) == (a < b), "\(a.value) \(b.value)")
    }
  }

  @Test("Equal times have the same hash in any timescale")
  func hashes() {
    let times = [MediaTime(1, 2), MediaTime(24_000, 48_000), MediaTime(45_000, 90_000), MediaTime(-1, 2)]
    #expect(Set(times).count == 2)
    #expect(Set([MediaTime(0, 1), MediaTime(0, 90_000), MediaTime(.min, 1), MediaTime(.max, 1)]).count == 3)
  }

  @Test("Seconds and durations")
  func durations() {
    #expect(MediaTime(1, 4).seconds == 0.25 && MediaTime(-3, 2).seconds == -1.5)
    #expect(Duration(MediaTime(1, 4)) == .milliseconds(250) && Duration(MediaTime(-5, 2)) == .milliseconds(-2500))
    #expect(Duration(MediaTime(1, 3)) == Duration(secondsComponent: 0, attosecondsComponent: 333_333_333_333_333_333))
    #expect(Duration(MediaTime(2, 3)) == Duration(secondsComponent: 0, attosecondsComponent: 666_666_666_666_666_667))
    #expect(Duration(MediaTime(.min, 1)).components.seconds == .min)
    #expect(MediaTime(.milliseconds(40), timescale: 90_000) == MediaTime(3600, 90_000))
    #expect(MediaTime(.milliseconds(-1500), timescale: 2).value == -3)
    #expect(MediaTime(.nanoseconds(500), timescale: 1_000_000).value == 1)
    #expect(MediaTime(Duration(secondsComponent: .max, attosecondsComponent: 0), timescale: 2).value == .max)
    #expect(MediaTime(.seconds(1), timescale: 0).timescale == 1)
    for (value, scale) in [(1, 3), (-7, 90_000), (123_456_789, 44_100), (-1, .max)] as [(Int64, UInt32)] {
      let time = MediaTime(value, scale)
      let again = MediaTime(Duration(time), timescale: scale)
      #expect(again.value == value && again.timescale == scale)
    }
  }

  @Test("Times from seconds are rounded, and clamped")
  func seconds() {
    #expect(MediaTime(seconds: 3) == MediaTime(3, 1) && MediaTime(seconds: 3).timescale == 1)
    #expect(MediaTime(seconds: 2.5) == MediaTime(5, 2) && MediaTime(seconds: -0.1, timescale: 44_100).value == -4410)
    #expect(MediaTime(seconds: .infinity).value == .max && MediaTime(seconds: -1e300).value == .min)
    #expect(MediaTime(seconds: .nan).value == 0 && MediaTime(seconds: 1.4, timescale: 0) == MediaTime(1, 1))
  }
}
