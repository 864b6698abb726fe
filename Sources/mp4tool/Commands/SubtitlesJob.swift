import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Packaging
import MP4Presentations

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
      var (plan, reader) = try plan(planner, acceptsMediaPlaylist: true)
      let place = reader.location
      if let path { plan.rebase(keepsVariables: !place.isRemote, try place.rebasing(to: path)) }
      var diagnostics = reader.unknownStarts.map(\.diagnostic) + plan.diagnostics
      if place.hasUser {
        let text = "its user name and password are not written to the playlist; players need them"
        diagnostics.append(Diagnostic(.warning, reader.name, text))
      }
      if reader.isMediaPlaylist {
        let text = "it is a media playlist; \(Self.main) is its multivariant playlist, with the subtitles"
        diagnostics.append(Diagnostic(.note, reader.name, text))
      }
      let files = plan.files.compactMap { file in
        Pathname(file.path).map { path in
          PlannedFile(path: path, byteCount: file.byteCount) { [plan] in try plan.write(file, to: $0) }
        }
      }
      let (playlist, name) = (plan.main.bytes, reader.isMediaPlaylist ? Self.main : self.reader.location.fileName)
      return PlannedOutput(
        files + [PlannedFile(path: name, byteCount: playlist.count) { try $0.write(playlist) }],
        diagnostics: diagnostics, counts: counts(plan))
    }
  }

  /// Writes the subtitles to a folder beside the playlist, and then replaces the playlist.
  func runInPlace() throws -> ExitCode {
    guard let playlist = input, playlist != "-" else {
      throw UsageError("a playlist on a server or in a pipe cannot be changed in place; use '-o DIR'")
    }
    // Otherwise the output would be the first to notice a wrong name.
    _ = try FileSource(playlist)
    var planner = planner
    planner.chooseFolder(beside: playlist)
    let target = OutputJob.Target.subtitles(planner, beside: playlist)
    return try OutputJob(arguments, context, to: target, from: []).run { [planner] _, _ in
      let (plan, reader) = try plan(planner)
      return PlannedOutput(
        diagnostics: reader.unknownStarts.map(\.diagnostic) + plan.diagnostics, content: .subtitles(plan),
        byteCount: plan.files.reduce(0) { $0 + $1.byteCount }, counts: { counts(plan) })
    }
  }

  private func counts(_ plan: SubtitlePlan) -> String { counted(plan.media.count, "rendition") + " of subtitles" }

  /// The name of the multivariant playlist of a media playlist.
  private static let main: Pathname = "master.m3u8"

  /// The subtitles, and the reader with what it has found out about the presentation.
  private func plan(
    _ planner: SubtitlePlanner, acceptsMediaPlaylist: Bool = false
  ) throws -> (SubtitlePlan, TimingReader) {
    var reader = reader
    reader.acceptsMediaPlaylist = acceptsMediaPlaylist
    let all = try files.read(arguments)
    let plan = try reader.plan(planner, adding: all, from: playlist())
    return (plan, reader)
  }

  /// The contents of a local playlist, which can be a pipe.
  private func playlist() throws -> MemorySource? {
    guard let source = try input.map({ try FileSource.open($0) }) else { return nil }
    return MemorySource(try source.bytes(limit: PresentationOpener.playlistLimit), name: source.name)
  }

  /// The local file or pipe with the playlist; `nil` if it is remote.
  private var input: Pathname? { reader.location.isRemote ? nil : Pathname(arguments.operands[0].bytes) }
}

extension TimingReader {
  /// A reader of a multivariant playlist given by the user: a file or a URL.
  init(
    _ operand: Argument, allowsOutside: Bool, mediaStart: MediaTime?, _ fetching: FetchOptions
  ) throws(UsageError) {
    let file = operand.isDash ? Argument("master.m3u8") : operand
    let place = try PlaylistLocation(file, allowsOutside: allowsOutside)
    var options = fetching
    options.start = WebAddress(place.reference)
    self.init(place, Fetcher(options), mediaStart: mediaStart)
  }
}

extension UnknownMediaStart {
  /// The warning, with the option that avoids it.
  var diagnostic: Diagnostic {
    Diagnostic(.warning, file, "\(text); --\(SubtitlesCommand.mediaStart.declaration.name) sets it")
  }
}
