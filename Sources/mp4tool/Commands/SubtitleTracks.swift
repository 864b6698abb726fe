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
    let (found, own) = try input.subtitles()
    diagnostics += own
    for subtitles in found {
      do { try add(subtitles, format, end: input.limit) } catch MovieError.impossible(_, let obstacle) {
        diagnostics.append(Diagnostic(.note, subtitles.source, "\(obstacle); no track is made"))
      }
    }
  }

  private mutating func add(_ subtitles: Subtitles, _ format: TextFormat, end: MediaTime? = nil) throws {
    let movie = try SubtitleMovie(subtitles, format, end: end)
    sources.append(movie.source)
    diagnostics += subtitles.diagnostics + movie.diagnostics + subtitles.diagnostics(ofTrack: format)
  }
}
