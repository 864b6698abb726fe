import Bytes
import Fetching
import FileIO
import HLS
import Inspection
import Streaming

/// An input of an inspecting command: a file, or a presentation given by a playlist, a folder or a URL.
struct PresentationOperand {
  /// The kind of an input.
  enum Content {
    /// Playlists with their segments.
    case presentation(InspectedPresentation)
    /// A file, or the files of a folder without playlists.
    case files([any ByteSource])
  }

  private let arguments: ParsedArguments
  private let context: CommandContext

  /// The command must have declared `--allow-outside`.
  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    (self.arguments, self.context) = (arguments, context)
  }

  /// Opens all inputs: files, or one presentation.
  func contents() throws -> Content {
    var files: [any ByteSource] = []
    for operand in arguments.operands {
      switch try content(operand) {
      case .files(let more): files += more
      case .presentation(let presentation):
        guard arguments.operands.count == 1 else {
          throw UsageError("'\(operand.text)' is a presentation, which must be the only input")
        }
        return .presentation(presentation)
      }
    }
    return .files(files)
  }

  /// Prevents outputs from replacing the files of an input.
  func protect(_ content: Content) {
    switch content {
    case .files(let files): for file in files { protect(Pathname(file.name)) }
    case .presentation(let presentation):
      protect(presentation.location)
      for playlist in presentation.playlists {
        protect(playlist.location)
        for section in playlist.sections { protect(try? section.resource.get().place) }
        for segment in playlist.segments { protect(try? segment.resource.get().place) }
      }
    }
  }

  private func protect(_ path: Pathname?) { if let path { context.inputs.add(path) } }
  private func protect(_ location: PlaylistLocation?) { protect(location?.path.flatMap { Pathname($0) }) }

  /// Opens an input, or reads its playlists.
  func content(_ operand: Argument) throws -> Content {
    if !WebAddress.isMeant(by: operand.text), let path = Pathname(operand.bytes), Site.isFolder(path) {
      switch try InspectedFolder(
        reading: path, allowsOutside: arguments[PlaylistOptions.allowOutside], Fetcher(context.fetching))
      {
      case .presentation(let presentation): return .presentation(presentation)
      case .files(let files): return .files(files)
      }
    }
    guard let location = try PlaylistOperand(arguments, Fetcher(context.fetching)).place(operand) else {
      return .files([try InputFiles(context).open(operand, spool: true)])
    }
    var fetching = context.fetching
    // Resources that a public server refers to must be public too.
    fetching.start = WebAddress(location.reference)
    if fetching.start != nil { context.progress.begin("fetching", total: nil) }
    defer { context.progress.end() }
    return .presentation(try InspectedPresentation(reading: location, Fetcher(fetching)))
  }
}
