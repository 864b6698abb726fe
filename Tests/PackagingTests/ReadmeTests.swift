import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging
import Support
import Testing

@Suite("README.md")
struct ReadmeTests {
  // As README.md has it, but for spaces and comments.
  private func package(_ recording: Path, into folder: Path) throws {
    let movie = try Movie(reading: [openSource(recording)])
    var packager = Packager()
    packager.options.segmentDuration = MediaTime(4, 1)
    let plan = try packager.plan([movie])
    for notice in plan.notices { print(notice) }
    let output = try OutputFolder(folder)
    for file in plan.files {
      if let path = Path(file.path) { try plan.write(file, to: output.begin(path)) }
    }
    try output.commit()
  }

  @Test("Its function for packages is this one, and makes one")
  func packages() throws {
    let folder = try TemporaryFolder()
    let recording = try #require(Path(vectorPath("files/progressive.mp4")))
    try package(recording, into: try #require(Path(folder("stream"))))
    #expect(namesInFolder(folder("stream")) == ["audio-en", "master.m3u8", "video-90"])
    let own = try lines(#filePath).map { $0.hasPrefix("private ") ? String($0.dropFirst(8)) : $0 }
    let all = try lines(repository + "/README.md")
    let start = try #require(all.firstIndex { $0.hasPrefix("func package(") })
    let first = try #require(own.firstIndex(of: all[start]))
    let count = try #require(all[start...].firstIndex { $0.hasPrefix("```") }) - start
    #expect(count > 8 && all[start..<start + count].elementsEqual(own[first..<first + count]))
  }

  /// The lines of a file without comments and without spaces at both ends.
  private func lines(_ path: String) throws -> [String] {
    String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n").map { line in
      let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
      let words = code.split(separator: " ")
      return words.joined(separator: " ")
    }
  }
}
