import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging
import Platform

/// What `mp4tool subtitles` does: read a presentation, work out its subtitles, and write them beside it, or to a folder
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

  /// Makes the folder `path` with the edited playlist.
  func run(to path: Path?) throws -> ExitCode {
    try FolderJob(arguments, context).run(path, on: []) { _, _ in
      var (folder, place) = try plan(planner)
      if place.hasUser {
        let text = "the user and the password of its address are not written into the playlist; players need them"
        folder.notices.append(Notice(.warning, place.name, text))
      }
      if let path { folder.rebase(try place.rebasing(to: path), keepsVariables: !place.isRemote) }
      folder.addPlaylist(reader.place.fileName)
      return folder
    }
  }

  /// Puts the subtitles into a folder beside the playlist, and then the edited playlist in place of the other.
  func runInPlace() throws -> ExitCode {
    guard let playlist = reader.place.operand, let folder = reader.place.folder, playlist != "-" else {
      throw UsageError("a playlist on a server or in a pipe cannot be changed in place; make another by '-o DIR'")
    }
    var (planner, target, number) = (self.planner, folder.appending("subtitles"), 2)
    while target.resolved != nil {
      planner.folder = "subtitles-\(number)"
      target = folder.appending(Path(planner.folder) ?? "subtitles")
      number += 1
    }
    return try OutputJob(arguments, context, sources: [], output: nil).run { _, _ in
      try plan(planner).folder
    } open: { options in
      try AddedFolder(target, changing: playlist, options)
    } write: { plan, output in
      try output.write(plan)
    }
  }

  /// The subtitles, and where the playlist was found.
  private func plan(_ planner: SubtitlePlanner) throws -> (folder: SubtitleFolder, place: PresentationPlace) {
    var reader = reader
    let all = try files.read(arguments)
    let plan = try reader.plan(planner, adding: all)
    return (SubtitleFolder(plan, planner.folder, reader.notices), reader.place)
  }
}
