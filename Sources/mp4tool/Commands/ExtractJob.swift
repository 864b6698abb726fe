import Bytes
import ISOBMFF
import Inspection
import MP4

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
    let ofTracks: [any DeclaredOption] = [ExtractCommand.tracks, ExtractCommand.frame, ExtractCommand.raw]
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
        return try FileExcerpt.boxes(pattern, of: sources[0], isWhole: isWhole, registry: registry)
      }
      if arguments[ExtractCommand.initSegment] { return try FileExcerpt.initializationSegment(of: sources[0]) }
      let movie = try Movie(reading: sources, onProgress: onProgress)
      if arguments[ExtractCommand.chapters] { return try FileExcerpt.chapters(of: movie) }
      let (excerpt, format) = try FileExcerpt.cover(of: movie)
      let others = PictureFileFormat.allCases.filter { $0 != format }.flatMap(\.extensions)
      let name = format == .other ? "an unknown picture" : "a \(format.rawValue) picture"
      noteName(name, usual: format.extensions.first, others: others)
      return excerpt
    }
  }

  private func runTrack() throws -> ExitCode {
    if arguments[OutputOptions.output]?.isDash == true, context.console.isTerminal {
      throw UsageError("standard output is a terminal; write samples to a file or a pipe")
    }
    return try OutputJob(arguments, context).run { sources, onProgress in
      let extraction = try TrackExtraction(
        of: arguments[ExtractCommand.tracks]?.selection ?? TrackSelection(), in: sources,
        at: arguments[ExtractCommand.frame]?.time, isRaw: arguments[ExtractCommand.raw], onProgress: onProgress)
      let format = extraction.format
      let others = ElementaryStreamFormat.allCases.filter { $0 != format }.flatMap(\.extensions)
      noteName("\(format)", usual: format.extensions.first, others: others.filter { !format.extensions.contains($0) })
      return extraction
    }
  }

  /// Says so if the name of the output promises another format than that of its contents.
  private func noteName(_ contents: String, usual: String?, others: [String]) {
    guard let name = arguments[OutputOptions.output]?.text, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
      return
    }
    let suffix = name[name.index(after: dot)...].lowercased()
    guard (others + Self.containers).contains(suffix) else { return }
    let usual = usual.map { ", which is usually named .\($0)" } ?? ""
    context.diagnostics.note("\(name): its contents are \(contents)\(usual)")
  }

  private static let containers = ["mp4", "m4v", "m4a", "mov"]
}

extension TrackExtraction: FilePlan {
  var counts: String? { counted(sampleCount, "sample") }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool { false }
}

extension FileExcerpt: FilePlan {
  var counts: String? { nil }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool { false }
}
