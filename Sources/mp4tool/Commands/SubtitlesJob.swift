import Bytes
import Fetching
import FileIO
import HLS
import MP4
import Packaging
import Presentations

/// Runs `mp4tool subtitles`: reads a presentation, plans its subtitles, and writes them beside it, or to a folder
/// with an edited copy of the multivariant playlist.
struct SubtitlesJob {
  private let arguments: ParsedArguments
  private let context: CommandContext
  private let reader: TimingReader
  private let files: [SubtitleFile]
  private let planner: SubtitlePlanner

  init(
    _ arguments: ParsedArguments, _ context: CommandContext, _ reader: TimingReader, _ planner: SubtitlePlanner,
    adding files: [SubtitleFile]
  ) {
    (self.arguments, self.context) = (arguments, context)
    (self.reader, self.planner, self.files) = (reader, planner, files)
  }

  /// Writes the folder `path` with the edited playlist.
  func run(to path: Pathname?) throws -> ExitCode {
    try OutputJob(arguments, context, to: .folder(path), from: []).run { _, _ in
      var (plan, diagnostics, place, isMedia) = try plan(planner, acceptsMediaPlaylist: true)
      if let path { plan.rebase(keepsVariables: !place.isRemote, try place.rebasing(to: path)) }
      diagnostics += plan.diagnostics
      if place.hasUser {
        let text = "its user name and password are not written to the playlist; players need them"
        diagnostics.append(Diagnostic(.warning, place.name, text))
      }
      if isMedia {
        let text = "it is a media playlist; \(Self.main) is its multivariant playlist, with the subtitles"
        diagnostics.append(Diagnostic(.note, place.name, text))
      }
      let files = plan.files.compactMap { file in
        Pathname(file.path).map { path in
          PlannedFile(path: path, byteCount: file.byteCount) { [plan] in try plan.write(file, to: $0) }
        }
      }
      let (playlist, name) = (plan.main.bytes, isMedia ? Self.main : reader.presentation.fileName)
      return PlannedOutput(
        files + [PlannedFile(path: name, byteCount: playlist.count) { try $0.write(playlist) }],
        diagnostics: diagnostics, counts: counts(plan))
    }
  }

  /// Writes the subtitles to a folder beside the playlist, and then replaces the playlist.
  func runInPlace() throws -> ExitCode {
    guard let playlist = reader.presentation.input, playlist != "-" else {
      throw UsageError("a playlist on a server or in a pipe cannot be changed in place; use '-o DIR'")
    }
    // Otherwise the output would be the first to notice a wrong name.
    _ = try FileSource(playlist)
    var planner = planner
    planner.chooseFolder(beside: playlist)
    let target = OutputJob.Target.subtitles(planner, beside: playlist)
    return try OutputJob(arguments, context, to: target, from: []).run { [planner] _, _ in
      let (plan, diagnostics, _, _) = try plan(planner)
      return PlannedOutput(
        diagnostics: diagnostics + plan.diagnostics, content: .subtitles(plan),
        byteCount: plan.files.reduce(0) { $0 + $1.byteCount }, counts: { counts(plan) })
    }
  }

  private func counts(_ plan: SubtitlePlan) -> String { counted(plan.media.count, "rendition") + " of subtitles" }

  /// The name of the multivariant playlist of a media playlist.
  private static let main: Pathname = "master.m3u8"

  /// The subtitles, diagnostics of the presentation, the location of its playlist, and whether it is a media playlist.
  private func plan(
    _ planner: SubtitlePlanner, acceptsMediaPlaylist: Bool = false
  ) throws -> (SubtitlePlan, [Diagnostic], PresentationLocation, isMedia: Bool) {
    var reader = reader
    reader.acceptsMediaPlaylist = acceptsMediaPlaylist
    let all = try files.read(arguments)
    let plan = try reader.plan(planner, adding: all)
    return (plan, reader.unknownStarts.map(\.diagnostic), reader.presentation, reader.isMediaPlaylist)
  }
}

extension UnknownMediaStart {
  /// The warning, with the option that avoids it.
  var diagnostic: Diagnostic {
    Diagnostic(.warning, file, "\(text); --\(SubtitlesCommand.mediaStart.declaration.name) sets it")
  }
}

extension PresentationLocation {
  /// A multivariant playlist given by the user: a file or a URL.
  init(_ operand: Argument, allowsOutside: Bool, _ fetching: FetchOptions = FetchOptions()) throws(UsageError) {
    let file = operand.isDash ? Argument("master.m3u8") : operand
    let place = try PlaylistLocation(file, allowsOutside: allowsOutside)
    var options = fetching
    options.start = WebAddress(place.reference)
    self.init(place, reading: operand.path, Fetcher(options))
  }
}
