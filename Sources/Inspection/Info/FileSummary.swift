import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4Packaging
public import MP4Records

/// A summary of the contents of a file, a movie or still images, or of a presentation.
public enum FileSummary: Sendable {
  /// A movie.
  case movie(MovieSummary)
  /// Still images.
  case images(ImageSummary)
  /// A presentation.
  case presentation(PresentationSummary)

  /// The brands of files that can have still images besides a movie.
  private static let imageBrands: Set<FourCC> = ["mif1", "mif2", "msf1", "miaf", "avif", "avis", "heic", "hevc"]

  /// Examines a file, or an init segment and its media segments. A file with both a movie and still images counts as a
  /// movie.
  ///
  /// - Throws: `MovieError` if there is neither.
  public init(reading sources: [any ByteSource], captions: CaptionSearch = .none) throws(MovieError) {
    do throws(MovieError) {
      self = .movie(try Self.summary(of: Movie(reading: sources), captions: captions))
    } catch {
      guard sources.count == 1, let images = try Self.images(in: sources[0]) else { throw error }
      self = .images(images)
    }
  }

  /// The summary of a movie, including the still images of its file.
  static func summary(of movie: Movie, captions: CaptionSearch = .none) throws(MovieError) -> MovieSummary {
    var summary = try MovieSummary(movie, captions: captions)
    let brands = summary.brands + (summary.majorBrand.map { [$0] } ?? [])
    if movie.sources.count == 1, brands.contains(where: imageBrands.contains) {
      summary.images = try images(in: movie.sources[0])
    }
    return summary
  }

  private static func images(in source: any ByteSource) throws(MovieError) -> ImageSummary? {
    try io(ImageSummary(reading: source))
  }

  /// The name of the file.
  public var name: String {
    switch self {
    case .movie(let movie): movie.name
    case .images(let images): images.name
    case .presentation(let presentation): presentation.name
    }
  }
  /// The size of all inputs in bytes; `nil` if it is unknown.
  public var byteCount: Int? {
    switch self {
    case .movie(let movie): movie.byteCount
    case .images(let images): images.byteCount
    case .presentation: nil
    }
  }
  /// The major brand; `nil` without a file type.
  public var majorBrand: FourCC? {
    switch self {
    case .movie(let movie): movie.majorBrand
    case .images(let images): images.majorBrand
    case .presentation: nil
    }
  }
  /// Diagnostics about repairs and data loss.
  public var diagnostics: [Diagnostic] {
    switch self {
    case .movie(let movie): movie.diagnostics
    case .images(let images): images.diagnostics
    case .presentation(let presentation):
      // For I-frame playlists, only the initialization section is read, whose tracks are empty. The segments of others
      // can start at any time.
      presentation.playlists.filter { !$0.isIFramesOnly }.flatMap { $0.movie?.diagnostics ?? [] }
        .filter { !$0.isMediaStart }
    }
  }
  /// The summary as text.
  public var text: String { text(isVerbose: false) }

  /// The summary as text, including lists that are usually too long if `isVerbose`.
  public func text(isVerbose: Bool) -> String {
    switch self {
    case .movie(let movie): movie.text(isVerbose: isVerbose)
    case .images(let images): images.text
    case .presentation(let presentation): presentation.text(isVerbose: isVerbose)
    }
  }

  /// The columns of CSV, with their meanings.
  package static var columns: [(name: String, meaning: String)] { SummaryLine.documentation }

  /// Writes summaries. CSV lines contain the first video and the first audio track.
  public static func write(_ files: [FileSummary], _ format: RecordFormat, to sink: any ByteSink) throws(IOError) {
    var output = Output(format, to: sink)
    for file in files { try output.write(file) }
    try output.finish()
  }

  /// Writes summaries to a sink one by one.
  public struct Output: ~Copyable {
    private var lines: RecordOutput<SummaryLine>?
    private var json: JSONWriter
    private let format: RecordFormat

    /// Begins the output.
    public init(_ format: RecordFormat, to sink: any ByteSink) { self.init(format, to: sink, continues: false) }

    /// The same, or continues an earlier output.
    package init(_ format: RecordFormat, to sink: any ByteSink, continues: Bool) {
      self.format = format
      json = JSONWriter(sink)
      lines = nil
      switch format {
      case .csv: lines = RecordOutput(format, to: sink, continues: continues)
      case .json: json.beginArray()
      case .jsonLines: break
      }
    }

    /// Writes the next summary.
    public mutating func write(_ file: FileSummary) throws(IOError) {
      if format == .csv {
        try lines?.write(SummaryLine(file))
        return
      }
      if format == .json { json.element(onNewLine: true) }
      switch file {
      case .movie(let movie): movie.write(to: &json)
      case .images(let images): images.write(to: &json)
      case .presentation(let presentation): presentation.write(to: &json)
      }
      if format == .jsonLines { json.out.endLine() }
      if let failure = json.failure { throw failure }
    }

    /// Writes what is buffered, for a reader that waits for it.
    public mutating func flush() throws(IOError) {
      try lines?.flush()
      if format == .jsonLines { json.out.drain() }
      if let failure = json.failure { throw failure }
    }

    /// Ends the output.
    public consuming func finish() throws(IOError) {
      switch format {
      case .csv:
        try lines.take()?.finish()
        return
      case .json:
        json.endArray()
        json.finish()
      case .jsonLines: json.out.drain()
      }
      if let failure = json.failure { throw failure }
    }
  }

  /// Writes a JSON Schema for the output in JSON; its elements are the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(.oneOf([MovieSummary.schema, ImageSummary.schema, PresentationSummary.schema])).write(
      to: sink)
  }
}

/// A file with its first video and audio track, or its primary image, for tables with one line for each file. For a
/// presentation, these are the tracks of its first playlists with such media.
private struct SummaryLine: Record {
  static let summary = "A file with its first video and audio track, or its primary image."
  let file: FileSummary
  let presentation: PresentationSummary?
  let movie: MovieSummary?
  let image: ImageSummary.Item?
  let video: TrackSummary?
  let audio: TrackSummary?
  let encryption: FourCC?

  init(_ file: FileSummary) {
    self.file = file
    movie = if case .movie(let movie) = file { movie } else { nil }
    image = if case .images(let images) = file { images.items.first(where: \.isPrimary) } else { nil }
    presentation = if case .presentation(let presentation) = file { presentation } else { nil }
    let tracks = movie?.tracks ?? presentation?.playlists.flatMap { $0.movie?.tracks ?? [] } ?? []
    video = tracks.first { $0.video != nil }
    audio = tracks.first { $0.audio != nil }
    encryption = tracks.lazy.compactMap { $0.encryption?.scheme }.first
  }

  static let members: [RecordMember<SummaryLine>] = [
    RecordMember("name", "the name of the input") { $0.file.name },
    RecordMember("bytes", "its size") { $0.file.byteCount },
    RecordMember("duration_seconds", "the duration of the presentation") {
      $0.movie?.duration ?? $0.presentation?.duration
    },
    RecordMember("bit_rate", "the average bit rate in bits per second") { $0.movie?.bitRate },
    RecordMember(
      "layout",
      "`progressive`, `fragmented`, `init segment`, `MPEG-TS`, `images`, `multivariant playlist`, `DASH manifest`, "
        + "`media playlist` or `folder`"
    ) {
      $0.movie?.layout.rawValue ?? $0.presentation?.kind.rawValue ?? "images"
    },
    RecordMember("moov_first", "whether `moov` precedes the samples") { $0.movie?.isMovieFirst },
    RecordMember("major_brand", "the major brand") { $0.file.majorBrand },
    RecordMember("tracks", "the number of tracks") { $0.movie?.tracks.count },
    RecordMember("video_codec", "the codec of the first video track or the primary image") {
      $0.video?.codec ?? $0.image?.type.description
    },
    RecordMember("width", "the width of its pictures") { $0.video?.video?.codedSize.width ?? $0.image?.size?.width },
    RecordMember("height", "the height of its pictures") {
      $0.video?.video?.codedSize.height ?? $0.image?.size?.height
    },
    RecordMember("frame_rate", "its average frame rate") { $0.video?.video?.frameRate?.text },
    RecordMember("dynamic_range", "its dynamic range") { $0.video?.video?.dynamicRange },
    RecordMember("frames", "the number of its pictures") { $0.video?.samples.count },
    RecordMember("audio_codec", "the codec of the first audio track") { $0.audio?.codec },
    RecordMember("channels", "the number of its channels") { $0.audio?.audio?.channelCount },
    RecordMember("sample_rate", "its sample rate in Hz") { $0.audio?.audio?.sampleRate },
    RecordMember("language", "its language") { $0.audio?.role.language },
    RecordMember("title", "the title") { $0.movie?.metadata.title },
    RecordMember("video_codec_name", "the common name of the codec of the first video track or the primary image") {
      $0.video?.codecName ?? $0.image?.codecName
    },
    RecordMember("video_bit_rate", "its average bit rate in bits per second") { $0.video?.samples.bitRate },
    RecordMember("video_peak_bit_rate", "its peak bit rate over one second") { $0.video?.samples.peakBitRate },
    RecordMember("bit_depth", "the number of bits per component") {
      $0.video?.video?.bitDepth ?? $0.image?.bitDepths.max()
    },
    RecordMember("chroma", "the chroma subsampling") { $0.video?.video?.chroma },
    RecordMember("rotation", "its clockwise rotation in degrees") { $0.video?.video?.rotation ?? $0.image?.rotation },
    RecordMember("keyframes", "the number of its sync samples") { $0.video?.samples.keyframeCount },
    RecordMember("longest_gop_seconds", "the duration of its longest GOP") {
      $0.video?.samples.groups?.durations.upperBound
    },
    RecordMember("audio_codec_name", "the common name of the codec of the first audio track") { $0.audio?.codecName },
    RecordMember("audio_bit_rate", "its average bit rate in bits per second") { $0.audio?.samples.bitRate },
    RecordMember("fragments", "the number of movie fragments") { $0.movie?.fragmentCount },
    RecordMember("encryption", "the encryption scheme of the first encrypted track") { $0.encryption },
    RecordMember("chapters", "the number of chapters") { $0.movie?.chapters.count },
    RecordMember("created", "the creation time in UTC") { line in
      line.movie?.creationTime.map { CalendarTime(secondsSince1970: $0).text }
    },
    RecordMember("variants", "the number of variants of a presentation") { $0.presentation?.variants.count },
    RecordMember("differences", "the number of wrong declarations of a presentation") {
      $0.presentation?.differenceCount
    },
    RecordMember("warnings", "the number of warnings that `mp4tool defrag` would report") { line in
      line.file.diagnostics.count { $0.severity == .warning }
    },
    RecordMember("errors", "the number of errors that `mp4tool defrag` would report") { line in
      line.file.diagnostics.count { $0.severity == .error }
    },
  ]
}
