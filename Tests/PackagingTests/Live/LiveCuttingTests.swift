import MP4
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Boundaries of live segments")
struct LiveCuttingTests {
  /// Fragments with these numbers of 40 ms frames; those at `syncs` start with a sync sample.
  private func run(
    _ frames: [Int], syncs: (Int) -> Bool = { _ in true }, seconds: Int64, target: Int? = nil
  ) throws -> LiveRun {
    var file = FragmentedFileBuilder([.video()])
    for (index, count) in frames.enumerated() {
      let flags = syncs(index) ? UInt32.sync : .depends
      file.addFragment { $0.addTraf(1, .samples(count), firstSampleFlags: flags) }
    }
    let run = LiveRun([file.build().bytes], piece: 1 << 20) {
      $0.segmentDuration = MediaTime(seconds, 1)
      $0.targetDuration = target.map { MediaTime(Int64($0), 1) }
      $0.keepsAll = true
    }
    let tooLong = run.lines.count { $0.contains("players may stall") }
    #expect(run.recorder.problems.filter { !$0.contains("but EXT-X-TARGETDURATION is") } == [])
    #expect(tooLong == 0 ? run.recorder.problems == [] : !run.recorder.problems.isEmpty)
    #expect(try run.recorder.samples().map { difference(file.build().samples, $0) } == [nil])
    return run
  }
  private func milliseconds(_ run: LiveRun) -> [Int] {
    run.playlist.segments.map { segment in
      Int(segment.duration.components.seconds) * 1000
        + Int(segment.duration.components.attoseconds / 1_000_000_000_000_000)
    }
  }

  @Test("GOPs that fit are joined, and no segment exceeds the target duration")
  func groups() throws {
    let two = try run(Array(repeating: 50, count: 9), seconds: 6)
    #expect(milliseconds(two) == [6000, 6000, 6000] && two.playlist.targetSeconds == 6 && two.diagnostics.isEmpty)
    let four = try run(Array(repeating: 100, count: 4), seconds: 6)
    #expect(milliseconds(four) == [4000, 4000, 4000, 4000] && four.playlist.targetSeconds == 6)
    let ten = try run(Array(repeating: 250, count: 3), seconds: 6)
    #expect(milliseconds(ten) == [10_000, 10_000, 10_000] && ten.playlist.targetSeconds == 10)
    // As at 29.97 frames per second.
    let odd = try run(Array(repeating: 51, count: 8), seconds: 6)
    #expect(milliseconds(odd) == [6120, 6120, 4080] && odd.playlist.targetSeconds == 6)
  }

  @Test("Small fragments are joined up to the next sync sample")
  func smallFragments() throws {
    let run = try run(Array(repeating: 1, count: 500), syncs: { $0 % 50 == 0 }, seconds: 4)
    #expect(milliseconds(run) == [4000, 4000, 4000, 4000, 4000] && run.diagnostics.isEmpty)
  }

  @Test("Without sync samples, a segment ends when the target duration is reached, which is reported")
  func noSync() throws {
    let run = try run(Array(repeating: 25, count: 30), syncs: { $0 % 10 == 0 && $0 != 20 }, seconds: 2)
    #expect(run.playlist.targetSeconds == 10)
    #expect(milliseconds(run) == [10_000, 10_000, 10_000])
    #expect(run.lines == ["stream: segment3.m4s does not begin with a sync sample; players cannot start there"])
  }

  @Test("A fragment longer than the target duration is reported with a sufficient duration")
  func tooLong() throws {
    let run = try run([50, 50, 150, 50], seconds: 2)
    #expect(milliseconds(run) == [2000, 2000, 6000, 2000])
    #expect(
      run.diagnostics.map(\.kind) == [
        .overTarget(segment: "segment3.m4s", duration: MediaTime(6, 1), declared: 2, needed: 6)
      ])
    #expect(try self.run([50, 50, 150, 50], seconds: 2, target: 6).diagnostics.isEmpty)
  }

  @Test("A segment of whole GOPs appears with its last byte if its end is predictable")
  func atOnce() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<8 {
      file.addFragment {
        $0.addTraf(1, .samples(50), firstSampleFlags: .sync)
        $0.addTraf(2, .samples(94))
      }
    }
    let built = file.build()
    let recorder = LiveRecorder()
    var options = LivePackager.Options()
    options.segmentDuration = MediaTime(2, 1)
    var packager = LivePackager("stream", to: recorder, options: options)
    let moment = LiveTimestamp(uptime: .zero, date: DateTime(sinceEpoch: .zero))
    try packager.append(built.initialization[...], at: moment)
    var counts: [Int] = []
    for segment in built.segments {
      try packager.append(segment.dropLast(), at: moment)
      let before = packager.segmentCount
      try packager.append(segment.suffix(1), at: moment)
      counts.append(packager.segmentCount - before)
    }
    // The second segment waits for the start of the third one.
    #expect(counts == [0, 0, 1, 1, 1, 1, 1, 1])
    #expect(packager.segmentCount == 8)
  }
}
