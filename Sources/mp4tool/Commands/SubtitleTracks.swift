import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging

/// Subtitles that become tracks of a movie.
struct SubtitleTracks {
  /// A movie in memory for each file.
  private(set) var sources: [any ByteSource] = []
  /// Diagnostics of reading the files.
  private(set) var notices: [Notice] = []

  init(_ files: [SubtitleFile], _ format: TextFormat, _ arguments: ParsedArguments) throws {
    for subtitles in try files.read(arguments, language: { Subtitles.language(ofFile: $0.path.description) }) {
      let movie = try SubtitleMovie(subtitles, format)
      sources.append(movie.source)
      notices += subtitles.notices + movie.notices + subtitles.notices(ofTrack: format)
    }
  }
}
