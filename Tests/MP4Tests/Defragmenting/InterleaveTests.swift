import MP4
import Support
import Testing

@Suite("Tracks are interleaved as requested")
struct InterleaveTests {
  private func output(_ sources: [[UInt8]], _ interleave: MediaTime?, isCompact: Bool = false) throws -> Output {
    var options = Defragmenter.Options()
    options.interleave = interleave
    options.isCompact = isCompact
    return try Output(Defragmenter(options).plan(named(sources)))
  }

  /// The start time of each output chunk in data order; a chunk is a run of adjacent samples of one track.
  private func turns(_ result: Output) -> [(track: UInt32, time: Seconds, count: Int)] {
    var turns: [(track: UInt32, time: Seconds, count: Int)] = []
    let samples = result.movie.tracks.flatMap { track in
      zip(track.samples, track.places).map { (track.id, Seconds($0.decodeTime, track.timescale), $1.lowerBound) }
    }
    for (track, time, _) in samples.sorted(by: { $0.2 < $1.2 }) {
      if turns.last?.track == track { turns[turns.count - 1].count += 1 } else { turns.append((track, time, 1)) }
    }
    return turns
  }

  /// Three seconds of video before three seconds of audio.
  private func apart() -> BuiltFile {
    var file = FragmentedFileBuilder([.video().with(\.timescale, 1000), .audio().with(\.timescale, 48_000)])
    for part in 0..<3 {
      file.addFragment { $0.addTraf(1, .samples(25, duration: 40), firstSampleFlags: part == 0 ? .sync : nil) }
    }
    file.addFragment { fragment in
      fragment.addTraf(2) {
        ($0.defaultSize, $0.defaultDuration) = (9, 1024)
        $0.addRun(.inherited(100))
        $0.addRun(.samples(41, duration: 1024), dataOffset: .absent)
      }
    }
    return file.build()
  }

  @Test("Chunks of all tracks are sorted by decode time", arguments: [1, 2, 7])
  func turnsByTime(divisor: UInt32) throws {
    let built = apart()
    let result = try output([built.bytes], MediaTime(1, divisor))
    check(result, built)
    let turns = turns(result)
    #expect(zip(turns, turns.dropFirst()).allSatisfy { $0.time < $1.time || $0.time == $1.time })
    // Enough video samples, then enough audio samples, to reach the duration; sometimes two chunks of a track are
    // adjacent.
    let pictures = (1000 / Int(divisor) + 39) / 40
    let sounds = (48_000 / Int(divisor) + 1023) / 1024
    #expect(turns.dropLast(2).filter { $0.track == 1 }.allSatisfy { $0.count.isMultiple(of: pictures) })
    #expect(turns.dropLast(2).filter { $0.track == 2 }.allSatisfy { $0.count.isMultiple(of: sounds) })
    #expect(result.movie.tracks.map(\.chunkCount) == [(75 + pictures - 1) / pictures, (141 + sounds - 1) / sounds])
  }

  @Test("By default, the order of the source is kept")
  func sourceOrder() throws {
    let result = try output([apart().bytes], nil)
    #expect(turns(result).map(\.count) == [75, 141])
  }

  @Test("The shortest interleaving is one chunk per sample")
  func shortest() throws {
    let built = apart()
    let result = try output([built.bytes], MediaTime(-3, 1))
    check(result, built)
    #expect(result.movie.tracks.map(\.chunkCount) == [75, 141])
  }

  @Test("Gaps, steps back, scaled durations and multiple descriptions keep their samples")
  func irregular() throws {
    var file = FragmentedFileBuilder([
      .video().with(\.timescale, 1000).with(\.sampleEntries, [EntryBytes.avc1(), EntryBytes.avc1(level: 12)]),
      .audio().with(\.timescale, 1000),
    ])
    for part: UInt64 in 0..<6 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.description = part < 3 ? 1 : 2
          $0.decodeTime = part * 400 + (part > 3 ? 900 : 0)
          $0.addRun(.samples(10, duration: 40), firstSampleFlags: .sync)
        }
        fragment.addTraf(2, .samples(20, duration: 20))
      }
    }
    let built = file.build()
    for interleave in [MediaTime(1, 4), MediaTime(3, 1), MediaTime(1, 1000)] {
      let result = try output([built.bytes], interleave)
      check(result, built)
      #expect(result.texts(.error) == [])
      let plain = try output([built.bytes], nil)
      #expect(result[1]?.samples == plain[1]?.samples && result[2]?.samples == plain[2]?.samples)
    }
  }

  @Test("Random files keep all samples with any interleaving", arguments: 0..<20 as Range<UInt64>)
  func random(seed: UInt64) throws {
    let built = RandomFiles.file(seed)
    let plain = try output([built.bytes], nil)
    let result = try output([built.bytes], MediaTime(Int64(seed % 5), 10), isCompact: seed % 2 == 0)
    for track in plain.movie.tracks { #expect(result[track.id]?.samples == track.samples, "seed \(seed)") }
    #expect(result.diagnostics.map(\.description) == plain.diagnostics.map(\.description))
  }

  // MARK: Compact sizes

  @Test(
    "Sizes use as few bits as the samples of a track allow",
    arguments: [(15, 4), (16, 8), (255, 8), (256, 16), (65_535, 16), (65_536, 0)] as [(UInt32, UInt8)])
  func compact(largest: UInt32, bits: UInt8) throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragment { fragment in
      fragment.addTraf(1, [SampleSpec(3), SampleSpec(0), SampleSpec(largest)])
      // A constant size is stored once, which is smaller still.
      fragment.addTraf(2, .samples(5, size: 7))
    }
    let built = file.build()
    let result = try output([built.bytes], nil, isCompact: true)
    check(result, built)
    #expect(payloads(of: "stz2", in: result.bytes).map { $0[7] } == (bits == 0 ? [] : [bits]))
    #expect(payloads(of: "stsz", in: result.bytes).count == (bits == 0 ? 2 : 1))
    // A progressive file with such a table can be read, and the table converted back.
    #expect(try output([result.bytes], MediaTime(1, 1))[1]?.samples == result[1]?.samples)
  }

  @Test("If there are both size boxes, stsz is used")
  func bothSizes() throws {
    let table =
      fullBox("stts", big(UInt32(1)), big(UInt32(2)), big(UInt32(10)))
      + fullBox("stsc", [1, 1, 2, 1].flatMap { big(UInt32($0)) })
      + fullBox("stz2", zeros(3) + [8], big(UInt32(2)), [1, 1])
      + fullBox("stsz", zeros(4), [2, 3, 2].flatMap { big(UInt32($0)) })
    func file(_ offset: UInt32) -> [UInt8] {
      let trak = HostileFile.trak(tables: table, fullBox("stco", big(UInt32(1)), big(offset)))
      return HostileFile(traks: [trak], boxes: [box("mdat", ascii("aaabb"))]).bytes
    }
    let start = file(0).count - 5
    let result = try output([file(UInt32(start))], MediaTime(1, 1))
    #expect(result[1]?.samples.map(\.payload) == [ascii("aaa"), ascii("bb")])
  }
}
