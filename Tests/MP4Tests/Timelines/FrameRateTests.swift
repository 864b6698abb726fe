import MP4
import Support
import Testing

@Suite("Frame rates")
struct FrameRateTests {
  /// The rate of frames at these times in milliseconds; the last one ends at `end`.
  private func rate(_ times: [Int64], end: Int64) -> Double? {
    FrameRate(times: times, end: end, timescale: 1000)?.value
  }

  @Test(
    "A steady rate is exact, regardless of the rounding of times",
    arguments: [
      (24_000, 1001), (24, 1), (25, 1), (30_000, 1001), (30, 1), (50, 1), (60_000, 1001), (60, 1), (25, 2), (15, 1),
    ])
  func steady(numerator: Int64, denominator: Int64) {
    for timescale in [600, 1000, 12_800, 90_000] as [Int64] {
      let times = (0...200 as ClosedRange<Int64>).map { index in
        (2 * index * denominator * timescale + numerator) / (2 * numerator)
      }
      // In decode order, where every second frame is presented later.
      let mixed = stride(from: 0, to: 200, by: 2).flatMap { [times[$0 + 1], times[$0]] }
      let rate = FrameRate(times: mixed, end: times[200], timescale: UInt32(timescale))
      #expect(rate == FrameRate(numerator, denominator), "\(timescale)")
    }
  }

  @Test("The rate is the largest frame count of any second, not the average")
  func longPictures() {
    // 30 frames per second, with some frames that last a second.
    var (times, time): ([Int64], Int64) = ([], 0)
    for index in 0..<300 as Range<Int64> {
      times.append(time)
      time += index % 100 == 99 ? 1000 : [33, 33, 34][Int(index % 3)]
    }
    #expect(rate(times, end: time) == 30)
    // Ten frames in a tenth of a second, then none.
    #expect(rate(Array(0..<10).map { $0 * 10 }, end: 5000) == 10)
    // One late frame has no effect.
    var late: [Int64] = (0..<300 as Range<Int64>).map { $0 * 40 }
    late[100] += 15
    #expect(rate(late, end: 12_000) == 25)
  }

  @Test("Less than a second has the average rate")
  func short() {
    #expect(rate([0, 40, 80], end: 120) == 25)
    #expect(rate([0, 200], end: 300) == 2 / 0.3)
    #expect(rate([0], end: 4000) == 0.25)
    #expect(rate([], end: 4000) == nil && rate([0], end: 0) == nil)
  }

  @Test(
    "Times never cause a trap, and the rate is at most the number of pictures in some second",
    arguments: 0..<40 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var times = (0..<Int.random(in: 1...200, using: &random)).map { _ in Int64.random(in: 0...8000, using: &random) }
    times += [0, 8000]
    let end = Int64.random(in: 8001...9000, using: &random)
    let rate = try #require(self.rate(times, end: end))
    times.sort()
    let most = times.map { start in times.count { $0 >= start && $0 < start + 1000 } }.max() ?? 0
    #expect(rate <= Double(most) * 1.005 && rate > 0)
    // At least about the average.
    #expect(rate >= Double(times.count) * 1000 / Double(end) * 0.85)
    let extreme: [Int64] = [.min, -1, 0, .max]
    #expect(FrameRate(times: extreme, end: .max, timescale: 1) == nil)
    #expect(FrameRate(times: [.min, .min + 5], end: .min + 10, timescale: .max) != nil)
  }
}
