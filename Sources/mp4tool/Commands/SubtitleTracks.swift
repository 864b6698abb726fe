import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging

/// Subtitles that become tracks of a movie.
struct SubtitleTracks {
  /// A movie in memory for each file.
  private(set) var sources: [any ByteSource] = []
  /// Diagnostics of reading the files.
  private(set) var diagnostics: [Diagnostic] = []

  init(_ files: [SubtitleFile], _ format: TextFormat, _ arguments: ParsedArguments) throws {
    for subtitles in try files.read(arguments, language: { Subtitles.language(ofFile: $0.path.description) }) {
      let movie = try SubtitleMovie(subtitles, format)
      sources.append(movie.source)
      diagnostics += subtitles.diagnostics + movie.diagnostics + subtitles.diagnostics(ofTrack: format)
    }
  }
}
