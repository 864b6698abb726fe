import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Editing timescales and frame rates")
struct TimingEditTests {
  private func source(_ name: String) throws -> MemorySource { MemorySource(try readFile(vectorPath("files/" + name))) }
  private func written(_ editor: MovieEditor) throws -> MemorySource {
    let sink = MemorySink()
    try editor.write(to: sink)
    return MemorySource(sink.bytes)
  }
  private func track(_ id: UInt32) -> TrackSelection { TrackSelection([.id(id)]) }
  private func movie(_ source: MemorySource) throws -> Box {
    try #require([Box](reading: source).first { $0.type == "moov" })
  }
  private func fields<Payload: BoxPayload>(_ source: MemorySource, _ path: FourCC..., track: Int = 0) throws -> Payload
  {
    var box = try movie(source)
    if track > 0 { box = box.boxes.filter { $0.type == "trak" }[track - 1] }
    for type in path { box = try #require(box.first(type)) }
    return try box.payload(from: source).get()
  }

  /// The decode time, duration and composition offset of samples in seconds.
  private func times(_ source: MemorySource, track: UInt32) throws -> [[MediaTime]] {
    let read = try SampleReader.read(source.bytes)
    let timescale = UInt32(try #require(read.tracks.first { $0.id == track }).timescale)
    return try #require(read.samples[track]).map { sample in
      [sample.decodeTime, sample.duration, sample.compositionOffset].map { MediaTime(Int64($0), timescale) }
    }
  }

  @Test("Another timescale does not change any time, and changing it back gives the same file")
  func timescales() throws {
    for name in ["progressive.mp4", "progressive.mov", "pcm.mov"] {
      let before = try source(name)
      let after = try written(
        MovieEditor(before).settingTimescale(to: 90_000).settingTimescale(of: track(1), to: 25_600)
          .settingTimescale(of: track(2), to: 44_100))
      let mvhd: MovieHeaderBox = try fields(after, "mvhd")
      let old: MovieHeaderBox = try fields(before, "mvhd")
      #expect(mvhd.timescale == 90_000)
      #expect(MediaTime(Int64(mvhd.duration), 90_000) == MediaTime(Int64(old.duration), old.timescale))
      let mdhd: MediaHeaderBox = try fields(after, "mdia", "mdhd", track: 1)
      let oldMedia: MediaHeaderBox = try fields(before, "mdia", "mdhd", track: 1)
      #expect(mdhd.timescale == 25_600 && mdhd.duration == oldMedia.duration * 2)
      for id in [UInt32(1), 2] { #expect(try times(before, track: id) == times(after, track: id), "\(name)") }
      let elst: EditListBox = try fields(after, "edts", "elst", track: 1)
      let oldEdits: EditListBox = try fields(before, "edts", "elst", track: 1)
      #expect(elst.entries.map(\.mediaTime) == oldEdits.entries.map { $0.mediaTime < 0 ? -1 : $0.mediaTime * 2 })
      #expect(elst.entries.map(\.segmentDuration) == oldEdits.entries.map { $0.segmentDuration * 90 })
      let back = try written(
        MovieEditor(after).settingTimescale(to: old.timescale).settingTimescale(of: track(1), to: 12_800)
          .settingTimescale(of: track(2), to: 22_050))
      #expect(back.bytes == before.bytes, "\(name)")
    }
  }

  @Test("A timescale that cannot express a time is refused with the first such time")
  func inexact() throws {
    let editor = try MovieEditor(source("progressive.mp4"))
    func refusal(_ edit: () throws -> MovieEditor) -> String {
      do { _ = try edit() } catch { return "\(error)" }
      return ""
    }
    #expect(
      refusal { try editor.settingTimescale(of: track(1), to: 90) }
        == "memory: a timescale of 90 cannot express 512/12800 s: the duration of sample 1 of track 1")
    #expect(
      refusal { try editor.settingTimescale(of: track(2), to: 25) }
        == "memory: a timescale of 25 cannot express 1024/22050 s: the duration of sample 1 of track 2")
    let short = try MovieEditor(source("progressive-moov-last.mp4"))
    #expect(
      refusal { try short.settingTimescale(to: 3) }
        == "memory: a timescale of 3 cannot express 6160/1000 s: the duration of the movie")
    #expect(refusal { try editor.settingTimescale(of: track(9), to: 90) }.contains("track 9 does not exist"))
    let fragmented = try MovieEditor(source("fragmented.mp4"))
    #expect(refusal { try fragmented.settingTimescale(of: track(1), to: 25_600) }.contains("movie fragments"))
    #expect(refusal { try fragmented.settingFrameRate(of: track(1), to: FrameRate(30, 1)) }.contains("movie fragments"))
  }

  @Test("Movie headers of fragmented files can get another timescale")
  func fragmentedMovie() throws {
    let before = try source("fragmented.mp4")
    let after = try written(MovieEditor(before).settingTimescale(to: 3000))
    let mvhd: MovieHeaderBox = try fields(after, "mvhd")
    #expect(mvhd.timescale == 3000)
    for id in try SampleReader.read(before.bytes).tracks.map(\.id) {
      #expect(try times(before, track: id) == times(after, track: id))
    }
  }

  @Test("Setting the current frame rate changes nothing but closes a gap in the presentation")
  func sameRate() throws {
    func note(_ name: String) throws -> [String] {
      try MovieEditor(source(name)).settingFrameRate(of: track(1), to: FrameRate(25, 1)).plan().diagnostics.map(\.text)
    }
    let before = try source("progressive.mp4")
    #expect(try written(MovieEditor(before).settingFrameRate(of: track(1), to: FrameRate(25, 1))).bytes == before.bytes)
    #expect(try note("progressive.mp4") == ["track 1: each frame lasts 512/12800 s; the video is as long as before"])
    // The last frame of this file is presented two frames late.
    #expect(
      try note("progressive-moov-last.mp4") == ["track 1: each frame lasts 512/12800 s; the video is 0.080 s shorter"])
  }

  @Test(
    "Each frame gets the same duration, in presentation order",
    arguments: [FrameRate(24_000, 1001), FrameRate(30, 1)])
  func otherRate(rate: FrameRate) throws {
    let before = try source("progressive.mp4")
    let after = try written(MovieEditor(before).settingFrameRate(of: track(1), to: rate))
    let mdhd: MediaHeaderBox = try fields(after, "mdia", "mdhd", track: 1)
    let frame = MediaTime(rate.denominator, UInt32(rate.numerator))
    let (old, new) = (try times(before, track: 1), try times(after, track: 1))
    #expect(new.count == old.count && new.allSatisfy { $0[1] == frame })
    #expect(
      MediaTime(Int64(mdhd.duration), mdhd.timescale) == MediaTime(600 * rate.denominator, UInt32(rate.numerator)))
    // The delay between decoding and presentation stays the same number of frames.
    let ratio = (old: Int64(512), new: Int64(mdhd.timescale) * rate.denominator / rate.numerator)
    for (a, b) in zip(old, new) { #expect(a[2].value / ratio.old * ratio.new == b[2].value) }
    #expect(try times(before, track: 2) == times(after, track: 2))
    let elst: EditListBox = try fields(after, "edts", "elst", track: 1)
    #expect(elst.entries[0].mediaTime == 2 * ratio.new)
    let expected = UInt64((600_000 * rate.denominator + rate.numerator / 2) / rate.numerator)
    #expect(elst.entries[0].segmentDuration == expected)
    let (mvhd, tkhd): (MovieHeaderBox, TrackHeaderBox) = (
      try fields(after, "mvhd"), try fields(after, "tkhd", track: 1)
    )
    #expect(tkhd.duration == expected && mvhd.duration == max(expected, 24_000))
    let back = try written(
      MovieEditor(after).settingFrameRate(of: track(1), to: FrameRate(25, 1)).settingTimescale(of: track(1), to: 12_800)
    )
    #expect(back.bytes == before.bytes)
  }

  @Test("Variable frame durations become equal, and edits present the same frames")
  func variable() throws {
    let before = try source("progressive.mp4")
    let uneven = try written(
      MovieEditor(before).editing("moov/trak[1]/mdia/minf/stbl/stts", TimeToSampleBox.self) { stts in
        stts.entries = [
          TimeToSampleBox.Entry(sampleCount: 100, sampleDelta: 512),
          TimeToSampleBox.Entry(sampleCount: 1, sampleDelta: 2048),
          TimeToSampleBox.Entry(sampleCount: 499, sampleDelta: 512),
        ]
      })
    let even = try written(MovieEditor(uneven).settingFrameRate(of: track(1), to: FrameRate(25, 1)))
    let stts: TimeToSampleBox = try fields(even, "mdia", "minf", "stbl", "stts", track: 1)
    #expect(stts.entries.map { [$0.sampleCount, $0.sampleDelta] } == [[600, 512]])
    // The presentation order is that of the source, so every composition time occurs once.
    let shown = try times(even, track: 1).map { ($0[0] + $0[2]).value }
    #expect(Set(shown).count == 600 && shown.max().map { $0 - (shown.min() ?? 0) } == 599 * 512)
  }

  @Test("Meaningless frame rates are refused")
  func refusedRates() throws {
    let editor = try MovieEditor(source("progressive.mp4"))
    let cases: [(TrackSelection, FrameRate, Obstacle.Code)] = [
      (track(2), FrameRate(25, 1), "not_video"),
      (track(1), FrameRate(1, 4_000_000_000), "frame_rate"),
      (track(9), FrameRate(25, 1), .noTrack),
    ]
    for (tracks, rate, code) in cases {
      let error = #expect(throws: MovieError.self) { try editor.settingFrameRate(of: tracks, to: rate) }
      #expect(error?.obstacle?.code == code, "\(String(describing: error))")
    }
    let same = try editor.editing("moov/trak[1]/mdia/minf/stbl/ctts", CompositionOffsetBox.self) { ctts in
      ctts.entries = [
        CompositionOffsetBox.Entry(sampleCount: 1, sampleOffset: 512),
        CompositionOffsetBox.Entry(sampleCount: 599, sampleOffset: 0),
      ]
    }
    let error = #expect(throws: MovieError.self) { try same.settingFrameRate(of: track(1), to: FrameRate(25, 1)) }
    #expect(error?.obstacle?.code == "same_time")
  }

  @Test("Another timescale without other times is a warning")
  func bareTimescale() throws {
    let source = MemorySource(try readFile(vectorPath("files/progressive.mp4")), name: "movie.mp4")
    let path = "moov/trak[1]/mdia/mdhd"
    let mdhd = try #require(Movie(reading: [source]).tracks.first).timescale
    func warnings(_ value: UInt32) throws -> [String] {
      try MovieEditor(source).setting("timescale", of: path, to: .unsigned(UInt64(value))).plan().diagnostics
        .filter { $0.severity == .warning }.map(\.text)
    }
    #expect(try warnings(mdhd) == [])
    let text = "\(path)/timescale changed alone, so all times in that timescale have changed too"
    #expect(try warnings(mdhd * 2) == [text])
    #expect(throws: MovieError.self) { try warnings(0) }
  }
}
