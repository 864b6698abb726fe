import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import MP4Streaming

/// Subtitles that become tracks of a movie.
struct SubtitleTracks {
  /// A movie in memory for each file or rendition.
  private(set) var sources: [any ByteSource] = []
  /// Diagnostics of reading them.
  private(set) var diagnostics: [Diagnostic] = []

  init(_ files: [SubtitleFile], _ format: TextFormat, _ arguments: ParsedArguments) throws {
    for subtitles in try files.read(arguments, language: { Subtitles.language(ofFile: $0.path.description) }) {
      try add(subtitles, format)
    }
  }

  /// Adds the WebVTT renditions of a playlist. Those that cannot be used are reported.
  mutating func add(_ input: PlaylistInput, _ format: TextFormat) throws {
    guard !input.texts.isEmpty else { return }
    let start = try input.textStart()
    for text in input.texts {
      do {
        let rendition = text.rendition
        var (subtitles, own) = try Subtitles.joining(
          text.segments, mediaStart: start, end: input.limit, language: rendition.language ?? "und",
          source: text.source)
        diagnostics += own
        (subtitles.name, subtitles.isDefault) = (rendition.name, rendition.isDefault)
        subtitles.isForced = rendition.isForced
        let characteristics = rendition.characteristics?.split(separator: ",") ?? []
        subtitles.describesSounds = characteristics.contains("public.accessibility.transcribes-spoken-dialog")
        try add(subtitles, format, end: input.limit)
      } catch let error as SubtitleFileError {
        diagnostics.append(Diagnostic(.error, text.source, "these subtitles are omitted: \(error)"))
      } catch MovieError.impossible(_, let obstacle) {
        diagnostics.append(Diagnostic(.note, text.source, "\(obstacle); no track is made"))
      }
    }
  }

  private mutating func add(_ subtitles: Subtitles, _ format: TextFormat, end: MediaTime? = nil) throws {
    let movie = try SubtitleMovie(subtitles, format, end: end)
    sources.append(movie.source)
    diagnostics += subtitles.diagnostics + movie.diagnostics + subtitles.diagnostics(ofTrack: format)
  }
}
