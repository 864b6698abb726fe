import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO

/// A run of `mp4tool dump` on one or more files.
struct DumpJob {
  private let arguments: ParsedArguments
  private let context: CommandContext
  private let format: DumpFormat
  private let selection: BoxSelection
  private let isSeveral: Bool
  private let registry: BoxRegistry

  /// The maximum number of bytes of a box that are shown without `--full`.
  private static let byteLimit = 4096

  init(_ arguments: ParsedArguments, _ context: CommandContext, _ registry: BoxRegistry) {
    self.arguments = arguments
    self.context = context
    format = arguments[DumpCommand.format]
    isSeveral = arguments.operands.count > 1
    var selection = BoxSelection()
    let patterns = arguments[DumpCommand.path]
    if !patterns.isEmpty { selection.pattern = BoxPattern(patterns) }
    selection.depth = arguments[DumpCommand.depth]?.count
    selection.types = arguments[DumpCommand.only].flatMap(\.types)
    if arguments[DumpCommand.hex] { selection.byteLimit = arguments[DumpCommand.full] ? .max : Self.byteLimit }
    self.selection = selection
    self.registry = registry
  }

  func run() throws -> ExitCode {
    let movie = try movieContext()
    let isArray = format == .json && isSeveral
    var failure = ExitCode.done
    var isFirst = true
    if isArray { try context.console.write("[") }
    for file in arguments.operands {
      // If a file cannot be shown, the others still are.
      do {
        try show(file, movie, isFirst: &isFirst)
      } catch let error as NotDumped {
        failure = max(failure, Failure.report(error, to: context.diagnostics))
        try fail(file, "\(error)", isFirst: &isFirst)
      } catch let error as Interrupted {
        failure = max(failure, Failure.report(error.error, to: context.diagnostics))
      } catch let error as IOError where error.operation != .write {
        failure = max(failure, Failure.report(error, to: context.diagnostics))
        try fail(file, error.description, isFirst: &isFirst)
      }
    }
    if isArray { try context.console.write("]\n") }
    return max(failure, context.diagnostics.outcome)
  }

  private func show(_ file: Argument, _ movie: MovieContext?, isFirst: inout Bool) throws {
    // To show its bytes, a box is read twice.
    let source = try InputFiles(context).open(file, spool: selection.byteLimit != nil)
    let name = file.isDash ? source.name : file.text
    // Boxes of a pipe are printed as they arrive.
    let isPipe = source.byteCount == nil
    context.console.isImmediate = isPipe
    var dump = BoxDump(source, selection, movie: movie, registry: registry)
    if let reason = try dump.reasonForNoBoxes() { throw NotDumped(file: name, reason: reason) }
    try separate(name, &isFirst)
    try report(show(&dump, name), of: name, source, isPipe: isPipe)
  }

  /// Writes an error instead of boxes in JSON.
  private func fail(_ file: Argument, _ message: String, isFirst: inout Bool) throws {
    if format == .text { return }
    let name = file.isDash ? "standard input" : file.text
    try separate(name, &isFirst)
    let sink = JSONSink(context.console, jsonOptions(name))
    sink.fail(message)
    sink.finish()
    if let failure = sink.failure { throw failure }
  }

  /// Why a file cannot be used.
  private struct NotDumped: Error, CustomStringConvertible {
    let file: String
    let reason: String
    var description: String { "\(file): \(reason)" }
  }

  /// A read error in the middle of a file, which is also reported in the output.
  private struct Interrupted: Error {
    let error: IOError
  }

  private func movieContext() throws -> MovieContext? {
    guard let file = arguments[DumpCommand.initFile] else { return nil }
    if file.isDash, arguments.operands.contains(where: \.isDash) {
      throw UsageError("standard input cannot be both INIT and FILE")
    }
    let source = try InputFiles(context).open(file, spool: false)
    guard let movie = try MovieContext(reading: source) else {
      throw NotDumped(file: file.isDash ? source.name : file.text, reason: "it has no `moov` with tracks")
    }
    return movie
  }

  private func separate(_ name: String, _ isFirst: inout Bool) throws {
    defer { isFirst = false }
    guard isSeveral else { return }
    switch format {
    case .jsonl: break
    case .json: try context.console.write(isFirst ? "\n" : ",\n")
    case .text: try context.console.write("\(isFirst ? "" : "\n")==> \(Printable.escaped(name)) <==\n")
    }
  }

  private func show(_ dump: inout BoxDump, _ name: String) throws -> BoxDump.Summary {
    if format == .text {
      let sink = TextSink(context.console, textOptions)
      let summary = try dump.run(to: sink)
      sink.finish()
      if let failure = sink.failure { throw failure }
      return summary
    }
    let sink = JSONSink(context.console, jsonOptions(name))
    do {
      let summary = try dump.run(to: sink)
      sink.finish()
      if let failure = sink.failure { throw failure }
      return summary
    } catch let error as IOError where error.operation != .write {
      sink.fail(error.description)
      sink.finish()
      throw Interrupted(error: error)
    }
  }

  private func jsonOptions(_ name: String) -> JSONOptions {
    var options = JSONOptions(file: isSeveral ? name : nil)
    options.isLines = format == .jsonl
    options.isFull = arguments[DumpCommand.full]
    return options
  }

  private var textOptions: TextOptions {
    var options = TextOptions(verbosity: arguments[DumpCommand.verbosity])
    options.names = arguments[DumpCommand.names]
    options.showsOffsets = arguments[DumpCommand.offsets]
    options.showsTimes = arguments.has(DumpCommand.initFile)
    options.isColoured = arguments[DumpCommand.color].isUsed(on: context.console)
    return options
  }

  private func report(
    _ summary: BoxDump.Summary, of name: String, _ source: any ByteSource, isPipe: Bool
  ) throws(IOError) {
    if summary.boxes == 0, summary.problems == 0 {
      let asked = selection.types.isEmpty ? "'--path'" : "'--only'"
      context.diagnostics.finding("\(name): no box matches \(asked)\(try hint(for: source, isPipe: isPipe))")
    }
    if let file = arguments[DumpCommand.initFile], let track = summary.unknownTrack {
      let place = Self.place(name, track.path)
      context.diagnostics.warning(
        "\(place): track \(track.number) does not exist in \(file.text); details of its fragments are unknown")
    }
    if let first = summary.firstNote {
      let more = summary.notes > 1 ? " (and \(summary.notes - 1) more)" : ""
      context.diagnostics.note("\(Self.place(name, first.path)): \(first.error); its fields are not shown\(more)")
    }
    guard let first = summary.firstProblem else { return }
    let more = summary.problems > 1 ? " (and \(summary.problems - 1) more, marked in the dump)" : ""
    context.diagnostics.finding("\(Self.place(name, first.path)): \(first.error)\(more)")
  }

  /// A hint with a wider pattern, if boxes inside others match.
  private func hint(for source: any ByteSource, isPipe: Bool) throws(IOError) -> String {
    guard let pattern = selection.pattern, let wider = pattern.atAnyDepth else { return "" }
    // The data of a pipe cannot be searched again.
    if isPipe { return "; '\(wider)' also matches boxes inside others" }
    var wanted = BoxSelection()
    wanted.pattern = wider
    return try wanted.isMet(in: source, registry: registry) ? "; '\(wider)' matches boxes inside others" : ""
  }

  private static func place(_ name: String, _ path: BoxPath) -> String {
    let path = path.shortened
    return path.isEmpty ? name : "\(name): \(path)"
  }
}
