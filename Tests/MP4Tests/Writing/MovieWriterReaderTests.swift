import Bytes
import MP4
import Support
import Testing

@Suite(
  "Written movies as read by ffmpeg",
  .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"))
struct MovieWriterReaderTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func output(_ words: String) throws -> String {
    let list = words.split(separator: " ").map(String.init)
    let result = try run(list[0], Array(list.dropFirst()))
    #expect(result.exitCode == 0 && result.errorText == "", "\(words): \(result.errorText)")
    return result.text
  }
  /// The times relative to the first decode time, and the sizes, of all packets of a stream.
  private func packets(_ path: String, _ stream: Int) throws -> [[Double]] {
    let text = try output(
      "ffprobe -v error -select_streams \(stream) -show_entries packet=pts_time,dts_time,size -of csv=p=0 \(path)")
    let rows = text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
    let start = rows.first?[1] ?? 0
    return rows.filter { $0.count == 3 }.map { row in
      [row[0] - start, row[1] - start].map { ($0 * 1_000_000).rounded() } + [row[2]]
    }
  }

  @Test(
    "A copy has the packets of its source and decodes to the same video and audio",
    arguments: ["progressive.mp4", "fragmented.mp4", "hevc-fragmented.mp4"], MovieWriterTests.Kind.allCases)
  func copies(name: String, kind: MovieWriterTests.Kind) throws {
    let source = vectorPath("files/" + name)
    let movie = try Movie(reading: [MemorySource(readFile(source))])
    let copy = folder("copy.mp4")
    try writeFile(copy, kind.write { try MovieWriterTests.copy(movie, to: $0) })
    for stream in movie.tracks.indices {
      #expect(try packets(copy, stream).count == movie.tracks[stream].samples.count)
      #expect(try packets(copy, stream) == packets(source, stream))
    }
    func frames(_ path: String) throws -> [Substring] {
      try output("ffmpeg -nostdin -v error -xerror -i \(path) -map 0 -f framemd5 -")
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.sorted()
    }
    // ffmpeg does not remove priming from fragmented files.
    if movie.tracks.allSatisfy({ $0.edits.isEmpty }) || kind == .progressive {
      #expect(try frames(copy) == frames(source))
    } else {
      #expect(try frames(copy).count >= frames(source).count)
    }
  }
}
