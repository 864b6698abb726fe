import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Damaged and extreme movies are fragmented or refused")
struct FragmentHostileTests {
  private static let profiles: [FragmentProfile] = [.cmaf, .apple(timeOffset: FragmentProfile.appleTimeOffset)]

  /// Fragments the bytes with all options; our own reader must read every output, with the same number of samples.
  private func check(_ bytes: [UInt8], _ what: String, interval: MediaTime = time(0, 100)) {
    guard
      case .success(let movie) = Result(catching: { () throws(MovieError) in
        try Movie(reading: [MemorySource(bytes, name: "in.mp4")])
      })
    else { return }
    for profile in Self.profiles {
      for isIndexed in [false, true] {
        var options = Fragmenter.Options()
        (options.profile, options.cutting, options.hasIndex, options.hasRandomAccess) = (
          profile, .interval(interval), isIndexed, isIndexed
        )
        options.fragmentDuration = isIndexed ? time(0, 30) : nil
        guard
          case .success(let plan) = Result(catching: { () throws(MovieError) in
            try Fragmenter(options).plan(movie)
          })
        else { continue }
        checkOutput(plan, what)
      }
    }
  }

  private func checkOutput(_ plan: FragmentPlan, _ what: String) {
    guard plan.byteCount < 50_000_000 else { return }
    let sink = MemorySink()
    do {
      try plan.write(to: sink)
      #expect(sink.bytes.count == plan.byteCount, "\(what)")
      let count = plan.segments.flatMap(\.tracks).reduce(0) { $0 + $1.sampleCount }
      let again = try Defragmenter().plan([MemorySource(sink.bytes, name: "out.mp4")])
      #expect(again.report?.sampleCount == count, "\(what)")
      // Errors of the input remain.
      if plan.diagnostics.allSatisfy({ $0.severity < .error }) {
        #expect(again.diagnostics.allSatisfy { $0.severity < .error }, "\(what): \(again.diagnostics)")
      }
      let report = MemorySink()
      try plan.writeReport(to: report, output: "out.mp4", isWritten: true)
      _ = try JSONValue(report.bytes)
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  @Test(
    "Samples without bytes are limited by the size of the file, and written so that all are read", arguments: [0, 100])
  func samplesWithoutBytes(more: UInt32) throws {
    let run = HostileFile.moof(HostileFile.traf(1, HostileFile.trun((1 << 16) + more)))
    let file = HostileFile(sampleSize: 0, boxes: [run, box("mdat", zeros(10))])
    let movie = try Movie(reading: [MemorySource(file.bytes)])
    #expect(movie.tracks.map(\.samples.count) == [more == 0 ? 1 << 16 : 0])
    #expect(movie.diagnostics.contains { $0.text.contains("but the samples have no bytes") } == (more > 0))
    if more == 0 {
      var options = Fragmenter.Options()
      options.cutting = .interval(time(100_000, 1))
      let plan = try Fragmenter(options).plan(movie)
      checkOutput(plan, "samples without bytes")
      // One more sample, and all are still read.
      let one = HostileFile.moof(
        HostileFile.traf(1, at: 655_360, fullBox("trun", flags: 0x101, big(UInt32(1)), zeros(8))))
      let longer = HostileFile(sampleSize: 0, boxes: [run, one, box("mdat", zeros(10))])
      checkOutput(try Fragmenter(options).plan(Movie(reading: [MemorySource(longer.bytes)])), "one more")
    }
  }

  /// A small movie with a second of video and audio.
  private static let small = progressive([
    .pictures(12, group: 4, offsets: [1024, 2048, 512, 512]).with(\.edits, [.media(from: 1024, duration: 480)]),
    .sound(20).with(\.edits, [.empty(20), .media(from: 1024)]),
  ]).bytes

  @Test("Files truncated at any byte")
  func truncations() {
    for count in stride(from: 0, to: Self.small.count, by: Effort.count(short: 70, all: 7)) {
      check(Array(Self.small.prefix(count)), "the first \(count) bytes")
    }
  }

  @Test("Files with random changed bytes", arguments: 0..<8 as Range<UInt64>)
  func mutations(part: UInt64) {
    for seed in part * 30..<part * 30 + Effort.count(short: 3, all: 30) {
      var random = SplitMix64(seed: seed)
      var bytes = Self.small
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        // Only boxes are changed; media data is not read.
        let place = Int.random(in: 0..<Self.small.count - 700, using: &random)
        let values: [[UInt8]] = [
          random.bytes(1), big(UInt32.max), zeros(4), big(UInt32(0x7fff_ffff)), big(UInt32(0x8000_0000)),
          random.bytes(4),
        ]
        let value = values.randomElement(using: &random) ?? []
        bytes.replaceSubrange(place..<place + value.count, with: value)
      }
      let clock = WorkClock()
      check(bytes, "seed \(seed)")
      #expect(clock.elapsed < .seconds(5), "seed \(seed)")
    }
  }

  @Test("Files with extreme durations, offsets, timescales and edits")
  func extremes() {
    let numbers: [Int64] = [0, 1, Int64(Int32.max), Int64(Int32.max) + 1, Int64(UInt32.max), 1 << 40, .max - 1, .max]
    func checkEdits(_ edits: [(duration: UInt64, time: Int64)], _ what: String) {
      let rows = edits.flatMap { big($0.duration) + big($0.time) + big(UInt32(0x1_0000)) }
      let list = fullBox("elst", version: 1, big(UInt32(edits.count)), rows)
      let track = TrackSpec.pictures(6, group: 2).with(\.boxes, ["trak": box("edts", list)])
      self.check(progressive([track, .sound(4)]).bytes, what)
    }
    for first in Effort.some(numbers, short: 3) {
      for second in Effort.some(numbers, short: 3) {
        checkEdits([(UInt64(first), -1), (UInt64(second), first)], "an edit of \(second) at \(first)")
        checkEdits([(UInt64(first), second), (UInt64(second), -1), (.max, -1)], "an edit of \(first) at \(second)")
        checkEdits([(0, .min + first), (.max, second)], "an edit at \(first) below 0")
      }
    }
    for timescale in Effort.some([1, 1000, .max] as [UInt32], short: 2) {
      for duration in Effort.some([0, 1 << 31, .max] as [UInt32], short: 2) {
        for offset in Effort.some([1, Int64(Int32.max), Int64(Int32.min)], short: 2) {
          var track = TrackSpec.pictures(6, group: 2).with(\.timescale, timescale)
          for index in track.samples.indices {
            track.samples[index].duration = duration
            track.samples[index].compositionOffset = index % 2 == 0 ? offset : 0
          }
          for movie in Effort.some([1, 600, .max] as [UInt32], short: 2) {
            let late = TrackSpec.sound(4).with(\.edits, [.empty(UInt64(UInt32.max)), .media(from: 9)])
            let file = progressive([track, late], movieTimescale: movie)
            check(file.bytes, "\(timescale) \(duration) \(offset) \(movie)")
            check(file.bytes, "\(timescale) \(duration) \(offset) \(movie)", interval: MediaTime(.max, 1))
          }
        }
      }
    }
  }

  @Test("Offsets that exceed the signed range keep their presentation times")
  func farOffsets() throws {
    let far: [Int64] = [Int64(Int32.min) + 100, 0, Int64(Int32.max), 512]
    let file = progressive([.pictures(8, group: 4, offsets: far)])
    let (before, after) = (try SampleReader.read(file.bytes), try FragmentedOutput(file.bytes))
    #expect(after.movie.presented == before.presented)
  }

  @Test("A sample that lasts for years does not result in more segments than samples")
  func years() throws {
    var track = TrackSpec.sound(3)
    for index in track.samples.indices { track.samples[index].duration = .max }
    track.timescale = 1
    for tracks in [
      [track], [.pictures(25), track], [.pictures(25), track.with(\.edits, [.empty(1 << 31), .media(from: 0)])],
    ] {
      let clock = WorkClock()
      let output = try FragmentedOutput(progressive(tracks).bytes) { $0.cutting = .interval(time(0, 1)) }
      #expect(output.plan.segments.count <= 28 && clock.elapsed < .seconds(2))
      #expect(output[2]?.samples.map(\.duration) == Array(repeating: Int(UInt32.max), count: 3))
    }
  }

  @Test("A table with an impossible sample count is refused, or takes proportional time")
  func counts() throws {
    func file(_ box: String, _ row: Int, _ value: UInt32) throws -> [UInt8] {
      var bytes = Self.small
      let at = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == ascii(box) })
      bytes.replaceSubrange(at + 8 + row * 4..<at + 12 + row * 4, with: big(value))
      return bytes
    }
    for box in ["stts", "stsz", "stsc", "ctts", "stss", "stco", "elst"] {
      for row in 0..<Effort.count(short: 1, all: 5) {
        for value: UInt32 in [0, 1 << 20, 1 << 31, .max] {
          let clock = WorkClock()
          check(try file(box, row, value), "\(box) \(row) \(value)")
          #expect(clock.elapsed < .seconds(5), "\(box) \(row) \(value)")
        }
      }
    }
  }

  @Test("Samples without a duration, and tracks that consist of them")
  func noDuration() throws {
    var track = TrackSpec.pictures(20, group: 5)
    for index in track.samples.indices { track.samples[index].duration = index < 10 ? 0 : 512 }
    let output = try FragmentedOutput(progressive([track]).bytes) {
      ($0.cutting, $0.hasRandomAccess) = (.interval(time(0, 100)), true)
    }
    #expect(output.counts().reduce(0, +) == 20)
    for index in track.samples.indices { track.samples[index].duration = 0 }
    let none = try FragmentedOutput(progressive([track, .sound(40)]).bytes) { $0.cutting = .interval(time(0, 100)) }
    #expect(none[1]?.samples.count == 20 && none[2]?.samples.count == 40)
  }
}
