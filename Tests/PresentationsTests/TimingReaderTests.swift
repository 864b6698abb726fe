import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging
import MP4Presentations
import Support
import Testing
import TimedText

@Suite("Subtitles for a presentation on a server, with a custom transport")
struct TimingReaderTests {
  /// A server in memory.
  private struct Server: Transport {
    var files: [String: [UInt8]]
    var moved: [String: String] = [:]

    func fetch(
      _ address: WebAddress, range: Range<Int>?, limit: Int, isStopped: () -> Bool
    ) throws(FetchError) -> (bytes: [UInt8], address: WebAddress) {
      var address = address
      if let target = moved["\(address)"].flatMap({ WebAddress($0) }) { address = target }
      guard let bytes = files["\(address)"] else { throw FetchError(.status(404), address) }
      let part = range.map { Array(bytes[$0.clamped(to: 0..<bytes.count)]) } ?? bytes
      guard part.count <= limit else { throw FetchError(.tooLarge(limit: limit), address) }
      return (part, address)
    }
  }

  private static let folder = "https://example.com/film/"
  private static let variants = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nv/index.m3u8\n"
  private static func media(_ segment: String) -> [UInt8] {
    ascii(
      """
      #EXTM3U
      #EXT-X-VERSION:7
      #EXT-X-TARGETDURATION:4
      #EXT-X-PLAYLIST-TYPE:VOD
      #EXT-X-MAP:URI="init.mp4"
      #EXTINF:4,
      \(segment)
      #EXT-X-ENDLIST

      """)
  }

  /// A presentation of one segment that starts at 10 s.
  private static func server() throws -> Server {
    var fragmenter = Fragmenter()
    fragmenter.options.profile = .apple(timeOffset: MediaTime(10, 1))
    fragmenter.options.cutting = .interval(MediaTime(2, 1))
    let source = MemorySource(try readFile(vectorPath("files/progressive.mp4")))
    let plan = try fragmenter.plan(try Movie(reading: [source]))
    let (initialization, segment) = (MemorySink(), MemorySink())
    try plan.writeInitialization(to: initialization)
    try plan.writeSegment(0, to: segment)
    return Server(files: [
      folder + "master.m3u8": ascii(variants), folder + "v/index.m3u8": media("1.m4s"),
      folder + "v/init.mp4": initialization.bytes, folder + "v/1.m4s": segment.bytes,
    ])
  }

  private func plan(_ server: Server?, at address: String = folder + "master.m3u8") throws
    -> (plan: SubtitlePlan, reader: TimingReader)
  {
    let subtitles = Subtitles(WebVTTDocument([Cue(start: 0, end: 1000, text: "a")]), language: "en", source: "a.vtt")
    var reader = TimingReader(PlaylistLocation(URIReference(address)), server)
    return (try reader.plan(SubtitlePlanner(), adding: [subtitles]), reader)
  }

  @Test("Media times are read from the first segment")
  func times() throws {
    let (plan, reader) = try plan(Self.server())
    #expect(reader.unknownStarts.isEmpty)
    let file = try #require(plan.files.first { $0.path.hasSuffix(".vtt") })
    let sink = MemorySink()
    try plan.write(file, to: sink)
    #expect(try WebVTTDocument(sink.bytes).timestampMap == TimestampMap(mpegTS: 900_000))
  }

  @Test("References are resolved against the URL of the playlist after redirections")
  func redirection() throws {
    var server = try Self.server()
    server.moved["https://example.com/now"] = Self.folder + "master.m3u8"
    let (_, reader) = try plan(server, at: "https://example.com/now")
    #expect(reader.name == Self.folder + "master.m3u8" && reader.unknownStarts.isEmpty)
  }

  @Test("An unreadable segment leaves its time unknown, with the reason")
  func unknown() throws {
    var server = try Self.server()
    server.files[Self.folder + "v/1.m4s"] = nil
    #expect(
      try plan(server).reader.unknownStarts.map(\.description) == [
        "https://example.com/film/v/index.m3u8: the start time of segment 1.m4s is unknown "
          + "(https://example.com/film/v/1.m4s: the server returned status 404 (not found)); 0 is used"
      ])
    server.files[Self.folder + "v/1.m4s"] = ascii("no segment")
    #expect(
      try plan(server).reader.unknownStarts.first?.description.hasSuffix("(its times cannot be read); 0 is used")
        == true)
  }

  @Test("Unusable playlists are errors that a caller can match")
  func errors() throws {
    func failure(_ change: (inout Server) -> Void) throws -> PresentationError? {
      var server = try Self.server()
      change(&server)
      do { _ = try plan(server) } catch { return error as? PresentationError }
      return nil
    }
    let main = Self.folder + "master.m3u8"
    if case .fetch(let error) = try failure({ $0.files[main] = nil }) {
      #expect(error.problem == .status(404))
    } else {
      Issue.record("a playlist that is not there")
    }
    if case .notMultivariant(main) = try failure({ $0.files[main] = Self.media("1.m4s") }) {
    } else {
      Issue.record("a media playlist")
    }
    if case .movie(main) = try failure({ $0.files[main] = [0, 0, 0, 16] + ascii("ftypiso5") + zeros(4) }) {
    } else {
      Issue.record("a movie")
    }
    if case .subtitles(main, .noVariants) = try failure({
      $0.files[main] = ascii("#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\"\n")
    }) {
    } else {
      Issue.record("no variants")
    }
    if case .refused(_, 7, "file:///etc/passwd", .scheme("file:")) = try failure({
      $0.files[Self.folder + "v/index.m3u8"] = Self.media("file:///etc/passwd")
    }) {
    } else {
      Issue.record("a file")
    }
    #expect(throws: PresentationError.self) { try plan(nil) }
  }
}
