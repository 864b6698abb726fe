import Bytes
import MP4Toolkit
import Support
import Testing

@Suite("README.md")
struct ReadmeTests {
  // As README.md has them, but for spaces and comments.
  private func list(_ recording: String) throws {
    let movie = try Movie(reading: [recording])  // one file, or an init segment and its segments
    for track in movie.tracks {
      print(track.codecs, track.pictureSize as Any, track.duration, track.frameRate as Any, track.language ?? "und")
      for sample in track.samples where sample.isSync {
        print(sample.index, sample.presentationTime?.seconds as Any, sample.size, sample.offset)
      }
      if let tenth = track.samples.dropFirst(9).first { print(try tenth.bytes().count) }
    }
  }
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
    try compare("package")
  }

  @Test("Its function that lists samples is this one, and lists them")
  func lists() throws {
    try list(vectorPath("files/hybrid.mp4"))
    try compare("list")
  }

  @Test("A dash is the name of a file, and one that is missing is an error of its own")
  func paths() throws {
    let folder = try TemporaryFolder()
    #expect(throws: MovieError.self) { try Movie(reading: [folder("missing.mp4")]) }
    do throws(MovieError) { _ = try Movie(reading: ["-"]) } catch {
      guard case .io(let error) = error else { throw error }
      #expect(error.operation == .open && error.file == "./-")
    }
  }

  private func compare(_ function: String) throws {
    let own = try lines(#filePath).map { $0.hasPrefix("private ") ? String($0.dropFirst(8)) : $0 }
    let all = try lines(repository + "/README.md")
    let start = try #require(all.firstIndex { $0.hasPrefix("func \(function)(") })
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
