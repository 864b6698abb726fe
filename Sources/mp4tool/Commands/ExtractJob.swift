import ISOBMFF
import MP4
import MP4Bytes
import MP4Inspection
import MP4Packaging

struct ExtractJob {
  let arguments: ParsedArguments
  let context: CommandContext

  func run() throws -> ExitCode {
    let registry = try BoxFiles(context: context).registry(arguments)
    let parts = ExtractCommand.parts.filter { arguments.has($0) }
    guard let part = parts.first else {
      if arguments.has(ExtractCommand.whole) { throw UsageError("option '--whole' needs '--box'") }
      return try runTrack()
    }
    try arguments.refuse(parts.dropFirst() + ExtractCommand.ofTracks, with: part, because: "extract one at a time")
    if arguments.has(ExtractCommand.whole), !arguments.has(ExtractCommand.box) {
      throw UsageError("option '--whole' needs '--box'")
    }
    // Chapters, messages and telemetry can be in segments that follow an init segment.
    let telemetry = arguments[ExtractCommand.telemetry]
    let isInSegments = arguments[ExtractCommand.chapters] || arguments[ExtractCommand.id3] || telemetry != nil
    if arguments.operands.count > 1, !isInSegments {
      throw UsageError("option '--\(part.declaration.name)' needs exactly one FILE, not \(arguments.operands.count)")
    }
    let isText = arguments[ExtractCommand.chapters] || telemetry != nil
    return try OutputJob(arguments, context).run(isText: isText) { sources, onProgress in
      let patterns = arguments[ExtractCommand.box]
      if !patterns.isEmpty {
        let (pattern, isWhole) = (BoxPattern(patterns), arguments[ExtractCommand.whole])
        return PlannedOutput(try FileExcerpt.boxes(pattern, of: sources[0], isWhole: isWhole, registry: registry))
      }
      if arguments[ExtractCommand.initSegment] {
        return PlannedOutput(try FileExcerpt.initializationSegment(of: sources[0]))
      }
      let movie = try Movie(reading: sources, onProgress: onProgress)
      if arguments[ExtractCommand.chapters] { return PlannedOutput(try FileExcerpt.chapters(of: movie)) }
      if arguments[ExtractCommand.id3] { return PlannedOutput(try FileExcerpt.id3Tags(of: movie)) }
      if let telemetry { return PlannedOutput(try TelemetryFile(movie, as: telemetry)) }
      let (excerpt, format) = try FileExcerpt.cover(of: movie)
      let name = format == .other ? "an unknown picture" : "a \(format.rawValue) picture"
      return noted(ExtractedFile(excerpt, name, format.extensions))
    }
  }

  // MARK: Tracks

  private func runTrack() throws -> ExitCode {
    if arguments[ExtractCommand.sizes], !arguments[ExtractCommand.raw] {
      throw UsageError("option '--sizes' needs '--raw'")
    }
    if arguments[ExtractCommand.raw], arguments[ExtractCommand.format] != .auto {
      throw UsageError(ExtractCommand.raw, contradicts: ExtractCommand.format)
    }
    if arguments[ExtractCommand.captions] { return try runCaptions() }
    if arguments.has(ExtractCommand.channel) { throw UsageError("option '--channel' needs '--captions'") }
    if arguments[OutputOptions.output]?.isDash == true, context.console.isTerminal {
      throw UsageError("standard output is a terminal; write samples to a file or a pipe")
    }
    if let names = arguments[OutputOptions.output].flatMap(OutputNames.init(numbered:)) { return try runTracks(names) }
    return try OutputJob(arguments, context).run { sources, onProgress in
      let (movie, time) = try read(sources, onProgress)
      let selection = arguments[ExtractCommand.tracks]?.selection ?? TrackSelection()
      let own = selection.selectsByID ? movie : movie.withoutChapters
      return noted(try plan(time != nil && selection.items.isEmpty ? own.firstVideo : own, at: time))
    }
  }

  /// Writes the closed captions of a channel.
  private func runCaptions() throws -> ExitCode {
    let format = arguments[ExtractCommand.format]
    try arguments.refuse(
      [ExtractCommand.raw, ExtractCommand.frame], with: ExtractCommand.captions, because: "captions are not samples")
    if format.stream != nil { throw UsageError(ExtractCommand.captions, contradicts: ExtractCommand.format) }
    if format.text == .macCaption, arguments.has(ExtractCommand.channel) {
      throw UsageError("option '--channel' has no effect on MCC, which has all channels")
    }
    return try OutputJob(arguments, context).run(isText: true) { sources, onProgress in
      let (movie, _) = try read(sources, onProgress)
      let captions = try FileExcerpt.captions(
        of: movie, channel: arguments[ExtractCommand.channel], as: format.text)
      return noted(ExtractedFile(captions.excerpt, captions.format.rawValue, captions.format.extensions))
    }
  }

  /// The selected tracks, decrypted if keys are given, and the time of the requested sample.
  private func read(_ sources: [any ByteSource], _ onProgress: @escaping (Int) -> Bool) throws
    -> (movie: Movie, time: MediaTime?)
  {
    let selection = arguments[ExtractCommand.tracks]?.selection ?? TrackSelection()
    let sources = try ContentKeyOptions.input.decrypted(sources, arguments, context, tracks: selection)
    let movie = try Movie(reading: sources, onProgress: onProgress).keeping(selection)
    guard let frame = arguments[ExtractCommand.frame], movie.tracks.contains(where: { !$0.samples.isEmpty }) else {
      return (movie, nil)
    }
    // Frames and timecodes can be those of unselected tracks.
    return (movie, try frame.time(in: MovieCutter(reading: sources, framesOf: selection)))
  }

  /// Writes each track to a separate file if all can be written.
  private func runTracks(_ names: OutputNames) throws -> ExitCode {
    let sources = try InputFiles(context).open(arguments.operands)
    let (movie, time) = try read(sources) { _ in true }
    if movie.tracks.isEmpty { _ = try plan(movie, at: time) }
    var files = try movie.tracks.indices.map { try plan(movie.keeping(tracks: [$0]), at: time) }
    // Some diagnostics are about the whole movie, so duplicates are removed. All are reported with the first file: with
    // `--strict`, an error of one track prevents all outputs.
    var diagnostics: [Diagnostic] = []
    for index in files.indices {
      for diagnostic in files[index].output.diagnostics where !diagnostics.contains(diagnostic) {
        diagnostics.append(diagnostic)
      }
      files[index].output.diagnostics = []
    }
    if !files.isEmpty { files[0].output.diagnostics = diagnostics }
    let outputs = zip(files, movie.tracks).map { names.name(Int($1.id), extension: $0.extensions.first) }
    let jobs = outputs.map { OutputJob(arguments, context, to: .file($0), from: sources) }
    return try OutputJob.runAll(jobs) { number, _, _ in noted(files[number], as: outputs[number]) }
  }

  /// The file for the only track of a movie, or for its sample at a time.
  private func plan(_ movie: Movie, at time: MediaTime?) throws -> ExtractedFile {
    if let text = try text(of: movie) { return text }
    let format = arguments[ExtractCommand.format]
    if let text = format.text, let track = movie.tracks.first {
      let obstacle = Obstacle.format(text.rawValue, codec: track.codecs.joined(separator: ", "))
      throw MovieError.impossible(file: movie.name, obstacle.inTrack(track.id))
    }
    return ExtractedFile(
      try TrackExtraction(
        of: movie, at: time,
        as: arguments[ExtractCommand.sizes] ? .sizedSamples : format.stream, isRaw: arguments[ExtractCommand.raw]))
  }

  /// The text of a text or timecode track; `nil` for other tracks, and for raw samples.
  private func text(of movie: Movie) throws -> ExtractedFile? {
    let format = arguments[ExtractCommand.format]
    if arguments[ExtractCommand.raw] || arguments[ExtractCommand.frame] != nil || format.stream != nil { return nil }
    if let (excerpt, own) = try FileExcerpt.text(of: movie, as: format.text) {
      return ExtractedFile(excerpt, own.rawValue, own.extensions)
    }
    guard format == .auto, let excerpt = try FileExcerpt.timecodes(of: movie) else { return nil }
    return ExtractedFile(excerpt, "timecodes", [])
  }

  /// The output, with a note if its extension does not match the format of the contents.
  private func noted(_ file: ExtractedFile, as name: Argument? = nil) -> PlannedOutput {
    guard let name = (name ?? arguments[OutputOptions.output])?.text,
      let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
    else { return file.output }
    let suffix = name[name.index(after: dot)...].lowercased()
    guard Self.extensions.contains(suffix), !file.extensions.contains(suffix) else { return file.output }
    let usual = file.extensions.first.map { ", which is usually named .\($0)" } ?? ""
    context.diagnostics.note("\(name): the content is \(file.format)\(usual)")
    return file.output
  }

  /// The extensions of known formats.
  private static let extensions =
    containers + ElementaryStreamFormat.allCases.flatMap(\.extensions) + TextFileFormat.allCases.flatMap(\.extensions)
    + PictureFileFormat.allCases.flatMap(\.extensions)
  private static let containers = ["mp4", "m4v", "m4a", "mov", "3gp", "mkv", "webm", "ts"]
}

extension Movie {
  /// The movie with only its first video track, whose frames are counted; the whole movie if it has none.
  fileprivate var firstVideo: Movie {
    tracks.firstIndex { $0.handler == "vide" && !$0.samples.isEmpty }.map { keeping(tracks: [$0]) } ?? self
  }
}

/// The stream or text of a track, or a picture, as a planned file.
private struct ExtractedFile {
  var output: PlannedOutput
  /// The name of the format in messages.
  let format: String
  /// The usual extensions of names, in lower case.
  let extensions: [String]

  init(_ extraction: TrackExtraction) {
    output = PlannedOutput(
      diagnostics: extraction.diagnostics, content: .file(extraction.write), byteCount: extraction.byteCount,
      counts: { counted(extraction.sampleCount, "sample") })
    (format, extensions) = ("\(extraction.format)", extraction.format.extensions)
  }

  init(_ excerpt: FileExcerpt, _ format: String, _ extensions: [String]) {
    (output, self.format, self.extensions) = (PlannedOutput(excerpt), format, extensions)
  }
}

extension PlannedOutput {
  fileprivate init(_ file: TelemetryFile) {
    self.init(
      diagnostics: file.diagnostics, content: .file(file.write), byteCount: file.byteCount,
      counts: { counted(file.entryCount, "value") })
  }

  fileprivate init(_ excerpt: FileExcerpt) {
    self.init(diagnostics: excerpt.diagnostics, content: .file(excerpt.write), byteCount: excerpt.byteCount)
  }
}
