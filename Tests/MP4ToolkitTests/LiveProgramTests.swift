import MP4Serving
import MP4Toolkit
import Support
import Testing

/// Tests of the programs in the documentation that serve, and that read what is still being written.
@Suite("Programs that use the library for live streams and servers")
struct LiveProgramTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }
  private func vector(_ name: String) -> String { vectorPath("files/\(name)") }
  private func path(_ name: String) throws -> Pathname { try #require(Pathname(folder(name))) }

  @Test("A server of a movie")
  func server() throws {
    try writeFile(folder("film.mp4"), readFile(vector("progressive.mp4")))
    let server = try serve(path("film.mp4"))
    defer { server.stop() }
    let request = "GET /film/master.m3u8 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    let result = try run(
      "bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(server.address.port); cat >&3; cat <&3"], input: Array(request.utf8))
    #expect(result.text.hasPrefix("HTTP/1.1 200 ") && result.text.contains("#EXT-X-STREAM-INF"), "\(result)")
  }

  @Test("A live stream in real time")
  func live() async throws {
    let bytes = try readFile(vector("fragmented.mp4"))
    func chunks() -> AsyncStream<[UInt8]> {
      AsyncStream { stream in
        for start in stride(from: 0, to: bytes.count, by: 1000) {
          stream.yield(Array(bytes[start..<min(start + 1000, bytes.count)]))
        }
        stream.finish()
      }
    }
    let source = MemorySource(bytes)
    let start = try #require(try [Box](reading: source).first { $0.type == "moof" }?.header?.offset)
    let again = try await MemorySource(Array(bytes[..<start]) + fragments(of: chunks()).flatMap(\.self))
    let (before, after) = (try await Movie(reading: [source]), try await Movie(reading: [again]))
    #expect(zip(before.tracks, after.tracks).allSatisfy { (try? $0.hasSameSamples(as: $1)) == true })
    try await packageLive(chunks(), into: path("live"))
    let list = try MediaPlaylist(readFile(folder("live/index.m3u8")))
    #expect(list.isEnded && !list.segments.isEmpty)
    #expect(list.segments.allSatisfy { fileExists(folder("live/" + $0.uri)) })
    // The same as values: each playlist follows the files that it names.
    var uploaded: [String: [UInt8]] = [:]
    let durations = try await publish(chunks()) { bytes, path in
      if path == LivePackager.indexName {
        let named = try MediaPlaylist(bytes).resolved().flatMap { [$0.uri] + ($0.map.map { [$0.uri] } ?? []) }
        #expect(named.allSatisfy { uploaded[$0] != nil })
      }
      uploaded[path] = bytes
    }
    #expect(durations.map(\.seconds) == list.segments.map { $0.duration / .seconds(1) })
    let files = filesBelow(folder("live")).filter { !$0.hasSuffix(".m3u8") }
    for file in files { #expect(try uploaded[String(file.dropFirst(folder("live/").count))] == readFile(file)) }
    #expect(files.count > 1 && uploaded.count == filesBelow(folder("live")).count)
    let recorded = try await Comments.files(of: vector("fragmented.mp4")).filter { $0.path.hasSuffix(".m4s") }
    #expect(recorded.allSatisfy { uploaded[$0.path] == $0.bytes } && recorded.count == durations.count)
    try await Comments.upload(chunks()) { #expect(uploaded[$1] == $0 || $1.hasSuffix(".m3u8")) }
  }

  @Test("If a stream fails, everything that is complete is delivered before the error, and playlists end")
  func failure() async throws {
    let bytes = try readFile(vector("fragmented.mp4"))
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    continuation.yield(Array(bytes.dropLast(2000)))
    continuation.finish(throwing: IOError(.read, file: "camera", reason: "it is gone"))
    var files: [LiveFile] = []
    await #expect(throws: IOError.self) { for try await file in LiveSegments(of: stream) { files.append(file) } }
    let last = try MediaPlaylist(try #require(files.last { $0.path == LivePackager.indexName }).bytes)
    #expect(last.isEnded && !last.segments.isEmpty)
    let paths = files.map(\.path)
    #expect(last.segments.allSatisfy { paths.contains($0.uri) })
  }

  @Test("Files of a recorded folder begin anew after one that is cut off")
  func recordedFolder() async throws {
    let names = ["init.mp4"] + (1...4).map { "segment\($0).m4s" }
    _ = try run("mkdir", [folder("in")])
    for name in names {
      let bytes = try readFile(vector("hls/\(name)"))
      try writeFile(folder("in/\(name)"), name == "segment2.m4s" ? Array(bytes.dropLast(500)) : bytes)
    }
    var packager = LivePackager("in", to: try LiveFolder(path("out")))
    for name in names {
      try packager.beginFile(name, at: .now)
      try packager.append(readFile(folder("in/\(name)"))[...], at: .now)
    }
    try packager.end(at: .now)
    var segments: [String: [UInt8]] = [:]
    for try await file in LiveSegments(of: RecordingBytes(of: folder("in"), follows: false)) {
      if case .segment = file.kind { segments[file.path] = file.bytes }
    }
    let expected = filesBelow(folder("out")).filter { $0.hasSuffix(".m4s") }
    #expect(!expected.isEmpty && segments.count == expected.count)
    for file in expected { #expect(try segments[String(file.dropFirst(folder("out/").count))] == readFile(file)) }
    var count = 0
    for try await case .fragment in LiveFragments(of: RecordingBytes(of: folder("in"), follows: false)) { count += 1 }
    let whole = try await MediaThread.run { [folder] in
      try names.dropFirst().filter { $0 != "segment2.m4s" }.map { name in
        try [Box](reading: FileSource.open(folder("in/\(name)"))).count { $0.type == "moof" }
      }.reduce(0, +)
    }
    #expect(count == whole)
  }

  @Test("A recording is read while it is written; cancelling stops it")
  func recording() async throws {
    let bytes = try readFile(vector("fragmented.mp4"))
    try writeFile(folder("growing.mp4"), Array(bytes.prefix(1000)))
    let task = Task { [path = folder("growing.mp4")] in
      var read: [UInt8] = []
      for try await part in RecordingBytes(of: path, idle: .seconds(600)) {
        read += part
        // The rest is written after the start was read.
        if read.count == 1000 { try writeFile(path, bytes) }
        if read.count == bytes.count { return read }
      }
      return read
    }
    #expect(try await task.value == bytes)
    let other = Task { [path = folder("growing.mp4")] in
      for try await _ in RecordingBytes(of: path, idle: .seconds(600)) {}
    }
    other.cancel()
    await #expect(throws: CancellationError.self) { try await other.value }
    await #expect(throws: IOError.self) { for try await _ in RecordingBytes(of: folder("none.mp4")) {} }
    // Without following, a file is read once.
    var count = 0
    for try await part in RecordingBytes(of: folder("growing.mp4"), follows: false) { count += part.bytes.count }
    #expect(count == bytes.count)
  }
}
