import Bytes
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
    if arguments[OutputOptions.output]?.isDash == true, context.console.isTerminal {
      throw UsageError("standard output is a terminal; write samples to a file or a pipe")
    }
    return try OutputJob(arguments, context).run { sources, onProgress in
      let extraction = try TrackExtraction(
        of: arguments[ExtractCommand.tracks]?.selection ?? TrackSelection(), in: sources,
        at: arguments[ExtractCommand.frame]?.time, isRaw: arguments[ExtractCommand.raw], onProgress: onProgress)
      noteName(extraction.format)
      return extraction
    }
  }

  /// Says so if the name of the output promises another format.
  private func noteName(_ format: ElementaryStreamFormat) {
    guard let name = arguments[OutputOptions.output]?.text, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
      return
    }
    let suffix = name[name.index(after: dot)...].lowercased()
    let others = ElementaryStreamFormat.allCases.filter { $0 != format }.flatMap(\.extensions) + Self.containers
    guard others.contains(suffix) else { return }
    let usual = format.extensions.first.map { ", which is usually named .\($0)" } ?? ""
    context.diagnostics.note("\(name): its contents are \(format)\(usual)")
  }

  private static let containers = ["mp4", "m4v", "m4a", "mov"]
}

extension TrackExtraction: FilePlan {
  var counts: String? { counted(sampleCount, "sample") }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool { false }
}
