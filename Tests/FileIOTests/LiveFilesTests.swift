import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Reading and writing files that other processes use")
struct LiveFilesTests {
  /// Everything that arrives until nothing has arrived for a while: file names in brackets, and bytes as text.
  private func arrivals(_ input: any LiveInput) throws -> String {
    var text = ""
    while true {
      switch try input.next(waiting: .milliseconds(100)) {
      case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
      case .file(let name): text += "[\(name.split(separator: "/").last ?? "")]"
      case .nothing: return text
      case .end: return text + "."
      }
    }
  }
  private func path(_ folder: Support.TemporaryFolder, _ name: String = "") -> Pathname {
    Pathname(folder(name)) ?? "."
  }

  @Test("A watched folder returns appended, new and rewritten files")
  func watching() throws {
    let folder = try Support.TemporaryFolder()
    try folder.write("b.mp4", ascii("one"))
    try folder.write("a.m4s", ascii("two"))
    try folder.write("init.mp4", ascii("zero"))
    for name in ["c.txt", "d.tmp", ".e.mp4", "mp4"] { try folder.write(name, ascii("no")) }
    let input = try openLiveInput(path(folder)) { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    #expect(try arrivals(input) == "[init.mp4]zero[a.m4s]two[b.mp4]one")
    let present = try openLiveInput(path(folder), follows: false) { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    #expect(try arrivals(present) == "[init.mp4]zero[a.m4s]two[b.mp4]one.")
    let shell = { (line: String) in _ = try run("bash", ["-c", line], folder: folder.path) }
    try shell("printf more >> b.mp4")
    #expect(try arrivals(input) == "more")
    try shell("mv b.mp4 b2.mp4; printf x > .f.mp4; mv d.tmp d.m4s")
    #expect(try arrivals(input) == "[d.m4s]no")
    try shell("printf n > d.m4s")
    #expect(try arrivals(input) == "[d.m4s]n")
    try shell("printf last > z.mp4; rm a.m4s b2.mp4; mkdir y.d")
    #expect(try arrivals(input) == "[z.mp4]last")
  }

  @Test("A stream ends, a folder does not")
  func stream() throws {
    let folder = try Support.TemporaryFolder()
    try folder.write("a.mp4", ascii("bytes"))
    #expect(try arrivals(openLiveInput(path(folder, "a.mp4"), follows: false) { _, _ in true }) == "bytes.")
    #expect(try openLiveInput(path(folder, "a.mp4")) { _, _ in true } is GrowingFile)
    #expect(throws: IOError.self) { try openLiveInput(path(folder, "none")) { _, _ in true } }
  }

  @Test("A live folder replaces and removes only its own files")
  func others() throws {
    let folder = try Support.TemporaryFolder()
    let live = try LiveFolder(path(folder, "live"))
    try live.write(ascii("1"), as: "own")
    try live.write(ascii("2"), as: "own")
    try folder.write("live/other", ascii("precious"))
    #expect(throws: IOError.self) { try live.write(ascii("3"), as: "other") }
    live.remove("other")
    #expect(try readFile(folder("live/other")) == ascii("precious"))
    live.remove("own")
    #expect(namesInFolder(folder("live")) == ["other"])
  }

  @Test("A live folder shows only complete files, and leaves nothing of a discarded one")
  func writing() throws {
    let folder = try Support.TemporaryFolder()
    let live = try LiveFolder(path(folder, "live"))
    try live.append(ascii("abcdef")[...])
    try live.append(ascii("ghi")[...])
    #expect(namesInFolder(folder("live")) == [])
    try live.truncate(to: 7)
    try live.overwrite(ascii("XY"), at: 1)
    try live.append(ascii("z")[...])
    try live.finish(as: "one")
    #expect(try readFile(folder("live/one")) == ascii("aXYdefgz"))
    try live.write(ascii("1"), as: "list")
    try live.write(ascii("22"), as: "list")
    try live.append(ascii("never")[...])
    live.discard()
    #expect(namesInFolder(folder("live")).sorted() == ["list", "one"])
    #expect(try readFile(folder("live/list")) == ascii("22"))
    live.remove("one")
    live.removeIfEmpty()
    #expect(namesInFolder(folder("live")) == ["list"])
    #expect(throws: IOError.self) { try LiveFolder(path(folder, "live")) }
    try LiveFolder(path(folder, "other")).removeIfEmpty()
    #expect(folder.names == ["live"])
    #expect(live.isSame(as: path(folder, "./live")) && !live.isSame(as: path(folder)))
  }
}
