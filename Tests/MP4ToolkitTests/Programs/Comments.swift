import MP4Fetching
import MP4Serving
import MP4Streaming
import MP4Toolkit

/// What comments of declarations show. Names that are free there are parameters here.
enum Comments {
  static func edit(_ source: any ByteSource, to file: any ByteSink) throws {
    // snippet: comment-editor
    let plan = try MovieEditor(source)
      .editing("moov/trak[1]/mdia/mdhd", MediaHeaderBox.self) { $0.language = "eng" }
      .plan()
    try plan.write(to: file)
    // end
  }

  static func dump(_ source: any ByteSource, to sink: any ByteSink) throws -> Int {
    // snippet: comment-registry
    var dump = BoxDump(source, registry: .standard.adding(NoteBox.self))
    let json = JSONSink(sink)
    let summary = try dump.run(to: json)  // or to a `TextSink`
    json.finish()
    // end
    return summary.boxes
  }

  static func package(_ movie: Movie, to sink: (String) throws -> any ByteSink) throws {
    // snippet: comment-packager
    let plan = try Packager().plan([movie])
    for file in plan.files { try plan.write(file, to: sink(file.path)) }
    // end
  }

  static func packageLive(to folder: LiveFolder, _ more: () -> ArraySlice<UInt8>?) throws {
    // snippet: comment-live-packager
    var packager = LivePackager("camera", to: folder)
    packager.onDiagnostic = { print($0) }
    while let bytes = more() { try packager.append(bytes, at: .now) }
    try packager.end(at: .now)
    // end
  }

  static func upload(
    _ camera: AsyncStream<[UInt8]>, _ upload: (_ bytes: [UInt8], _ path: String) async throws -> Void
  ) async throws {
    // snippet: comment-live-segments
    for try await file in LiveSegments(of: camera) { try await upload(file.bytes, file.path) }
    // end
  }

  static func files(of recording: String) async throws -> [LiveFile] {
    var files: [LiveFile] = []
    // snippet: comment-recording
    for try await file in LiveSegments(of: RecordingBytes(of: recording)) { files.append(file) }
    // end
    return files
  }

  static func follow(
    _ chunks: AsyncStream<[UInt8]>, start: (LiveMovie) -> Void, append: ([UInt8]) -> Void, next: () -> UInt32
  ) async throws {
    // snippet: comment-live-fragments
    for try await event in LiveFragments(of: chunks, name: "camera") {
      switch event {
      case .movie(let movie): start(movie)
      case .fragment(let fragment, let media): append(fragment.bytes(sequenceNumber: next()) + media)
      case .diagnostic(let diagnostic): print(diagnostic)
      }
    }
    // end
  }

  static func cues(_ bytes: [UInt8]) throws -> [UInt8] {
    // snippet: comment-webvtt
    let document = try WebVTTDocument(bytes)  // as lenient as the W3C has it for players
    for finding in document.findings { print(finding) }  // what players will ignore, with line numbers
    for cue in document.cues { print(cue.start, cue.text) }
    let written = document.bytes
    // end
    return written
  }

  static func timing(_ subtitles: Subtitles) throws -> SubtitlePlan {
    // snippet: comment-timing
    var reader = TimingReader(PlaylistLocation(file: "movie/master.m3u8"))
    let plan = try reader.plan(SubtitlePlanner(), adding: [subtitles])
    // end
    return plan
  }

  static func inspect() throws {
    // snippet: comment-inspected-presentation
    let presentation = try OpenedPresentation(reading: PlaylistLocation(file: "movie/master.m3u8"))
    for playlist in presentation.playlists {
      for segment in playlist.segments {
        let source = try presentation.source(of: segment, in: playlist)
        print(segment.line, segment.declared.duration, source.byteCount as Any)
      }
    }
    // end
  }

  static func playlist() -> MediaPlaylist {
    // snippet: comment-playlist
    var segments: [Segment] = []
    for number in 1...3 {
      segments.append(Segment("segment\(number).m4s", duration: .units(540_540, timescale: 90_000)))
    }
    segments[0].map = InitializationSection("init.mp4")
    var playlist = MediaPlaylist(segments, type: .vod, isEnded: true)
    playlist.hasIndependentSegments = true
    playlist.targetDuration = playlist.lowestTargetDuration  // or the largest of all renditions
    playlist.version = playlist.lowestVersion
    for finding in playlist.findings { print(finding) }  // none: it is valid
    let bytes = playlist.bytes
    // end
    return (try? MediaPlaylist(bytes)) ?? playlist
  }

  static func presentation(of playlist: MediaPlaylist) -> Presentation {
    // snippet: comment-presentation
    var main = MultivariantPlaylist()
    main.renditions = [Rendition(.audio, group: "aac", name: "English", uri: "en/index.m3u8")]
    main.renditions[0].isDefault = true
    var variant = Variant("video/index.m3u8", bandwidth: 2_400_000)
    variant.codecs = "avc1.64001f,mp4a.40.2"
    variant.resolution = Resolution(width: 1280, height: 720)
    variant.frameRate = 30_000 / 1001
    variant.audio = "aac"
    main.variants = [variant]
    let presentation = Presentation(main, media: ["video/index.m3u8": playlist, "en/index.m3u8": playlist])
    for finding in presentation.findings { print(finding) }  // none: they match
    // end
    return presentation
  }

  static func play(_ bytes: [UInt8]) throws -> URIReference {
    // snippet: comment-resolved
    let base = URIReference("https://example.com/video/index.m3u8")
    for segment in try MediaPlaylist(bytes).resolved() {
      print(segment.mediaSequence, segment.start, URIReference(segment.uri).resolved(against: base))
      print(segment.byteRange as Any, segment.map?.uri as Any, segment.keys.count)
    }
    // end
    return base
  }

  static func take(_ playlist: MediaPlaylist, at place: PlaylistLocation) throws -> Int {
    // snippet: comment-series
    var series = SegmentSeries(place)
    let update = try series.take(playlist)
    for entry in update.entries { print(entry.number, entry.item.place, entry.item.byteRange as Any) }
    // end
    return update.entries.count
  }

  static func fetch() throws {
    // snippet: comment-fetcher
    if let address = WebAddress("https://example.com/master.m3u8") {
      let (bytes, response) = try Fetcher().bytes(address, limit: 16 << 20)
      print(bytes.count, response.address, response.contentType as Any)
    }
    // end
  }

  static func read() throws -> OutputPlan {
    // snippet: comment-playlist-reader
    let reader = PlaylistReader(PlaylistLocation(URIReference("https://example.com/master.m3u8")))
    let input = PlaylistInput(joining: try reader.read())
    let plan = try Defragmenter().plan(input.sources, parts: input.parts)
    // end
    return plan
  }

  static func hello(at address: SocketAddress, _ options: Server.Options = Server.Options()) throws -> Server {
    // snippet: comment-server
    let server = try Server(address, options) { request in
      request.path == "/" ? Server.Response(200, "hello") : Server.Response(404, "there is nothing")
    }
    try server.start()
    // end
    return server
  }

  static func films(at address: SocketAddress) throws -> Server {
    // snippet: comment-site
    var site = Site(title: "Films")
    try site.add("film.mp4")  // `/film.mp4`, and `/film.mp4/master.m3u8`
    let server = try Server(address, answering: site.response)
    // end
    return server
  }

  static func movie(at address: SocketAddress) throws -> Server {
    // snippet: comment-packaged-movie
    let movie = try PackagedMovie("movie.mp4")
    let server = try Server(address) { request in request.names.map { movie.response(for: $0) } ?? .notFound }
    // end
    return server
  }

  static func packages(at address: SocketAddress) throws -> Server {
    // snippet: comment-package-cache
    let (folder, packages) = (try SourceFolder("films"), PackageCache())
    let server = try Server(address) { request in
      request.names.map { folder.response(for: $0, packaging: packages) } ?? .notFound
    }
    // end
    return server
  }

  static func cache(at address: SocketAddress) throws -> Server {
    // snippet: comment-origin
    let origin = Origin(try BlockCache(nil, byteLimit: 1 << 30))
    let server = try Server(address) { request in
      WebAddress("https://example.com" + request.path).map(origin.response) ?? .notFound
    }
    // end
    return server
  }

  static func cachedSite(_ scope: OriginScope, at address: SocketAddress) throws -> Server {
    // snippet: comment-origin-site
    let site = try OriginSite(scope, BlockCache(nil, byteLimit: 1 << 30))
    let server = try Server(address, answering: site.response)
    // end
    return server
  }
}
