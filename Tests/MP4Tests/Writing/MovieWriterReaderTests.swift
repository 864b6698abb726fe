import MP4
import MP4Bytes
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

  @Test(
    "Encodings with default settings, written from headers and times, decode to the same frames at the same times",
    arguments: [
      "-c:v libx264", "-c:v libx264 -x264-params open-gop=1:keyint=10 -pix_fmt yuv422p10le -color_primaries bt709",
      "-vf setsar=4/3 -c:v libx265 -x265-params log-level=error -tag:v hvc1", "-c:v libsvtav1 -svtav1-params log=0",
      "-vn -c:a aac", "-vn -c:a libopus", "-vn -c:a flac -strict experimental",
    ], [false, true])
  func encoders(options: String, isFragmented: Bool) throws {
    let source = folder("source.mp4")
    // The encoder of AV1 always writes about itself.
    let words = "-nostdin -v error -f lavfi -i testsrc2=s=320x180:r=30000/1001:d=2 -f lavfi -i sine=d=2 \(options)"
    #expect(try run("ffmpeg", words.split(separator: " ").map(String.init) + [source]).exitCode == 0)
    let movie = try Movie(reading: [MemorySource(readFile(source))])
    let (copy, sink) = (folder("copy.mp4"), MemorySink())
    let writer = isFragmented ? MovieWriter(fragmentsTo: sink, every: MediaTime(1, 2)) : MovieWriter(to: sink)
    writer.startTime = MediaTime(1000, 1)
    var numbers: [Int] = []
    for track in movie.tracks {
      let made = try #require(try EncoderTests.track(like: track.decoderConfigurations[0], track))
      numbers.append(try writer.add(made))
    }
    for (track, number) in zip(movie.tracks, numbers) {
      let first = try #require(track.samples.first { $0.presentationTime != nil })
      let shift = MediaTime(1000, 1) + (first.presentationTime ?? MediaTime(0, 1)) - first.compositionTime
      for sample in track.samples {
        // An encoder counts in other units than the track.
        let (time, decodeTime) = (
          (sample.compositionTime + shift).converted(to: 10_000_000).value,
          (sample.decodeTime + shift).converted(to: 10_000_000).value
        )
        try writer.append(
          sample.bytes(), to: number, presentationTime: MediaTime(time, 10_000_000),
          decodeTime: MediaTime(decodeTime, 10_000_000), isSync: sample.isSync)
      }
    }
    try writer.finish()
    try writeFile(copy, sink.bytes)
    for kind in movie.tracks[0].isVideo ? ["v", "a"] : ["a"] {
      func frames(_ path: String) throws -> [[Substring]] {
        try output("ffmpeg -nostdin -v error -xerror -i \(path) -map 0:\(kind)? -f framemd5 -")
          .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: ",") }
      }
      let (old, new) = (try frames(source), try frames(copy))
      // ffmpeg does not remove priming from fragmented files.
      guard !isFragmented || kind == "v" else {
        #expect(new.count >= old.count)
        continue
      }
      #expect(old.map(\.last) == new.map(\.last) && old.count > 10)
      let rows = [
        "stream=sample_aspect_ratio,pix_fmt,channel_layout,color_primaries", "frame=best_effort_timestamp_time",
      ]
      for row in rows {
        func values(_ path: String) throws -> [Substring] {
          try output("ffprobe -v error -select_streams \(kind) -show_entries \(row) -of csv=p=0 \(path)")
            .split { $0 == "\n" || $0 == "," }.map { $0 == "1:1" ? "N/A" : $0 }
        }
        let (old, new) = (try values(source), try values(copy))
        #expect(old == new)
      }
    }
  }

  @Test(
    "PCM decodes to the same values",
    .enabled(if: environment("MP4TOOL_FFMPEG") != nil, "needs MP4TOOL_FFMPEG: a version that knows ISO/IEC 23003-5"),
    arguments: [("s16le", 16, false), ("s24be", 24, false), ("f32le", 32, true)], [48_000, 96_000] as [UInt32])
  func pcm(format: (name: String, bits: Int, isFloat: Bool), rate: UInt32) throws {
    let ffmpeg = try #require(environment("MP4TOOL_FFMPEG"))
    let width = format.bits / 8 * 2
    let source = folder("source.raw")
    let words = "-nostdin -v error -f lavfi -i sine=r=\(rate):d=1.3 -ac 2 -f \(format.name) \(source)"
    #expect(try run(ffmpeg, words.split(separator: " ").map(String.init)).exitCode == 0)
    let bytes = try readFile(source)
    for isFragmented in [false, true] {
      let (copy, sink) = (folder("copy.mp4"), MemorySink())
      let writer = isFragmented ? MovieWriter(fragmentsTo: sink, every: MediaTime(1, 2)) : MovieWriter(to: sink)
      let track = try writer.add(
        .pcm(
          bits: format.bits, isFloat: format.isFloat, isLittleEndian: format.name.hasSuffix("le"), sampleRate: rate,
          channelCount: 2))
      for start in stride(from: 0, to: bytes.count, by: 1000 * width) {
        let part = Array(bytes[start..<min(start + 1000 * width, bytes.count)])
        try writer.append(part, to: track, presentationTime: MediaTime(Int64(start / width), rate))
      }
      try writer.finish()
      try writeFile(copy, sink.bytes)
      let decoded = folder("decoded.raw")
      let result = try run(ffmpeg, ["-nostdin", "-v", "error", "-i", copy, "-f", format.name, "-y", decoded])
      #expect(result.exitCode == 0 && result.errorText == "")
      #expect(try readFile(decoded) == bytes)
    }
  }
}
