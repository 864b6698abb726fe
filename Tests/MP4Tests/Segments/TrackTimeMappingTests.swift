import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// A track with edits, and the resulting hidden samples and shifts.
struct PlacementCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var tracks: [TrackSpec]
  var movieTimescale: UInt32 = 1000
  /// Whether Apple's profile can express it, too, without a warning.
  var isForApple = true

  private static let reordered: [Int64] = [1024, 2048, 512, 512]
  private static let negative: [Int64] = [0, 1024, -512, -512]
  private static func pictures(_ edits: [EditSpec]?, _ offsets: [Int64] = []) -> TrackSpec {
    TrackSpec.pictures(100, group: 20, offsets: offsets).with(\.edits, edits)
  }
  private static func sound(_ edits: [EditSpec]?) -> TrackSpec { TrackSpec.sound(188).with(\.edits, edits) }

  static let all: [PlacementCase] = [
    .init(testDescription: "no edits", tracks: [pictures(nil), sound(nil)]),
    .init(testDescription: "priming", tracks: [pictures(nil), sound([.media(from: 1024)])]),
    .init(
      testDescription: "priming with a duration", tracks: [sound([.media(from: 2112, duration: 3000)])],
      isForApple: false),
    .init(testDescription: "an edit to the end of the sound", tracks: [sound([.media(from: 512, duration: 4000)])]),
    .init(
      testDescription: "reordered pictures with an edit",
      tracks: [pictures([.media(from: 1024)], reordered), sound(nil)]),
    .init(testDescription: "reordered pictures without an edit", tracks: [pictures(nil, reordered), sound(nil)]),
    .init(
      testDescription: "an edit that leaves a part of the delay", tracks: [pictures([.media(from: 512)], reordered)]),
    .init(testDescription: "negative offsets", tracks: [pictures(nil, negative), sound(nil)]),
    .init(testDescription: "all offsets the same", tracks: [pictures([.media(from: 2048)], [2048]), sound(nil)]),
    .init(
      testDescription: "pictures cut off at the start",
      tracks: [pictures([.media(from: 10_240 + 1024)], reordered), sound([.media(from: 38_400)])], isForApple: false),
    .init(
      testDescription: "pictures cut off at the end",
      tracks: [pictures([.media(from: 1024, duration: 3000)], reordered), sound(nil)], isForApple: false),
    .init(
      testDescription: "both ends cut off", tracks: [pictures([.media(from: 5120, duration: 2000)]), sound(nil)],
      isForApple: false),
    .init(testDescription: "sound that starts later", tracks: [pictures(nil), sound([.empty(500), .media(from: 0)])]),
    .init(
      testDescription: "sound that starts later, with priming",
      tracks: [pictures(nil), sound([.empty(500), .media(from: 1024)])]),
    .init(
      testDescription: "pictures that start later",
      tracks: [pictures([.empty(240), .media(from: 1024)], reordered), sound(nil)]),
    .init(
      testDescription: "a delay in two empty edits",
      tracks: [pictures([.empty(100), .empty(140), .media(from: 0)]), sound(nil)]),
    .init(
      testDescription: "a delay and an end",
      tracks: [pictures(nil), sound([.empty(1000), .media(from: 1024, duration: 2000)])], isForApple: false),
    .init(
      testDescription: "a delay of a unit that is no whole unit of the media",
      tracks: [pictures(nil), sound([.empty(1), .media(from: 0)])], movieTimescale: 48_000),
    .init(
      testDescription: "an edit longer than the media",
      tracks: [pictures([.media(from: 0, duration: 9000)]), sound(nil)]),
    .init(
      testDescription: "two parts",
      tracks: [pictures([.media(from: 0, duration: 1000), .media(from: 25_600, duration: 1000)])], isForApple: false),
    .init(
      testDescription: "two parts with a pause",
      tracks: [pictures([.media(from: 0, duration: 1000), .empty(500), .media(from: 0, duration: 2000)])],
      isForApple: false),
  ]

  var built: BuiltFile { progressive(tracks, movieTimescale: movieTimescale) }
}

@Suite("Presentation times of samples")
struct TrackTimeMappingTests {
  private func readings(_ input: PlacementCase, _ options: Fragmenter.Options = .init()) throws
    -> (before: MovieReading, after: FragmentedOutput)
  {
    let bytes = input.built.bytes
    return (try SampleReader.read(bytes), try FragmentedOutput(named([bytes]), options: options))
  }

  @Test(
    "All profiles except Apple's keep all presentation times exactly", arguments: PlacementCase.all,
    [FragmentProfile.source, .cmaf, .cmf2])
  func cmaf(input: PlacementCase, profile: FragmentProfile) throws {
    let (before, after) = try readings(input, .with { $0.profile = profile })
    #expect(after.movie.presented == before.presented)
    let isCutUp = input.testDescription.contains("two parts")
    // Edits that move a track are reported too.
    let warnings = after.texts(.warning).filter { !$0.contains("only its edit lists present its tracks together") }
    #expect(warnings.count == (isCutUp ? 1 : 0) && after.texts(.error).isEmpty, "\(after.plan.diagnostics)")
    #expect(warnings.allSatisfy { $0.contains("has several parts") })
    for (track, reading) in zip(input.tracks, after.movie.tracks) {
      #expect(reading.samples.map(\.payload) == before.samples[track.id]?.map(\.payload))
      #expect(reading.samples.map(\.duration) == before.samples[track.id]?.map(\.duration))
    }
    // Also after conversion back to progressive.
    checkPresented(before, try Output.defragmenting(after.bytes).movie, isMoved: true)
  }

  @Test("Composition offsets and the edit lists that skip a delay are kept", arguments: PlacementCase.all)
  func keptOffsets(input: PlacementCase) throws {
    for profile in [FragmentProfile.source, .cmaf] {
      let (before, after) = try readings(input, .with { $0.profile = profile })
      #expect(after.texts(.note).allSatisfy { profile == .cmaf && $0.contains("does not follow the CMAF rules") })
      for track in after.movie.tracks {
        #expect(track.samples.map(\.compositionOffset) == before.samples[track.id]?.map(\.compositionOffset))
        let edits = try #require(before.tracks.first { $0.id == track.id }).edits
        let skipped = edits.last.flatMap { $0.mediaTime > 0 ? $0.mediaTime : nil }
        #expect(skipped == nil || track.edits.last?.mediaTime == skipped, "track \(track.id)")
        guard profile == .source else { continue }
        #expect(track.edits.map(\.mediaTime) == edits.map(\.mediaTime) && track.samples.first?.decodeTime == 0)
        #expect(track.edits.dropLast().map(\.duration) == edits.dropLast().map(\.duration))
      }
    }
    let late = try readings(input).after.movie.tracks.filter { $0.edits.count == 1 && $0.handler == "vide" }
    #expect(late.allSatisfy { $0.edits[0].mediaTime >= 0 })
  }

  @Test("The times and edit lists of a fragmented source are kept")
  func keptTimes() throws {
    let tracks = [
      TrackSpec.pictures(100, offsets: [1024, 2048, 512, 512]).with(\.edits, [.media(from: 1024)]),
      .sound(188).with(\.edits, [.media(from: 1024)]),
    ]
    for profile in [FragmentProfile.source, .cmf2, .apple(timeOffset: time(60))] {
      let first = try FragmentedOutput(progressive(tracks).bytes) {
        ($0.profile, $0.cutting) = (profile, .interval(time(2)))
      }
      let second = try FragmentedOutput(first.bytes) { ($0.profile, $0.sourceFragments) = (.source, .kept) }
      #expect(second.movie.presented == first.movie.presented)
      for (before, after) in zip(first.movie.tracks, second.movie.tracks) {
        #expect(before.edits == after.edits && before.samples.map(\.decodeTime) == after.samples.map(\.decodeTime))
        #expect(before.samples.map(\.compositionOffset) == after.samples.map(\.compositionOffset))
      }
      #expect(second.plan.segments.count == 1 && second.plan.sourceFragments == .kept)
      #expect(
        first.fragmentCounts(1) == second.fragmentCounts(1) && first.fragmentCounts(2) == second.fragmentCounts(2))
    }
  }

  @Test("Fragments of one track each are kept, and segments start at those with a sync sample")
  func keptFragments() throws {
    let video = try FragmentedOutput(progressive([.pictures(200)]).bytes) {
      ($0.cutting, $0.fragmentDuration) = (.interval(time(1)), time(0, 500))
    }
    let options = Fragmenter.Options.with {
      ($0.profile, $0.sourceFragments, $0.cutting) = (.source, .kept, .interval(time(3)))
    }
    let output = try FragmentedOutput(named([video.bytes]), options: options)
    #expect(output.fragmentCounts() == video.fragmentCounts() && output.starts == ["0.000 s", "3.000 s", "6.000 s"])
    // Samples in a movie box, and fragments that overlap, cannot be kept.
    let flat = try FragmentedOutput(named([progressive([.pictures(200)]).bytes]), options: options)
    #expect(flat.plan.sourceFragments == .remuxed && flat.plan.segments.count == 3)
    #expect(flat.plan.diagnostics.isEmpty)
    let segments = try (0..<8).map { index in
      let sink = MemorySink()
      try video.plan.writeSegment(index, to: sink)
      return sink.bytes
    }
    let twice = try video.plan.initializationBytes() + (segments[..<4] + segments[2...]).joined()
    let again = try FragmentedOutput(named([twice]), options: options)
    #expect(again.plan.sourceFragments == .remuxed && again.texts(.note).contains { $0.contains("cannot be kept") })
  }

  @Test("The first picture is presented when it is decoded, and a track file needs no edits for that")
  func signedOffsets() throws {
    for input in PlacementCase.all where input.testDescription.contains("reordered") {
      let output = try readings(input, .with { $0.profile = .cmf2 }).after
      #expect(output.texts(.note).contains { $0.contains("it has negative composition offsets") })
      let track = try #require(output[1])
      let first = try #require(track.samples.first)
      #expect(track.samples.map(\.compositionTime).min() == first.decodeTime)
      #expect(first.compositionOffset == 0 && track.edits.isEmpty, "\(input.testDescription)")
    }
  }

  @Test(
    "Apple's profile adds an offset to all presentation times and has no edits",
    arguments: PlacementCase.all.filter(\.isForApple))
  func apple(input: PlacementCase) throws {
    let (before, after) = try readings(input, .apple)
    #expect(after.movie.tracks.allSatisfy { $0.edits.isEmpty })
    #expect(after.texts(.warning).isEmpty, "\(after.plan.diagnostics)")
    for (id, presented) in before.presented {
      let track = try #require(after[id])
      for shown in presented {
        let sample = track.samples[shown.sample]
        let isWhole = shown.end - shown.start == Seconds(sample.duration, track.timescale)
        guard isWhole else { continue }
        #expect(
          Seconds(sample.compositionTime, track.timescale) - shown.start == Seconds(10, 1), "sample \(shown.sample)")
      }
      // The offsets are unchanged.
      #expect(track.samples.map(\.compositionOffset) == before.samples[id]?.map(\.compositionOffset))
    }
  }

  @Test(
    "Media that Apple's profile cannot hide or express is reported",
    arguments: PlacementCase.all.filter { !$0.isForApple })
  func appleLosses(input: PlacementCase) throws {
    do {
      let output = try readings(input, .apple).after
      #expect(!output.texts(.warning).isEmpty || !output.texts(.error).isEmpty, "\(output.plan.diagnostics)")
    } catch let error as MovieError {
      #expect(input.testDescription.contains("two parts"), "\(error)")
    }
  }

  @Test("In Apple's profile audio with priming is decoded before the first picture, which is at the offset")
  func priming() throws {
    let file = progressive([
      .pictures(100, offsets: [1024, 2048, 512, 512]).with(\.edits, [.media(from: 1024)]),
      .sound(188).with(\.edits, [.media(from: 2112)]),
    ])
    for (offset, seconds) in [(time(10), 10), (time(60), 60)] {
      let output = try FragmentedOutput(file.bytes) { $0.profile = .apple(timeOffset: offset) }
      #expect(output[1]?.samples.first?.compositionTime == seconds * 12_800)
      #expect(output[1]?.samples.first?.decodeTime == seconds * 12_800 - 1024)
      #expect(output[2]?.samples.first?.decodeTime == seconds * 48_000 - 2112)
      #expect(output.plan.segments[0].start == time(0) && output.plan.diagnostics.isEmpty)
    }
    let error = #expect(throws: MovieError.self) {
      try FragmentedOutput(file.bytes) { $0.profile = .apple(timeOffset: time(0, 20)) }
    }
    #expect(error?.obstacle?.code == "starts_before_zero")
  }

  @Test("Delays that are not a whole number of units are rounded, which is reported")
  func roundedDelay() throws {
    let sound = TrackSpec.sound(100).with(\.timescale, 44_100).with(\.edits, [.empty(333), .media(from: 0)])
    let file = progressive([.pictures(50), sound])
    for options in [Fragmenter.Options(), .apple] {
      let output = try FragmentedOutput(named([file.bytes]), options: options)
      let start = Seconds(output[2]?.samples.first?.decodeTime ?? 0, 44_100)
      let wanted = Seconds(333, 1000) + (options.profile == .cmaf ? Seconds(0, 1) : Seconds(10, 1))
      #expect(start - wanted < Seconds(1, 44_100) && wanted - start < Seconds(1, 44_100))
      #expect(output.plan.diagnostics.contains { $0.description.contains("rounded") }, "\(output.plan.diagnostics)")
    }
  }

  @Test("Incompatible timescales keep starts exactly, and ends to a movie time unit")
  func oddTimescales() throws {
    for (media, movie) in [(44_100, 600), (90_000, 1001), (12_800, 7), (24_000, 600), (30_000, 1)] as [(UInt32, UInt32)]
    {
      let track = TrackSpec.sound(200).with(\.timescale, media)
        .with(\.edits, [.media(from: 1234, duration: UInt64(150 * 1024 * Int(movie) / Int(media)))])
      let file = progressive([track], movieTimescale: movie)
      let before = try SampleReader.read(file.bytes).presented[2] ?? []
      let after = try FragmentedOutput(file.bytes).movie.presented[2] ?? []
      #expect(before.first?.start == after.first?.start && !before.isEmpty, "\(media) \(movie)")
      let ends = (before.last?.end ?? Seconds(0, 1), after.last?.end ?? Seconds(0, 1))
      #expect(
        ends.1 - ends.0 <= Seconds(1, Int(movie)) && ends.0 - ends.1 <= Seconds(1, Int(movie)), "\(media) \(movie)")
    }
  }

  @Test("Edits with other rates and still pictures are kept; Apple's profile refuses them")
  func speeds() throws {
    for rate in [0, 0x8000, 0x2_0000, 0x1_8000] as [UInt32] {
      let list = fullBox(
        "elst", big(UInt32(2)), big(UInt32(1000)), big(UInt32(0)), big(UInt32(0x1_0000)), big(UInt32(2000)),
        big(UInt32(12_800)), big(rate))
      let file = progressive([.pictures(100).with(\.boxes, ["trak": box("edts", list)])])
      let output = try FragmentedOutput(file.bytes)
      #expect(try output.moov().all("trak", "edts", "elst").map(\.payload) == [Array(list.dropFirst(8))])
      #expect(output[1]?.samples.first?.decodeTime == 0 && output.plan.cmafBrands.isEmpty)
      #expect(output.texts(.warning).count == 1 && output.texts(.warning)[0].contains("a speed other than 1"))
      #expect(throws: MovieError.self) { try FragmentedOutput(named([file.bytes]), options: .apple) }
    }
  }

  @Test("Without edits, samples are presented at their composition times")
  func withoutEdits() throws {
    var reading = ReadingOptions()
    reading.keepsEdits = false
    let file = progressive([.pictures(100).with(\.edits, [.media(from: 5120)]), .sound(188)])
    let output = try FragmentedOutput(named([file.bytes]), reading: reading)
    #expect(output.movie.tracks.allSatisfy { $0.edits.isEmpty } && output.presentedStart(1) == Seconds(0, 1))
  }

  @Test("The movie box declares the presented duration")
  func duration() throws {
    for (edits, seconds) in [
      (nil, 4), ([.media(from: 0, duration: 2000)], 2), ([.empty(1000), .media(from: 0)], 5),
      ([.media(from: 0, duration: 1000), .empty(500), .media(from: 0, duration: 4000)], 5.5),
    ] as [([EditSpec]?, Double)] {
      let output = try FragmentedOutput(progressive([.pictures(100).with(\.edits, edits)]).bytes)
      let box = try #require(output.moov().all("mvex", "mehd").first?.payload)
      let timescale = output.movie.timescale
      #expect(number(box, 4, box[0] == 1 ? 8 : 4) * 1000 / timescale == Int(seconds * 1000))
      #expect(
        output.movie.duration == 0 && output.movie.tracks.allSatisfy { $0.duration == 0 && $0.trackDuration == 0 })
    }
  }
}

extension Seconds {
  static func <= (a: Seconds, b: Seconds) -> Bool { !(b < a) }
}
