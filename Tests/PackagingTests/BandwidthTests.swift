import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("The bandwidth of segments")
struct BandwidthTests {
  private typealias Segments = [(byteCount: Int, duration: Duration)]

  /// The peak of all runs of segments.
  private func peak(_ segments: Segments, _ target: Int) -> Int {
    func rate(_ run: ArraySlice<(byteCount: Int, duration: Duration)>) -> Int {
      let bits = run.reduce(0) { $0 + $1.byteCount * 8 }
      let time = run.reduce(0) { $0 + microseconds($1.duration) }
      return (bits * 1_000_000 + time - 1) / time
    }
    var peak = rate(segments[...])
    for start in segments.indices {
      for end in start..<segments.count {
        let run = segments[start...end]
        let time = run.reduce(0) { $0 + microseconds($1.duration) }
        if time >= target * 500_000, time <= target * 1_500_000 { peak = max(peak, rate(run)) }
      }
    }
    return peak
  }

  @Test("The peak is that of the densest run between half and one and a half target durations", arguments: 1...200)
  func random(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let target = Int.random(in: 1...8, using: &numbers)
    let shortest = seed % 2 == 0 ? 1 : target * 300_000
    let segments: Segments = (0..<Int.random(in: 1...40, using: &numbers)).map { _ in
      let time = Int.random(in: shortest..<target * 1_000_000 + 500_000, using: &numbers)
      return (Int.random(in: 0...100_000, using: &numbers), .microseconds(time))
    }
    let bandwidth = Bandwidth(segments, targetDuration: .seconds(target))
    #expect(bandwidth.peak == peak(segments, target))
    let (bytes, time) = segments.reduce((0, 0)) { ($0.0 + $1.byteCount, $0.1 + microseconds($1.duration)) }
    #expect(bandwidth.average == (bytes * 8_000_000 + time - 1) / time)
  }

  @Test("No segments, no duration and huge sizes do not cause a trap")
  func limits() {
    #expect(Bandwidth([], targetDuration: .seconds(6)) == Bandwidth([(0, .seconds(1))], targetDuration: .seconds(6)))
    #expect(Bandwidth([(100, .zero)], targetDuration: .seconds(1)).peak == 0)
    #expect(Bandwidth([(1 << 58, .microseconds(1))], targetDuration: .seconds(1)).peak == .max)
    #expect(Bandwidth([(1000, .seconds(2)), (1, .seconds(1))], targetDuration: .seconds(2)).peak == 4000)
  }

  @Test(
    "A segment much longer than the target duration is not a run of its own",
    arguments: 1...Effort.count(short: 5, all: 50))
  func outliers(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let segments: Segments = (0..<60).map { _ in
      let isLong = Int.random(in: 0..<10, using: &numbers) == 0
      let time = Int.random(in: isLong ? 1_000_000...9_000_000 : 1000...200_000, using: &numbers)
      return (Int.random(in: 0...100_000, using: &numbers), .microseconds(time))
    }
    for target in [1, 2, 9] {
      #expect(Bandwidth(segments, targetDuration: .seconds(target)).peak == peak(segments, target))
    }
  }

  @Test("100,000 segments take little time, even if a run has many of them")
  func large() {
    let clock = WorkClock()
    var segments: Segments = (0..<100_000).map { (1000 + $0 % 7, .microseconds(6_000_000)) }
    #expect(Bandwidth(segments, targetDuration: .seconds(6)).peak > 1300)
    segments = (0..<100_000).map { (1000 + $0 % 7, .microseconds(40_000)) }
    #expect(Bandwidth(segments, targetDuration: .seconds(6)).peak > 200_000)
    // Keyframes of 40 ms, and one that lasts 1000 s: a run has at most 37,500 of them.
    segments.append((1000, .seconds(1000)))
    #expect(Bandwidth(segments, targetDuration: .seconds(1000)).peak > 200_000)
    #expect(clock.elapsed < .seconds(20))
  }
}
