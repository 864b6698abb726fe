import MP4
import MP4Bytes
import MP4HLS
import MP4Inspection
import MP4Platform
import MP4Presentations
import MP4Records

/// `mp4tool check --watch`: a live playlist that is checked until it ends.
struct CheckWatch {
  private let arguments: ParsedArguments
  private let context: CommandContext
  private var watch: PresentationWatch
  private let threshold: Diagnostic.Severity

  init(
    _ arguments: ParsedArguments, _ context: CommandContext, _ watch: PresentationWatch,
    _ threshold: Diagnostic.Severity
  ) {
    (self.arguments, self.context, self.watch, self.threshold) = (arguments, context, watch, threshold)
  }

  /// Checks until no playlist can change any more. Stopping it by a signal ends the program, because everything has
  /// been printed.
  consuming func run(_ isNew: (Finding) -> Bool) throws -> ExitCode {
    guard arguments.operands.count == 1, let operand = arguments.operands.first else {
      throw UsageError("option '--watch' needs exactly one playlist")
    }
    context.console.isImmediate = true
    var (isBroken, isFirst) = (false, true)
    while true {
      guard let presentation = try presentation(of: operand, isFirst: isFirst) else {
        isBroken = true
        SystemClock.sleep(milliseconds: 1000)
        continue
      }
      isFirst = false
      let all = try watch.result(of: presentation, at: .milliseconds(SystemClock.milliseconds)).keeping(isNew)
      isBroken = isBroken || all.findings.contains { $0.severity >= threshold }
      let result = all.keeping { $0.severity >= arguments[CheckCommand.level] }
      if arguments[CheckCommand.format] == .records(.jsonLines) {
        try result.write(.jsonLines, to: context.console)
      } else {
        for finding in result.findings { try context.console.write("\(finding)\n") }
      }
      try context.console.flush()
      let live = presentation.playlists.compactMap(\.playlist).filter { !$0.isEnded }
      guard let target = live.map(\.targetSeconds).min() else { return isBroken ? .findings : .done }
      SystemClock.sleep(milliseconds: max(1, min(target, 3600)) * 500)
    }
  }

  /// Reads the playlists. After the first time, errors are findings, because the playlist may be available again later.
  private func presentation(of operand: Argument, isFirst: Bool) throws -> OpenedPresentation? {
    do {
      if case .presentation(let presentation) = try PresentationOperand(arguments, context).content(operand) {
        return presentation
      }
      if isFirst { throw UsageError("option '--watch' needs a playlist, and '\(operand.text)' is not one") }
      context.diagnostics.finding("\(operand.text): it is no longer a playlist")
    } catch  where !isFirst {
      _ = Failure.report(error, in: CheckCommand.command.name, to: context.diagnostics)
    }
    return nil
  }
}
