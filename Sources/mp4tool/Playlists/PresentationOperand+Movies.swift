import Bytes
import HLS
import Inspection
import MP4

extension PresentationMovies {
  /// Reads the media of a presentation for a command, and reports what cannot be read of it and what its movies report.
  init(
    _ presentation: InspectedPresentation, tracks: TrackSelection = TrackSelection(), withNotes: Bool,
    _ context: CommandContext
  ) {
    if presentation.location.map({ $0.path == nil }) ?? false { context.progress.begin("fetching", total: nil) }
    self.init(presentation, tracks: tracks)
    context.progress.end()
    let diagnostics = context.diagnostics
    for note in notes { diagnostics.note(note) }
    diagnostics.findings(problems, in: name)
    for failure in failures { diagnostics.finding("\(failure)") }
    for part in parts {
      for diagnostic in part.movie.diagnostics where withNotes || diagnostic.severity != .note {
        diagnostics.say(diagnostic)
      }
    }
  }
}
