import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Cutting movies without transcoding")
struct MovieCutterTests {
  private func cutter(_ name: String) throws -> MovieCutter {
    try MovieCutter(reading: [MemorySource(readFile(vectorPath("files/\(name)")), name: name)])
  }

  @Test("The diagnostics of a plan include those of the input")
  func losses() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    let cutter = try MovieCutter(reading: [MemorySource(Array(bytes.dropLast(20_000)), name: "cut.mp4")])
    #expect(cutter.diagnostics.contains { $0.severity == .error })
    let found = try cutter.plan([MediaTime(1, 1)..<MediaTime(3, 1)]).diagnostics.map(\.description)
    #expect(found.starts(with: cutter.diagnostics.map(\.description)))
  }

  /// Samples in presentation order, each with its presentation time according to the edit list in track timescale
  /// units. Deliberately simple code; the media rate of all edits must be 1.
  private func presented(_ track: TrackReading, _ movieTimescale: Int) -> [(start: Double, sample: SampleRecord)] {
    let samples = track.samples.sorted { $0.compositionTime < $1.compositionTime }
    guard !track.edits.isEmpty else { return samples.map { (Double($0.compositionTime), $0) } }
    var (clock, result) = (0.0, [(start: Double, sample: SampleRecord)]())
    for edit in track.edits {
      let length = Double(edit.duration) * Double(track.timescale) / Double(movieTimescale)
      defer { clock += length }
      guard edit.mediaTime >= 0 else { continue }
      let media = Double(edit.mediaTime)
      for (index, sample) in samples.enumerated() {
        let start = Double(sample.compositionTime)
        let end =
          index + 1 < samples.count ? Double(samples[index + 1].compositionTime) : start + Double(sample.duration)
        // Edit lists have the resolution of the movie timescale.
        let unit = Double(track.timescale) / Double(movieTimescale)
        guard end > media + unit / 2, start < media + length - unit / 2 else { continue }
        result.append((clock + max(0, start - media), sample))
      }
    }
    return result
  }

  private func payloads(_ track: TrackReading?, _ movie: MovieReading) throws -> [[UInt8]] {
    try presented(#require(track), movie.timescale).map(\.sample.payload)
  }

  private static let files = [
    "fragmented.mp4", "progressive.mp4", "progressive.mov", "hevc-fragmented.mp4", "negative-cts.mp4", "hybrid.mp4",
    "encrypted-cenc.mp4", "encrypted-cbcs.mp4", "separate-moof.mp4",
  ]

  @Test("For any start and end of a cut, exactly the pictures of that range are presented", arguments: files)
  func pictures(file: String) throws {
    let cutter = try cutter(file)
    let whole = try Output(cutter.plan([MediaTime(0, 1)..<cutter.duration]))
    let video = try #require(whole.movie.tracks.first { $0.handler == "vide" })
    let source = presented(video, whole.movie.timescale)
    let all = source.map(\.sample.payload)
    let count = all.count
    #expect(count > 20)
    let places = Effort.some(Array(0..<count), short: 12)
    for first in places where first + 1 < count {
      for length in [1, 2, 7, 40] where first + length < count {
        let range = try cutter.time(ofFrame: first)..<cutter.time(ofFrame: first + length)
        let output = try Output(cutter.plan([range]))
        let track = try #require(output[video.id])
        let shown = try payloads(track, output.movie)
        #expect(shown == Array(all[first..<(first + length)]), "\(file) \(first) + \(length)")
        #expect(track.samples.first?.isSync == true)
        // The samples are adjacent in the source, and unchanged.
        let start = try #require(video.samples.firstIndex { $0.payload == track.samples[0].payload })
        let same = video.samples[start...].prefix(track.samples.count)
        #expect(track.samples.map(\.payload) == same.map(\.payload))
        #expect(track.samples.map(\.compositionOffset) == same.map(\.compositionOffset))
        #expect(track.samples.map(\.isSync) == same.map(\.isSync))
        #expect(track.samples.map(\.duration) == same.map(\.duration))
        #expect(output.texts(.error) == [] && output.texts(.warning) == [])
      }
    }
  }

  @Test("Tracks stay in sync to the tick, and audio has its pre-roll", arguments: files)
  func sync(file: String) throws {
    let cutter = try cutter(file)
    let whole = try Output(cutter.plan([MediaTime(0, 1)..<cutter.duration]))
    guard let audio = whole.movie.tracks.first(where: { $0.handler == "soun" }) else { return }
    for first in [1, 7, 30, 55, 80] {
      let start = try cutter.time(ofFrame: first)
      let range = start..<(start + MediaTime(3, 2))
      guard range.upperBound < cutter.duration else { continue }
      let output = try Output(cutter.plan([range]))
      let track = try #require(output[audio.id])
      #expect(track.edits.count == 1)
      let edit = try #require(track.edits.first)
      #expect(Int(edit.duration) * 2 == output.movie.timescale * 3)
      let offset = try #require(audio.samples.firstIndex { $0.payload == track.samples[0].payload })
      // The source has no empty edit.
      let sourceEdit = audio.edits.first?.mediaTime ?? 0
      let wanted = start + MediaTime(sourceEdit, UInt32(audio.timescale))
      let media = MediaTime(Int64(audio.samples[offset].decodeTime) + edit.mediaTime, UInt32(audio.timescale))
      #expect(abs(wanted.seconds - media.seconds) < 0.6 / Double(audio.timescale), "\(file) \(first)")
      // One complete sample precedes the first audible one, if the source has one.
      if offset > 0 { #expect(edit.mediaTime >= Int64(track.samples[0].duration)) }
      if offset > 0 { #expect(edit.mediaTime < 2 * Int64(track.samples[0].duration)) }
      let end = track.samples.reduce(0) { $0 + $1.duration } - Int(edit.mediaTime)
      #expect((audio.timescale * 3 / 2..<(audio.timescale * 3 / 2 + 1024)).contains(end))
    }
  }

  @Test("Several ranges are consecutive, and the file contains no sample twice", arguments: files)
  func ranges(file: String) throws {
    let cutter = try cutter(file)
    let whole = try Output(cutter.plan([MediaTime(0, 1)..<cutter.duration]))
    let video = try #require(whole.movie.tracks.first { $0.handler == "vide" })
    let all = presented(video, whole.movie.timescale).map(\.sample.payload)
    for frames in [[3..<5, 5..<9], [3..<5, 7..<9], [0..<1, 11..<13, all.count - 3..<all.count], [2..<9, 40..<44]]
    where frames.allSatisfy({ $0.upperBound <= all.count }) {
      let ranges = try frames.map {
        try cutter.time(ofFrame: $0.lowerBound)..<cutter.time(ofFrame: $0.upperBound)
      }
      let output = try Output(cutter.plan(ranges))
      let track = try #require(output[video.id])
      #expect(try payloads(track, output.movie) == frames.flatMap { Array(all[$0]) }, "\(file) \(frames)")
      #expect(Set(track.samples.map(\.payload)).count == track.samples.count)
      for track in output.movie.tracks { #expect(track.trackDuration <= output.movie.duration) }
    }
  }

  @Test("Adjacent ranges that meet at keyframes need one edit")
  func oneEdit() throws {
    let cutter = try cutter("progressive.mp4")
    let end = cutter.duration
    let middle = cutter.keyframe(before: MediaTime(end.value / 2, end.timescale))
    #expect(middle.value > 0)
    let output = try Output(cutter.plan([MediaTime(0, 1)..<middle, middle..<end]))
    #expect(output.movie.tracks.allSatisfy { $0.edits.count <= 1 })
    #expect(output.texts(.note) == [])
  }

  @Test("A range shorter than a movie time unit presents one unit, not all samples that it needs")
  func shortest() throws {
    // A prime that no other timescale can express.
    let timescale: UInt32 = 4_294_967_291
    for name in ["progressive.mp4", "fragmented.mp4"] {
      let start = Int64(timescale) * 4 + 5_000_000
      let range = MediaTime(start, timescale)..<MediaTime(start + 1, timescale)
      let output = try Output(cutter(name).plan([range]))
      for track in output.movie.tracks where !track.samples.isEmpty {
        #expect(track.edits.count == 1 && track.edits.allSatisfy { $0.duration == 1 }, "\(name) \(track.edits)")
      }
    }
  }

  @Test("Impossible ranges are refused")
  func refusals() throws {
    let cutter = try cutter("progressive.mp4")
    func code(_ ranges: [Range<MediaTime>]) -> Obstacle.Code? {
      do throws(MovieError) {
        _ = try cutter.plan(ranges)
        return nil
      } catch { return error.obstacle?.code }
    }
    let (one, two, late) = (MediaTime(1, 1), MediaTime(2, 1), MediaTime(1 << 40, 1))
    #expect(code([late..<late + one]) == "after_end")
    #expect(code([one..<two, MediaTime(0, 1)..<one]) == "unordered_ranges")
    #expect(code([]) != nil)
    #expect(code([one..<one]) != nil)
    #expect(code([MediaTime(-5, 1)..<MediaTime(.max, 1)]) == nil)
    #expect(throws: MovieError.self) { try cutter.time(ofFrame: 1 << 40) }
    #expect(throws: MovieError.self) { try cutter.time(ofTimecode: 1, 0, 0, 0) }
  }

  @Test("Frames are those of the first or the preferred video track; each frame is found at its time")
  func preferredVideo() throws {
    let sink = MemorySink()
    let writer = MovieWriter(fragmentsTo: sink)
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (16, 16)
    for (timescale, count) in [(10, 20), (25, 50)] as [(UInt32, Int)] {
      let number = try writer.add(MovieWriter.Track(Box(entry, type: "jpeg"), timescale: timescale, handler: "vide"))
      for index in 0..<count {
        try writer.append([UInt8(index)], to: number, duration: MediaTime(1, timescale), isSync: true)
      }
    }
    try writer.finish()
    let source = MemorySource(sink.bytes, name: "in.mp4")
    let movie = try Movie(reading: [source])
    for (ids, index) in [([], 0), ([1], 0), ([2], 1), ([2, 1], 0), ([9], 0)] as [([UInt32], Int)] {
      let cutter = try MovieCutter(reading: [source], framesOf: TrackSelection(ids.map { .id($0) }))
      let track = movie.tracks[index]
      for frame in track.samples.indices {
        let time = try cutter.time(ofFrame: frame)
        #expect(time == MediaTime(Int64(frame), track.timescale))
        #expect(track.samples.index(atPresentationTime: time) == frame)
      }
    }
  }

  // MARK: Other tracks

  /// A movie with video (10 frames per second, a keyframe every two seconds) and another track.
  private func movie(_ other: MovieWriter.Track, _ samples: [(bytes: [UInt8], duration: MediaTime)]) throws -> [UInt8] {
    let sink = MemorySink()
    let writer = MovieWriter(fragmentsTo: sink)
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (16, 16)
    let video = try writer.add(MovieWriter.Track(Box(entry, type: "jpeg"), timescale: 10, handler: "vide"))
    let number = try writer.add(other)
    for index in 0..<100 {
      try writer.append([UInt8(index)], to: video, duration: MediaTime(1, 10), isSync: index % 20 == 0)
    }
    for sample in samples { try writer.append(sample.bytes, to: number, duration: sample.duration) }
    try writer.finish()
    return sink.bytes
  }

  private func timecodeEntry(dropsFrames: Bool = false) -> Box {
    var entry = TimecodeSampleEntry()
    (entry.timeScale, entry.frameDuration, entry.numberOfFrames) = (10, 1, 10)
    entry.flags = 2
    entry.entry.dataReferenceIndex = 1
    return Box(entry)
  }

  @Test("Timecodes of a track whose number of frames contradicts its rate follow the rate")
  func contradictoryTimecode() throws {
    var entry = TimecodeSampleEntry()
    (entry.timeScale, entry.frameDuration, entry.numberOfFrames) = (90_000, 3003, 29)
    entry.entry.dataReferenceIndex = 1
    let track = try MovieWriter.Track(Box(entry), timescale: 90_000, handler: "tmcd")
    let file = try movie(track, [(big(UInt32(100)), MediaTime(3003 * 300, 90_000))])
    let cutter = try MovieCutter(reading: [MemorySource(file, name: "in.mp4")])
    // Frame 100 is 3 s and 10 frames of 30.
    #expect(try cutter.time(ofTimecode: 0, 0, 3, 10) == MediaTime(0, 1))
    #expect(try cutter.time(ofTimecode: 0, 0, 5, 20) == MediaTime(3003 * 70, 90_000))
    #expect(try cutter.time(ofTimecode: 0, 0, 3, 29) == MediaTime(3003 * 19, 90_000))
    let output = try Output(cutter.plan([MediaTime(3003 * 70, 90_000)..<MediaTime(5, 1)]))
    #expect(output.movie.tracks.last?.samples.map(\.payload) == [big(UInt32(170))])
  }

  @Test("The number of a timecode track follows the cut")
  func timecode() throws {
    let track = try MovieWriter.Track(timecodeEntry(), timescale: 10, handler: "tmcd")
    let file = try movie(track, [(big(UInt32(36000)), MediaTime(10, 1))])
    let cutter = try MovieCutter(reading: [MemorySource(file, name: "in.mp4")])
    let start = try cutter.time(ofTimecode: 1, 0, 3, 7)
    #expect(start == MediaTime(37, 10))
    #expect(try cutter.time(ofTimecode: 1, 0, 10, 0) == MediaTime(10, 1))
    for wrong in [(1, 0, 10, 1), (0, 59, 59, 9), (1, 0, 0, 10)] {
      #expect(throws: MovieError.self) { try cutter.time(ofTimecode: wrong.0, wrong.1, wrong.2, wrong.3) }
    }
    let output = try Output(cutter.plan([start..<MediaTime(5, 1), MediaTime(6, 1)..<MediaTime(7, 1)]))
    let found = try #require(output.movie.tracks.last)
    #expect(found.samples.map(\.payload) == [big(UInt32(36037)), big(UInt32(36060))])
    #expect(found.samples.map(\.duration) == [13, 10])
    #expect(found.edits == [])
    // From the keyframes at 2 s and 6 s.
    #expect(output.movie.tracks[0].samples.map(\.payload) == (Array(20..<50) + Array(60..<70)).map { [$0] })
  }

  @Test("Subtitles are cut to the ranges")
  func subtitles() throws {
    let track = try MovieWriter.Track(
      Box("tx3g", bytes: zeros(6) + [0, 1] + zeros(30)), timescale: 1000, handler: "sbtl")
    let file = try movie(track, [3, 2, 5].map { (ascii("text \($0)"), MediaTime($0, 1)) })
    let cutter = try MovieCutter(reading: [MemorySource(file, name: "in.mp4")])
    let output = try Output(cutter.plan([MediaTime(25, 10)..<MediaTime(51, 10), MediaTime(9, 1)..<MediaTime(95, 10)]))
    let found = try #require(output.movie.tracks.last)
    #expect(found.samples.map(\.payload) == ["text 3", "text 2", "text 5", "text 5"].map(ascii))
    #expect(found.samples.map(\.duration) == [500, 2000, 100, 500])
    #expect(found.edits == [])
    #expect(output.movie.tracks[0].edits.count == 2)
    #expect(output.texts(.note).first?.contains("players that honor only one edit, such as Chromium") == true)
  }

  @Test("The empty sample without a duration that ends the last cue is kept")
  func textEnd() throws {
    let track = try MovieWriter.Track(
      Box("tx3g", bytes: zeros(6) + [0, 1] + zeros(30)), timescale: 1000, handler: "sbtl")
    let file = try movie(
      track, [([0, 0], MediaTime(1, 1)), ([0, 3] + ascii("cue"), MediaTime(1, 1)), ([0, 0], MediaTime(0, 1))])
    let cutter = try MovieCutter(reading: [MemorySource(file, name: "in.mp4")])
    func durations(_ ranges: Range<MediaTime>...) throws -> [Int] {
      try #require(Output(cutter.plan(ranges)).movie.tracks.last).samples.map(\.duration)
    }
    let zero = MediaTime(0, 1)
    #expect(try durations(zero..<MediaTime(9, 1)) == [1000, 1000, 0])
    #expect(try durations(MediaTime(15, 10)..<MediaTime(9, 1)) == [500, 0])
    #expect(try durations(zero..<MediaTime(12, 10), MediaTime(15, 10)..<MediaTime(10, 1)) == [1000, 200, 500, 0])
    // The cue is cut.
    #expect(try durations(zero..<MediaTime(15, 10)) == [1000, 500])
  }

  @Test("TTML documents keep the times of their track")
  func documents() throws {
    let track = try MovieWriter.Track(
      Box("stpp", bytes: zeros(6) + [0, 1] + ascii("http://www.w3.org/ns/ttml") + zeros(3)), timescale: 1000,
      handler: "subt")
    let file = try movie(track, [4, 4, 2].map { (ascii("<tt>\($0)</tt>"), MediaTime($0, 1)) })
    let cutter = try MovieCutter(reading: [MemorySource(file, name: "in.mp4")])
    let output = try Output(cutter.plan([MediaTime(5, 1)..<MediaTime(7, 1)]))
    let found = try #require(output.movie.tracks.last)
    #expect(found.samples.map(\.duration) == [4000, 4000])
    #expect(String(decoding: found.samples[0].payload, as: UTF8.self).hasPrefix("<?xml"))
    #expect(found.samples[1].payload == ascii("<tt>4</tt>"))
    #expect(found.edits.map(\.mediaTime) == [5000])
  }

  @Test("Chapters follow the cut; a chapter that starts before it starts with it")
  func chapters() throws {
    let source = MemorySource(try readFile(vectorPath("files/progressive.mp4")), name: "in.mp4")
    let list = ChapterList([(0, "one"), (2, "two"), (4, "three")].map { .init(time: MediaTime($0, 1), title: $1) })
    let sink = MemorySink()
    try MovieEditor(source).settingChapters(list).plan().write(to: sink)
    let cutter = try MovieCutter(reading: [MemorySource(sink.bytes, name: "in.mp4")])
    let output = try Output(cutter.plan([MediaTime(1, 1)..<MediaTime(3, 1), MediaTime(7, 2)..<MediaTime(5, 1)]))
    let bytes = output.bytes
    let at = try #require(bytes.indices.dropLast(4).first { bytes[$0...].starts(with: ascii("chpl")) })
    let payload = Array(bytes[(at + 4)...])
    func entry(_ seconds: Double, _ title: String) -> [UInt8] {
      big(UInt64(seconds * 10_000_000)) + [UInt8(title.utf8.count)] + ascii(title)
    }
    let wanted = [3] + entry(0, "one") + entry(1, "two") + entry(2.5, "three")
    #expect(payload.dropFirst(8).starts(with: wanted))
  }
}
