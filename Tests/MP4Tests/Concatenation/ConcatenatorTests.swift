import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Concatenating movies")
struct ConcatenatorTests {
  private func source(_ bytes: [UInt8], _ name: String) -> MemorySource { MemorySource(bytes, name: name) }

  private func sources(_ files: [[UInt8]]) -> [any ByteSource] {
    files.enumerated().map { source($1, "\($0 + 1).mp4") }
  }

  private func concatenated(_ files: [[UInt8]], _ change: (inout Concatenator) -> Void = { _ in }) throws -> Output {
    var concatenator = Concatenator()
    change(&concatenator)
    return try Output(concatenator.plan(sources(files)))
  }

  private func refusal(_ files: [[UInt8]]) throws -> MovieError? {
    do throws(MovieError) {
      _ = try Concatenator().plan(sources(files))
      return nil
    } catch { return error }
  }

  @Test("The chapters of the inputs are kept, unless others are given")
  func keptChapters() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    let files = try ["one", "two"].map { name in
      let list = ChapterList([0, 2].map { Chapter(time: MediaTime($0, 1), title: "\(name) \($0)") })
      let sink = MemorySink()
      // Only Nero's list.
      try MovieEditor(MemorySource(bytes)).settingChapters(list).removing("moov/trak[3]").removing("//tref").write(
        to: sink)
      return sink.bytes
    }
    func titles(_ change: (inout Concatenator) -> Void = { _ in }) throws -> [String] {
      var concatenator = Concatenator()
      change(&concatenator)
      let sink = MemorySink(name: "joined.mp4")
      try concatenator.plan(sources(files)).write(to: sink)
      return try Movie(reading: [MemorySource(sink.bytes)]).chapters().map(\.title)
    }
    #expect(try titles() == ["one 0", "one 2", "two 0", "two 2"])
    #expect(try titles { $0.chapters = [] } == [])
  }

  /// Compares the samples and presentation times of every part with those of a progressive file of that part alone.
  private func check(
    _ result: Output, _ files: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var (places, start) = ([UInt32: Int](), Seconds(0, 1))
    var ends: [UInt32: Int] = [:]
    let presented = result.movie.presented
    #expect(result.movie.boxTypes.prefix(2) == ["ftyp", "moov"] && result.movie.boxTypes.last == "mdat")
    for (number, file) in files.enumerated() {
      let part = try Output.defragmenting([source(file, "part.mp4")])
      var end = start
      for track in part.movie.tracks {
        let all = try #require(result[track.id], sourceLocation: sourceLocation)
        let first = places[track.id] ?? 0
        let scale = all.timescale / track.timescale
        #expect(scale * track.timescale == all.timescale)
        let own = Array(all.samples.dropFirst(first).prefix(track.samples.count))
        try #require(own.count == track.samples.count, sourceLocation: sourceLocation)
        // Every sample follows the previous one without a gap.
        #expect(number == 0 || own.first?.decodeTime == ends[track.id], sourceLocation: sourceLocation)
        let base = own.first?.decodeTime ?? 0
        for (sample, expected) in zip(own, track.samples) {
          let isLast = sample.decodeTime == own.last?.decodeTime
          let duration = expected.duration * scale
          #expect(isLast ? sample.duration >= duration : sample.duration == duration, sourceLocation: sourceLocation)
          #expect(sample.decodeTime - base == expected.decodeTime * scale, sourceLocation: sourceLocation)
          #expect(sample.compositionOffset == expected.compositionOffset * scale, sourceLocation: sourceLocation)
          #expect(
            sample.payload == expected.payload && sample.isSync == expected.isSync, sourceLocation: sourceLocation)
          #expect(sample.groups == expected.groups && sample.auxiliary == expected.auxiliary)
        }
        ends[track.id] = own.last.map { $0.decodeTime + $0.duration }
        let times = (presented[track.id] ?? []).filter { first..<first + own.count ~= $0.sample }
        let wanted = part.movie.presented[track.id] ?? []
        // Edit durations are rounded in each file.
        let unit = Seconds(1, part.movie.timescale) + Seconds(1, result.movie.timescale) + Seconds(1, track.timescale)
        #expect(times.map { $0.sample - first } == wanted.map(\.sample), sourceLocation: sourceLocation)
        for (time, expected) in zip(times, wanted) {
          let difference = time.start - (start + expected.start)
          #expect(
            difference < unit && Seconds(0, 1) - unit < difference, "\(track.id): \(time), \(expected) at \(start)",
            sourceLocation: sourceLocation)
          #expect(expected.end - expected.start < time.end - time.start + unit, sourceLocation: sourceLocation)
          end = max(end, start + expected.end)
        }
        places[track.id] = first + own.count
      }
      start = end
    }
    for track in result.movie.tracks { #expect(track.samples.count == places[track.id]) }
  }

  /// A fragmented file.
  private func built(
    _ tracks: [TrackSpec], fragments: Int = 3, start: UInt64 = 0, seed: UInt64,
    _ change: (inout FragmentedFileBuilder) -> Void = { _ in }
  ) -> [UInt8] {
    var file = FragmentedFileBuilder(tracks, seed: seed)
    for index in 0..<fragments {
      file.addFragment { fragment in
        for track in tracks {
          let time = start + UInt64(index) * 4 * UInt64(track.trex?.duration ?? 0)
          fragment.addTraf(track.id) {
            $0.decodeTime = time
            $0.addRun(.samples(4))
          }
        }
      }
    }
    change(&file)
    let result = file.build()
    return result.initialization + result.segments.flatMap { $0 }
  }

  @Test("Concatenating the parts of a movie restores it", arguments: ["progressive.mp4", "progressive.mov"])
  func cutParts(name: String) throws {
    let bytes = try readFile(vectorPath("files/\(name)"))
    let cutter = try MovieCutter(reading: [source(bytes, name)])
    func pictures(_ output: Output) throws -> [[UInt8]] {
      let video = try #require(output.movie.tracks.first { $0.handler == "vide" })
      let presented = try #require(output.movie.presented[video.id])
      return presented.sorted { $0.start < $1.start }.map { video.samples[$0.sample].payload }
    }
    let whole = try pictures(Output(cutter.plan([MediaTime(0, 1)..<cutter.duration])))
    for frame in Effort.some(Array(stride(from: 1, to: whole.count - 1, by: 7)), short: 4) {
      let border = try cutter.time(ofFrame: frame)
      let parts = try [MediaTime(0, 1)..<border, border..<cutter.duration].map { try Output(cutter.plan([$0])).bytes }
      let joined = try pictures(concatenated(parts))
      #expect(joined == whole, "at frame \(frame)")
    }
  }

  @Test("Two fragmented files, one of them twice", arguments: [UInt64(0), 7])
  func fragmented(start: UInt64) throws {
    let tracks = [TrackSpec.video(id: 1), .audio(id: 2)]
    let files = [built(tracks, seed: 1), built(tracks, fragments: 5, start: start * 90_000, seed: 2)]
    try check(concatenated(files), files)
    let again = [files[0], files[1], files[0], files[0]]
    try check(concatenated(again), again)
  }

  @Test(
    "Files of other programs",
    arguments: [
      ["progressive.mp4", "fragmented.mp4"], ["progressive.mov", "progressive.mov"], ["negative-cts.mp4"],
      ["hybrid.mp4", "progressive-moov-last.mp4"], ["encrypted-cenc.mp4"], ["encrypted-cbcs.mp4"], ["pcm.mov"],
      ["hevc-fragmented.mp4"], ["ismv.ismv"],
    ])
  func vectors(names: [String]) throws {
    var files = try names.map { try readFile(vectorPath("files/" + $0)) }
    if files.count == 1 { files.append(files[0]) }
    let result = try concatenated(files) { $0.allowsDifferent = true }
    try check(result, files)
  }

  @Test("Equal sample entries are written once, different ones are kept separate")
  func entries() throws {
    let names = ["progressive.mp4", "progressive.mp4"]
    let files = try names.map { try readFile(vectorPath("files/" + $0)) }
    let same = try concatenated(files)
    for track in same.movie.tracks { #expect(Set(track.samples.map(\.descriptionIndex)) == [1]) }
    // A different level in the decoder configuration.
    var other = files[1]
    let type = ascii("avcC")
    let at = try #require(other.indices.first { other[$0...].starts(with: type) })
    other[at + 7] ^= 1
    let result = try concatenated([files[0], other])
    try check(result, [files[0], other])
    let video = try #require(result.movie.tracks.first { $0.handler == "vide" })
    #expect(Set(video.samples.map(\.descriptionIndex)) == [1, 2])
    #expect(video.samples.first?.descriptionIndex == 1 && video.samples.last?.descriptionIndex == 2)
  }

  @Test("Timescales are raised exactly, or refused")
  func timescales() throws {
    func video(_ timescale: UInt32, _ duration: UInt32) -> TrackSpec {
      var track = TrackSpec.video(id: 1)
      track.timescale = timescale
      track.trex?.duration = duration
      return track
    }
    let (first, exact, common) = (video(90_000, 3600), video(25, 1), video(24_000, 1001))
    let files = [built([first], seed: 1), built([exact], seed: 2)]
    let result = try concatenated(files)
    #expect(result[1]?.timescale == 90_000)
    let raised = try concatenated([built([first], seed: 1), built([common], seed: 2)])
    #expect(raised[1]?.timescale == 360_000)
    #expect(raised[1]?.samples.map(\.duration).max() == 1001 * 15)
    let odd = built([video(4_294_967_291, 100_000_007)], seed: 3)
    #expect(try refusal([files[0], odd]) == .impossible(file: "2.mp4", Obstacle("incompatible_timescales", "")))
  }

  @Test("A track that starts later or ends earlier does not move the others")
  func sync() throws {
    let (video, audio) = (TrackSpec.video(id: 1), TrackSpec.audio(id: 2))
    func file(_ seed: UInt64, videoCount: Int, audioCount: Int, audioStart: UInt64) -> [UInt8] {
      var builder = FragmentedFileBuilder([video, audio], seed: seed)
      builder.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = 0
          $0.addRun(.samples(videoCount))
        }
        fragment.addTraf(2) {
          $0.decodeTime = audioStart
          $0.addRun(.samples(audioCount))
        }
      }
      let built = builder.build()
      return built.initialization + built.segments.flatMap { $0 }
    }
    let files = [
      file(1, videoCount: 30, audioCount: 10, audioStart: 0), file(2, videoCount: 3, audioCount: 40, audioStart: 9000),
      file(3, videoCount: 9, audioCount: 9, audioStart: 0),
    ]
    try check(concatenated(files), files)
  }

  @Test("Different tracks are refused with their names, or concatenated on request")
  func differences() throws {
    let (video, audio) = (TrackSpec.video(id: 1), TrackSpec.audio(id: 2))
    let (both, one) = (built([video, audio], seed: 1), built([video], seed: 2))
    for (files, holder, other) in [([both, one], 1, 2), ([one, both], 2, 1)] {
      let error = try refusal(files)
      #expect(
        error == .impossible(file: "2.mp4", Obstacle("different_tracks", "")) && error?.remedy == .allowDifferences)
      #expect(error?.reason == "audio: only in \(holder).mp4, not in \(other).mp4")
    }
    let result = try concatenated([one, both, one]) { $0.allowsDifferent = true }
    #expect(result.movie.tracks.map(\.handler) == ["vide", "soun"])
    #expect(result.texts(.warning).count == 2)
    let start = result.movie.presentationStart
    let first = try #require(result.movie.tracks.first?.samples.prefix(12))
    let length = first.reduce(0) { $0 + $1.duration }
    #expect(try start[2] == Seconds(length, #require(result.movie.tracks.first).timescale))
    let back = try concatenated([both, one, both]) { $0.allowsDifferent = true }
    let audioDurations = try #require(back[2]).samples.map(\.duration)
    #expect(audioDurations[11] > 4 * audioDurations[10])
    #expect(back[2]?.samples.count == 24 && back[1]?.samples.count == 36)
  }

  @Test("Inputs without samples, without a movie, and media segments are refused")
  func unusable() throws {
    let file = built([.video(id: 1)], seed: 1)
    #expect(try refusal([file, []]) == .empty(file: "2.mp4"))
    let empty = FragmentedFileBuilder([.video(id: 1)]).build()
    #expect(try refusal([file, empty.initialization])?.file == "2.mp4")
    #expect(try refusal([file, Array(file.suffix(1000))])?.file == "2.mp4")
    for length in stride(from: 8, to: file.count, by: 97) { _ = try refusal([Array(file.prefix(length)), file]) }
  }

  @Test("Chapters are moved to the start of their file")
  func chapters() throws {
    let files = [built([.video(id: 1)], seed: 1), built([.video(id: 1)], seed: 2)]
    let result = try concatenated(files) {
      $0.chapters = [
        [Chapter(time: MediaTime(0, 1), title: "one")],
        [Chapter(time: MediaTime(0, 1), title: "two")],
      ]
    }
    let bytes = result.bytes
    let at = try #require(bytes.indices.first { bytes[$0...].starts(with: ascii("chpl")) })
    let video = try #require(result[1])
    let length = Seconds(video.samples.prefix(12).reduce(0) { $0 + $1.duration }, video.timescale)
    let second = bytes[(at + 25)..<(at + 33)].reduce(0) { $0 << 8 | Int($1) }
    #expect(bytes[at + 12] == 2)
    #expect(Seconds(second, 10_000_000) == length)
  }
}
