import Support
import Testing

/// Rows 17 to 21: the presentation times of each track.
@Suite("Presentation times do not change")
struct SyncTests {
  /// Two fragments of video and audio that start at these times.
  private func file(
    video: (start: UInt64, edits: [EditSpec]?), audio: (start: UInt64, edits: [EditSpec]?), offset: Int64 = 0,
    movieTimescale: UInt32 = 1000
  ) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video().with(\.edits, video.edits), .audio().with(\.edits, audio.edits)])
    file.movieTimescale = movieTimescale
    for index in 0..<2 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          if index == 0 { $0.decodeTime = video.start }
          $0.addRun(.samples(4, offset: offset), firstSampleFlags: .sync)
        }
        fragment.addTraf(2) {
          if index == 0 { $0.decodeTime = audio.start }
          $0.addRun(.samples(4))
        }
      }
    }
    return file
  }

  @Test("Row 17: tracks that start at different times keep their offset with an empty edit")
  func differentStarts() throws {
    let built = file(video: (6400, nil), audio: (0, nil)).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.presentationStart == [1: Seconds(1, 2), 2: Seconds(0, 1)])
    // Eight samples of 512/12800 s are 320 ms.
    #expect(result[1]?.edits == [.empty(500), .media(from: 0, duration: 320)])
    #expect(result[2]?.edits == [])
  }

  @Test("Row 17: an offset that the movie timescale cannot express raises the timescale")
  func raisedTimescale() throws {
    let built = file(video: (0, nil), audio: (1, nil)).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.timescale == 48_000)
    #expect(result.movie.presentationStart[2] == Seconds(1, 48_000))
    #expect(result.diagnostics == [])
    // 12800 and 44100 have the common multiple 5,644,800, which the distance requires.
    var odd = file(video: (1, nil), audio: (1, nil))
    odd.tracks[1].timescale = 44_100
    let other = try Output.defragmenting(odd.build().bytes)
    check(other, odd.build())
    #expect(other.movie.presentationStart[1] == Seconds(1, 12_800) - Seconds(1, 44_100))
  }

  @Test("Row 17: a common start of 100 s is removed, an offset of 0.25 s is kept")
  func lateAndDifferent() throws {
    let built = file(video: (1_280_000, nil), audio: (4_812_000, nil)).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.presentationStart == [1: Seconds(0, 1), 2: Seconds(1, 4)])
  }

  @Test("Row 18: an empty edit of the init segment is kept and added to a late start", arguments: [0, 6400])
  func emptyEdit(start: UInt64) throws {
    let built = file(video: (start, [.empty(500), .media(from: 0)]), audio: (0, nil)).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.presentationStart[1] == Seconds(start == 0 ? 1 : 2, 2))
    #expect(result[1]?.edits == [.empty(start == 0 ? 500 : 1000), .media(from: 0, duration: 320)])
  }

  @Test("Row 19: without an edit list, a first composition time after 0 is kept")
  func firstCompositionTime() throws {
    let built = file(video: (0, nil), audio: (0, nil), offset: 1024).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.presentationStart[1] == Seconds(1024, 12_800))
    #expect(result[1]?.edits == [])
  }

  @Test("Row 20: an edit to the end gets the actual duration, and the priming samples stay hidden")
  func editToTheEnd() throws {
    let built = file(video: (0, [.media(from: 1024)]), audio: (0, [.media(from: 1024)]), offset: 1024).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    // Video: from 1024 to 8 * 512 + 1024 in composition time; audio: 8 * 1024 minus the priming, 149.33 ms.
    #expect(result[1]?.edits == [.media(from: 1024, duration: 320)])
    #expect(result[2]?.edits == [.media(from: 1024, duration: 149)])
    #expect(result.movie.presentationStart == [1: Seconds(0, 1), 2: Seconds(-1024, 48_000)])
  }

  @Test("Row 20: the media time of an edit refers to the timeline of the fragments, which start late")
  func editWithLateStart() throws {
    let video: [EditSpec] = [.media(from: 1_280_000 + 1024)]
    let built = file(video: (1_280_000, video), audio: (4_800_000, [.media(from: 4_800_000)]), offset: 1024).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.edits == [.media(from: 1024, duration: 320)])
    #expect(result[2]?.edits == [.media(from: 0, duration: 171)])
  }

  @Test("Row 20: edits with a duration keep it, in the new movie timescale")
  func editsWithDurations() throws {
    let edits: [EditSpec] = [.empty(100), .media(from: 512, duration: 200), .media(from: 0, duration: 40)]
    let built = file(video: (0, edits), audio: (1, nil)).build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result.movie.timescale == 48_000)
    #expect(
      result[1]?.edits == [.empty(4800), .media(from: 512, duration: 9600), .media(from: 0, duration: 1920)])
  }

  @Test(
    "Row 21: negative composition offsets are kept, in version 1 of ctts, with cslg and a brand that allows them")
  func negativeOffsets() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.fileType = box("ftyp", ascii("mp42"), zeros(4), ascii("mp42mp41"))
    let offsets: [Int64] = [0, 1024, -512, -512]
    file.addFragment { fragment in
      fragment.addTraf(1, offsets.map { SampleSpec(30, offset: $0) })
      fragment.addTraf(2, .samples(4))
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(result[1]?.samples.map(\.compositionOffset) == [0, 1024, -512, -512])
    #expect(result.movie.presentationStart == [1: Seconds(0, 1), 2: Seconds(0, 1)])
    let tables = payloads(of: "ctts", in: result.bytes)
    #expect(tables.map { $0[0] } == [1])
    // The shift, the least and greatest offset, the first composition time, and the end of the last sample.
    let cslg = try #require(payloads(of: "cslg", in: result.bytes).first)
    #expect(cslg == zeros(4) + [512, -512, 1024, 0, 2048].flatMap { big(Int32($0)) })
    #expect(result.movie.brands.contains("iso4"))
  }

  @Test("Row 21: offsets that are not negative use version 0 without cslg; without offsets there is no table")
  func otherOffsets() throws {
    let built = file(video: (0, nil), audio: (0, nil), offset: 512).build()
    let result = try Output.defragmenting(built.bytes)
    #expect(payloads(of: "ctts", in: result.bytes).map { $0[0] } == [0])
    #expect(payloads(of: "cslg", in: result.bytes).isEmpty)
  }
}
