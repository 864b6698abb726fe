import Testing

@testable import MP4

@Suite("The timeline of a track")
struct TrackTimelineTests {
  private func timeline(_ fragments: (time: UInt64?, durations: [UInt32])...) throws -> TrackTimeline {
    var all = TimelineFragments()
    for (time, durations) in fragments { all.add(at: time, durations: durations) }
    return try all.timeline()
  }
  private func kinds(_ timeline: TrackTimeline) -> [String] { timeline.events.map { "\($0.kind)" } }

  @Test("Adjacent fragments are not changed")
  func meeting() throws {
    let line = try timeline((5, [10, 10]), (25, [10]), (35, [1]))
    #expect(line.entries.map(\.start) == [5, 25, 35])
    #expect(line.stretches.allSatisfy { $0 == 0 } && line.scaledDurations.isEmpty)
    #expect(line.start == 5 && line.events.isEmpty && !line.isReordered)
  }

  @Test("A gap extends the last sample before it, and no other sample")
  func gaps() throws {
    let line = try timeline((0, [10, 10]), (27, [10]), (40, [10]))
    #expect(line.stretches == [7, 3, 0])
    #expect(kinds(line) == ["gap", "gap"])
    #expect(line.events.map(\.time) == [20, 37] && line.events.map(\.amount) == [7, 3])
    #expect(line.events.map(\.before) == [0, 1] && line.events.map(\.after) == [1, 2])
  }

  @Test("A step back within the last sample shortens it")
  func stepBack() throws {
    let line = try timeline((0, [10, 10]), (13, [10]), (23, [10]))
    #expect(line.stretches == [-7, 0, 0] && line.entries.map(\.used) == [2, 1, 1])
    #expect(kinds(line) == ["stepBack"] && line.events[0].amount == 7)
  }

  @Test("Samples whose times are declared again are omitted")
  func replaced() throws {
    let line = try timeline((0, [10, 10, 10, 10]), (15, [10, 10]), (35, [5]))
    #expect(line.entries.map(\.used) == [2, 2, 1] && line.stretches == [-5, 0, 0])
    #expect(kinds(line) == ["replaced(samples: 2)"])
  }

  @Test("A fragment with the start time of another one replaces all of it")
  func replacedWhole() throws {
    let line = try timeline((0, [10]), (10, [10, 10]), (10, [20]), (30, [5]))
    #expect(line.entries.map(\.index) == [0, 2, 3])
    #expect(kinds(line) == ["replaced(samples: 2)"])
  }

  @Test("An identical fragment is a repetition")
  func repeated() throws {
    var fragments = TimelineFragments()
    fragments.add(at: 0, durations: [10, 10], size: 7)
    fragments.add(at: 0, durations: [10, 10], size: 7)
    fragments.add(at: 20, durations: [10], size: 8)
    let line = try fragments.timeline()
    #expect(line.entries.map(\.index) == [1, 2] && kinds(line) == ["repeated(samples: 2)"])
  }

  @Test("An incomplete copy of a fragment replaces nothing")
  func repeatedStart() throws {
    var fragments = TimelineFragments()
    fragments.add(at: 0, durations: [10, 10, 10], size: 7)
    fragments.add(at: 0, durations: [10, 10], size: 7)
    fragments.add(at: 30, durations: [10], size: 8)
    let line = try fragments.timeline()
    #expect(line.entries.map(\.index) == [0, 2] && kinds(line) == ["repeated(samples: 2)"])
    // A fragment with other times is not a copy.
    var others = TimelineFragments()
    others.add(at: 0, durations: [10, 10, 10], size: 7)
    others.add(at: 0, durations: [12, 18], size: 7)
    #expect(try kinds(others.timeline()) == ["replaced(samples: 3)"])
  }

  @Test("Durations that overrun repeatedly are scaled, the last by the ratio of the one before it")
  func overruns() throws {
    // Like an encoder that writes the duration 49152 while times increase by 1024.
    var fragments = TimelineFragments()
    for index: UInt64 in 0..<5 { fragments.add(at: index * 2048, durations: [49_152, 49_152]) }
    let line = try fragments.timeline()
    #expect(line.entries.map(\.used) == [2, 2, 2, 2, 2])
    #expect(line.entries.map { line.scaledDurations[$0.index]?.scaled } == [2048, 2048, 2048, 2048, 2048])
    #expect(line.entries.map(\.end) == [2048, 4096, 6144, 8192, 10_240])
    #expect(kinds(line) == ["overrun", "overrun", "overrun", "overrun"])
    var scale = TimeScaling(from: 98_304, to: 2048)
    #expect([scale.advance(by: 49_152), scale.advance(by: 49_152)] == [1024, 1024])
  }

  @Test("Two takes over the same time have right durations: nothing is scaled, and omitted samples are reported")
  func takes() throws {
    let starts: [UInt64] = [0, 20, 40, 60]
    var fragments = TimelineFragments()
    for start in starts + starts.map({ $0 + 10 }) { fragments.add(at: start, durations: [5, 5, 5, 5]) }
    let line = try fragments.timeline()
    #expect(line.isReordered && line.scaledDurations.isEmpty)
    #expect(kinds(line) == Array(repeating: "replaced(samples: 2)", count: 7))
  }

  @Test("Scaled durations have the right sum for any ratio")
  func scaling() throws {
    for (from, to): (UInt64, UInt64) in [(10, 7), (1000, 999), (3, 1), (1 << 40, 12_345), (7, 7)] {
      var scale = TimeScaling(from: from, to: to)
      var sum: UInt64 = 0
      let step = max(1, from / 5)
      for _ in 0..<7 { sum += scale.advance(by: step) }
      #expect(sum == to, "\(from) to \(to)")
    }
  }

  @Test("A single overrun among many fragments is not scaled")
  func oneOverrun() throws {
    let line = try timeline((0, [10, 10]), (20, [10, 10, 10]), (40, [10, 10]), (60, [20]))
    #expect(line.scaledDurations.isEmpty)
    #expect(kinds(line) == ["replaced(samples: 1)"])
  }

  @Test("Without tfdt, a fragment follows the previous one in the file")
  func missingTimes() throws {
    let line = try timeline((nil, [10, 10]), (nil, [5]), (100, [10]), (nil, [1]))
    #expect(line.entries.map(\.start) == [0, 20, 100, 110])
    #expect(line.stretches == [0, 75, 0, 0])
  }

  @Test("A fragment without samples can advance the time, but not move it back")
  func emptyTimelineFragments() throws {
    let line = try timeline((500, []), (nil, [10]), (0, []), (nil, [10]))
    #expect(line.entries.map(\.start) == [500, 510] && line.events.isEmpty)
  }

  @Test("Unordered fragments are sorted; one without samples does not count")
  func order() throws {
    let line = try timeline((0, [10]), (20, [10]), (15, []), (10, [10]), (30, [10]))
    #expect(line.isReordered && line.entries.map(\.index) == [0, 3, 1, 4])
    #expect(line.events.isEmpty)
  }

  @Test("Fragments that are unordered by more than half of the 32-bit range are sorted and unwrapped")
  func farOutOfOrder() throws {
    let hour: UInt64 = 90_000 * 3600
    for first in [0, 8 * hour] {
      var fragments = TimelineFragments()
      // In the order of a shell, which sorts names with numbers as text.
      for number: UInt64 in [0, 9, 1, 8, 2, 3, 4, 5, 6, 7] {
        fragments.add(at: (first + number * hour) & 0xffff_ffff, durations: [UInt32(hour)], narrow: true)
      }
      let line = try fragments.timeline()
      #expect(line.entries.map(\.start) == (0..<10).map { Int64(first + $0 * hour) })
      #expect(line.events.isEmpty)
    }
  }

  @Test("32-bit times that wrap around continue, also twice, and step back across the wrap")
  func wrap() throws {
    let turn: Int64 = 1 << 32
    #expect(WrappedTime.unwrapped(5, near: turn - 3) == turn + 5)
    #expect(WrappedTime.unwrapped(5, near: 2 * turn - 3) == 2 * turn + 5)
    #expect(WrappedTime.unwrapped(turn - 2, near: turn + 5) == turn - 2)
    #expect(WrappedTime.unwrapped(turn - 2, near: 0) == turn - 2)
    #expect(WrappedTime.unwrapped(7, near: 7) == 7)
    var fragments = TimelineFragments()
    for time: UInt64 in [0xffff_fff0, 0, 16] { fragments.add(at: time, durations: [16], narrow: true) }
    #expect(try fragments.timeline().entries.map(\.start) == [turn - 16, turn, turn + 16])
    // A 64-bit time is used as declared.
    var wide = TimelineFragments()
    for time: UInt64 in [0xffff_fff0, 0] { wide.add(at: time, durations: [16]) }
    #expect(try wide.timeline().entries.map(\.start) == [0, turn - 16])
  }

  @Test("Impossible times do not overflow")
  func extremes() throws {
    let line = try timeline((UInt64.max, [.max]), (1 << 61 - 1, [.max, .max]), (7, [.max]))
    #expect(line.entries.count == 3)
    #expect(line.entries.allSatisfy { $0.start >= 0 && $0.end <= 1 << 61 })
  }

  @Test("Without samples, an overlap is reported and nothing is changed")
  func withoutSamples() throws {
    var fragments = TimelineFragments()
    fragments.add(at: 0, durations: [10, 10])
    fragments.add(at: 10, durations: [10])
    fragments.add(at: 10, durations: [10])
    fragments.add(at: 30, durations: [10])
    fragments.samples = SampleColumns()
    let line = try fragments.timeline()
    #expect(line.entries.map(\.used) == [2, 1, 1, 1])
    #expect(kinds(line) == ["replaced(samples: 0)", "repeated(samples: 1)", "gap"])
  }
}
