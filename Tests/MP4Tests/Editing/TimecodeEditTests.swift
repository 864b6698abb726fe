import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Start timecodes")
struct TimecodeEditTests {
  private func source(_ name: String = "progressive.mp4") throws -> MemorySource {
    MemorySource(try readFile(vectorPath("files/" + name)), name: name)
  }
  private func edited(_ source: MemorySource, _ edit: (MovieEditor) throws -> MovieEditor) throws -> MemorySource {
    let sink = MemorySink()
    try edit(MovieEditor(source)).plan().write(to: sink)
    return MemorySource(sink.bytes, name: source.name)
  }

  @Test("Texts of timecodes")
  func texts() throws {
    #expect(StartTimecode("01:02:03:04") == StartTimecode(1, 2, 3, 4))
    for text in ["1:2:3;4", "01:02:03.04", "01;02;03;04", "01:02:03:04df"] {
      #expect(StartTimecode(text) == StartTimecode(1, 2, 3, 4, dropsFrames: true), "\(text)")
    }
    for text in ["", "1:2:3", "1:2:3:4:5", "1::3:4", "a:2:3:4", "1:2;3:4", "1:2:3:-4", "1:2:3:4444", "df"] {
      #expect(StartTimecode(text) == nil, "\(text)")
    }
    #expect(StartTimecode(9, 0, 0, 2, dropsFrames: true).description == "09:00:00;02")
  }

  @Test(
    "A timecode track is added, then replaced; the media does not change", arguments: ["progressive.mp4", "pcm.mov"])
  func tracks(name: String) throws {
    let before = try Movie(reading: [source(name)])
    let first = try edited(source(name)) { try $0.settingTimecode(StartTimecode(10, 0, 0, 0), reel: "A001") }
    let second = try edited(first) { try $0.settingTimecode(StartTimecode(10, 0, 0, 24)) }
    for (file, number) in [(first, 10 * 3600 * 25), (second, 10 * 3600 * 25 + 24)] {
      let movie = try Movie(reading: [file])
      #expect(movie.diagnostics.isEmpty && movie.tracks.count == before.tracks.count + 1)
      for (old, new) in zip(before.tracks, movie.tracks) { #expect(try old.hasSameSamples(as: new)) }
      let track = try #require(movie.tracks.last)
      #expect(track.handler == "tmcd" && track.samples.count == 1 && track.presentedTimes?.lowerBound.value == 0)
      let bytes = try track.samples[0].bytes()
      #expect(bytes.reduce(0) { $0 << 8 | Int($1) } == number)
      let entry = try #require(track.decoderConfigurations[0].fields as? TimecodeSampleEntry)
      #expect(entry.flags == 2 && entry.numberOfFrames == 25 && entry.timeScale == 25 * entry.frameDuration)
      // The reel is kept, and only the video refers to the timecode.
      let moov = try #require(try [Box](reading: file).first { $0.type == "moov" })
      let references = moov.boxes.filter { $0.type == "trak" }.map { $0.first("tref", "tmcd") != nil }
      #expect(references == before.tracks.map(\.isVideo) + [false])
      let name = moov.boxes.last { $0.type == "trak" }?.first("mdia", "minf", "stbl", "stsd")?.boxes[0].first("name")
      #expect(try file.bytes(in: #require(name?.header).payload) == [0, 4, 0, 0] + ascii("A001"))
    }
  }

  /// The frame number of the timecode of a file.
  private func number(_ file: MemorySource) throws -> Int {
    let track = try #require(try Movie(reading: [file]).tracks.first { $0.handler == "tmcd" })
    return try track.samples[0].bytes().reduce(0) { $0 << 8 | Int($1) }
  }

  @Test("The timecode of another movie, and the time of day at which a movie was created")
  func origins() throws {
    let other = try edited(source()) { try $0.settingTimecode(StartTimecode(10, 0, 0, 7), reel: "A001") }
    let copy = try edited(source("pcm.mov")) { try $0.settingTimecode(from: other) }
    #expect(try number(copy) == 10 * 3600 * 25 + 7)
    #expect(throws: MovieError.self) { try edited(source()) { try $0.settingTimecode(from: source()) } }
    // 10:09:08 of any day.
    let second = 10 * 3600 + 9 * 60 + 8
    let day = try edited(source()) {
      try $0.settingCreationTime(UInt64(86_400 * 40_000 + second)).settingTimecodeOfDay()
    }
    #expect(try number(day) == second * 25)
    let minute = try edited(source()) {
      try $0.settingCreationTime(86_400 * 40_000 + 60).settingTimecodeOfDay(rate: FrameRate(30_000, 1001))
    }
    // 00:01:00;02 follows 00:00:59;29.
    #expect(try number(minute) == 1800)
    let unknown = try edited(source()) { try $0.settingCreationTime(0) }
    #expect(throws: MovieError.self) { try edited(unknown) { try $0.settingTimecodeOfDay() } }
  }

  @Test("The timecode begins with the first picture of a delayed video")
  func delayed() throws {
    let file = try edited(source()) { editor in
      let delayed = try editor.editing("moov/trak[1]/edts/elst", EditListBox.self) { elst in
        var entries = Array(elst.entries)
        entries.insert(EditListBox.Entry(segmentDuration: 1000, mediaTime: -1), at: 0)
        elst.entries = BoxTable(entries)
      }
      return try delayed.editing("moov/trak[1]/tkhd", TrackHeaderBox.self) { $0.duration += 1000 }
        .settingTimecode(StartTimecode(1, 0, 0, 0))
    }
    let movie = try Movie(reading: [file])
    let (video, timecode) = (movie.tracks[0], try #require(movie.tracks.last))
    #expect(timecode.handler == "tmcd" && timecode.presentedTimes?.lowerBound == video.presentedTimes?.lowerBound)
    #expect(timecode.presentedTimes?.upperBound == video.presentedTimes?.upperBound)
  }

  @Test("A cut within a frame has the timecode of the picture that is shown")
  func cuts() throws {
    let file = try edited(source()) { try $0.settingTimecode(StartTimecode(10, 0, 0, 0)) }
    let cutter = try MovieCutter(reading: [file])
    for (milliseconds, frame) in [(1500, 37), (1030, 25), (1010, 25), (1040, 26), (1041, 26), (2000, 50)] {
      let sink = MemorySink()
      try cutter.plan([MediaTime(Int64(milliseconds), 1000)..<MediaTime(4, 1)]).write(to: sink)
      let bytes = try #require(try Movie(reading: [MemorySource(sink.bytes)]).tracks.last).samples[0].bytes()
      #expect(bytes.reduce(0) { $0 << 8 | Int($1) } == 10 * 3600 * 25 + frame, "\(milliseconds)")
    }
  }

  @Test("Impossible durations and rates are errors")
  func extremes() throws {
    for rate in [FrameRate(25, 1), FrameRate(.max, .max), FrameRate(1, .max), FrameRate(.min, 1)] {
      #expect(throws: MovieError.self) {
        try edited(source()) { editor in
          try editor.editing("moov/trak[1]/tkhd", TrackHeaderBox.self) {
            ($0.header.version, $0.duration) = (1, UInt64(Int64.max))
          }
          .editing("moov/mvhd", MovieHeaderBox.self) { $0.timescale = 1 }
          .settingTimecode(StartTimecode(1, 0, 0, 0), rate: rate)
        }
      }
    }
    #expect(throws: MovieError.self) {
      try edited(source()) { editor in
        try editor.editing("moov/trak[2]/tkhd", TrackHeaderBox.self) { $0.trackID = .max }
          .settingTimecode(StartTimecode(1, 0, 0, 0))
      }
    }
  }

  @Test("Timecodes that do not exist, and files that cannot have one, are errors")
  func errors() throws {
    func code(_ start: StartTimecode, _ rate: FrameRate?, _ name: String = "progressive.mp4") -> Obstacle.Code? {
      do {
        _ = try edited(source(name)) { try $0.settingTimecode(start, rate: rate) }
        return nil
      } catch { return (error as? MovieError)?.obstacle?.code }
    }
    let ntsc = FrameRate(30_000, 1001)
    #expect(code(StartTimecode(1, 0, 0, 0, dropsFrames: true), nil) == "timecode_drop")
    #expect(code(StartTimecode(1, 0, 0, 0, dropsFrames: true), ntsc) == nil)
    #expect(code(StartTimecode(1, 1, 0, 1, dropsFrames: true), ntsc) == "timecode_number")
    #expect(code(StartTimecode(1, 1, 0, 3, dropsFrames: true), FrameRate(60_000, 1001)) == "timecode_number")
    #expect(code(StartTimecode(1, 1, 0, 4, dropsFrames: true), FrameRate(60_000, 1001)) == nil)
    #expect(code(StartTimecode(1, 10, 0, 0, dropsFrames: true), ntsc) == nil)
    for (hours, frames) in [(24, 0), (-1, 0), (1, 25), (1, -1)] {
      #expect(code(StartTimecode(hours, 0, 0, frames), nil) == "timecode_number", "\(hours) \(frames)")
    }
    #expect(code(StartTimecode(0, 0, 0, 0), FrameRate(1000, 1)) == "timecode_rate")
    #expect(code(StartTimecode(0, 0, 0, 0), FrameRate(1 << 40, 1)) == "timecode_rate")
    #expect(code(StartTimecode(0, 0, 0, 0), nil, "fragmented.mp4") == "fragmented")
    let error = #expect(throws: MovieError.self) {
      try edited(source()) { try $0.removing("moov/trak[1]").settingTimecode(StartTimecode(0, 0, 0, 0)) }
    }
    #expect(error?.obstacle?.code == "no_video")
  }
}
