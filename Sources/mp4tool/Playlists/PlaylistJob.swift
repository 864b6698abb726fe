import ISOBMFF
import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Platform
import MP4Presentations
import MP4Streaming

/// Runs a command whose input is a playlist: gets its segments, and writes one file, or one for each part
/// between discontinuities.
struct PlaylistJob {
  typealias Planning = (_ input: PlaylistInput, _ onProgress: @escaping (Int) -> Bool) throws -> PlannedOutput

  let arguments: ParsedArguments
  let context: CommandContext

  /// Packages the whole presentation at `place` in a folder.
  func run(_ place: PlaylistLocation, into folder: Pathname?, _ makePlan: @escaping Planning) throws -> ExitCode {
    var options = PlaylistOptions.values(arguments)
    (options.choice.takesAll, options.choice.takesText) = (true, true)
    if let path = place.path.flatMap({ Pathname($0) }) { context.inputs.add(path) }
    try OutputJob(arguments, context, to: .folder(folder), from: []).checkOutputs()
    options.decryptsSamples = isWithoutKeys
    let input = PlaylistInput(joining: try read(place, options))
    return try OutputJob(arguments, context, to: .folder(folder), from: input.sources).run { _, onProgress in
      try self.plan(input, makePlan, onProgress)
    }
  }

  /// Given keys take precedence; without the option, bytes are not changed.
  private var isWithoutKeys: Bool {
    arguments.ifDeclared(ContentKeyOptions.input.key)?.isEmpty == true
      && arguments[ContentKeyOptions.input.keyFile].isEmpty
  }

  private func plan(
    _ input: PlaylistInput, _ makePlan: Planning, _ onProgress: @escaping (Int) -> Bool
  ) throws -> PlannedOutput {
    var plan = try makePlan(input, onProgress)
    // The segments of a playlist can start at any time.
    plan.diagnostics = input.diagnostics + plan.diagnostics.filter { !$0.isMediaStart }
    return plan
  }

  /// Writes the output for the playlist at `place`.
  func run(_ place: PlaylistLocation, _ makePlan: @escaping Planning) throws -> ExitCode {
    var options = PlaylistOptions.values(arguments)
    let splits = arguments[PlaylistOptions.split]
    let output = arguments[OutputOptions.output]
    if splits, output?.isDash == true {
      throw UsageError("option '--split' writes several files, which cannot go to standard output")
    }
    if splits, arguments.ifDeclared(ReportFile.option) ?? nil != nil {
      throw UsageError(PlaylistOptions.split, contradicts: ReportFile.option, "a report describes one file")
    }
    // Detects outputs that cannot be created before anything is fetched.
    if let path = place.path.flatMap({ Pathname($0) }) { context.inputs.add(path) }
    try OutputJob(arguments, context, to: .file(splits ? nil : output), from: []).checkOutputs()
    options.scratch = scratch(output)
    options.decryptsSamples = isWithoutKeys
    let periods = try read(place, options)
    let inputs = splits ? periods.map { PlaylistInput(joining: [$0]) } : [PlaylistInput(joining: periods)]
    let jobs = inputs.enumerated().map { number, input in
      let name = inputs.count > 1 ? output.map { Self.numbered($0, number + 1) } : output
      return OutputJob(arguments, context, to: .file(name), from: input.sources)
    }
    return try OutputJob.runAll(jobs) { number, _, onProgress in
      try plan(inputs[number], makePlan, onProgress)
    }
  }

  /// The segments of each part between discontinuities.
  private func read(_ place: PlaylistLocation, _ options: PlaylistReader.Options) throws -> [PlaylistInput] {
    var options = options
    options.fetching = context.fetching
    options.inputs = context.inputs
    let reader = PlaylistReader(place, options)
    reader.onDiagnostic = { [diagnostics = context.diagnostics] in Self.say($0, diagnostics) }
    let progress = context.progress
    var isBegun = false
    reader.onProgress = { received, total in
      if !isBegun { progress.begin("fetching", total: nil) }
      isBegun = true
      if let total { progress.update(to: received, of: total) } else { progress.update(to: received) }
    }
    defer { progress.end() }
    var periods: [PlaylistInput] = []
    // If it is stopped, the signal ends the program unless a handler consumes it.
    try Signals.holdingStops { isWaiting in
      do throws(PresentationError) { periods = try reader.read(isStopped: isWaiting) } catch {
        if case .noSegments = error { _ = Signals.takeInterrupt() }
        throw error
      }
      // Ctrl-C only ended the following of the playlist. Other signals keep their effect.
      _ = Signals.takeInterrupt()
    }
    return periods
  }

  /// Reports a diagnostic, with the options that change the outcome.
  static func say(_ diagnostic: PlaylistDiagnostic, _ diagnostics: Diagnostics) {
    var text = diagnostic.description
    if case .omittedTexts = diagnostic.kind {
      text += "; --\(PlaylistOptions.withSubtitles.declaration.name) adds them"
    }
    if case .following = diagnostic.kind {
      return diagnostics.waiting("\(text); Ctrl-C writes the segments received so far, --no-follow does not wait")
    }
    switch diagnostic.severity {
    case .detail: diagnostics.detail(text)
    case .note: diagnostics.note(text)
    case .warning: diagnostics.warning(text)
    case .error: diagnostics.finding(text)
    }
  }

  /// Fetched bytes are stored on the disk of the output, which needs room for them anyway.
  private func scratch(_ output: Argument?) -> Pathname? {
    guard let output, !output.isDash else { return nil }
    return output.path.folder
  }

  /// A numbered name, such as `out-1.mp4` for `out.mp4`.
  private static func numbered(_ output: Argument, _ number: Int) -> Argument {
    let bytes = output.bytes
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    let dot = bytes[start...].lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
    return Argument(bytes: Array(bytes[..<dot]) + Array("-\(number)".utf8) + Array(bytes[dot...]))
  }
}
