import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Editing chapters")
struct ChapterEditTests {
  private func source(_ name: String) throws -> MemorySource { MemorySource(try readFile(vectorPath("files/" + name))) }
  private func written(_ editor: MovieEditor) throws -> MemorySource {
    let sink = MemorySink()
    try editor.write(to: sink)
    return MemorySource(sink.bytes)
  }
  private func movie(_ source: MemorySource) throws -> Box {
    try #require([Box](reading: source).first { $0.type == "moov" })
  }
  /// The bytes of the chapter list.
  private func chpl(_ source: MemorySource) throws -> [UInt8]? {
    try movie(source).first("udta", "chpl")?.header.map { Array(source.bytes[$0.payload]) }
  }
  private func list(_ text: String) throws -> ChapterList {
    try ChapterList(text: Array(text.utf8), name: "chapters.txt")
  }

  /// The samples, without those of chapter tracks.
  private func samples(_ source: MemorySource) throws -> [UInt32: [SampleRecord]] {
    let movie = try SampleReader.read(source.bytes)
    let texts = Set(movie.tracks.filter { $0.handler == "text" }.map(\.id))
    return movie.samples.filter { !texts.contains($0.key) }
  }

  private static let expected = ChapterList([
    .init(time: MediaTime(0, 1), title: "Start"), .init(time: MediaTime(90_500, 1000), title: "Zwölf = 12"),
    .init(time: MediaTime(3723, 1), title: ""),
  ])

  @Test(
    "Lines, OGM and FFmpeg's metadata are read",
    arguments: [
      "00:00:00.000 Start\n00:01:30.500 Zwölf = 12\n01:02:03\n",
      "\u{feff}# Comment\r\n\r\n0:00 Start\r\n1:30,5\tZwölf = 12\r\n1:02:03.000000000\r\n",
      "01:02:03\n00:00 Start\n01:30.5 Zwölf = 12",
      """
      CHAPTER01=00:00:00.000
      CHAPTER01NAME=Start
      CHAPTER02=00:01:30.500
      CHAPTER02NAME=Zwölf = 12
      CHAPTER03=01:02:03.000
      CHAPTER03NAME=
      """,
      """
      ;FFMETADATA1
      title=Film
      ; Comment
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=90500
      title=Start

      [CHAPTER]
      TIMEBASE=1/10
      START=905
      title=Zw\\ölf \\= 12
      [STREAM]
      title=Sound
      [CHAPTER]
      START=3723000000000
      """,
    ])
  func formats(text: String) throws {
    let list = try list(text)
    #expect(list == Self.expected)
  }

  @Test(
    "Other lines are refused with their number",
    arguments: [
      ("", nil), ("\n# Nothing\n", nil),
      (";FFMETADATA1\ntitle=x", nil),
      ("0:00 A\nTitle\n", 2),
      ("0:60 A", 1), ("0:-1 A", 1),
      ("99999999999999999999:00 A", 1),
      ("2562047788015:12:55.808 A", 1),
      ("9223372036854775807:00:00 A", 1),
      ("153722867280912930:08 A", 1),
      ("0:00.0000000001 A", 1), ("0:00. A", 1),
      ("CHAPTER01=0:00\nCHAPTER02NAME=x", 2),
      ("CHAPTER01=0:00\nCHAPTER01=0:01", 2),
      ("CHAPTER01=0:00\nOTHER=1", 2),
      ("CHAPTER01", 1),
      (";FFMETADATA1\n[CHAPTER]\ntitle=x", 2),
      (";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/0", 3),
      (";FFMETADATA1\n[CHAPTER]\nSTART=-5", 3),
    ] as [(String, Int?)])
  func refusals(text: String, line: Int?) throws {
    let error = #expect(throws: MovieError.self) { try list(text) }
    let obstacle = line.map { Obstacle("chapter_syntax", "", ["line": .integer($0)]) } ?? Obstacle("no_chapters", "")
    #expect(error == .impossible(file: "chapters.txt", obstacle))
  }

  @Test(
    "Times of every size are read back as written",
    arguments: [
      MediaTime(28_823_039_484, 1), MediaTime(3_600_000_000, 1), MediaTime(.max, 1000), MediaTime(.max, 600),
      MediaTime(.max, 10_000_000), MediaTime(.max, .max), MediaTime(.max, 1),
    ])
  func largeTimes(time: MediaTime) throws {
    let text = ChapterList([Chapter(time: time, title: "Far")]).text
    let read = try list(text)
    #expect(read.text == text && read.chapters.count == 1, "\(text)")
    if time == MediaTime(.max, 1000) { #expect(read.chapters[0].time == time) }
    for name in ["progressive.mp4", "fragmented.mp4"] {
      _ = try written(MovieEditor(source(name)).settingChapters(read))
    }
  }

  @Test("Text that is not UTF-8 is refused")
  func encoding() {
    let error = #expect(throws: MovieError.self) {
      try ChapterList(text: Array("0:00 A\n0:01 ".utf8) + [0xe9], name: "x")
    }
    #expect(error?.obstacle?.code == "not_utf8")
  }

  @Test("A chapter list is written, replaced and removed, and samples do not change")
  func written() throws {
    for name in ["progressive.mp4", "progressive.mov", "fragmented.mp4"] {
      let before = try source(name)
      let after = try written(MovieEditor(before).settingChapters(list("0:00 A\n0:01.5 Bé\n")))
      let bytes: [UInt8] =
        [1, 0, 0, 0, 0, 0, 0, 0, 2] + big(UInt64(0)) + [1] + ascii("A") + big(UInt64(15_000_000)) + [3]
        + Array("Bé".utf8)
      #expect(try chpl(after) == bytes, "\(name)")
      #expect(difference(try samples(before), try samples(after)) == nil)
      let other = try written(MovieEditor(after).settingChapters(list("0:02 C")))
      #expect(try movie(other).first("udta")?.boxes.count { $0.type == "chpl" } == 1)
      #expect(try chpl(other) == [1, 0, 0, 0, 0, 0, 0, 0, 1] + big(UInt64(20_000_000)) + [1] + ascii("C"))
      let none = try written(MovieEditor(other).settingChapters(nil))
      #expect(difference(try samples(before), try SampleReader.read(none.bytes).samples) == nil)
      #expect(try chpl(none) == nil && movie(none).boxes.count == movie(before).boxes.count)
      // The chapter samples are in media data that is kept.
      if name == "fragmented.mp4" { #expect(none.bytes == before.bytes) }
    }
  }

  @Test(
    "Video and audio reference a text track with the chapters", arguments: ["progressive.mp4", "progressive.mov"])
  func textTrack(name: String) throws {
    let before = try source(name)
    let edited = try MovieEditor(before).settingChapters(list("0:00.5 A\n0:01.5 Bé\n0:59 Late"))
    let outputs = [try written(edited), try inPlace(edited, before)]
    let sample: (String) -> [UInt8] = { text in
      big(UInt16(text.utf8.count)) + Array(text.utf8) + big(UInt32(12)) + ascii("encd") + big(UInt32(0x100))
    }
    for output in outputs {
      let movie = try SampleReader.read(output.bytes)
      let track = try #require(movie.tracks.last)
      #expect(track.handler == "text" && track.id == 3 && movie.tracks.count == 3)
      #expect(track.samples.map(\.duration).first == 1000)
      #expect(track.samples.map(\.payload) == [sample("A"), sample("Bé")])
      let moov = try self.movie(output)
      let traks = moov.boxes.filter { $0.type == "trak" }
      #expect(traks.map { $0.first("tref", "chap") != nil } == [true, true, false])
      #expect(traks[2].first("mdia", "minf", "gmhd", "text") != nil && traks[2].first("edts", "elst") != nil)
      #expect(try traks[2].first("tkhd")?.payload(as: TrackHeaderBox.self, from: output).get().flags == 0)
      #expect(difference(try samples(before), try samples(output)) == nil)
      // They are replaced by a track with another ID, and later edits update its offsets.
      let title = try #require(MetadataTag("title"))
      let edited = try MovieEditor(output).settingChapters(list("0:00 C")).settingTag(title, to: "A title")
      let last = try #require(try SampleReader.read(written(edited).bytes).tracks.last)
      #expect(last.id == 4 && last.samples.map(\.payload) == [sample("C")])
    }
  }

  /// The file after an in-place edit.
  private func inPlace(_ editor: MovieEditor, _ source: MemorySource) throws -> MemorySource {
    let recorder = InPlaceRecorder()
    try editor.planInPlace().write(to: recorder)
    return MemorySource(recorder.finished(source.bytes))
  }

  @Test("An interrupted in-place edit leaves the old movie or the new one", arguments: [false, true])
  func interrupted(hasRoom: Bool) throws {
    var before = try source("progressive.mp4")
    if hasRoom {
      before = try written(MovieEditor(before).inserting(Box("free", bytes: zeros(40_000)), before: "mdat"))
    }
    let recorder = InPlaceRecorder()
    try MovieEditor(before).settingChapters(list("0:00 A\n0:10 B")).planInPlace().write(to: recorder)
    let after = recorder.finished(before.bytes)
    let boxes = try [Box](reading: MemorySource(after)).map(\.type)
    #expect(boxes.suffix(3) == (hasRoom ? ["moov", "mdat", "mdat"] : ["mdat", "free", "moov"]))
    for state in Effort.some(recorder.interruptions(of: before.bytes), short: 14) {
      let now = try SampleReader.readTruncated(state.bytes)
      #expect(now.tracks.count == (state.isFinished ? 3 : 2), "\(state.moment)")
      #expect(difference(now.samples.filter { $0.key < 3 }, try samples(before)) == nil, "\(state.moment)")
      if state.isFinished { #expect(now.tracks.last?.samples.last?.payload.starts(with: [0, 1] + ascii("B")) == true) }
    }
  }

  @Test("Samples are found as before if the last chunk has no declared number of them")
  func contradictions() throws {
    var bytes = try source("progressive.mp4").bytes
    let places = bytes.indices.dropLast(20).filter { bytes[$0] == UInt8(ascii: "s") }
    let last = try #require(places.last { Array(bytes[$0..<$0 + 4]) == ascii("stsc") })
    #expect(bytes[last + 19] < 200)
    bytes[last + 19] += 3
    let before = try Movie(reading: [MemorySource(bytes)])
    #expect(before.diagnostics.contains { $0.severity == .warning })
    let edited = try written(MovieEditor(MemorySource(bytes)).settingChapters(list("0:00 A\n0:01 B")))
    let after = try Movie(reading: [edited])
    #expect(after.tracks.count == before.tracks.count + 1)
    for (old, new) in zip(before.tracks, after.tracks) {
      #expect(try old.samples.map { try $0.bytes() } == new.samples.map { try $0.bytes() })
    }
  }

  @Test("The limits are 255 chapters and 255 bytes per title")
  func limits() throws {
    let editor = try MovieEditor(source("progressive.mp4"))
    func chapters(_ count: Int) -> ChapterList {
      ChapterList((0..<count).map { .init(time: MediaTime(Int64($0), 100), title: "\($0)") })
    }
    #expect(try chpl(written(editor.settingChapters(chapters(255))))?[8] == 255)
    let error = #expect(throws: MovieError.self) { try editor.settingChapters(chapters(256)) }
    #expect(error?.obstacle?.code == "too_many_chapters")
    let long = ChapterList([.init(time: MediaTime(0, 1), title: String(repeating: "é", count: 200))])
    let edited = try editor.settingChapters(long)
    #expect(try edited.plan().diagnostics.map(\.text) == ["the title of chapter 1 was shortened to 255 bytes"])
    #expect(try chpl(written(edited))?.dropFirst(17).first == 254)
    let late = try editor.settingChapters(list("0:00 A\n0:24 B")).plan()
    #expect(late.diagnostics.map(\.text) == ["chapter 2 starts at 24.000 s, but the movie ends at 24.000 s"])
  }

  @Test("Chapter tracks are removed with the references to them")
  func chapterTracks() throws {
    var chap = TrackReferenceTypeBox()
    chap.trackIDs = [2]
    let reference = Box("tref", boxes: [Box(chap, type: "chap")])
    let before = try written(MovieEditor(source("progressive.mp4")).appending(reference, to: "moov/trak[1]"))
    let moov = try movie(written(MovieEditor(before).settingChapters(nil)))
    let traks = moov.boxes.filter { $0.type == "trak" }
    #expect(traks.count == 1 && traks[0].first("tref") == nil)
    // A track that is referenced for another purpose, too.
    var subtitles = TrackReferenceTypeBox()
    subtitles.trackIDs = [2]
    let both = try written(MovieEditor(before).appending(Box(subtitles, type: "subt"), to: "moov/trak[1]/tref"))
    let kept = try movie(written(MovieEditor(both).settingChapters(list("0:00 A"))))
    #expect(
      kept.boxes.count { $0.type == "trak" } == 3 && kept.first("trak", "tref")?.boxes.map(\.type) == ["subt", "chap"])
    let fragmented = try MovieEditor(source("fragmented.mp4")).appending(reference, to: "moov/trak[1]")
    let error = #expect(throws: MovieError.self) { try fragmented.settingChapters(nil) }
    #expect(error?.obstacle?.code == "fragmented" && error?.remedy == .defragment)
  }
}
