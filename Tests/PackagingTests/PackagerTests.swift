import FileIO
import MP4
import Packaging
import Support
import Testing

@Suite("A package of a movie")
struct PackagerTests {
  @Test("Its files have the sizes that were planned, and no rule of the RFC finds anything in its playlists")
  func files() throws {
    let path = try #require(Path(Array(vectorPath("files/progressive.mp4").utf8)))
    let source = try FileSource(path)
    let plan = try Packager().plan([try TimedMovie(reading: [source])])
    #expect(plan.findings.isEmpty)
    #expect(plan.renditions.map(\.folder) == ["video-90", "audio-en"])
    for file in plan.files {
      let sink = MemorySink()
      try plan.write(file, to: sink)
      #expect(sink.bytes.count == file.byteCount, "\(file.path)")
    }
  }
}
