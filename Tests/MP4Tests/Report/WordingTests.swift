import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@testable import MP4

@Suite("Wording of messages")
struct WordingTests {
  private func message(_ sources: [any ByteSource], tracks: TrackSelection = TrackSelection()) -> String? {
    var options = Defragmenter.Options()
    options.reading.tracks = tracks
    return #expect(throws: MovieError.self) { try Defragmenter(options).plan(sources) }?.description
  }

  @Test("An input in another format is named, at any position")
  func otherFormat() throws {
    let matroska: [UInt8] = [0x1a, 0x45, 0xdf, 0xa3] + zeros(200)
    let movie = try readFile(vectorPath("files/progressive.mp4"))
    let text = "this is Matroska (WebM), not MP4; remux it to MP4 first, for example with ffmpeg"
    #expect(message([MemorySource(matroska, name: "a.mkv")]) == "a.mkv: " + text)
    for isFirst in [true, false] {
      let (other, own) = (MemorySource(matroska, name: "a.mkv"), MemorySource(movie, name: "b.mp4"))
      #expect(message(isFirst ? [other, own] : [own, other]) == "a.mkv: " + text)
    }
    var reader = LiveReader("a.mkv")
    reader.append(matroska[...])
    #expect(throws: MovieError.self) { try reader.next() }
  }

  @Test("Wording for one track and for several tracks")
  func tracks() throws {
    var file = FragmentedFileBuilder([.text(id: 99).with(\.handler, "meta")])
    file.addFragments(1)
    let source = MemorySource(file.build().bytes, name: "in.mp4")
    #expect(
      message([source], tracks: TrackSelection([.id(5)]))
        == "in.mp4: track 5 does not exist; it has only track 99 (meta)")
  }

  @Test("Another file is named without the common folders")
  func folders() {
    let cases = [
      ("/long/path/a.mp4", "/long/path/b.mp4", "b.mp4"), ("/long/x/init.mp4", "/long/y/init.mp4", "y/init.mp4"),
      ("init.mp4", "video/init.mp4", "video/init.mp4"), ("a/b/c.mp4", "a/bc/c.mp4", "bc/c.mp4"),
      ("/a/b.mp4", "/c/d.mp4", "/c/d.mp4"),
      ("https://a.com/x.mp4", "https://b.com/y.mp4", "https://b.com/y.mp4"),
      ("https://a.com/x/1.mp4", "https://a.com/y/2.mp4", "y/2.mp4"), ("x.mp4", "x.mp4", "x.mp4"),
    ]
    for (file, other, expected) in cases { #expect(Diagnostic.shortened(other, beside: file) == expected) }
  }
}
