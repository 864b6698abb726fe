import MP4
import MP4Bytes
import MP4Inspection
import Support
import Testing

@Suite("Timecodes and chapters as text")
struct ExcerptTests {
  private func text(_ excerpt: FileExcerpt?) throws -> String {
    let sink = MemorySink()
    try #require(excerpt).write(to: sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  @Test("Timecodes are lines with the times from which they count")
  func timecodes() throws {
    let entry = box("tmcd", zeros(6), big(UInt16(1)), zeros(8), big(UInt32(25_000)), big(UInt32(1000)), [25, 0])
    var timecode = TrackSpec.text(id: 3)
    (timecode.handler, timecode.sampleEntries, timecode.timescale) = ("tmcd", [entry], 25)
    var file = FragmentedFileBuilder([.audio(), timecode])
    file.addFragment { fragment in
      fragment.addTraf(2, .samples(48))
      fragment.addTraf(3, .samples(2, size: 4, duration: 12))
    }
    let built = file.build()
    let movie = try Movie(reading: [MemorySource(built.bytes, name: "in.mp4")])
    let frames = try #require(built.samples[3]).map { $0.payload.reduce(0) { $0 << 8 | Int($1) } }
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let lines = zip(["00:00:00.000", "00:00:00.480"], frames).map { time, frame in
      let numbers = [frame / 90_000, frame / 1500 % 60, frame / 25 % 60, frame % 25]
      return "\(time) \(numbers.map(digits).joined(separator: ":"))\n"
    }
    #expect(try text(FileExcerpt.timecodes(of: movie.keeping(tracks: [1]))) == lines.joined())
    #expect(try FileExcerpt.timecodes(of: movie) == nil)
    #expect(try FileExcerpt.timecodes(of: movie.keeping(tracks: [0])) == nil)
  }

  @Test("Control characters in chapter titles become spaces, and times are rounded down")
  func chapters() throws {
    let list = ChapterList([
      Chapter(time: MediaTime(36_000_015, 10_000), title: "A\nB\u{85}C "),
      Chapter(time: MediaTime(0, 1), title: ""),
      // A combining mark forms one character with the space before it.
      Chapter(time: MediaTime(4000, 1), title: "\u{35b}N"),
    ])
    #expect(
      Array(list.text.utf8) == Array("00:00:00.000 \n01:00:00.001 A B C\n01:06:40.000 \u{35b}N\n".utf8))
    let again = try ChapterList(text: Array(list.text.utf8), name: "chapters")
    #expect(again.chapters.map(\.title) == ["", "A B C", "\u{35b}N"])
    let pairs = try ChapterList(text: Array("CHAPTER1=0:01\nCHAPTER1NAME=\u{35b}N".utf8), name: "chapters")
    #expect(pairs.chapters.map(\.title) == ["\u{35b}N"])
  }
}
