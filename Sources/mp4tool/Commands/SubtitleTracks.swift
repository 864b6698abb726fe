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
    let start = try input.mediaStart()
    for text in input.texts {
      do {
        var subtitles = try Subtitles(
          joining: text.segments, mediaStart: start, language: text.rendition.language ?? "und", source: text.source)
        (subtitles.name, subtitles.isDefault) = (text.rendition.name, text.rendition.isDefault)
        subtitles.isForced = text.rendition.isForced
        try add(subtitles, format)
      } catch let error as SubtitleFileError {
        diagnostics.append(Diagnostic(.error, text.source, "these subtitles are omitted: \(error)"))
      } catch MovieError.impossible(_, let obstacle) {
        diagnostics.append(Diagnostic(.note, text.source, "\(obstacle); no track is made"))
      }
    }
  }

  private mutating func add(_ subtitles: Subtitles, _ format: TextFormat) throws {
    let movie = try SubtitleMovie(subtitles, format)
    sources.append(movie.source)
    diagnostics += subtitles.diagnostics + movie.diagnostics + subtitles.diagnostics(ofTrack: format)
  }
}
