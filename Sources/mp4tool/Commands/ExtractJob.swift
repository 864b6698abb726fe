import Bytes
import ISOBMFF
import Inspection
import MP4
import Packaging

/// The work of `mp4tool extract`.
struct ExtractJob {
  private let arguments: ParsedArguments
  private let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    self.arguments = arguments
    self.context = context
  }

  func run() throws -> ExitCode {
    let parts = ExtractCommand.parts.filter { arguments.has($0) }
    guard let part = parts.first else {
      if arguments.has(ExtractCommand.whole) { throw UsageError("option '--whole' needs '--box'") }
      return try runTrack()
    }
    let ofTracks: [any DeclaredOption] = [
      ExtractCommand.tracks, ExtractCommand.frame, ExtractCommand.raw, ExtractCommand.sizes,
      ExtractCommand.format,
    ]
    if let other = (parts.dropFirst() + ofTracks).first(where: { arguments.has($0) }) {
      throw UsageError(
        "options '--\(part.declaration.name)' and '--\(other.declaration.name)' contradict each other; extract one "
          + "at a time")
    }
    if arguments.has(ExtractCommand.whole), !arguments.has(ExtractCommand.box) {
      throw UsageError("option '--whole' needs '--box'")
    }
    // Chapters can be in the segments of an init segment.
    if arguments.operands.count > 1, !arguments[ExtractCommand.chapters] {
      throw UsageError("option '--\(part.declaration.name)' takes one FILE, not \(arguments.operands.count)")
    }
    let registry = try BoxFiles(context: context).registry(arguments)
    return try OutputJob(arguments, context).run(isText: arguments[ExtractCommand.chapters]) { sources, onProgress in
      let patterns = arguments[ExtractCommand.box]
      if !patterns.isEmpty {
        let (pattern, isWhole) = (BoxPattern(patterns), arguments[ExtractCommand.whole])
        return ExtractedFile(
          try FileExcerpt.boxes(pattern, of: sources[0], isWhole: isWhole, registry: registry))
      }
      if arguments[ExtractCommand.initSegment] {
        return ExtractedFile(try FileExcerpt.initializationSegment(of: sources[0]))
      }
      let movie = try Movie(reading: sources, onProgress: onProgress)
      if arguments[ExtractCommand.chapters] { return ExtractedFile(try FileExcerpt.chapters(of: movie)) }
      let (excerpt, format) = try FileExcerpt.cover(of: movie)
      noteName(format == .other ? "an unknown picture" : "a \(format.rawValue) picture", format.extensions)
      return ExtractedFile(excerpt)
    }
  }

  private func runTrack() throws -> ExitCode {
    let format = arguments[ExtractCommand.format].stream
    let hasSizes = arguments[ExtractCommand.sizes]
    if hasSizes, !arguments[ExtractCommand.raw] { throw UsageError("option '--sizes' needs '--raw'") }
    if arguments[ExtractCommand.raw], arguments[ExtractCommand.format] != .auto {
      throw UsageError("options '--raw' and '--format' contradict each other")
    }
    if arguments[OutputOptions.output]?.isDash == true, context.console.isTerminal {
      throw UsageError("standard output is a terminal; write samples to a file or a pipe")
    }
    return try OutputJob(arguments, context).run { sources, onProgress in
      var options = Defragmenter.Options()
      options.tracks = arguments[ExtractCommand.tracks]?.selection ?? TrackSelection()
      let movie = try Movie(reading: sources, options, onProgress: onProgress)
      if let text = try text(of: movie) { return text }
      let time = arguments[ExtractCommand.frame]?.time
      let isRaw = arguments[ExtractCommand.raw]
      if let format = arguments[ExtractCommand.format].text, let track = movie.tracks.first {
        let reason = ExtractionObstacle.Reason.format(format.rawValue, codec: track.codecs.joined(separator: ", "))
        throw MovieError.impossible(file: movie.name, ExtractionObstacle(track: track.id, reason: reason))
      }
      let extraction = try TrackExtraction(of: movie, at: time, as: hasSizes ? .sizedSamples : format, isRaw: isRaw)
      noteName("\(extraction.format)", extraction.format.extensions)
      return ExtractedFile(extraction)
    }
  }

  /// The text of a track with text or timecodes; `nil` for others, and for samples as they are.
  private func text(of movie: Movie) throws -> ExtractedFile? {
    let format = arguments[ExtractCommand.format]
    if arguments[ExtractCommand.raw] || arguments[ExtractCommand.frame] != nil || format.stream != nil { return nil }
    if let (excerpt, own) = try FileExcerpt.text(of: movie, as: format.text) {
      noteName(own.rawValue, own.extensions)
      return ExtractedFile(excerpt)
    }
    guard format == .auto, let excerpt = try FileExcerpt.timecodes(of: movie) else { return nil }
    noteName("timecodes", [])
    return ExtractedFile(excerpt)
  }

  /// Says so if the name of the output promises another format than that of its contents.
  private func noteName(_ contents: String, _ usual: [String]) {
    guard let name = arguments[OutputOptions.output]?.text, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
      return
    }
    let suffix = name[name.index(after: dot)...].lowercased()
    guard Self.extensions.contains(suffix), !usual.contains(suffix) else { return }
    let usual = usual.first.map { ", which is usually named .\($0)" } ?? ""
    context.diagnostics.note("\(name): its contents are \(contents)\(usual)")
  }

  /// The extensions that promise a format.
  private static let extensions =
    containers + ElementaryStreamFormat.allCases.flatMap(\.extensions) + TextFileFormat.allCases.flatMap(\.extensions)
    + PictureFileFormat.allCases.flatMap(\.extensions)
  private static let containers = ["mp4", "m4v", "m4a", "mov"]
}

/// A planned file: the stream of a track or another part of a movie.
struct ExtractedFile: FilePlan {
  let diagnostics: [Diagnostic]
  let byteCount: Int
  let counts: String?
  private let writing: (any ByteSink) throws -> Void

  init(_ extraction: TrackExtraction) {
    (diagnostics, byteCount) = (extraction.diagnostics, extraction.byteCount)
    counts = counted(extraction.sampleCount, "sample")
    writing = extraction.write
  }

  init(_ excerpt: FileExcerpt) {
    (diagnostics, byteCount, counts) = (excerpt.diagnostics, excerpt.byteCount, nil)
    writing = excerpt.write
  }

  func write(to sink: any ByteSink) throws { try writing(sink) }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool { false }
}
