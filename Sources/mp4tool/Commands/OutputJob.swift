import MP4Bytes
import MP4FileIO
import MP4Packaging
import MP4Platform
import MP4Presentations

/// The common work of commands that write: open the inputs and the output, plan, report diagnostics, and write the
/// result safely. A command supplies the plan.
struct OutputJob {
  /// Where the output goes.
  enum Target {
    /// A file or standard output; `nil` in a dry run without an output.
    case file(Argument?)
    /// A folder; `nil` as for a file.
    case folder(Pathname?)
    /// The input itself is changed.
    case inPlace(InPlaceFile)
    /// A folder of subtitles beside a playlist, and the playlist, which is replaced.
    case subtitles(SubtitlePlanner, beside: Pathname)
  }

  private let arguments: ParsedArguments
  private let context: CommandContext
  private let target: Target
  /// The inputs, if they are not the operands.
  private let given: [any ByteSource]?

  /// A job on the operands or on open inputs; the target is the file of `--output` unless another is given.
  init(
    _ arguments: ParsedArguments, _ context: CommandContext, to target: Target? = nil,
    from sources: [any ByteSource]? = nil
  ) {
    (self.arguments, self.context, given) = (arguments, context, sources)
    self.target = target ?? .file(arguments.ifDeclared(OutputOptions.output) ?? nil)
  }

  static let dryRun = dryRunFlag(writing: "Write nothing but the report")
  /// For commands without a report.
  static let dryRunWithoutReport = dryRunFlag(writing: "Write nothing")

  private static func dryRunFlag(writing what: String) -> Option<Bool> {
    Option.flag(
      "dry-run",
      help:
        "\(what); print all messages, and exit with the status of a real run. `--output` is then optional; if it is "
        + "given, the command checks that the output can be created.")
  }

  /// Plans the output for inputs, and reports the progress of reading them.
  typealias Planning = (_ sources: [any ByteSource], _ onProgress: @escaping (Int) -> Bool) throws -> PlannedOutput

  /// Plans the output and writes it, unless `--strict` or `--dry-run` prevents that. Text can be written to a terminal.
  func run(isText: Bool = false, _ makePlan: Planning) throws -> ExitCode {
    try checkStreams(isText: isText)
    let sources = try self.sources
    // Detects an output that cannot be created before the inputs are read.
    let output = try open()
    let report = try ReportFile(arguments, options, besides: output)
    let progress = context.progress
    let sizes = sources.compactMap(\.byteCount)
    progress.begin("reading", total: sizes.count == sources.count ? sizes.reduce(0, +) : nil)
    let plan = try makePlan(sources) {
      progress.update(to: $0)
      return true
    }
    progress.end()
    for diagnostic in plan.diagnostics { context.diagnostics.say(diagnostic) }
    let isWritten = try make(plan, output)
    try report?.write { file, name in try plan.writeReport(file, name, isWritten) }
    return context.diagnostics.outcome
  }

  /// Runs several jobs, whose plans `makePlan` makes by their number. No output is written unless all can be created.
  static func runAll(
    _ jobs: [OutputJob],
    _ makePlan: (_ number: Int, _ sources: [any ByteSource], _ onProgress: @escaping (Int) -> Bool) throws
      -> PlannedOutput
  ) throws -> ExitCode {
    if jobs.count > 1 { for job in jobs { try job.checkOutputs() } }
    var outcome = ExitCode.done
    for (number, job) in jobs.enumerated() { outcome = try job.run { try makePlan(number, $0, $1) } }
    return outcome
  }

  // MARK: Inputs and outputs

  private var sources: [any ByteSource] {
    get throws {
      if let given { return given }
      if case .inPlace(let file) = target { return [file.source] }
      return try InputFiles(context).open(arguments.operands)
    }
  }

  private var isDryRun: Bool { arguments.ifDeclared(Self.dryRun) ?? false }

  private func checkStreams(isText: Bool) throws {
    guard case .file(let name?) = target, name.isDash else { return }
    if ReportFile.isOnConsole(arguments) {
      throw UsageError("the output and the report cannot both go to standard output")
    }
    if !isText, !isDryRun, context.console.isTerminal {
      throw UsageError("standard output is a terminal; write MP4 data to a file or a pipe")
    }
  }

  private var options: OutputFile.Options {
    var options = OutputFile.Options()
    options.replacesExisting = !arguments[OutputOptions.noClobber]
    options.syncs = arguments.ifDeclared(OutputOptions.fsync) ?? false
    options.growingInputs = context.inputs
    return options
  }

  /// Begins the output; `nil` in a dry run without an output.
  private func open() throws -> (any SafeOutput)? {
    switch target {
    case .file(nil), .folder(nil): return nil
    case .file(let name?): return try OutputFile(name.path, options: options)
    case .folder(let path?): return try OutputFolder(path, syncs: options.syncs)
    case .inPlace(let file): return file
    case .subtitles(let planner, let playlist): return try SubtitleOutput(of: planner, beside: playlist, options)
    }
  }

  /// Fails if the output or the report cannot be created, as far as this can be checked before the inputs are read.
  func checkOutputs() throws {
    try checkOutput(byteCount: nil)
    if !ReportFile.isOnConsole(arguments) { _ = try ReportFile(arguments, options, besides: nil) }
  }

  /// Fails if the output cannot be created, or if the disk has no room for its size.
  func checkOutput(byteCount: Int?) throws {
    if case .file(let name?) = target, name.isDash { return }
    guard let output = try open() else { return }
    defer { output.discard() }
    if let byteCount { try output.expect(byteCount: byteCount) }
  }

  // MARK: Writing

  /// Writes the output unless an option prevents that; returns whether it was written.
  private func make(_ plan: PlannedOutput, _ output: (any SafeOutput)?) throws -> Bool {
    let name = output?.name ?? "the output"
    guard !context.diagnostics.refuses(name, plan.isChange ? "not changed" : "not written"), !plan.isEmpty else {
      output?.discard()
      return false
    }
    try output?.expect(byteCount: plan.byteCount)
    guard let output, !isDryRun else {
      output?.discard()
      try sayPlanned(plan, name)
      return false
    }
    context.progress.begin(name, total: plan.byteCount)
    output.onProgress = { [progress = context.progress] in
      progress.update(to: $0)
      return true
    }
    try write(plan, to: output)
    context.progress.end()
    for diagnostic in plan.remarks { context.diagnostics.say(diagnostic) }
    context.diagnostics.detail("\(name): \(plan.summary)")
    return true
  }

  private func write(_ plan: PlannedOutput, to output: any SafeOutput) throws {
    if output is OutputFile {
      try plan.write(to: output)
      return try output.commit()
    }
    // A handler can only remove one temporary file. Other outputs are completed or undone before a signal takes effect.
    try Signals.holdingStops { isWaiting in
      let tell = output.onProgress
      output.onProgress = { (tell?($0) ?? true) && !isWaiting() }
      do {
        try plan.write(to: output)
        try output.commit()
      } catch {
        discard(output)
        throw error
      }
    }
  }

  private func discard(_ output: any SafeOutput) {
    guard let file = output as? InPlaceFile else { return output.discard() }
    do throws(IOError) { try file.revert() } catch {
      context.diagnostics.error("\(file.name): the appended bytes could not be removed: \(error.reason)")
    }
  }

  /// Prints the result of a dry run as text; scripts can use the exit status and the report.
  private func sayPlanned(_ plan: PlannedOutput, _ name: String) throws {
    let size = counted(plan.byteCount, "byte")
    if plan.isChange { return context.diagnostics.detail("\(name): \(size) would be appended") }
    var line = "the output would have \(size)"
    if let counts = plan.counts() { line += ", \(counts)" }
    if context.console.isTerminal, !arguments[GeneralOptions.quiet], !ReportFile.isOnConsole(arguments) {
      try context.console.write(line + "\n")
    } else {
      context.diagnostics.detail(line)
    }
  }
}

extension InPlaceFile: SafeOutput {
  /// The file is an input, and no other output can replace one.
  func isSame(as file: OutputFile) -> Bool { false }
  /// The last step of a change has already committed it.
  func commit() {}
  func discard() { try? revert() }
}
