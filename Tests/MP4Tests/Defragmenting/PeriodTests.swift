import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Merged playlists: series of segments with discontinuities and further init segments.
@Suite("Consecutive periods")
struct PeriodTests {
  /// Segments of `tracks` that begin at `start` seconds.
  private func built(_ tracks: [TrackSpec], fragments: Int = 3, start: UInt64 = 0, seed: UInt64) -> BuiltFile {
    var file = FragmentedFileBuilder(tracks, seed: seed)
    for index in 0..<fragments {
      file.addFragment { fragment in
        for track in tracks {
          let time = start * UInt64(track.timescale) + UInt64(index) * 4 * UInt64(track.trex?.duration ?? 0)
          fragment.addTraf(track.id) {
            $0.decodeTime = time
            $0.addRun(.samples(4))
          }
        }
      }
    }
    return file.build()
  }

  /// The output for these files, each with a series and a period.
  private func plan(_ files: [(BuiltFile, SourcePart)], _ options: Defragmenter.Options = .init()) throws -> Output {
    var sources: [any ByteSource] = []
    var parts: [SourcePart] = []
    for (number, (file, part)) in files.enumerated() {
      for (segment, bytes) in ([file.initialization] + file.segments).enumerated() {
        sources.append(MemorySource(bytes, name: "file\(number)-\(segment)"))
        parts.append(part)
      }
    }
    return try Output(Defragmenter(options).plan(sources, parts: parts))
  }

  /// The samples of consecutive files, each shifted by its offset.
  private func moved(_ samples: [SampleRecord], by shift: Int, description: Int = 1) -> [SampleRecord] {
    samples.map {
      var sample = $0
      sample.decodeTime += shift
      sample.descriptionIndex = description
      return sample
    }
  }

  @Test("Times that restart are continued, and tracks stay in sync", arguments: [UInt64(0), 5, 100])
  func sameInit(start: UInt64) throws {
    let tracks = [TrackSpec.video(id: 1), .audio(id: 2)]
    let files = [built(tracks, seed: 1), built(tracks, start: start, seed: 2)]
    let result = try plan(files.enumerated().map { ($0.element, SourcePart(series: 0, period: $0.offset)) })
    let ends = files[0].samples.mapValues { $0.map { $0.decodeTime + $0.duration }.max() ?? 0 }
    let seconds = try tracks.map { Seconds(try #require(ends[$0.id]), Int($0.timescale)) }
    let longest = try #require(seconds.max())
    for track in tracks {
      let all = try #require(result[track.id]).samples
      let own = try #require(files[1].samples[track.id])
      let second = try #require(all.dropFirst(12).first)
      // The distance to the end of the longest track is as exact as rounding allows.
      let wanted = longest.numerator * Int(track.timescale) / longest.denominator
      #expect(abs(second.decodeTime - wanted) <= 1)
      #expect(all.count == 24)
      #expect(all.dropFirst(12).map(\.payload) == own.map(\.payload))
      #expect(
        all.dropFirst(12).map { $0.decodeTime - second.decodeTime } == own.map { $0.decodeTime - own[0].decodeTime })
    }
    #expect(result.texts(.warning).isEmpty && result.texts(.error).isEmpty)
    let note = try #require(result.texts(.note).first)
    #expect(note.hasPrefix("file1-1: discontinuity; playback continues at "), "\(note)")
  }

  @Test("New sample descriptions are added once, and fragments refer to them by their new numbers")
  func otherInit() throws {
    let first = TrackSpec.video(id: 1)
    var second = TrackSpec.video(id: 9)
    second.sampleEntries = [TrackSpec.video(id: 1).sampleEntries[0] + box("free", zeros(4))]
    setSize(&second.sampleEntries[0])
    let files = [built([first], seed: 1), built([second], seed: 2), built([first], seed: 3), built([second], seed: 4)]
    let result = try plan(files.enumerated().map { ($0.element, SourcePart(series: 0, period: $0.offset)) })
    let track = try #require(result.movie.tracks.first)
    #expect(result.movie.tracks.count == 1)
    #expect(track.sampleEntries == [first.sampleEntries[0], second.sampleEntries[0]])
    #expect(track.samples.map(\.descriptionIndex) == [1, 2, 1, 2].flatMap { Array(repeating: $0, count: 12) })
    let payloads = files.enumerated().flatMap { $0.element.samples[[1, 9, 1, 9][$0.offset]] ?? [] }.map(\.payload)
    #expect(track.samples.map(\.payload) == payloads)
  }

  @Test("Another init segment in the same period continues with the same tracks and times")
  func otherInitSamePeriod() throws {
    var second = TrackSpec.video(id: 2)
    second.sampleEntries = [TrackSpec.video(id: 1).sampleEntries[0] + box("free", zeros(4))]
    setSize(&second.sampleEntries[0])
    let track = TrackSpec.video(id: 1)
    let first = built([track], seed: 1)
    let end = try #require(first.samples[1]?.map { $0.decodeTime + $0.duration }.max())
    var file = FragmentedFileBuilder([second], seed: 2)
    file.addFragment { fragment in
      fragment.addTraf(2) {
        $0.decodeTime = UInt64(end)
        $0.addRun(.samples(4))
      }
    }
    let part = SourcePart(series: 0, period: 0)
    let result = try plan([(first, part), (file.build(), part)])
    #expect(result.movie.tracks.map(\.samples.count) == [16])
    #expect(result.diagnostics.isEmpty)
  }

  @Test("Another timescale is converted to that of the track, sample by sample, without accumulating rounding errors")
  func otherTimescale() throws {
    let first = TrackSpec.video(id: 1)
    var second = TrackSpec.video(id: 1)
    second.timescale = first.timescale * 3 / 7 + 1
    let files = [built([first], seed: 1), built([second], fragments: 40, seed: 2)]
    let result = try plan(files.enumerated().map { ($0.element, SourcePart(series: 0, period: $0.offset)) })
    let all = try #require(result[1]).samples
    let own = try #require(files[1].samples[1])
    #expect(all.count == 12 + 160)
    let start = all[12].decodeTime
    for (sample, source) in zip(all.dropFirst(12), own) {
      let wanted = (source.decodeTime * Int(first.timescale) + Int(second.timescale) / 2) / Int(second.timescale)
      #expect(abs(sample.decodeTime - start - wanted) <= 1)
      #expect(sample.payload == source.payload)
    }
  }

  @Test("Series with the same init segment are separate tracks, such as two languages")
  func sameInitOtherSeries() throws {
    let files = [built([.audio(id: 1)], seed: 1), built([.audio(id: 1)], seed: 2)]
    let result = try plan(files.enumerated().map { ($0.element, SourcePart(series: $0.offset, period: 0)) })
    #expect(result.movie.tracks.map(\.samples.count) == [12, 12])
    #expect(result.movie.tracks.map { $0.samples.map(\.payload) } == files.map { ($0.samples[1] ?? []).map(\.payload) })
  }

  @Test("A track that a later period adds starts there, and one that it lacks continues after it")
  func comingAndGoing() throws {
    let video = TrackSpec.video(id: 1)
    let audio = TrackSpec.audio(id: 2)
    let files = [built([video], seed: 1), built([video, audio], seed: 2), built([audio], seed: 3)]
    let result = try plan(files.enumerated().map { ($0.element, SourcePart(series: 0, period: $0.offset)) })
    #expect(result.movie.tracks.map(\.samples.count) == [24, 24])
    let starts = result.movie.presentationStart
    let length = Seconds(
      try #require(files[0].samples[1]?.map { $0.decodeTime + $0.duration }.max()), Int(video.timescale))
    #expect(starts[1] == Seconds(0, 1))
    #expect(starts[2] == length)
  }

  @Test("Events across a discontinuity cannot be kept, which is reported")
  func events() throws {
    let file = built([.video(id: 1)], seed: 1)
    var options = Defragmenter.Options()
    options.reading.keepsEvents = true
    #expect(throws: MovieError.self) {
      try plan([(file, SourcePart(series: 0, period: 0)), (file, SourcePart(series: 0, period: 1))], options)
    }
  }

  /// Updates the size of a box that grew.
  private func setSize(_ bytes: inout [UInt8]) {
    let count = UInt32(bytes.count)
    bytes.replaceSubrange(0..<4, with: (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) })
  }
}
