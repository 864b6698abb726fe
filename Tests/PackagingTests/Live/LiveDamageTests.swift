import MP4
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Live packaging of damaged streams")
struct LiveDamageTests {
  private static let built = LivePackagerTests.builder(8).build()

  /// Packages a stream, and checks the properties that every live presentation must have.
  private func run(_ bytes: [UInt8], piece: Int = 1500) -> LiveRun {
    let run = LiveRun([bytes], piece: piece) { $0.segmentDuration = MediaTime(2, 1) }
    #expect(run.recorder.problems.filter { !$0.contains("but EXT-X-TARGETDURATION is") } == [])
    return run
  }
  /// The decode times of the video samples for each group of segments with one init segment.
  private func times(_ run: LiveRun) throws -> [Int] {
    try run.recorder.samples().flatMap { $0[1]?.map { $0.decodeTime / 512 } ?? [] }
  }
  private func frames(_ seconds: Int...) -> [Int] { seconds.flatMap { ($0 * 25)..<($0 * 25 + 25) } }

  @Test("Garbage between fragments is skipped and reported with its position, and has no other effect")
  func garbage() throws {
    var random = SplitMix64(seed: 3)
    let garbage = random.bytes(5000)
    let start = Self.built.initialization.count + Self.built.segments[..<3].reduce(0) { $0 + $1.count }
    var bytes = Self.built.bytes
    bytes.insert(contentsOf: garbage, at: start)
    let run = run(bytes)
    #expect(run.lines == ["stream: 5000 bytes from byte \(start) on are not a box; omitted"])
    #expect(try run.recorder.samples().map { difference(Self.built.samples, $0) } == [nil])
  }

  @Test(
    "Segments that arrive at once are listed by few playlists, unless segments are removed", arguments: [true, false])
  func playlists(keepsAll: Bool) throws {
    let built = LivePackagerTests.builder(200).build()
    func run(piece: Int) -> LiveRun {
      LiveRun([built.bytes], piece: piece) {
        ($0.segmentDuration, $0.keepsAll, $0.windowCount) = (MediaTime(1, 4), keepsAll, 3)
      }
    }
    let (whole, pieces) = (run(piece: .max), run(piece: 2000))
    #expect(whole.recorder.problems == [] && pieces.recorder.problems == [])
    let counts = [whole, pieces].map(\.recorder.states.count)
    if keepsAll { #expect(whole.recorder.files == pieces.recorder.files) }
    // 1, 2, 4, 8 … segments, all of them, and the end.
    #expect(keepsAll ? counts[0] <= 12 : counts[0] >= 200, "\(counts)")
    #expect(counts[1] >= 100, "\(counts)")
  }

  @Test("An incomplete fragment is omitted, and a discontinuity marks the gap", arguments: [0, 20, 700, 1500])
  func cutOff(count: Int) throws {
    let segments = Self.built.segments
    let head = Self.built.initialization + segments[0] + segments[1]
    let run = run(head + segments[2].prefix(count) + segments[3...].joined())
    #expect(try times(run) == frames(0, 1, 3, 4, 5, 6, 7))
    #expect(run.losses == (count == 0 ? 1 : 2), "\(run.lines)")
    #expect(run.lines.last?.hasSuffix("no input for 1.000 s before 3.000 s; a discontinuity marks the gap") == true)
    #expect(run.playlist.segments.map(\.isDiscontinuity) == [false, true, false, false])
    let dates = run.playlist.segments.compactMap(\.programDateTime)
    #expect(dates[0] + .seconds(3) == dates[1])
  }

  @Test(
    "If the source fails within a fragment and restarts, nothing of the new one is lost",
    arguments: [9, 200, 1200])
  func restartWithin(count: Int) throws {
    var other = LivePackagerTests.builder(6, seed: 5)
    other.movieTimescale = 600
    let second = other.build()
    let segments = Self.built.segments
    let run = run(Self.built.initialization + segments[0] + segments[1] + segments[2].prefix(count) + second.bytes)
    #expect(run.losses == 1, "\(run.lines)")
    let samples = try run.recorder.samples()
    #expect(samples.count == 2)
    #expect(difference(second.samples, samples.last ?? [:]) == nil)
    #expect(samples[0][1]?.count == 50)
  }

  /// Replaces the track of the track fragments of a stream.
  private func renumbered(_ bytes: [UInt8], _ track: UInt32, as number: UInt32) -> [UInt8] {
    var bytes = bytes
    for index in bytes.indices where bytes[index...].starts(with: ascii("tfhd")) {
      // After version and flags.
      let place = (index + 8)..<(index + 12)
      if Array(bytes[place]) == big(track) { bytes.replaceSubrange(place, with: big(number)) }
    }
    return bytes
  }

  @Test("Samples of a track that is not declared are lost, which is reported once; the others are used")
  func undeclared() throws {
    var samples = Self.built.samples
    samples[2] = nil
    let run = run(renumbered(Self.built.bytes, 2, as: 9))
    #expect(run.lines == ["stream: moof/traf[2]/tfhd: track 9 is not declared in moov; its fragments are omitted"])
    #expect(run.losses == 1 && run.error == nil)
    #expect(try run.recorder.samples().map { difference(samples, $0) } == [nil])
    for segment in run.recorder.segments {
      #expect(try MovieFragmentReading.all(in: segment.bytes).map(\.trackFragments.count) == [1, 1])
    }
    // Without a declared track, there is nothing to package.
    let nothing = LiveRun([renumbered(renumbered(Self.built.bytes, 2, as: 9), 1, as: 8)])
    #expect(nothing.losses == 2 && nothing.error?.obstacle?.code == "no_usable_fragments")
  }

  @Test("A lost fragment of a single sample is reported, whichever tracks the fragments before it have")
  func singleSample() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for index in 0..<100 {
      file.addFragment { $0.addTraf(1, .samples(1), firstSampleFlags: index % 25 == 0 ? .sync : .depends) }
      file.addFragment { $0.addTraf(2, .samples(index % 8 == 7 ? 1 : 2)) }
    }
    let built = file.build()
    #expect(run(built.bytes).diagnostics.isEmpty)
    var segments = built.segments
    segments.remove(at: 60)
    let run = run(built.initialization + segments.flatMap { $0 })
    #expect(run.losses == 1 && run.lines.first?.contains("no input for 0.040 s before 1.240 s") == true, "\(run.lines)")
  }

  @Test("Repeated fragments are used once")
  func repeated() throws {
    let segments = Self.built.segments
    let order = [0, 1, 1, 2, 3, 2, 3, 4, 5, 6, 7]
    let run = run(Self.built.initialization + order.flatMap { segments[$0] })
    #expect(run.lines.count == 3 && run.losses == 0)
    #expect(run.lines.allSatisfy { $0.contains("repeated fragment at ") })
    #expect(try run.recorder.samples().map { difference(Self.built.samples, $0) } == [nil])
    #expect(run.playlist.segments.allSatisfy { !$0.isDiscontinuity })
  }

  @Test("A media data box with a size that is too large does not include the next fragment")
  func tooLarge() throws {
    var bytes = Self.built.bytes
    let fragment = try MovieFragmentReading.all(in: bytes)[2]
    bytes.replaceSubrange(fragment.media - 8..<fragment.media - 4, with: big(UInt32(50_000)))
    let run = run(bytes)
    #expect(run.lines.count == 1 && run.lines[0].contains("mdat: size at byte \(fragment.media - 8) is 50000 but "))
    #expect(try times(run) == frames(0, 1, 2, 3, 4, 5, 6, 7))
  }

  @Test("A fragment whose media data box has another name is lost, and the next one is not", arguments: [333, 1 << 20])
  func otherName(piece: Int) throws {
    var bytes = Self.built.bytes
    let fragments = try MovieFragmentReading.all(in: bytes)
    bytes.replaceSubrange(fragments[2].media - 4..<fragments[2].media, with: ascii("xdat"))
    let start = bytes.count - Self.built.segments[3...].reduce(0) { $0 + $1.count }
    bytes.insert(contentsOf: box("styp", ascii("msdh"), zeros(4)), at: start)
    let run = run(bytes, piece: piece)
    #expect(try times(run) == frames(0, 1, 3, 4, 5, 6, 7), "\(run.lines)")
  }

  @Test("A stream truncated at any byte results in a presentation of the complete fragments")
  func truncations() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(2, samples: 4)
    let built = file.build()
    let (bytes, all) = (built.bytes, built.samples)
    let ends = built.segments.indices.map { bytes.count - built.segments[$0...].reduce(0) { $0 + $1.count } }
    for count in Effort.some(Array(bytes.indices), short: 200) {
      let run = run(Array(bytes.prefix(count)), piece: 333)
      let whole = try run.recorder.samples().first ?? [:]
      for (track, samples) in whole { #expect(samples == Array((all[track] ?? []).prefix(samples.count))) }
      #expect((run.error == nil) == !whole.isEmpty)
      // Less than a box header cannot be identified.
      let isAtBorder = ends.contains { ($0..<$0 + 8).contains(count) } || count < built.initialization.count
      #expect(isAtBorder || run.losses > 0, "\(count)")
    }
  }

  @Test("Changed bytes never cause a trap or break a rule", arguments: 0..<4)
  func mutations(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let vector = ["fragmented.mp4", "base-data-offset.mp4", "ismv.ismv", "separate-moof.mp4"][Int(seed)]
    let source = try readFile(vectorPath("files/\(vector)"))
    let places = try BoxOutline.all(in: source).filter { $0.type != "mdat" }.map(\.range)
    for round in 0..<Effort.count(short: 10, all: 100) {
      var bytes = source
      for _ in 0...Int(random.next() % 4) {
        // Mostly in boxes.
        let range = round % 4 == 0 ? 0..<bytes.count : places[Int(random.next() % UInt64(places.count))]
        bytes[range.lowerBound + Int(random.next() % UInt64(range.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      if round % 5 == 0 { bytes.removeSubrange(Int(random.next() % 3000)..<(3000 + Int(random.next() % 3000))) }
      _ = run(bytes, piece: 1 + Int(random.next() % 8000))
    }
  }
}
