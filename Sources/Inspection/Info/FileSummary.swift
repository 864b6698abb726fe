public import Bytes
import ISOBMFF
public import MP4

/// What a file contains: a movie, or still images.
public enum FileSummary: Sendable {
  /// A movie.
  case movie(MovieSummary)
  /// Still images.
  case images(ImageSummary)

  /// Examines a file, or an init segment and its media segments. A file with a movie and still images is a movie.
  ///
  /// - Throws: `MovieError` if there is neither.
  public init(reading sources: [any ByteSource]) throws(MovieError) {
    do throws(MovieError) { self = .movie(try MovieSummary(Movie(reading: sources))) } catch {
      guard sources.count == 1, let images = try Self.images(in: sources[0]) else { throw error }
      self = .images(images)
    }
  }

  private static func images(in source: any ByteSource) throws(MovieError) -> ImageSummary? {
    do throws(IOError) { return try ImageSummary(reading: source) } catch { throw .io(error) }
  }

  /// The name of the file.
  public var name: String {
    switch self {
    case .movie(let movie): movie.name
    case .images(let images): images.name
    }
  }
  /// The size of all inputs in bytes; `nil` if it is unknown.
  public var byteCount: Int? {
    switch self {
    case .movie(let movie): movie.byteCount
    case .images(let images): images.byteCount
    }
  }
  /// The major brand; `nil` without a file type.
  public var majorBrand: FourCC? {
    switch self {
    case .movie(let movie): movie.majorBrand
    case .images(let images): images.majorBrand
    }
  }
  /// Repairs and losses.
  public var diagnostics: [Diagnostic] {
    switch self {
    case .movie(let movie): movie.diagnostics
    case .images(let images): images.diagnostics
    }
  }
  /// Lines for people.
  public var text: String {
    switch self {
    case .movie(let movie): movie.text
    case .images(let images): images.text
    }
  }

  /// Writes summaries. The lines of CSV have the first video and the first audio track.
  public static func write(_ files: [FileSummary], _ format: RecordFormat, to sink: any ByteSink) throws(IOError) {
    if format == .csv {
      return try SummaryLine.write(files.map(SummaryLine.init), format, to: sink)
    }
    var json = JSONWriter(sink)
    if format == .json { json.beginArray() }
    for file in files {
      if format == .json { json.element(onNewLine: true) }
      switch file {
      case .movie(let movie): movie.write(to: &json)
      case .images(let images): images.write(to: &json)
      }
      if format == .jsonLines { json.out.endLine() }
    }
    if format == .json {
      json.endArray()
      json.finish()
    } else {
      json.out.drain()
    }
    if let failure = json.failure { throw failure }
  }

  /// Writes a JSON Schema for the output in JSON; its elements are the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(.oneOf([MovieSummary.schema, ImageSummary.schema])).write(to: sink)
  }
}

/// A file with its first video and audio track, or its primary image, for tables with a line for each file.
private struct SummaryLine: Record {
  static let summary = "A file with its first video and audio track, or its primary image."
  let file: FileSummary
  let movie: MovieSummary?
  let image: ImageSummary.Item?
  let video: TrackSummary?
  let audio: TrackSummary?

  init(_ file: FileSummary) {
    self.file = file
    movie = if case .movie(let movie) = file { movie } else { nil }
    image = if case .images(let images) = file { images.items.first(where: \.isPrimary) } else { nil }
    video = movie?.tracks.first { $0.video != nil }
    audio = movie?.tracks.first { $0.audio != nil }
  }

  static let members: [RecordMember<SummaryLine>] = [
    RecordMember("name", "the name of the input") { $0.file.name },
    RecordMember("bytes", "its size") { $0.file.byteCount },
    RecordMember("duration_seconds", "the duration of the presentation") { $0.movie?.duration },
    RecordMember("bit_rate", "the average bits per second") { $0.movie?.bitRate },
    RecordMember("layout", "`progressive`, `fragmented`, `init segment` or `images`") {
      $0.movie?.layout.rawValue ?? "images"
    },
    RecordMember("moov_first", "whether the movie box is before the samples") { $0.movie?.isMovieFirst },
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
    RecordMember("sample_rate", "the samples of its sound per second") { $0.audio?.audio?.sampleRate },
    RecordMember("language", "its language") { $0.audio?.role.language },
    RecordMember("title", "the title") { $0.movie?.metadata.title },
  ]
}
