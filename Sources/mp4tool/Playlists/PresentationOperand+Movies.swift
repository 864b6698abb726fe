import Bytes
import HLS
import Inspection
import MP4

extension PresentationMovies {
  /// Reads the selected media of a presentation, and reports unreadable parts and diagnostics of its movies.
  init(
    _ presentation: InspectedPresentation, tracks: TrackSelection = TrackSelection(), _ arguments: ParsedArguments,
    withNotes: Bool, _ context: CommandContext
  ) throws {
    let languages = (arguments[PlaylistOptions.languages] ?? "").split(separator: ",").map(String.init)
    let variant = arguments[PlaylistOptions.variantOrFirst]
    let chosen =
      variant == nil && languages.isEmpty ? nil : try presentation.playlists(of: variant, languages: languages)
    self = context.progress.opening(presentation) {
      PresentationMovies(presentation, chosen, tracks: tracks, onProgress: $0)
    }
    let diagnostics = context.diagnostics
    for note in notes { diagnostics.note(note) }
    diagnostics.findings(problems, in: name)
    for failure in failures { diagnostics.finding("\(failure)") }
    for part in parts {
      for diagnostic in part.movie.diagnostics where withNotes || diagnostic.severity != .note {
        // Times are presentation times, regardless of media times.
        if diagnostic.isMediaStart { continue }
        diagnostics.say(diagnostic)
      }
    }
  }
}

extension Progress {
  /// Shows the number of segments that `body` has opened.
  func opening<Result, Failure>(
    _ presentation: InspectedPresentation, _ body: (InspectedPresentation.Progress) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin(presentation.name, total: nil, in: .segments)
    defer { end() }
    return try body { opened, total in update(to: opened, of: total) }
  }
}
