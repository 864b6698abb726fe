import Bytes
import Fetching
import FileIO
import HLS
import ISOBMFF
import MP4

/// The common work of commands that write a file or a folder: open the inputs, plan, report diagnostics, and write the
/// result safely.
struct OutputJob {
  private let arguments: ParsedArguments
  private let context: CommandContext
  /// The inputs, if they are not the operands.
  private let given: [any ByteSource]?
  private let target: Argument?

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    self.init(arguments, context, sources: nil, output: arguments.ifDeclared(OutputOptions.output) ?? nil)
  }

  /// A job on open inputs, with an output that may differ from the arguments.
  init(_ arguments: ParsedArguments, _ context: CommandContext, sources: [any ByteSource]?, output: Argument?) {
    self.arguments = arguments
    self.context = context
    given = sources
    target = output
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
  typealias Planning<Plan> = (_ sources: [any ByteSource], _ onProgress: @escaping (Int) -> Bool) throws -> Plan

  /// Plans the output for the operands and writes it to the file given by `--output`, unless `--strict` or `--dry-run`
  /// prevents that. Text can be written to a terminal.
  func run(isText: Bool = false, _ makePlan: Planning<some FilePlan>) throws -> ExitCode {
    try checkStreams(isText: isText)
    return try run(makePlan, open: openFile) { plan, file in
      try plan.write(to: file)
      try file.commit()
    }
  }

  /// Plans the output for the inputs and lets `write` write it; the output is `nil` in a dry run
  /// without an output.
  func run<Plan: OutputPlanning, Output: SafeOutput>(
    _ makePlan: Planning<Plan>, open: (OutputFile.Options) throws -> Output?, write: (Plan, Output) throws -> Void
  ) throws -> ExitCode {
    let sources = try given ?? InputFiles(context).open(arguments.operands)
    // Detects an output that cannot be created before the inputs are read.
    let options = outputOptions
    let output = try open(options)
    let report = try ReportFile(arguments, options, besides: output)
    let progress = context.progress
    let sizes = sources.compactMap(\.byteCount)
    progress.begin("reading", total: sizes.count == sources.count ? sizes.reduce(0, +) : nil)
    let plan = try makePlan(sources) {
      progress.update(to: $0)
      return true
    }
    progress.end()
    for diagnostic in plan.diagnostics { say(diagnostic) }
    let isWritten = try make(plan, output, write)
    try report?.write { file, name in try plan.writeReport(to: file, output: name, isWritten: isWritten) }
    return context.diagnostics.outcome
  }

  /// Writes the output unless an option prevents that; returns whether it was written.
  private func make<Plan: OutputPlanning, Output: SafeOutput>(
    _ plan: Plan, _ output: Output?, _ write: (Plan, Output) throws -> Void
  ) throws -> Bool {
    if context.diagnostics.refuses(output?.name ?? "the output") {
      output?.discard()
      return false
    }
    try output?.expect(byteCount: plan.byteCount)
    guard let output, !isDryRun else {
      output?.discard()
      try sayPlanned(plan)
      return false
    }
    context.progress.begin(output.name, total: plan.byteCount)
    output.onProgress = { [progress = context.progress] in
      progress.update(to: $0)
      return true
    }
    try write(plan, output)
    context.progress.end()
    context.diagnostics.detail("\(output.name): \(counted(plan.byteCount, "byte"))")
    return true
  }

  private var isDryRun: Bool { arguments.ifDeclared(Self.dryRun) ?? false }

  private func checkStreams(isText: Bool) throws {
    let isOutput = target?.isDash ?? false
    if isOutput, ReportFile.isOnConsole(arguments) {
      throw UsageError("the output and the report cannot both go to standard output")
    }
    if isOutput, !isText, !isDryRun, context.console.isTerminal {
      throw UsageError("standard output is a terminal; write MP4 data to a file or a pipe")
    }
  }

  private var outputOptions: OutputFile.Options {
    var options = OutputFile.Options()
    options.replacesExisting = !arguments[OutputOptions.noClobber]
    options.syncs = arguments[OutputOptions.fsync]
    options.growingInputs = context.inputs
    return options
  }

  /// Fails if the output or the report cannot be created, as far as this can be checked before the inputs are read.
  func checkOutputs() throws {
    try checkOutput(byteCount: nil)
    if !ReportFile.isOnConsole(arguments) { _ = try ReportFile(arguments, outputOptions, besides: nil) }
  }

  /// Fails if the output cannot be created, or if the disk has no room for its size.
  func checkOutput(byteCount: Int?) throws {
    guard let target, !target.isDash, let file = try openFile(outputOptions) else { return }
    defer { file.discard() }
    if let byteCount { try file.expect(byteCount: byteCount) }
  }

  /// Begins the output; `nil` in a dry run without an output.
  private func openFile(_ options: OutputFile.Options) throws -> OutputFile? {
    guard let target else { return nil }
    guard let path = Pathname(target.bytes) else { throw UsageError("the name of the output contains a NUL byte") }
    return try OutputFile(path, options: options)
  }

  /// Prints the result of a dry run as text; scripts can use the exit status and the report.
  private func sayPlanned(_ plan: some OutputPlanning) throws {
    var line = "the output would have \(counted(plan.byteCount, "byte"))"
    if let counts = plan.counts { line += ", \(counts)" }
    if context.console.isTerminal, !arguments[GeneralOptions.quiet], !ReportFile.isOnConsole(arguments) {
      try context.console.write(line + "\n")
    } else {
      context.diagnostics.detail(line)
    }
  }

  func say(_ diagnostic: Diagnostic) { context.diagnostics.say(diagnostic) }
}

/// A planned output.
protocol OutputPlanning {
  var diagnostics: [Diagnostic] { get }
  /// The size of the output.
  var byteCount: Int { get }
  /// The contents of the output, as a phrase.
  var counts: String? { get }
  /// Writes all decisions as JSON; returns whether there is such a report.
  func writeReport(to sink: any ByteSink, output: String?, isWritten: Bool) throws -> Bool
}

/// A planned file.
protocol FilePlan: OutputPlanning {
  func write(to sink: any ByteSink) throws
}

extension OutputPlan: FilePlan {
  var counts: String? {
    report.map { report in
      let (tracks, samples) = (report.tracks.count, report.sampleCount)
      return "\(counted(tracks, "track")) and \(counted(samples, "sample"))"
    }
  }
  func writeReport(to sink: any ByteSink, output: String?, isWritten: Bool) throws -> Bool {
    try report.write(to: sink, output: output, isWritten: isWritten)
  }
}

extension DefragmentReport? {
  func write(to sink: any ByteSink, output: String?, isWritten: Bool) throws -> Bool {
    guard var report = self else { return false }
    report.output.name = output
    report.output.isWritten = isWritten
    try report.writeJSON(to: sink)
    return true
  }
}

/// The operands of a command as sources that can be read at any offset.
struct InputFiles {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func open(_ operands: [Argument]) throws -> [any ByteSource] {
    var sources: [any ByteSource] = []
    for operand in operands { sources.append(try open(operand, spool: true)) }
    return sources
  }

  /// Opens one input; if `spool` is true, a pipe is copied to a temporary file so that it can be read again.
  func open(_ operand: Argument, spool: Bool) throws -> any ByteSource {
    if WebAddress.isMeant(by: operand.text) { return try RemoteFile(context).open(operand) }
    guard let path = Pathname(operand.bytes) else { throw UsageError("the name of an input contains a NUL byte") }
    let diagnostics = context.diagnostics
    let source = try openSource(path, spool: spool) {
      let name = operand.isDash ? "standard input" : operand.text
      diagnostics.detail("\(name): pipes cannot seek; copied to a temporary file")
    }
    if let file = source as? FileSource { context.inputs.add(file.identity) }
    return source
  }
}
