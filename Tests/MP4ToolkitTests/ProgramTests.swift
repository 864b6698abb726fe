import MP4Serving
import MP4Toolkit
import Support
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tests of the programs in the documentation.
@Suite("Programs that use the library")
struct ProgramTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }
  private func vector(_ name: String) -> String { vectorPath("files/\(name)") }
  private func path(_ name: String) throws -> Pathname { try #require(Pathname(folder(name))) }

  @Test("Samples of a track")
  func samples() async throws {
    let video = try #require(try await Movie(reading: [vector("fragmented.mp4")]).tracks.first { $0.handler == "vide" })
    let lines = try await keyFrames(of: vector("fragmented.mp4"))
    #expect(lines.count == video.samples.count { $0.isSync } && lines.count < video.samples.count)
    #expect(lines.first == "0: 0.080 s, \(video.samples[0].size) bytes at offset \(video.samples[0].offset)")
    let last = try #require(video.samples.max { $0.compositionTime < $1.compositionTime })
    #expect(try await picture(at: try #require(last.presentationTime), of: video) == last.bytes())
    #expect(try await picture(at: MediaTime(3600, 1), of: video) == nil)
  }

  @Test("Track information")
  func information() async throws {
    #expect(
      try await summary(of: vector("progressive.mp4")) == [
        "avc1.64000B und 24.000 s 160x90 25.0 fps", "mp4a.40.2 eng 24.000 s 1 x 22050 Hz",
      ])
  }

  @Test("File information and a table of keyframes")
  func inspecting() async throws {
    let (text, keyframes) = try await describe(MemorySource(readFile(vector("progressive.mp4")), name: "a.mp4"))
    #expect(text.hasPrefix("a.mp4  173 kB  0:24.000  57.7 kb/s  progressive, moov first  isom\n"))
    let lines = String(decoding: keyframes, as: UTF8.self).split(separator: "\n")
    #expect(lines[0].hasPrefix("track,number,timescale,") && lines.count == 1 + 12 + 518)
  }

  @Test("An HTML report about a file")
  func report() async throws {
    let page = try await MP4ToolkitTests.page(of: MemorySource(readFile(vector("progressive.mp4")), name: "a.mp4"))
    let text = String(decoding: page, as: UTF8.self)
    #expect(text.contains("<title>a.mp4</title>") && text.contains("No problems found"))
    let presentation = String(decoding: try MP4ToolkitTests.page(of: vector("hls/playlist.m3u8")), as: UTF8.self)
    #expect(presentation.contains("<title>playlist.m3u8</title>") && presentation.contains("id=\"rates\""))
  }

  @Test("Hashes of two files")
  func hashing() async throws {
    let fragmented = vectorPath("files/fragmented.mp4")
    #expect(try await hasSameMedia(fragmented, as: vectorPath("files/base-data-offset.mp4")))
    #expect(try await !hasSameMedia(fragmented, as: vectorPath("files/progressive.mp4")))
  }

  @Test("Differences between two files, with filters")
  func comparing() async throws {
    let bytes = try readFile(vector("progressive.mp4"))
    let source = MemorySource(bytes)
    var boxes = try [Box](reading: source)
    let movie = try #require(boxes.firstIndex { $0.type == "moov" })
    try boxes[movie].boxes[0].set("modification_time", to: 1, of: source, registry: .core)
    try boxes[movie].boxes[0].set("rate", to: 2.0, of: source, registry: .core)
    let written = MemorySink()
    try BoxSerializer(boxes).write(to: written, from: source)
    #expect(try await changes(source, MemorySource(written.bytes)) == ["moov/mvhd: -rate 1 +rate 2"])
    #expect(try await changes(source, MemorySource(bytes)).isEmpty)
  }

  @Test("The first bytes of a sample")
  func bytes() async throws {
    let first = try #require(try await Movie(reading: [vector("progressive.mp4")]).tracks[0].samples.first)
    let file = try readFile(vector("progressive.mp4"))
    let start = Array(file[first.offset..<first.offset + 5])
    #expect(try await first.bytes(5) == start)
    #expect(try await first.bytes(.max).count == first.size)
    #expect(try await first.bytes(0) == [])
    #expect(try await startsWithParameterSets(vector("progressive.mp4")) == (start[4] & 0x1f == 7))
  }

  @Test("Movies from bytes and from a file descriptor")
  func sources() throws {
    let bytes = try readFile(vector("progressive.mp4"))
    let descriptor = unsafe open(vector("progressive.mp4"), O_RDONLY)
    let movies = try [movie(inBlob: { Array(bytes[$0]) }, of: bytes.count), movie(from: descriptor)]
    #expect(close(descriptor) == 0)
    for movie in movies {
      let sample = try #require(movie.tracks[0].samples.first)
      #expect(try sample.bytes().elementsEqual(bytes[sample.offset..<sample.offset + sample.size]))
    }
  }

  @Test("Reading and writing of box payloads")
  func payloads() throws {
    #expect(try handlers(in: FileSource.open(vector("progressive.mp4"))) == ["vide", "soun"])
    var header = MovieHeaderBox()
    header.duration = UInt64(UInt32.max)
    let long = try MovieHeaderBox(decoding: doubled(header.encoded())[...])
    #expect(long.duration == 2 * UInt64(UInt32.max) && long.version == 1 && long.timescale == header.timescale)
    #expect(throws: BoxError.self) { try doubled([0, 0]) }
  }

  @Test("A progressive file from fragments")
  func progressive() throws {
    try makeProgressive(vector("fragmented.mp4"), as: path("movie.mp4"))
    let (before, after) = (try Movie(reading: [vector("fragmented.mp4")]), try Movie(reading: [folder("movie.mp4")]))
    #expect(zip(before.tracks, after.tracks).allSatisfy { (try? $0.hasSameSamples(as: $1)) == true })
  }

  @Test("A progressive file from fragments, with progress")
  func defragment() async throws {
    let (source, steps) = (try FileSource.open(vector("fragmented.mp4")), Steps())
    let diagnostics = try await Defragmenter().run([source], to: path("movie.mp4")) { steps.append($0) }
    let (before, after) = (try await Movie(reading: [source]), try await Movie(reading: [folder("movie.mp4")]))
    #expect(diagnostics.allSatisfy { $0.severity < .error })
    #expect(before.tracks.map(\.samples.count) == after.tracks.map(\.samples.count))
    #expect(try await before.tracks[0].samples[5].bytes() == after.tracks[0].samples[5].bytes())
    #expect(steps.all.first?.fraction == 0 && steps.all.last?.fraction == 1)
  }

  @Test("An export that the main actor displays and cancels")
  @MainActor func export() async throws {
    let (export, source) = (Export(), try FileSource.open(vector("fragmented.mp4")))
    // It starts when the main actor is free.
    let canceled = try export.start(source, to: path("canceled.mp4"))
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    _ = try await export.start(source, to: path("movie.mp4")).value
    for _ in 0..<1_000_000 where export.fraction < 1 { await Task.yield() }
    #expect(export.fraction == 1 && namesInFolder(folder("")) == ["movie.mp4"])
  }

  @Test("A cancelled task stops and leaves no files", arguments: [OperationProgress.Phase.reading, .writing])
  func cancelling(phase: OperationProgress.Phase) async throws {
    let (source, output) = (try FileSource.open(vector("fragmented.mp4")), try path("movie.mp4"))
    await #expect(throws: CancellationError.self) {
      try await runCancelling { cancel in
        try await Defragmenter().run([source], to: output) { if $0.phase == phase { cancel() } }
      }
    }
    #expect(namesInFolder(folder("")).isEmpty)
  }

  @Test("An error thrown by a closure stops the operation")
  func stopping() async throws {
    struct Enough: Error {}
    let (source, output) = (try FileSource.open(vector("fragmented.mp4")), try path("movie.mp4"))
    await #expect(throws: Enough.self) { try await Defragmenter().run([source], to: output) { _ in throw Enough() } }
    #expect(namesInFolder(folder("")).isEmpty)
  }

  @Test("Inputs are never replaced, regardless of their names")
  func replacing() async throws {
    try writeFile(folder("a.mp4"), readFile(vector("fragmented.mp4")))
    let (source, output) = (try FileSource.open(folder("a.mp4")), try path("./a.mp4"))
    await #expect(throws: MovieError.self) { try await Defragmenter().run([source], to: output) }
    #expect(try readFile(folder("a.mp4")) == readFile(vector("fragmented.mp4")))
  }

  @Test("Segments in memory, created by several tasks")
  func segmentsInMemory() async throws {
    let movie = try await Movie(reading: [FileSource.open(vector("progressive.mp4"))])
    let segments = try await segments(of: movie)
    let result = try await Movie(reading: segments.map { MemorySource($0) })
    #expect(segments.count > 2 && result.tracks.map(\.samples.count) == movie.tracks.map(\.samples.count))
  }

  @Test("An HLS folder")
  func hls() async throws {
    try await packageForHLS(vector("progressive.mp4"), into: path("stream"))
    #expect(namesInFolder(folder("stream")) == ["audio-en", "master.m3u8", "video-90"])
  }

  @Test("A package of inputs with settings, markers and thumbnails")
  func configuredPackage() async throws {
    let image: [UInt8] = [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 9, 0, 16, 1, 1, 0x11, 0, 0xff, 0xd9]
    let images = (0..<2).map { MemorySource(image, name: "\($0).jpg") }
    try await package(
      [FileSource.open(vector("progressive.mp4"))], FileSource.open(vector("progressive.mp4")), images,
      into: path("stream"))
    let names = ["audio-en", "manifest.mpd", "master.m3u8", "thumbnails-16", "video-90"]
    #expect(namesInFolder(folder("stream")) == names)
    let text = String(decoding: try readFile(folder("stream/video-90/index.m3u8")), as: UTF8.self)
    #expect(text.contains("SCTE35-OUT=") && text.contains("PLANNED-DURATION=4.000"))
  }

  @Test("An encrypted HLS folder")
  func encryptedPackage() async throws {
    let movie = try await Movie(reading: [FileSource.open(vector("progressive.mp4"))])
    let key = try Encryption.Key([UInt8](repeating: 1, count: 16), keyID: [UInt8](repeating: 2, count: 16))
    try await packageEncrypted(movie, with: [Packager.Protection.Key(key)], into: path("stream"))
    #expect(namesInFolder(folder("stream")) == ["audio-en", "manifest.mpd", "master.m3u8", "video-90"])
  }

  @Test("Subtitles as a track")
  func subtitles() async throws {
    let text = "1\n00:00:01,000 --> 00:00:02,500\nHello\n"
    let source = try FileSource.open(vector("progressive.mp4"))
    let diagnostics = try await addSubtitles(Array(text.utf8), to: source, as: path("film.mp4"))
    let track = try #require(try await Movie(reading: [folder("film.mp4")]).tracks.last)
    #expect(diagnostics.allSatisfy { $0.severity < .error } && track.handler == "sbtl" && track.language == "en")
    #expect(try track.samples.prefix(2).map { try $0.bytes() } == [[0, 0], [0, 5] + Array("Hello".utf8)])
    #expect(track.samples.prefix(2).map(\.presentationTime) == [MediaTime(0, 1), MediaTime(1, 1)])
  }

  @Test("Subtitles for an existing presentation")
  func presentationSubtitles() async throws {
    try await packageForHLS(vector("progressive.mp4"), into: path("stream"))
    let document = WebVTTDocument([Cue(start: .zero, end: .seconds(1), text: "Hello")])
    let diagnostics = try addSubtitles(Subtitles(document, language: "en"), beside: path("stream/master.m3u8"))
    #expect(diagnostics.allSatisfy { $0.severity < .error })
    let master = try MultivariantPlaylist(readFile(folder("stream/master.m3u8")))
    let rendition = try #require(master.renditions.first { $0.kind == .subtitles })
    let list = try MediaPlaylist(readFile(folder("stream/\(#require(rendition.uri))")))
    let text = try readFile(folder("stream/subtitles/en/\(#require(list.segments.first).uri)"))
    #expect(try WebVTTDocument(text).cues.map(\.text) == ["Hello"])
  }

  @Test("A movie and segments from encoder output")
  func encoder() throws {
    let pictures = (0..<90).map { [UInt8](repeating: UInt8($0), count: $0 + 1) }
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (640, 360)
    try write(pictures, coded: Box(entry, type: "jpeg"), to: path("made.mp4"))
    let movie = try Movie(reading: [folder("made.mp4")])
    #expect(try movie.tracks.map { try $0.samples.map { try $0.bytes() } } == [pictures])
    #expect(movie.tracks[0].samples.filter(\.isSync).map(\.index) == [0, 30, 60])
    #expect(movie.tracks[0].duration == MediaTime(90 * 1001, 30_000))
    var segments: [MovieWriter.Segment] = []
    try withoutSound(movie) { segments.append($0) }
    #expect(segments.map(\.index) == [0, 1, 2] && segments[2].start == MediaTime(60 * 1001, 30_000))
    let copy = try Movie(reading: segments.map { MemorySource($0.bytes) })
    #expect(try copy.tracks.map { try $0.samples.map { try $0.bytes() } } == [pictures])
  }

  @Test("An actor that returns a movie, and a model that stores a plan")
  func isolation() async throws {
    let (library, model) = (Library(), Model())
    try await model.load(vector("fragmented.mp4"), from: library)
    #expect(await model.plan?.segments.isEmpty == false)
    #expect(try await library.movie(vector("fragmented.mp4")).tracks.count == 2)
  }

  @Test("An edited box, an added custom box, and unchanged media")
  func editing() throws {
    try setLanguage("fra", of: vector("progressive.mp4"), writing: path("edited.mp4"))
    try setTitle("Holiday", of: path("edited.mp4"))
    let noted = MemorySink()
    try MovieEditor(FileSource.open(folder("edited.mp4"))).appending(Box(NoteBox(text: "from the field")), to: "moov")
      .write(to: noted)
    let (before, after) = (try Movie(reading: [vector("progressive.mp4")]), MemorySource(noted.bytes))
    let acme = MemorySource([0, 0, 0, 14] + Array("acme".utf8) + [0, 1, 0, 0, 0, 9])
    var dump = BoxDump(acme, registry: try registryWithAcme())
    let json = MemorySink()
    let objects = JSONSink(json)
    #expect(try dump.run(to: objects).problems == 0)
    objects.finish()
    #expect(String(decoding: json.bytes, as: UTF8.self).contains("\"time\":9"))
    let readings = [0, 2, 0, 0, 0, 9, 0, 0, 0, 10] as [UInt8]
    let movieBox = Box("moov", boxes: [Box("udta", boxes: [Box("acme", bytes: readings)])])
    let written = MemorySink()
    try BoxSerializer([movieBox]).write(to: written, from: [])
    let changed = try #require(try calibrated(MemorySource(written.bytes), registryWithAcme()))
    guard case .edited(let fields, _) = changed.fields else { throw CancellationError() }
    #expect(fields["readings[1].time"] == 90 && fields["readings[2].time"] == 10)
    #expect(try note(in: after)?.text == "from the field" && note(in: FileSource.open(folder("edited.mp4"))) == nil)
    let movie = try Movie(reading: [after])
    #expect(movie.tracks[0].language == "fra" && movie.tracks[1].language == "deu")
    for (old, new) in zip(before.tracks, movie.tracks) {
      #expect(try old.samples.map { try $0.bytes() } == new.samples.map { try $0.bytes() })
    }
  }

  @Test("New boxes from bytes, and the first bytes of a file")
  func newBoxes() throws {
    let bare = MemorySink()
    try MovieEditor(FileSource.open(vector("progressive.mp4"))).removing("moov/udta").write(to: bare)
    let once = MemorySource(try addNote([7], to: MemorySource(bare.bytes)))
    let after = MemorySource(try addNote([1, 2, 3], to: once))
    let userData = try [Box](reading: after).first { $0.type == "moov" }?.boxes.filter { $0.type == "udta" } ?? []
    #expect(userData.count == 1 && userData.first?.boxes.map(\.type) == ["note", "note"])
    let note = try #require(userData.first?.boxes.last?.header)
    #expect(try after.bytes(in: note.offset..<note.end) == [0, 0, 0, 11] + ascii("note") + [1, 2, 3])
    #expect(try Movie(reading: [after]).tracks[0].samples[3].bytes().isEmpty == false)
    #expect(try beginsWithFileType(vector("progressive.mp4")) && !beginsWithFileType("a\0b"))
    #expect(try !beginsWithFileType(vector("hls/segment1.m4s")))
  }

  @Test("Examples in documentation comments")
  func comments() async throws {
    let source = try FileSource.open(vector("progressive.mp4"))
    let edited = MemorySink()
    try Comments.edit(source, to: edited)
    let noted = MemorySink()
    let editor = try await MovieEditor(MemorySource(edited.bytes))
    try editor.appending(Box(NoteBox(text: "a note")), to: "moov").write(to: noted)
    #expect(try await Movie(reading: [MemorySource(noted.bytes)]).tracks[0].language == "eng")
    let json = MemorySink()
    let count = try Comments.dump(MemorySource(noted.bytes), to: json)
    #expect(count > 10 && String(decoding: json.bytes, as: UTF8.self).contains("\"a note\""))
    var files: [String: MemorySink] = [:]
    try await Comments.package(Movie(reading: [source])) { path in
      files[path] = MemorySink()
      return files[path] ?? MemorySink()
    }
    #expect(files["master.m3u8"]?.bytes.isEmpty == false && files.count > 5)
    var fragmented = try [readFile(vector("fragmented.mp4"))]
    try Comments.packageLive(to: LiveFolder(path("live"))) { fragmented.popLast()?[...] }
    #expect(fileExists(folder("live/index.m3u8")))
    var (movies, fragments, number) = (0, 0, UInt32(0))
    let chunks = AsyncStream { stream in
      stream.yield((try? readFile(vector("fragmented.mp4"))) ?? [])
      stream.finish()
    }
    try await Comments.follow(chunks, start: { _ in movies += 1 }, append: { _ in fragments += 1 }) {
      number += 1
      return number
    }
    #expect(movies == 1 && fragments == 4 && number == 4)
    let text = ascii("WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n")
    #expect(try WebVTTDocument(Comments.cues(text)).cues.map(\.text) == ["Hello"])
  }

  @Test("Playlists in documentation comments have no findings, and their segments can be read")
  func playlistComments() throws {
    #expect(throws: PresentationError.self) { try Comments.inspect() }
    let playlist = Comments.playlist()
    #expect(playlist.findings == [] && Comments.presentation(of: playlist).findings == [])
    let base = try Comments.play(playlist.bytes)
    let resolved = try MediaPlaylist(playlist.bytes).resolved()
    #expect(resolved.map(\.start) == [.zero, .microseconds(6_006_000), .microseconds(12_012_000)])
    #expect(resolved.allSatisfy { $0.map?.uri == "init.mp4" && $0.byteRange == nil && $0.keys.isEmpty })
    #expect(
      resolved.map { URIReference($0.uri).resolved(against: base).description }.last
        == "https://example.com/video/segment3.m4s")
    #expect(try Comments.take(playlist, at: PlaylistLocation(file: "video/index.m3u8")) == 3)
  }

  @Test("The server in documentation comments")
  func helloServer() throws {
    let server = try Comments.hello(at: .loopback(port: 0))
    defer { server.stop() }
    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    let result = try run(
      "bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(server.address.port); cat >&3; cat <&3"], input: Array(request.utf8))
    #expect(result.text.hasSuffix("200 OK: hello\n"), "\(result)")
  }

  @Test("Editing a playlist changes nothing else")
  func playlists() throws {
    let small = "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=640x360\nsmall.m3u8\n"
    let large = "#EXT-X-STREAM-INF:BANDWIDTH=9,RESOLUTION=1920x1080,X-OWN=\"1\"\n"
    let text = "#EXTM3U\n# a comment\n" + small + large + "large.m3u8\n#EXT-X-OWN:1\n"
    #expect(
      try withoutSmallVariants(text, at: "https://example.com/")
        == "#EXTM3U\n# a comment\n" + large + "https://example.com/large.m3u8\n#EXT-X-OWN:1\n")
    #expect(throws: PlaylistError.self) { try withoutSmallVariants("text", at: "") }
    let start = "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:6\n"
    let (map, one, two) = ("#EXT-X-MAP:URI=\"init.mp4\"\n", "#EXTINF:6,\n1.m4s\n", "#EXTINF:6,\n2.m4s\n")
    #expect(
      try withoutFirstSegments(1, of: start + map + one + two) == start + "#EXT-X-MEDIA-SEQUENCE:1\n" + map + two)
  }

  @Test("A dash can be the name of a file")
  func paths() throws {
    do throws(MovieError) { _ = try Movie(reading: ["-"]) } catch {
      guard case .io(let error) = error else { throw error }
      #expect(error.operation == .open && error.file == "./-")
    }
  }

  @Test("Errors that a program can distinguish")
  func errors() throws {
    let movie = try readFile(vector("progressive-moov-last.mp4"))
    let files: [(name: String, bytes: [UInt8], advice: String)] = [
      ("empty.mp4", [], "is not an MP4 file"),
      ("text.mp4", Array("this is no movie, but a text".utf8), "is not an MP4 file"),
      ("cut.mp4", Array(movie.prefix(1000)), "was never finished; recover it"),
      ("segment.m4s", try readFile(vector("hls/segment1.m4s")), "needs the init segment before it"),
    ]
    for file in files { try writeFile(folder(file.name), file.bytes) }
    for (name, words) in files.map({ ($0.name, $0.advice) }) + [("nothing.mp4", "cannot be opened")] {
      #expect { try Movie(reading: [folder(name)]) } throws: {
        ($0 as? MovieError).map(advice(on:)) == "\(folder(name)) \(words)"
      }
    }
    var options = ReadingOptions()
    options.tracks = TrackSelection([.id(99)])
    #expect { try Movie(reading: [MemorySource(movie, name: "movie.mp4")], options) } throws: {
      ($0 as? MovieError).map(advice(on:)) == "movie.mp4 has no such track"
    }
  }
}
