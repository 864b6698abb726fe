import Support
import Testing

@testable import MP4

@Suite("Timelines with overlapping fragments")
struct OverlapTimelineTests {
  private func timeline(_ fragments: (time: UInt64, durations: [UInt32])...) throws -> TrackTimeline {
    var all = TimelineFragments()
    for (time, durations) in fragments { all.add(at: time, durations: durations) }
    return try all.timeline()
  }
  private func kinds(_ timeline: TrackTimeline) -> [String] { timeline.events.map { "\($0.kind)" } }
  private func tens(_ count: Int) -> [UInt32] { Array(repeating: 10, count: count) }

  @Test("A fragment with a later one inside it is split")
  func split() throws {
    let line = try timeline((0, tens(10)), (30, tens(2)))
    #expect(line.entries.map(\.index) == [0, 1, 0] && line.entries.map(\.start) == [0, 30, 50])
    #expect(line.entries.map(\.used) == [3, 2, 5] && line.entries.map(\.end) == [30, 50, 100])
    #expect(line.stretches.allSatisfy { $0 == 0 })
    #expect(kinds(line) == ["replaced(samples: 2)"])
    #expect(line.events.map(\.time) == [30] && line.events.map(\.amount) == [20])
    #expect(line.fragmentCount == 2 && !line.isReordered)
  }

  @Test("A sample of which less than half is declared again is kept, and the one before it shortened")
  func lessThanHalf() throws {
    let line = try timeline((0, tens(10)), (34, tens(2)))
    // 40 is omitted; 50 is in the last sample of the later fragment, which ends at 54.
    #expect(line.entries.map(\.start) == [0, 34, 50] && line.entries.map(\.used) == [4, 2, 5])
    #expect(line.stretches == [-6, -4, 0])
    #expect(kinds(line) == ["replaced(samples: 1)"])
  }

  @Test("A sample of which half or more is declared again is omitted, and the one before it extended")
  func halfOrMore() throws {
    for shift: Int64 in [5, 8] {
      let line = try timeline((0, tens(10)), (UInt64(30 + shift), tens(2)))
      #expect(line.entries.map(\.start) == [0, 30 + shift, 60] && line.entries.map(\.used) == [4, 2, 4])
      #expect(line.stretches == [shift - 10, 10 - shift, 0])
      #expect(kinds(line) == ["replaced(samples: 2)"])
    }
  }

  @Test("One long sample that is declared later replaces many short ones")
  func longSample() throws {
    let line = try timeline((0, tens(10)), (20, [50]))
    #expect(line.entries.map(\.used) == [2, 1, 3] && line.entries.map(\.start) == [0, 20, 70])
    #expect(kinds(line) == ["replaced(samples: 5)"])
  }

  @Test("A fragment within one sample of another omits nothing")
  func withinSample() throws {
    let line = try timeline((0, [100, 100]), (40, [10]), (200, [100]))
    #expect(line.entries.map(\.index) == [0, 1, 0, 2] && line.entries.map(\.used) == [1, 1, 1, 1])
    #expect(line.stretches == [-60, 50, 0, 0])
    #expect(kinds(line) == ["stepBack", "gap"])
  }

  @Test("Small steps back of unordered fragments omit nothing")
  func jitter() throws {
    let line = try timeline((39, tens(4)), (0, tens(4)), (79, tens(4)))
    #expect(line.isReordered && line.entries.map(\.index) == [1, 0, 2])
    #expect(line.stretches == [-1, 0, 0] && line.entries.map(\.used) == [4, 4, 4])
    #expect(kinds(line) == ["stepBack"])
  }

  @Test("Of two takes over the same time, the one later in the files is used up to its end")
  func takes() throws {
    var fragments = TimelineFragments()
    for start: UInt64 in [0, 20, 40, 60, 10, 30, 50, 70] { fragments.add(at: start, durations: [5, 5, 5, 5]) }
    let line = try fragments.timeline()
    #expect(line.entries.map(\.index) == [0, 4, 5, 6, 7] && line.entries.map(\.used) == [2, 4, 4, 4, 4])
    #expect(line.events.allSatisfy { $0.before < 4 && $0.after >= 4 })
  }

  @Test("Samples and fragments without a duration stay in place")
  func noDuration() throws {
    // The second fragment is within the first; the fourth also has no duration, and is at the end of the third.
    let line = try timeline((0, tens(4)), (20, [0]), (40, [10, 0]), (50, [0, 0]), (50, tens(2)))
    #expect(line.entries.map(\.index) == [0, 1, 0, 2, 3, 4] && line.entries.map(\.used) == [2, 1, 2, 2, 2, 2])
    #expect(line.events.isEmpty)
    // A later fragment at the same times replaces them.
    let hidden = try timeline((0, tens(2)), (20, [0]), (20, [10, 0]), (10, tens(3)))
    #expect(hidden.entries.map(\.index) == [0, 3] && hidden.entries.map(\.used) == [1, 3])
    #expect(hidden.events.map(\.after) == [3, 3, 3])
  }

  @Test("Wrong durations are scaled up to the next different start, also for a duplicate fragment")
  func overrunTwice() throws {
    var fragments = TimelineFragments()
    for time: UInt64 in [0, 2048, 4096, 4096, 6144, 8192] {
      fragments.add(at: time, durations: [49_152, 49_152], size: UInt32(time + 7))
    }
    let line = try fragments.timeline()
    #expect(line.entries.map(\.index) == [0, 1, 3, 4, 5] && line.entries.map(\.used) == [2, 2, 2, 2, 2])
    #expect(line.entries.map(\.end) == [2048, 4096, 6144, 8192, 10_240])
    #expect(kinds(line).filter { $0 != "overrun" } == ["repeated(samples: 2)"])
  }

  @Test("Without samples, only actual overlaps are reported")
  func withoutSamples() throws {
    var fragments = TimelineFragments()
    fragments.add(at: 0, durations: tens(10))
    fragments.add(at: 30, durations: tens(2))
    fragments.add(at: 110, durations: tens(2))
    fragments.samples = SampleColumns()
    let line = try fragments.timeline()
    #expect(line.entries.map(\.index) == [0, 1, 2] && kinds(line) == ["replaced(samples: 0)", "gap"])
    #expect(line.events.map(\.time) == [30, 100] && line.events.map(\.amount) == [20, 10])
  }

  @Test("Each fragment is examined once, regardless of the number of overlaps")
  func many() throws {
    let count = Effort.count(short: 5000, all: 20_000)
    let layouts: [String: (Int) -> (time: Int, samples: Int)] = [
      "each inside the first": { ($0 * 30, $0 == 0 ? 30 * count : 2) },
      "each over the half of the one before": { ($0 * 20, 4) },
      "each over all before": { (1_000_000 - $0 * 20, 4 * $0 + 1) },
      "all at the same time": { _ in (0, 20) },
      "each inside the one before": { ($0 * 20, $0 < 300 ? 4 * (300 - $0) : 3) },
      "two takes": { (($0 % (count / 2)) * 40 + $0 / (count / 2) * 20, 4) },
    ]
    for (name, layout) in layouts {
      var fragments = TimelineFragments()
      for number in 0..<(name == "each over all before" ? 1000 : count) {
        let (time, samples) = layout(number)
        fragments.add(at: UInt64(time), durations: tens(samples))
      }
      let clock = WorkClock()
      let line = try fragments.timeline()
      #expect(clock.elapsed < .seconds(8), "\(name)")
      #expect(zip(line.entries, line.entries.dropFirst()).allSatisfy { $0.start < $1.start })
      let left = line.events.reduce(0) { sum, event in
        switch event.kind {
        case .replaced(let samples), .repeated(let samples): sum + samples
        default: sum
        }
      }
      let all = fragments.fragments.reduce(0) { $0 + $1.sampleCount }
      #expect(line.entries.reduce(left) { $0 + $1.used } == all, "\(name)")
    }
  }

  @Test("Samples after others without a duration are not copies of them")
  func withoutDuration() throws {
    var fragments = TimelineFragments()
    fragments.add(at: 0, durations: [10, 10], size: 0)
    fragments.add(at: 20, durations: [0, 0, 0], size: 0)
    fragments.add(at: 20, durations: [10], size: 0)
    let timeline = try fragments.timeline()
    #expect(timeline.sampleCount == 6 && timeline.events.isEmpty)
  }
}
