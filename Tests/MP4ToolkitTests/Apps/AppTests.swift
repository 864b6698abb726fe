import MP4Serving
import MP4Toolkit
import Support
import Testing

@Suite("What apps do, in few lines")
struct AppTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }
  private let progressive = vectorPath("files/progressive.mp4")
  private let fragmented = vectorPath("files/fragmented.mp4")

  @Test("Bodies have at most the lines that their names say")
  func lines() throws {
    let source = String(decoding: try readFile(repository + "/Tests/MP4ToolkitTests/Apps/Apps.swift"), as: UTF8.self)
    var apps: [(name: String, limit: Int, count: Int)] = []
    for line in source.split(separator: "\n") {
      if line.hasPrefix("// app: ") {
        let words = line.dropFirst(8).split(separator: ",")
        let limit = words.last.flatMap { Int($0.drop { $0 == " " }) }
        apps.append((words.dropLast().joined(separator: ","), try #require(limit), 0))
      } else if !apps.isEmpty, line.hasPrefix("  ") {
        apps[apps.count - 1].count += 1
      }
    }
    #expect(apps.count == 21)
    for app in apps { #expect(app.count <= app.limit && app.count > 0, "\(app)") }
  }

  @Test("Reading")
  func reading() async throws {
    #expect(try await tracks(of: progressive).map { $0.prefix(6) } == ["1 vide", "2 soun"])
    let some = try await pictures(of: progressive, from: MediaTime(5, 1))
    #expect(some.count { $0.isShown } == 50 && (some.first?.bytes.count ?? 0) > 1000)
    let video = try #require(try await Movie(reading: [progressive]).tracks.first { $0.isVideo })
    let shown = video.decodingRuns(presenting: MediaTime(5, 1)..<MediaTime(7, 1)).flatMap { run in
      run.samples.filter(run.isShown).compactMap(\.presentationTime)
    }
    #expect(shown.count == 50 && shown.min() == MediaTime(5, 1) && shown.allSatisfy { $0 < MediaTime(7, 1) })
    // The independent reading of a sample: its bytes are in the file.
    let frame = try #require(try await keyframe(of: progressive, near: MediaTime(10, 1)))
    #expect(frame.starts(with: [0, 0, 0, 1, 0x67]) && video.parameterSets.count == 2)
    #expect(video.keyframe(nearest: MediaTime(10, 1))?.isSync == true)
    let bytes = try readFile(progressive)
    let remote = try await movie(of: bytes.count) { header in
      let parts = header.dropFirst(6).split(separator: "-").compactMap { Int($0) }
      return Array(bytes[parts[0]...parts[1]])
    }
    #expect(remote.tracks.map(\.samples.count) == (try await Movie(reading: [progressive]).tracks.map(\.samples.count)))
    #expect(try await report(of: progressive).contains("progressive, moov first"))
  }

  @Test("Defragmenting")
  func defragmenting() async throws {
    try await defragment(fragmented, to: folder("a.mp4"))
    let whole = try await defragmented(FileSource.open(fragmented)) { _ in }.value
    #expect(try readFile(folder("a.mp4")) == whole)
    let task = defragmented(try FileSource.open(fragmented)) { _ in }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("Encoders")
  func encoders() async throws {
    let source = try await Movie(reading: [progressive])
    let (stream, continuation) = AsyncStream.makeStream(of: Encoded.self)
    var samples: [(time: MediaTime, Encoded)] = []
    for track in source.tracks {
      // The edit list hides the start of the media.
      let first = try #require(track.samples.first { $0.presentationTime != nil })
      let shift = (first.presentationTime ?? MediaTime(0, 1)) - first.compositionTime
      for sample in track.samples {
        let encoded = Encoded(
          isVideo: track.isVideo, bytes: try await sample.bytes(), time: sample.compositionTime + shift,
          decodeTime: sample.decodeTime + shift, isKey: sample.isSync)
        samples.append((sample.decodeTime, encoded))
      }
    }
    for sample in samples.sorted(by: { $0.time < $1.time }) { continuation.yield(sample.1) }
    continuation.finish()
    var segments: [[UInt8]] = []
    try await record(
      stream, source.tracks[0].parameterSets, try #require(source.tracks[1].audioSpecificConfig), to: folder("a.mp4")
    ) { segments.append($0.bytes) }
    let copies = [
      try await Movie(reading: [folder("a.mp4")]), try await Movie(reading: segments.map { MemorySource($0) }),
    ]
    #expect(segments.count > 5)
    for copy in copies {
      for (old, new) in zip(source.tracks, copy.tracks) {
        #expect(
          try await old.samples.bytes(of: 0..<old.samples.count) == new.samples.bytes(of: 0..<new.samples.count))
        #expect(old.samples.map(\.presentationTime) == new.samples.map(\.presentationTime))
      }
    }
  }

  @Test("Boxes")
  func boxes() async throws {
    let before = try await MediaThread.run { [progressive] in
      try [Box](reading: FileSource.open(progressive)).first { $0.type == "moov" }?.first("mvhd")?
        .payload(as: MovieHeaderBox.self, from: FileSource.open(progressive)).get().nextTrackID
    }
    #expect(try await rotate(progressive, to: folder("a.mp4")) == #require(before) + 1)
    let result = try await weather(FileSource.open(progressive))
    #expect(result.place == "Oslo" && result.byName == 271)
    #expect(String(decoding: result.json, as: UTF8.self).contains("\"kelvin\":271"))
  }

  @Test("Playlists and servers")
  func streaming() async throws {
    let files = try await package(progressive, into: folder("hls"))
    let names = filesBelow(folder("hls")).map { String($0.dropFirst(folder("hls").count + 1)) }
    #expect(Set(files.keys) == Set(names) && names.count > 5)
    for (name, bytes) in files { #expect(try readFile(folder("hls/\(name)")) == bytes, "\(name)") }
    let text = try edited("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.mp4\n#EXTINF:4,\nb.mp4\n#EXT-X-ENDLIST\n")
    #expect(text.contains("#EXT-X-GAP\n") && text.contains("\nhttps://example.com/b.mp4\n"))
    try await whileServing(try #require(Pathname(progressive))) { port in
      let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      let result = try run(
        "bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); cat >&3; cat <&3"], input: Array(request.utf8))
      #expect(result.text.contains("progressive.mp4"))
    }
    let (camera, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    continuation.yield(try readFile(fragmented))
    continuation.finish()
    var paths: [String] = []
    let total = try await publish(camera) { path, _ in paths.append(path) }
    // From the first picture, which is presented at 0.08 s, to the last one.
    #expect(total == MediaTime(152, 25) && paths.first == "init.mp4" && paths.last == "master.m3u8")
  }

  @Test("Text, tags and chapters")
  func labels() async throws {
    let list = [
      Cue(start: .seconds(1), end: .seconds(2), text: "Hello"), Cue(start: .seconds(3), end: .seconds(4), text: "B"),
    ]
    for format in [TextFormat.timedText, .webVTT] {
      let writer = try MovieWriter(toFile: folder("text.mp4"))
      try writer.append(list, to: writer.add(.text(format)))
      try writer.finish()
      #expect(try await cues(of: folder("text.mp4")) == [list])
      // Beside video and sound, whose tracks have no cues.
      let track = try SubtitleMovie(Subtitles(WebVTTDocument(list), language: "en"), format)
      try await Defragmenter().run([FileSource.open(progressive), track.source], to: folder("film.mp4"))
      #expect(try await cues(of: folder("film.mp4")) == [list])
    }
    let chapters = [Chapter(time: MediaTime(0, 1), title: "One"), Chapter(time: MediaTime(9, 1), title: "Two")]
    let titles = try await label(progressive, cover: [0xff, 0xd8, 0xff, 0xe0], chapters, to: folder("a.mp4"))
    #expect(titles == ["Holiday", "One", "Two"])
    let movie = try await Movie(reading: [folder("a.mp4")])
    let metadata = try await movie.metadata()
    #expect(metadata[.artist] == "We" && metadata[.album] == nil && movie.duration == MediaTime(24, 1))
    #expect(try await movie.cover() == [0xff, 0xd8, 0xff, 0xe0])
    #expect(try await movie.chapters() == chapters)
  }

  @Test("Cutting, recovering and decrypting")
  func changing() async throws {
    try await withoutMiddle(progressive, folder.path)
    #expect(try await Movie(reading: [folder("both.mp4")]).duration == MediaTime(8, 1))
    try folder.write("broken.mp4", Array(readFile(progressive).dropLast(9000)))
    #expect(try await recover(folder("broken.mp4"), like: progressive, to: folder("r.mp4")) == 0)
    let (key, keyID) = ([UInt8](1...16), [UInt8](17...32))
    try await Encryption(keys: [Encryption.Key(key, keyID: keyID)]).run([progressive], to: folder("e.mp4"))
    try await decrypt(folder("e.mp4"), to: folder("d.mp4")) { $0 == keyID ? key : [] }
    let (before, after) = (try await Movie(reading: [progressive]), try await Movie(reading: [folder("d.mp4")]))
    for (old, new) in zip(before.tracks, after.tracks) {
      #expect(try await old.samples.bytes(of: 0..<old.samples.count) == new.samples.bytes(of: 0..<new.samples.count))
    }
  }

  @Test("A model that inspects") @MainActor
  func model() async throws {
    let inspector = Inspector()
    _ = try await label(progressive, cover: [0xff, 0xd8, 0xff, 0xe0], [], to: folder("a.mp4"))
    try await inspector.inspect(folder("a.mp4"), before: progressive)
    #expect(inspector.summary.contains("Holiday") && inspector.findings.isEmpty && !inspector.differences.isEmpty)
    for _ in 0..<1_000_000 where inspector.fraction < 1 { await Task.yield() }
    #expect(inspector.fraction == 1)
  }

  @Test("Five conversions that are cancelled read at most once more each, and leave nothing")
  func cancelling() async throws {
    let bytes = try readFile(fragmented)
    let counts = Counts()
    let sources = (0..<5).map { number in
      AsyncSource.ranges(name: "\(number)", byteCount: bytes.count, blockSize: 1000) { range in
        await counts.add(number)
        try await Task.sleep(for: .milliseconds(5))
        return Array(bytes[range])
      }
    }
    let task = convert(sources, into: folder.path)
    while await counts.all.count < 5 { await Task.yield() }
    task.cancel()
    let before = await counts.all
    await #expect(throws: CancellationError.self) { try await task.value }
    let after = await counts.all
    for number in 0..<5 { #expect(after[number, default: 0] <= before[number, default: 0] + 1) }
    #expect(namesInFolder(folder("")).isEmpty)
  }

  private actor Counts {
    private(set) var all: [Int: Int] = [:]
    func add(_ number: Int) { all[number, default: 0] += 1 }
  }
}
