import MP4
import MP4Bytes
import MP4HLS
import MP4Inspection
import MP4Presentations
import Support
import Synchronization
import Testing

@Suite("Presentations as declared by their playlists")
struct OpenedPresentationTests {
  /// A folder with an init segment and a media segment of two seconds.
  private static func folder() throws -> TemporaryFolder {
    var fragmenter = Fragmenter()
    fragmenter.options.cutting = .interval(MediaTime(2, 1))
    let source = MemorySource(try readFile(vectorPath("files/progressive.mp4")))
    let plan = try fragmenter.plan(try Movie(reading: [source]))
    let (initialization, segment) = (MemorySink(), MemorySink())
    try plan.writeInitialization(to: initialization)
    try plan.writeSegment(0, to: segment)
    let folder = try TemporaryFolder()
    try folder.write("init.mp4", initialization.bytes)
    try folder.write("1.m4s", segment.bytes)
    return folder
  }

  private static func media(_ segments: String, target: Int = 2) -> [UInt8] {
    ascii(
      "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:\(target)\n#EXT-X-PLAYLIST-TYPE:VOD\n\(segments)\n"
        + "#EXT-X-ENDLIST\n")
  }

  private static func location(_ folder: TemporaryFolder, _ name: String) -> PlaylistLocation {
    PlaylistLocation(file: folder(name))
  }

  @Test("Every media playlist is read once, with all its roles, and its segments have their lines and bytes")
  func roles() throws {
    let folder = try Self.folder()
    let size = try readFile(folder("1.m4s")).count
    try folder.write(
      "v.m3u8",
      Self.media(
        """
        #EXT-X-MAP:URI="init.mp4"
        #EXTINF:2,
        1.m4s
        #EXTINF:1.5,
        #EXT-X-BYTERANGE:100@50
        1.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-KEY:METHOD=AES-128,URI="key"
        #EXTINF:2,
        missing.m4s
        """))
    try folder.write(
      "master.m3u8",
      ascii(
        """
        #EXTM3U
        #EXT-X-DEFINE:NAME="name",VALUE="v"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="A",URI="a.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="a"
        {$name}.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a"
        ./v.m3u8
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=10,URI="../i.m3u8"

        """))
    let presentation = try OpenedPresentation(reading: Self.location(folder, "master.m3u8"))
    #expect(presentation.multivariant?.variants.map(\.uri) == ["v.m3u8", "./v.m3u8"])
    #expect(presentation.playlists.map(\.roles) == [[.variant(0), .variant(1)], [.rendition(0)], [.iFrames(0)]])
    #expect(presentation.playlists.map(\.line) == [5, 3, 8])
    let (video, sound, pictures) = (presentation.playlists[0], presentation.playlists[1], presentation.playlists[2])
    #expect(video.problems.isEmpty && video.sections.count == 1 && video.sections[0].line == 5)
    #expect(video.segments.map(\.line) == [7, 10, 14] && video.segments.map(\.section) == [0, 0, 0])
    #expect(video.parts == [0..<2, 2..<3] && video.duration(of: 0..<3) == .milliseconds(5500))
    #expect(video.segments.map(\.isEncryptedAsWhole) == [false, false, true])
    #expect(try presentation.source(of: video.segments[0], in: video).byteCount == size)
    let part = try presentation.source(of: video.segments[1], in: video)
    #expect(try part.byteCount == 100 && part.bytes(in: 0..<100) == Array(readFile(folder("1.m4s"))[50..<150]))
    #expect(throws: PresentationError.self) { try presentation.source(of: video.segments[2], in: video) }
    // A missing file, and a forbidden reference.
    #expect(sound.playlist == nil && sound.segments.isEmpty && sound.problems.count == 1)
    #expect(
      sound.problems.first?.description
        == "\(folder("master.m3u8")): line 3: \(folder("a.m3u8")): cannot open: no such file or directory")
    #expect(
      pictures.problems.first?.description
        == "\(folder("master.m3u8")): line 8: \"../i.m3u8\" is not allowed: "
        + "it is outside the folder of the first playlist"
    )
  }

  @Test("Violated rules are assigned to the violating playlist")
  func findings() throws {
    let folder = try Self.folder()
    try folder.write("a.m3u8", Self.media("#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:4,\n1.m4s"))
    try folder.write("b.m3u8", Self.media("#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:4,\n1.m4s", target: 4))
    try folder.write(
      "master.m3u8",
      ascii("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO=\"no\"\nb.m3u8\n"))
    let presentation = try OpenedPresentation(reading: Self.location(folder, "master.m3u8"))
    #expect(presentation.findings.map(\.rule) == [.groupMissing])
    #expect(presentation.playlists.map { $0.findings.map(\.rule) } == [[.segmentTooLong], [.targetDurations]])
  }

  @Test("Circular references of playlists, and references to files from a server, are problems")
  func limits() throws {
    let folder = try Self.folder()
    try folder.write("master.m3u8", ascii("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmaster.m3u8\n"))
    let presentation = try OpenedPresentation(reading: Self.location(folder, "master.m3u8"))
    #expect(presentation.playlists.count == 1 && presentation.playlists[0].playlist == nil)
    #expect(presentation.playlists[0].problems.count == 1)
    let many = (0..<1100).map { "#EXT-X-STREAM-INF:BANDWIDTH=1\n\($0).m3u8\n" }.joined()
    try folder.write("many.m3u8", ascii("#EXTM3U\n" + many))
    let bounded = try OpenedPresentation(reading: Self.location(folder, "many.m3u8"))
    #expect(bounded.playlists.count == OpenedPresentation.maxPlaylists && bounded.problems.count == 1)

    let server = Server(files: [
      "https://example.com/a.m3u8": Self.media(
        "#EXT-X-MAP:URI=\"file://\(folder("init.mp4"))\"\n#EXTINF:2,\n1.m4s\n#EXTINF:2,\n2.m4s"),
      "https://example.com/1.m4s": try readFile(folder("1.m4s")),
    ])
    let remote = try OpenedPresentation(
      reading: PlaylistLocation(URIReference("https://example.com/a.m3u8")), server)
    let playlist = remote.playlists[0]
    #expect(throws: PresentationError.self) { try remote.source(of: playlist.sections[0], in: playlist) }
    #expect(try remote.source(of: playlist.segments[0], in: playlist).byteCount == readFile(folder("1.m4s")).count)
    #expect(throws: PresentationError.self) { try remote.source(of: playlist.segments[1], in: playlist) }
  }

  @Test("Thousands of segments are read with few open files")
  func descriptors() throws {
    let folder = try Self.folder()
    let segment = try readFile(folder("1.m4s"))
    let count = Effort.count(short: 600, all: 2000)
    for number in 2...count { try folder.write("\(number).m4s", segment) }
    let lines = (1...count).map { "#EXTINF:2,\n\($0).m4s" }.joined(separator: "\n")
    try folder.write("a.m3u8", Self.media("#EXT-X-MAP:URI=\"init.mp4\"\n\(lines)"))
    let presentation = try OpenedPresentation(reading: Self.location(folder, "a.m3u8"))
    let playlist = presentation.playlists[0]
    let before = namesInFolder("/proc/self/fd").count
    var sources = [try presentation.source(of: playlist.sections[0], in: playlist)]
    for segment in playlist.segments { sources.append(try presentation.source(of: segment, in: playlist)) }
    // Other tests may run at the same time.
    #expect(presentation.openCount <= PresentationOpener.maxOpen)
    #expect(before == 0 || namesInFolder("/proc/self/fd").count < before + count / 2)
    #expect(try sources[count].bytes(in: 0..<segment.count) == segment)
    let movie = try Movie(reading: sources)
    #expect(movie.fragmentCount == count && presentation.openCount <= PresentationOpener.maxOpen)
  }

  @Test("The start of each remote segment is fetched once, even for many readers, and progress is reported")
  func remoteStarts() throws {
    let folder = try Self.folder()
    let count = 20
    let lines = (1...count).map { "#EXTINF:2,\n\($0).m4s" }.joined(separator: "\n")
    var files = ["https://example.com/a.m3u8": Self.media("#EXT-X-MAP:URI=\"init.mp4\"\n\(lines)")]
    files["https://example.com/init.mp4"] = try readFile(folder("init.mp4"))
    for number in 1...count { files["https://example.com/\(number).m4s"] = try readFile(folder("1.m4s")) }
    let server = Server(files: files)
    let presentation = try OpenedPresentation(
      reading: PlaylistLocation(URIReference("https://example.com/a.m3u8")), server)
    var progress: [Int] = []
    let result = try Check().run(
      presentation,
      onProgress: { opened, total in
        progress.append(opened)
        #expect(total == count)
      })
    #expect(result.files.count == count + 2 && presentation.openCount <= PresentationOpener.maxOpen)
    #expect(progress == progress.sorted() && progress.last == count && progress.count >= count)
    #expect(server.requests.withLock { $0.count == files.count && $0.values.allSatisfy { $0 == 1 } })
  }

  @Test("A variant is selected like an input of join, with its renditions in some languages")
  func choice() throws {
    let folder = try Self.folder()
    let media = Self.media("#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:2,\n1.m4s")
    for name in ["low", "high", "en", "de"] { try folder.write("\(name).m3u8", media) }
    try folder.write(
      "master.m3u8",
      ascii(
        """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en-GB",URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",URI="de.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a"
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=4000,RESOLUTION=16x16,AUDIO="a"
        high.m3u8

        """))
    let presentation = try OpenedPresentation(reading: Self.location(folder, "master.m3u8"))
    func names(_ choice: VariantChoice?, _ languages: [String] = []) throws -> [String] {
      try presentation.playlists(of: choice, languages: languages).map(\.uri)
    }
    #expect(try names(nil) == ["low.m3u8", "en.m3u8", "de.m3u8"])
    #expect(try names(.best, ["en"]) == ["high.m3u8", "en.m3u8"])
    #expect(try names(.number(1), ["de"]) == ["low.m3u8", "de.m3u8"])
    #expect(throws: PresentationError.self) { try names(.number(3)) }
    #expect(throws: PresentationError.self) { try names(nil, ["fr"]) }
    let movies = PresentationMovies(presentation, try presentation.playlists(of: .best, languages: ["de"]))
    #expect(movies.parts.count == 2 && movies.notes.count == 1)
    #expect(movies.notes[0].hasSuffix(": used: high.m3u8, de.m3u8; 2 other playlists are not"))
  }

  @Test("A folder is represented by its only multivariant playlist, its media playlists or its MP4 files")
  func folders() throws {
    let folder = try Self.folder()
    guard let path = Pathname(folder.path) else { return }
    guard case .files(let files) = try OpenedFolder(reading: path) else {
      Issue.record("files were expected")
      return
    }
    #expect(files.map(\.name) == [folder("1.m4s"), folder("init.mp4")])
    try folder.write("a.m3u8", Self.media("#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:2,\n1.m4s"))
    try folder.write("b.m3u8", Self.media("#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:2,\n1.m4s"))
    func presentation() throws -> OpenedPresentation? {
      if case .presentation(let presentation) = try OpenedFolder(reading: path) { presentation } else { nil }
    }
    #expect(try presentation()?.playlists.map(\.name) == [folder("a.m3u8"), folder("b.m3u8")])
    try folder.write("master.m3u8", ascii("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nb.m3u8\n"))
    #expect(try presentation()?.playlists.map(\.name) == [folder("b.m3u8")])
    let empty = try TemporaryFolder()
    #expect(throws: PresentationError.self) { try OpenedFolder(reading: #require(Pathname(empty.path))) }
  }
}

/// A server in memory that counts the requests for each file.
private final class Server: Transport {
  let files: [String: [UInt8]]
  let requests = Mutex<[String: Int]>([:])

  init(files: [String: [UInt8]]) { self.files = files }

  func fetch(
    _ address: WebAddress, range: Range<Int>?, limit: Int, isStopped: () -> Bool
  ) throws(FetchError) -> (bytes: [UInt8], address: WebAddress) {
    requests.withLock { $0["\(address)", default: 0] += 1 }
    guard let bytes = files["\(address)"] else { throw FetchError(.status(404), address) }
    return (range.map { Array(bytes[$0.clamped(to: 0..<bytes.count)]) } ?? bytes, address)
  }
}
