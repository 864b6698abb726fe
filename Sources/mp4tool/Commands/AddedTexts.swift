import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging

/// Subtitles that become tracks of a movie.
struct AddedTexts {
  /// A movie in memory for each.
  private(set) var sources: [any ByteSource] = []
  /// What was met while the files were read.
  private(set) var notices: [Notice] = []

  init(_ files: [SubtitleFile], _ format: TextFormat, _ arguments: ParsedArguments) throws {
    for subtitles in try files.read(arguments, language: { Subtitles.language(ofFile: $0.path.description) }) {
      let movie = try TextMovie(subtitles, format)
      sources.append(movie.source)
      notices += subtitles.notices + movie.notices + Self.losses(of: subtitles, format)
    }
  }

  /// What a track does not say of its subtitles, so that `mp4tool hls` cannot know it.
  private static func losses(of subtitles: Subtitles, _ format: TextFormat) -> [Notice] {
    var losses: [Notice] = []
    if subtitles.isForced, format == .webVTT {
      let text = "a track of WebVTT (wvtt) cannot say that subtitles are forced; one of tx3g can"
      losses.append(Notice(.warning, subtitles.source, text))
    }
    if subtitles.describesSounds {
      let text = "a track cannot say that subtitles are for those who do not hear sounds (sdh); only its name can"
      losses.append(Notice(.note, subtitles.source, text))
    }
    return losses
  }
}
