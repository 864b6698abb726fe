import FileIO
import ISOBMFF
import MP4

/// What every command does that makes one file of others: open them, plan, say what was met, write the result safely.
struct OutputJob {
  private let arguments: ParsedArguments
  private let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    self.arguments = arguments
    self.context = context
  }

  /// Works out a plan for the operands and writes it, unless `--strict` forbids it.
  func run(
    _ makePlan: (_ sources: [any ByteSource], _ onProgress: @escaping (Int) -> Void) throws -> OutputPlan
  ) throws -> ExitCode {
    let sources = try InputFiles(context).open(arguments.operands)
    // An output that cannot be made is found out before the inputs are read.
    let output = try openOutput(sources)
    let progress = context.progress
    let sizes = sources.compactMap(\.byteCount)
    progress.begin("reading", total: sizes.count == sources.count ? sizes.reduce(0, +) : nil)
    let plan = try makePlan(sources) { progress.update(to: $0) }
    progress.end()
    for notice in plan.notices { say(notice) }
    if context.diagnostics.refuses(output.name) {
      output.discard()
      return context.diagnostics.outcome
    }
    try output.expect(byteCount: plan.byteCount)
    progress.begin(output.name, total: plan.byteCount)
    output.onProgress = {
      progress.update(to: $0)
      return true
    }
    try plan.write(to: output)
    try output.commit()
    progress.end()
    context.diagnostics.detail("\(output.name): \(plan.byteCount) bytes")
    return context.diagnostics.outcome
  }

  private func openOutput(_ sources: [any ByteSource]) throws -> OutputFile {
    let target = arguments[OutputOptions.output]
    if target.isDash, context.console.isTerminal {
      throw UsageError("standard output is a terminal; an MP4 file would only disturb it. Give a file, or a pipe")
    }
    guard let path = Path(target.bytes) else { throw UsageError("the name of the output has a zero byte in it") }
    var options = OutputFile.Options()
    options.replacesExisting = !arguments[OutputOptions.noClobber]
    options.syncs = arguments[OutputOptions.sync]
    options.inputs = Set(sources.compactMap { ($0 as? FileSource)?.identity })
    return try OutputFile(path, options: options)
  }

  func say(_ notice: Notice) {
    switch notice.severity {
    case .note: context.diagnostics.note(notice.description)
    case .warning: context.diagnostics.warning(notice.description)
    case .loss: context.diagnostics.finding(notice.description)
    }
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

  /// Opens one; a pipe is copied to a temporary file as it is read when `spool` says that it will be read again.
  func open(_ operand: Argument, spool: Bool) throws -> any ByteSource {
    guard let path = Path(operand.bytes) else { throw UsageError("the name of an input has a zero byte in it") }
    let diagnostics = context.diagnostics
    return try openSource(path, spool: spool) {
      let name = operand.isDash ? "standard input" : operand.text
      diagnostics.detail("\(name): a pipe cannot go back; it is copied to a temporary file")
    }
  }
}
