import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Segments cut at given times")
struct SegmentTimesTests {
  private func cut(_ tracks: [TrackSpec], at times: [MediaTime]) throws -> FragmentedOutput {
    try FragmentedOutput(progressive(tracks).bytes) { $0.cutting = .times(times) }
  }
  /// The obstacle to a cut, if there is one.
  private func obstacle(_ tracks: [TrackSpec], at times: [MediaTime]) -> Obstacle? {
    do { _ = try cut(tracks, at: times) } catch { return (error as? MovieError)?.obstacle }
    return nil
  }
  /// There is no sync sample at a time; the nearest ones.
  private func noSync(at time: MediaTime, nearest: MediaTime...) -> Obstacle {
    Obstacle(.noSync, "", ["time": .time(time), "nearest": .list(nearest.map { .time($0) })])
  }
  /// Sync samples every 0.8 s, up to 8 s.
  private let pictures = TrackSpec.pictures(200, group: 20)

  @Test("Fragments keep start times that differ by fractions of units, which is reported")
  func exactStart() throws {
    // 54,000.0216 s, and 54,000 s plus 10/1001: neither timescale can express the distance.
    var file = FragmentedFileBuilder([
      .pictures(0).with(\.timescale, 30_000), .sound(0).with(\.timescale, 44_100),
    ])
    file.addFragment {
      $0.addTraf(1) {
        $0.decodeTime = 1_620_000_010
        $0.addRun(.samples(50, duration: 1001), firstSampleFlags: .sync)
      }
      $0.addTraf(2) {
        $0.decodeTime = 2_381_400_950
        $0.addRun(.samples(80, duration: 1024))
      }
    }
    let built = file.build()
    for options in [Fragmenter.Options(), .apple] {
      let output = try FragmentedOutput(named([built.bytes]), options: options)
      let starts = [1, 2].map { output[$0]?.samples.first?.decodeTime ?? -1 }
      let offset = options.profile == .cmaf ? 0 : 10
      #expect(starts == [10 + offset * 30_000, 950 + offset * 44_100])
      #expect(!output.isRounded && output.isMoved)
      #expect(
        output.texts(.note).filter { !$0.contains("does not follow the CMAF rules: it has 2 tracks") } == [
          "init.mp4: the presentation starts at 54000.000 s; all tracks were moved to 10/30000 s, so that no track "
            + "start is rounded"
        ])
    }
  }

  @Test("Segments start at sync samples at the given times, in all tracks")
  func exact() throws {
    let output = try cut([pictures, .sound(376)], at: [time(0, 800), time(4)])
    #expect(output.counts(1) == [20, 80, 100])
    #expect(output.counts(2) == [38, 150, 188])
    // The start is also a valid time, at which no cut is needed.
    #expect(try cut([pictures], at: [time(0), time(4)]).counts() == [100, 100])
    #expect(try cut([pictures], at: []).counts() == [200])
  }

  @Test("Decimal times match within half a millisecond")
  func near() throws {
    // Sync samples at n/3 s.
    var thirds = TrackSpec.pictures(300, group: 10)
    for timescale: UInt32 in [30, 300, 12_000, 30_000, 90_000] {
      thirds.timescale = timescale
      for index in thirds.samples.indices { thirds.samples[index].duration = timescale / 30 }
      #expect(try cut([thirds], at: [time(0, 333), time(0, 667), time(5)]).counts() == [10, 10, 130, 150])
      // A hundredth of a second is not exact in any timescale.
      for off in [time(0, 320), time(0, 343), time(0, 335)] {
        #expect(obstacle([thirds], at: [off])?.code == .noSync, "\(timescale) \(off)")
      }
    }
  }

  @Test("A time without a sync sample is an error that names the nearest ones on both sides")
  func wrong() {
    #expect(obstacle([pictures], at: [time(1)]) == noSync(at: time(1), nearest: time(0, 800), time(1, 600)))
    #expect(
      obstacle([pictures], at: [time(0, 800), time(3, 300)])
        == noSync(at: time(3, 300), nearest: time(3, 200), time(4)))
    #expect(obstacle([pictures], at: [time(0, 1)]) == noSync(at: time(0, 1), nearest: time(0), time(0, 800)))
    // At a sample that is not a sync sample.
    #expect(obstacle([pictures], at: [time(0, 840)]) == noSync(at: time(0, 840), nearest: time(0, 800), time(1, 600)))
  }

  @Test("A time after the last sync sample is an error that names the last one")
  func behindEnd() {
    #expect(obstacle([pictures], at: [time(100)]) == noSync(at: time(100), nearest: time(7, 200)))
    #expect(obstacle([pictures], at: [time(7, 600)]) == noSync(at: time(7, 600), nearest: time(7, 200)))
  }

  @Test("Times are presentation times, even if the start is trimmed")
  func presentation() throws {
    var trimmed = pictures
    trimmed.edits = [.media(from: 512 * 20)]
    // The second sync sample is presented first.
    #expect(try cut([trimmed], at: [time(0), time(1, 600)]).counts() == [20, 40, 140])
    var late = pictures
    late.edits = [.empty(500), .media(from: 0)]
    #expect(try cut([late, .sound(400)], at: [time(1, 300)]).counts() == [20, 180])
  }

  @Test("Another rendition is cut at the same times, at its own samples")
  func following() throws {
    let video = try FragmentedOutput(progressive([pictures]).bytes) { $0.cutting = .interval(time(2)) }
    let times = video.plan.segments.map(\.start)
    #expect(times.map(\.description) == ["0.000 s", "2.400 s", "4.800 s", "7.200 s"])
    let sound = try FragmentedOutput(progressive([.sound(376)]).bytes) { $0.cutting = .following(times) }
    #expect(sound.counts(2) == [113, 112, 113, 38])
    // A sync sample at or after the time; the fourth segment has none.
    let other = try FragmentedOutput(progressive([.pictures(200, group: 50)]).bytes) { $0.cutting = .following(times) }
    #expect(other.counts().filter { $0 > 0 } == [100, 50, 50])
    #expect(other.plan.segments.allSatisfy { $0.tracks.allSatisfy { $0.firstSample.isSync } })
  }

  @Test("Fragments have about the requested duration; only the first one of a segment must start with a sync sample")
  func fragmentDuration() throws {
    let output = try FragmentedOutput(progressive([.pictures(200, group: 50), .sound(376)]).bytes) {
      $0.cutting = .interval(time(2))
      $0.fragmentDuration = time(0, 500)
    }
    #expect(output.counts(1) == [50, 50, 50, 50])
    // 0.5 s are 12.5 samples.
    #expect(output.fragmentCounts(1) == Array(repeating: [13, 13, 13, 11], count: 4).flatMap(\.self))
    #expect(output.plan.segments.map(\.fragmentSizes.count) == [4, 4, 4, 4])
    #expect(output.fragmentCounts(2).reduce(0, +) == 376 && output.fragmentCounts(2).allSatisfy { $0 > 0 })
    let times = try FragmentedOutput(progressive([.pictures(200, group: 50)]).bytes) {
      $0.cutting = .times([time(4)])
      $0.fragmentDuration = time(1)
    }
    #expect(times.counts() == [100, 100] && times.fragmentCounts() == Array(repeating: 25, count: 8))
  }

  @Test("Samples with another description are in another movie fragment, also if tracks are muxed")
  func descriptions() throws {
    func file(_ tracks: [TrackSpec]) -> [UInt8] {
      var file = FragmentedFileBuilder(tracks)
      for number in 0..<4 {
        file.addFragment { fragment in
          fragment.addTraf(1, .samples(10), firstSampleFlags: .sync)
          fragment.trafs[0].description = number % 2 == 0 ? 1 : 2
          if tracks.count > 1 { fragment.addTraf(2, .samples(19)) }
        }
      }
      return file.build().bytes
    }
    let video = TrackSpec.video().with(\.sampleEntries, [EntryBytes.avc1(level: 11), EntryBytes.avc1(level: 12)])
    let alone = try FragmentedOutput(file([video])) { $0.cutting = .interval(time(6)) }
    #expect(alone.plan.segments.count == 1 && alone.fragmentCounts() == [10, 10, 10, 10])
    #expect(alone.fragments.map { $0.trackFragments[0].description } == [nil, 2, nil, 2])
    let mixed = try FragmentedOutput(file([video, .audio()])) { $0.cutting = .interval(time(6)) }
    #expect(mixed.plan.segments.count == 1 && mixed.fragmentCounts() == [10, 10, 10, 10])
    #expect(mixed.fragments.map { $0.trackFragments.map(\.track) } == [[1, 2], [1], [1], [1]])
    #expect(mixed.fragments.map { $0.trackFragments[0].description } == [nil, 2, nil, 2])
    #expect(mixed[1]?.samples.map(\.descriptionIndex) == [1, 2, 1, 2].flatMap { Array(repeating: $0, count: 10) })
    for output in [alone, mixed] { #expect(output[1]?.samples.map(\.payload).count == 40) }
  }

  @Test("The run time is proportional to the samples, regardless of the number of segments")
  func manySamples() throws {
    func work(_ count: Int) throws -> Duration {
      var sound = TrackSpec.sound(count)
      sound.samples = .samples(count, size: 1)
      let source = progressive([sound]).bytes
      let clock = WorkClock()
      var options = Fragmenter.Options()
      options.cutting = .interval(time(0, 100))
      options.hasRandomAccess = true
      let plan = try Fragmenter(options).plan(Movie(reading: [MemorySource(source)]))
      let sink = NotingSink { _ in false }
      try plan.write(to: sink)
      #expect(sink.position == plan.byteCount && plan.segments.count == (count + 4) / 5)
      return clock.elapsed
    }
    let (few, many) = (Effort.count(short: 2000, all: 5000), Effort.count(short: 20_000, all: 50_000))
    let (small, large) = (try work(few), try work(many))
    // Ten times as many segments; pairwise comparison would take a hundred times as long.
    #expect(large < small * 40, "\(small) for \(few), \(large) for \(many)")
  }
}
