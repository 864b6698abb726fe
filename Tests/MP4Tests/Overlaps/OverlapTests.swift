import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Row 13, sample by sample.
@Suite("Where fragments overlap, the later declaration is used, and everything else is kept")
struct OverlapTests {
  /// A file of one track whose fragments have this many samples of 512 units from this time on; each sample is
  /// identified by its groups, auxiliary information and dependencies.
  private func video(_ fragments: (time: UInt64, samples: Int)...) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video()])
    for (number, (time, count)) in fragments.enumerated() {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = time
          $0.auxiliaryPlace = .offsets
          let flags: [UInt32] = [.sync, .depends, .disposable]
          var samples = (0..<count).map { SampleSpec(UInt32(20 + number * 30 + $0), flags: flags[$0 % 3]) }
          for index in samples.indices where index % 4 != 3 {
            samples[index].groups["roll"] = [UInt8(number), UInt8(index / 2)]
            samples[index].auxiliary = Array(repeating: UInt8(index), count: index % 5 + 1)
          }
          // In two runs, so that pieces start within a run and at the start of one.
          $0.addRun(Array(samples.prefix(count / 2)))
          $0.addRun(Array(samples.dropFirst(count / 2)))
        }
      }
    }
    return file
  }

  private func check(
    _ file: FragmentedFileBuilder, uses samples: (BuiltFile) -> [ArraySlice<SampleRecord>], losses: [String],
    unknownSplices: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let built = file.build()
    let expected = Array(samples(built).joined())
    // The payloads are not pictures, so those at sync samples after a splice cannot be examined.
    let warnings = unknownSplices.map {
      "init.mp4: track 1: the pictures after \($0) cannot be examined; if they are not IDR pictures, decoders may lose "
        + "pictures there"
    }
    for options in OverlapTests.layouts {
      let result = try Output(Defragmenter(options).plan(named([built.bytes])))
      MP4Tests.check(result, [1: expected], built.presentationStart, sourceLocation: sourceLocation)
      #expect(result.texts(.error) == losses, sourceLocation: sourceLocation)
      #expect(result.texts(.warning) == (warnings.map { [$0] } ?? []), sourceLocation: sourceLocation)
    }
  }
  /// The interleaving of the source, and another one.
  private static let layouts: [Defragmenter.Options] = {
    var interleaved = Defragmenter.Options()
    interleaved.interleave = MediaTime(1, 10)
    return [Defragmenter.Options(), interleaved]
  }()

  @Test("Row 13: a later fragment inside a longer one replaces its times, and the rest of the longer one is kept")
  func inside() throws {
    try check(
      video((0, 20), (5 * 512, 3), (20 * 512, 4)),
      uses: { built in
        guard let all = built.samples[1] else { return [] }
        return [all[0..<5], all[20..<23], all[8..<20], all[23...]]
      },
      losses: [
        "init.mp4: track 1: later fragments replace 3 samples from 0.200 s on with different ones"
      ],
      unknownSplices: "1 splice")
  }

  @Test("Row 13: several later fragments inside a longer one divide it into pieces with their sample information")
  func severalInside() throws {
    try check(
      video((0, 30), (3 * 512, 2), (9 * 512, 4), (13 * 512, 1), (20 * 512, 10), (30 * 512, 5)),
      uses: { built in
        guard let all = built.samples[1] else { return [] }
        return [all[0..<3], all[30..<32], all[5..<9], all[32..<36], all[36..<37], all[14..<20], all[37...]]
      },
      losses: [
        "init.mp4: track 1: later fragments replace 17 samples from 0.120 s on with different ones"
      ],
      unknownSplices: "3 splices")
  }

  @Test("Row 13: later means later in the file, even with an earlier start")
  func laterInFile() throws {
    try check(
      video((6 * 512, 8), (0, 10), (14 * 512, 4)),
      uses: { built in
        guard let all = built.samples[1] else { return [] }
        return [all[8..<18], all[4..<8], all[18...]]
      },
      losses: [
        "init.mp4: track 1: later fragments replace 4 samples from 0.240 s on with different ones"
      ])
  }

  @Test("Row 13: a later fragment with the times of several others replaces all of them")
  func aroundSeveral() throws {
    try check(
      video((0, 4), (4 * 512, 4), (8 * 512, 4), (2 * 512, 8), (12 * 512, 4)),
      uses: { built in
        guard let all = built.samples[1] else { return [] }
        return [all[0..<2], all[12..<20], all[10..<12], all[20...]]
      },
      losses: [
        "init.mp4: track 1: later fragments replace 8 samples from 0.080 s on with different ones"
      ],
      unknownSplices: "1 splice")
  }

  @Test("Row 13: of a long fragment and short ones at its times, the last are used; an identical one is no loss")
  func sameAgain() throws {
    let built = video((0, 8), (8 * 512, 8)).build()
    var file = video((0, 16))
    file.seed = 9
    let other = file.build()
    // The segments of a file, then the same times again, and these a third time.
    let sources = [built.initialization, other.segments[0], built.segments[1], built.segments[0], built.segments[1]]
    let result = try Output.defragmenting(named(sources))
    MP4Tests.check(result, built)
    #expect(
      result.texts(.error) == [
        "segment3.m4s: track 1: later fragments replace 16 samples from 0.000 s on with different ones"
      ])
    #expect(
      result.texts(.warning) == [
        "segment4.m4s: track 1: 8 samples from 0.320 s on are repeated; used once"
      ])
  }

  @Test("In place, the pieces of a split fragment are not moved")
  func inPlace() throws {
    let built = video((0, 20), (5 * 512, 3), (20 * 512, 4)).build()
    let all = try #require(built.samples[1])
    let expected = Array(all[0..<5] + all[20..<23] + all[8..<20] + all[23...])
    let recorder = InPlaceRecorder()
    let plan = try Defragmenter().planInPlace(MemorySource(built.bytes, name: "in.mp4"))
    try plan.write(to: recorder)
    let movie = try SampleReader.read(recorder.finished(built.bytes))
    #expect(difference([1: expected.rebased().stretched().asInTables()], movie.samples) == nil)
  }

  @Test(
    "Overlaps in random files are resolved according to the rule, sample by sample",
    arguments: 0..<Effort.count(short: 20, all: 200) as Range<UInt64>)
  func random(seed: UInt64) throws {
    let (built, declared) = RandomOverlaps.file(seed)
    let expected = declared.mapValues { LastDeclared(fragments: $0).samples }
    let result = try Output.defragmenting(built.bytes)
    let samples = expected.mapValues { $0.rebased().stretched().asInTables() }
    #expect(difference(samples, result.movie.samples) == nil)
    checkDurations(result.movie, #_sourceLocation)
    // All omissions are reported.
    let left = result.diagnostics.reduce(0) { sum, diagnostic in
      guard case .timing(let timing, let spans) = diagnostic.kind, [.replaced, .repeated].contains(timing) else {
        return sum
      }
      return sum + spans.reduce(0) { $0 + $1.samples }
    }
    #expect(left == built.samples.values.joined().count - expected.values.joined().count)
  }

  @Test("These files have fragments whose middle is omitted, and some that are omitted completely")
  func randomKinds() {
    var (split, hidden) = (0, 0)
    let count = Effort.count(short: 40, all: 200)
    for seed in 0..<UInt64(count) {
      for fragments in RandomOverlaps.file(seed).declared.values {
        let used = Set(LastDeclared(fragments: fragments).samples.map(\.decodeTime))
        for samples in fragments {
          let kept = samples.map { used.contains($0.decodeTime) }
          if !kept.contains(true) { hidden += 1 }
          if kept.first == true, kept.last == true, kept.contains(false) { split += 1 }
        }
      }
    }
    #expect(split > count / 4 && hidden > count / 10)
  }
}
