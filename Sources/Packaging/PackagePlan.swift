import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4DASH
public import MP4HLS
import MP4Records

/// A planned presentation: a list of files that can be written.
public struct PackagePlan: Sendable {
  /// One of the files.
  public struct File: Sendable {
    /// Its path in the folder of the presentation, with `/` between components.
    public let path: String
    /// Its size in bytes.
    public let byteCount: Int
    let content: Content
  }
  enum Content {
    case bytes([UInt8])
    case initialization(rendition: Int)
    case segment(rendition: Int, index: Int)
    case all(rendition: Int)
    case keyFrames(rendition: Int)
    case key(Encryption.Key)
    case keyInitialization(rendition: Int, [UInt8])
    case image(Thumbnails.Image)
  }
  /// The renditions: video, then audio, then text.
  public let renditions: [PackagedRendition]
  /// The multivariant playlist.
  public let multivariant: MultivariantPlaylist
  /// The media playlists by path, including I-frame playlists.
  public let media: [String: MediaPlaylist]
  /// The DASH manifest, if requested.
  public let manifest: MPD?
  /// All files; playlists and manifests are last, so that clients never find one before the files that it refers to.
  public private(set) var files: [File] = []
  /// Diagnostics, including decisions, repairs and data loss.
  public internal(set) var diagnostics: [Diagnostic]
  /// The bandwidth of each rendition.
  let bandwidths: [(peak: Int, average: Int, byteCount: Int)]
  /// The subtitles that are written as WebVTT files, because the text of the inputs cannot be used unchanged.
  let texts: [PackagedSubtitles.Track]
  private let baseURL: String
  let protection: Packager.Protection?
  let inputs: [DefragmentReport.Input]
  /// The file names of each rendition whose segments are separate files.
  private(set) var names: [[String]?] = []

  init(
    _ renditions: [PackagedRendition], _ subtitles: [Subtitles], _ markers: TimedMarkers, at offset: MediaTime,
    _ options: Packager.Options, _ diagnostics: [Diagnostic], _ inputs: [DefragmentReport.Input]
  ) throws(MovieError) {
    self.renditions = renditions
    self.inputs = inputs
    (baseURL, protection) = (options.baseURL, options.protection)
    var markers = markers
    markers.mediaStart = offset
    let playlists = PlaylistMaker(renditions, markers, options)
    var (main, media) = (playlists.multivariant, playlists.media)
    let first = renditions.first.flatMap { media["\($0.folder)/\(PlaylistMaker.indexName)"] }
    texts = try PackagedSubtitles(subtitles, renditions, first ?? MediaPlaylist(), at: offset, options, adding: &main)
      .tracks
    for text in texts {
      var playlist = text.made.playlist
      markers.mark(&playlist.segments, from: PackagedSubtitles.start(of: renditions), hasRanges: false)
      media["\(text.folder)/\(PlaylistMaker.indexName)"] = playlist
    }
    let start = PackagedSubtitles.start(of: renditions)
    let ends = renditions.compactMap { $0.fragments.segments.last.map { $0.start + $0.duration } }
    let duration = (ends.max() ?? start) - start
    var folders = Set(renditions.map(\.folder) + texts.map(\.folder))
    let all = options.thumbnails.map { PackagedThumbnails($0, from: start, lasting: duration, &folders) }
    let thumbnails = all.filter { !$0.images.isEmpty }
    main.lines += thumbnails.map { $0.line(options.baseURL) }
    (multivariant, self.media) = (main, media)
    bandwidths = renditions.map { rendition in
      let own = playlists.bandwidth(of: rendition)
      return (own.peak, own.average, rendition.sizes(options.storage).reduce(0) { $0 + $1.byteCount })
    }
    let dash =
      options.formats.contains(.dash)
      ? try ManifestMaker(renditions, bandwidths.map(\.peak), texts, thumbnails, main, markers, at: offset, options)
      : nil
    manifest = dash?.manifest
    self.diagnostics = diagnostics + playlists.diagnostics + (dash?.diagnostics ?? [])
    self.diagnostics += all.flatMap(\.diagnostics)
    for (number, rendition) in renditions.enumerated() {
      let (folder, fragments) = (rendition.folder, rendition.fragments)
      let areFiles = options.storage == .separateFiles
      names.append(areFiles ? ["init.mp4"] + fragments.segments.indices.map(playlists.segmentName) : nil)
      for (index, keyID) in rendition.initializationKeys(options.protection).enumerated() {
        let content = Content.keyInitialization(rendition: number, keyID)
        add("\(folder)/\(PlaylistMaker.initializationName(index))", fragments.initializationByteCount, content)
      }
      switch options.storage {
      case .separateFiles:
        add("\(folder)/init.mp4", fragments.initializationByteCount, .initialization(rendition: number))
        for index in fragments.segments.indices {
          let name = playlists.segmentName(index)
          add("\(folder)/\(name)", rendition.byteCount(ofFile: index), .segment(rendition: number, index: index))
        }
      case .singleFile:
        add("\(folder)/\(PlaylistMaker.singleName)", fragments.byteCount, .all(rendition: number))
      case .referenced: break
      }
      if let keyFrames = rendition.keyFrames, keyFrames.sourceFragments != .referenced {
        add("\(folder)/\(PlaylistMaker.keyFramesName)", keyFrames.byteCount, .keyFrames(rendition: number))
      }
    }
    for key in renditions.flatMap(\.fileKeys)
    where options.key == nil && !files.contains(where: { $0.path == key.fileName }) {
      add(key.fileName, key.bytes.count, .key(key))
    }
    let hasPlaylists = options.formats.contains(.hls)
    for set in thumbnails {
      for (index, image) in set.images.enumerated() {
        add("\(set.folder)/\(PackagedThumbnails.name(index))", image.bytes.count, .image(image))
      }
      if hasPlaylists { add("\(set.folder)/\(PlaylistMaker.indexName)", set.playlist(options.baseURL)) }
    }
    for file in texts.flatMap(\.made.files) where hasPlaylists {
      if case .bytes(let bytes) = file.content { add(file.path, bytes) }
    }
    if manifest != nil {
      for text in texts { add("\(text.folder)/\(ManifestMaker.textName)", text.whole) }
    }
    if hasPlaylists {
      for (path, playlist) in media.sorted(by: { $0.key < $1.key }) { add(path, playlist.bytes) }
    }
    if let manifest { add(ManifestMaker.name, manifest.bytes) }
    if hasPlaylists { add(PlaylistMaker.mainName, multivariant.bytes) }
  }

  private mutating func add(_ path: String, _ byteCount: Int, _ content: Content) {
    files.append(File(path: path, byteCount: byteCount, content: content))
  }
  private mutating func add(_ path: String, _ bytes: [UInt8]) { add(path, bytes.count, .bytes(bytes)) }

  /// The number of renditions, including subtitles that are WebVTT files.
  public var renditionCount: Int { renditions.count + texts.count }

  /// The size of all files in bytes.
  public var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }

  /// Writes one of the files.
  public func write(_ file: File, to sink: any ByteSink) throws(MovieError) {
    switch file.content {
    case .bytes(let bytes):
      try io(sink.write(bytes))
    case .initialization(let rendition): try renditions[rendition].fragments.writeInitialization(to: sink)
    case .segment(let rendition, let index): try renditions[rendition].write(file: index, to: sink)
    case .all(let rendition): try renditions[rendition].fragments.write(to: sink)
    case .keyFrames(let rendition): try renditions[rendition].keyFrames?.write(to: sink)
    case .key(let key): try io(sink.write(key.bytes))
    case .image(let image): try io(sink.copy(image.bytes, of: image.source))
    case .keyInitialization(let rendition, let keyID):
      guard let protection else { return }
      let bytes = try renditions[rendition].initialization(keyID, protection)
      try io(sink.write(bytes))
    }
  }

  /// Violations of RFC 8216 in the playlists; none are expected.
  public var findings: [PlaylistFinding] {
    let named = media.map { (baseURL + $0.key, $0.value) }
    return Presentation(multivariant, media: Dictionary(uniqueKeysWithValues: named)).findings
  }
}

extension PackagePlan {
  /// Writes a JSON report with all decisions; the man page of `mp4tool hls` lists its members.
  ///
  /// `output` is the name of the folder in messages, and `isWritten` whether it was written and not only planned.
  public func writeReport(to sink: any ByteSink, output: String?, isWritten: Bool) throws(IOError) {
    let output = DefragmentReport.Output(name: output, byteCount: byteCount, isWritten: isWritten)
    try PackageReport(plan: self, output: output).write(to: sink)
  }
}

extension PackagePlan {
  /// Writes the byte range `range` of the output of `write`, for servers.
  public func write(_ range: Range<Int>, of file: File, to sink: any ByteSink) throws(MovieError) {
    switch file.content {
    case .all(let rendition): try renditions[rendition].fragments.write(range, to: sink)
    case .keyFrames(let rendition): try renditions[rendition].keyFrames?.write(range, to: sink)
    case .bytes, .initialization, .segment, .key, .keyInitialization, .image:
      try write(file, to: range == 0..<file.byteCount ? sink : RangeSink(sink, range))
    }
  }
}
