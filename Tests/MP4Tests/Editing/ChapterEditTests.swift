import BoxCatalog
import Bytes
import ISOBMFF
import MP4
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
      ("", "it has no chapters"), ("\n# Nothing\n", "it has no chapters"),
      (";FFMETADATA1\ntitle=x", "it has no chapters"),
      ("0:00 A\nTitle\n", "line 2 must be a time and a title, such as '00:01:30.000 Title'"),
      ("0:60 A", "line 1 must be a time and a title"), ("0:-1 A", "line 1 must be a time and a title"),
      ("99999999999999999999:00 A", "line 1 must be a time and a title"),
      ("0:00.0000000001 A", "line 1 must be a time and a title"), ("0:00. A", "line 1 must be a time and a title"),
      ("CHAPTER01=0:00\nCHAPTER02NAME=x", "line 2 must be after the line with the time of chapter 2"),
      ("CHAPTER01=0:00\nCHAPTER01=0:01", "line 2 must be the time of another chapter"),
      ("CHAPTER01=0:00\nOTHER=1", "line 2 must be a line such as 'CHAPTER01=00:01:30.000'"),
      ("CHAPTER01", "line 1 must be a line such as"),
      (";FFMETADATA1\n[CHAPTER]\ntitle=x", "line 2 must be a chapter with a START"),
      (";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/0", "line 3 must be a time base such as 'TIMEBASE=1/1000'"),
      (";FFMETADATA1\n[CHAPTER]\nSTART=-5", "line 3 must be a time that is not negative"),
    ])
  func refusals(text: String, message: String) throws {
    let error = #expect(throws: MovieError.self) { try list(text) }
    #expect(error?.file == "chapters.txt" && error?.reason.hasPrefix(message) == true, "\(String(describing: error))")
  }

  @Test("Text that is not UTF-8 is refused")
  func encoding() {
    let error = #expect(throws: MovieError.self) {
      try ChapterList(text: Array("0:00 A\n0:01 ".utf8) + [0xe9], name: "x")
    }
    #expect(error?.reason.hasPrefix("line 2 is not UTF-8") == true)
  }

  @Test("A chapter list is written, replaced and removed, and samples do not change")
  func written() throws {
    for name in ["progressive.mp4", "progressive.mov", "fragmented.mp4"] {
      let before = try source(name)
      let after = try written(MovieEditor(before).setChapters(list("0:00 A\n0:01.5 Bé\n")))
      let bytes: [UInt8] =
        [1, 0, 0, 0, 0, 0, 0, 0, 2] + big(UInt64(0)) + [1] + ascii("A") + big(UInt64(15_000_000)) + [3]
        + Array("Bé".utf8)
      #expect(try chpl(after) == bytes, "\(name)")
      #expect(
        difference(try SampleReader.read(before.bytes).samples, try SampleReader.read(after.bytes).samples) == nil)
      let other = try written(MovieEditor(after).setChapters(list("0:02 C")))
      #expect(try movie(other).first("udta")?.boxes.count { $0.type == "chpl" } == 1)
      #expect(try chpl(other) == [1, 0, 0, 0, 0, 0, 0, 0, 1] + big(UInt64(20_000_000)) + [1] + ascii("C"))
      #expect(try written(MovieEditor(other).setChapters(nil)).bytes == before.bytes, "\(name)")
    }
  }

  @Test("There is room for 255 chapters, and for 255 bytes of a title")
  func limits() throws {
    let editor = try MovieEditor(source("progressive.mp4"))
    func chapters(_ count: Int) -> ChapterList {
      ChapterList((0..<count).map { .init(time: MediaTime(Int64($0), 100), title: "\($0)") })
    }
    #expect(try chpl(written(editor.setChapters(chapters(255))))?[8] == 255)
    let error = #expect(throws: MovieError.self) { try editor.setChapters(chapters(256)) }
    #expect(error?.reason == "there are 256 chapters; a chapter list has at most 255")
    let long = ChapterList([.init(time: MediaTime(0, 1), title: String(repeating: "é", count: 200))])
    let edited = try editor.setChapters(long)
    #expect(try edited.plan().diagnostics.map(\.text) == ["the title of chapter 1 was shortened to 255 bytes"])
    #expect(try chpl(written(edited))?.dropFirst(17).first == 254)
    let late = try editor.setChapters(list("0:00 A\n0:24 B")).plan()
    #expect(late.diagnostics.map(\.text) == ["chapter 2 starts at 24.000 s, but the movie ends at 24.000 s"])
  }

  @Test("Chapter tracks are removed with the references to them")
  func chapterTracks() throws {
    var chap = TrackReferenceTypeBox()
    chap.trackIDs = [2]
    let reference = Box("tref", boxes: [Box(chap, type: "chap")])
    let before = try written(MovieEditor(source("progressive.mp4")).append(reference, to: "moov/trak[1]"))
    let moov = try movie(written(MovieEditor(before).setChapters(nil)))
    let traks = moov.boxes.filter { $0.type == "trak" }
    #expect(traks.count == 1 && traks[0].first("tref") == nil)
    // A track with another reference to it is not only for chapters.
    var subtitles = TrackReferenceTypeBox()
    subtitles.trackIDs = [2]
    let both = try written(MovieEditor(before).append(Box(subtitles, type: "subt"), to: "moov/trak[1]/tref"))
    let kept = try movie(written(MovieEditor(both).setChapters(list("0:00 A"))))
    #expect(kept.boxes.count { $0.type == "trak" } == 2 && kept.first("trak", "tref")?.boxes.map(\.type) == ["subt"])
    let fragmented = try MovieEditor(source("fragmented.mp4")).append(reference, to: "moov/trak[1]")
    let error = #expect(throws: MovieError.self) { try fragmented.setChapters(nil) }
    #expect(error?.reason.hasPrefix("its chapters are a track of a fragmented file") == true)
  }
}
