import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import MP4Platform
import MP4Presentations
import MP4Serving
import MP4Streaming

/// A live presentation from its first byte to its end.
struct LiveJob {
  private let input: any LiveInput
  private let folder: LiveFolder
  private let options: LivePackager.Options
  private let context: CommandContext

  /// The interval of checks for signals.
  private static let patience = Duration.milliseconds(100)
  /// The time in milliseconds that the input has to end after a signal.
  private static let grace = 1000

  init(_ input: any LiveInput, _ folder: LiveFolder, _ options: LivePackager.Options, _ context: CommandContext) {
    (self.input, self.folder, self.options, self.context) = (input, folder, options, context)
  }

  /// Packages until the input ends or a signal arrives; a server then runs until a signal arrives.
  func run(serving startServer: (() throws -> Server)?) throws {
    try Signals.holdingStops(takesThem: true) { isStopped in
      var server: Server?
      defer { server?.stop() }
      var packager = LivePackager(input.name, to: folder, options: options)
      packager.onDiagnostic = { [diagnostics = context.diagnostics] in diagnostics.say(Self.advising($0)) }
      do {
        server = try startServer?()
        try follow(&packager, isStopped)
        try packager.end(at: .now)
      } catch {
        packager.giveUp()
        folder.removeIfEmpty()
        throw error
      }
      context.diagnostics.detail("\(folder.name): \(counted(packager.segmentCount, "segment"))")
      if server != nil, !isStopped() { Signals.waitForStop() }
    }
  }

  /// A diagnostic with the option that avoids it.
  private static func advising(_ diagnostic: Diagnostic) -> Diagnostic {
    guard case .overTarget(_, _, _, let needed) = diagnostic.kind else { return diagnostic }
    return Diagnostic(
      diagnostic.severity, diagnostic.file,
      diagnostic.text + "; use --\(LiveCommand.targetDuration.declaration.name) \(needed)")
  }

  private func follow(_ packager: inout LivePackager, _ isStopped: () -> Bool) throws {
    var end: Int?
    while true {
      if end == nil, isStopped() { end = SystemClock.milliseconds + Self.grace }
      // Data that has already arrived is used, even if this program was suspended for a long time.
      let isOver = end.map { SystemClock.milliseconds >= $0 } ?? false
      switch try input.next(waiting: isOver ? .zero : Self.patience) {
      case .bytes(let bytes): try packager.append(bytes, at: .now)
      case .file(let name): try packager.beginFile(name, at: .now)
      case .nothing: if input.endsWithMovie, packager.isAtEndOfMovie { return }
      case .end: return
      }
      if isOver { return }
    }
  }
}
