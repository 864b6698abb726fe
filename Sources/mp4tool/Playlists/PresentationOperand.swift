import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Inspection
import MP4Presentations
import MP4Serving

/// An input of an inspecting command: a file, or a presentation given by a playlist, a folder or a URL.
struct PresentationOperand {
  /// The kind of an input.
  enum Content {
    /// Playlists with their segments.
    case presentation(OpenedPresentation)
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
    case .files(let files):
      for case let path? in files.map({ Pathname($0.name) }) { context.inputs.add(path) }
    case .presentation(let presentation): context.inputs.add(presentation)
    }
  }

  /// Opens an input, or reads its playlists.
  func content(_ operand: Argument) throws -> Content {
    if !WebAddress.isMeant(by: operand.text), Site.isFolder(operand.path) {
      switch try OpenedFolder(
        reading: operand.path, allowsOutside: arguments.ifDeclared(PlaylistOptions.allowOutside) ?? false,
        Fetcher(context.fetching))
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
    return .presentation(try OpenedPresentation(reading: location, Fetcher(fetching)))
  }
}

extension PresentationMovies {
  /// Reads the selected media of a presentation, and reports unreadable parts and diagnostics of its movies.
  init(
    _ presentation: OpenedPresentation, tracks: TrackSelection = TrackSelection(), _ arguments: ParsedArguments,
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
    for failure in failures { diagnostics.finding(failure.advised) }
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
    _ presentation: OpenedPresentation, _ body: (OpenedPresentation.Progress) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin(presentation.name, total: nil, in: .segments)
    defer { end() }
    return try body { opened, total in update(to: opened, of: total) }
  }
}
