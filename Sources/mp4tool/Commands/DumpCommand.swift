import FileIO
import ISOBMFF

/// `mp4tool dump`.
enum DumpCommand {
  static let verbosity = Option.integer(
    "verbosity", placeholder: "LEVEL", in: 0...3, default: 0,
    help:
      "How much of the tables is shown: 0 their lengths; 1 the tables of times, chunks and runs; 2 and 3 also those "
      + "with an entry for each sample.")

  static let command = Command(
    name: "dump",
    summary: "show the boxes of MP4 files",
    operands: [Operand("FILE", .oneOrMore, help: "An MP4, CMAF, QuickTime or HEIF file; `-` is standard input.")],
    description: [
      "Shows the tree of boxes of each FILE: a line with the type and size of each box, below it its fields and then the "
        + "boxes inside it, further to the right. The text follows Bento4's `mp4dump`, so that what reads that can read "
        + "this. Media data is never read, so large files take no longer than small ones with as many boxes.",
      "Damage is shown where it is, the dump goes on after it as far as that makes sense, and the exit status is 1. "
        + "Given several files, a line `==> NAME <==` comes before each.",
    ],
    options: [verbosity, OutputFormat.option],
    examples: [
      Command.Example("mp4tool dump movie.mp4", "Shows all boxes and their fields, and of long tables their lengths."),
      Command.Example("mp4tool dump --verbosity 2 seg7.m4s | less", "Shows every sample of a segment."),
      Command.Example(
        "mp4tool dump --format json movie.mp4 | jq .", "Hands the boxes to another program."),
      Command.Example("mp4tool dump init.mp4 seg*.m4s | grep -A 1 tfdt", "Looks at the times of all segments."),
      Command.Example("curl -s https://example.com/init.mp4 | mp4tool dump -", "Reads what comes through a pipe."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Some box does not decode or is cut off; the dump shows where."),
      Command.ExitNote(.inputNotUsable, "A FILE is empty or does not begin with a box; the others are shown."),
      Command.ExitNote(.inputMissing, "A FILE cannot be opened; the others are shown."),
    ],
    manSections: [
      Command.ManSection(
        title: "VERBOSITY",
        items: [
          Choice(name: "0", meaning: "Header lines, single fields, and the number of entries of tables."),
          Choice(
            name: "1",
            meaning:
              "Also the entries of `stts`, `stsc`, `stco`, `co64`, `sidx` and `tfra`, the samples of `trun` with "
              + "short names, the matrix of `tkhd` and the data of `pssh`."),
          Choice(
            name: "2",
            meaning:
              "Also the entries of `ctts`, `stsz`, `stz2`, `saio`, `saiz`, `sbgp` and `senc`, and the samples of "
              + "`trun` with long names."),
          Choice(name: "3", meaning: "The same as 2, as in `mp4dump`."),
        ]),
      Command.ManSection(
        title: "DIFFERENCES FROM MP4DUMP",
        paragraphs: [
          "Lines differ from those of Bento4's `mp4dump` 1.6.0 only where that is plainly wrong:"
        ],
        items: [
          Choice(name: "matrix_8", meaning: "The last number of the matrix in `tkhd` has 30 bits of fraction, not 16."),
          Choice(name: "ctts", meaning: "Offsets of version 1 are signed."),
          Choice(name: "colr", meaning: "An ICC profile is not read as if it were numbers of colours."),
          Choice(
            name: "damage",
            meaning: "A box that is cut off or does not decode is shown with what is wrong, not left out."),
        ]),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let files = arguments.operands
    let isJSON = arguments[OutputFormat.option] == .json
    let isSeveral = files.count > 1
    var firstFailure: ExitCode?
    var shown = 0
    if isJSON, isSeveral { try context.console.write("[") }
    for file in files {
      // A file that cannot be shown is no reason not to show the others.
      guard let source = open(file, context, &firstFailure) else { continue }
      if isSeveral { try context.console.write(heading(of: file, isFirst: shown == 0, isJSON)) }
      shown += 1
      let summary =
        isJSON
        ? try dumpJSON(source, context.console)
        : try dumpText(source, verbosity: arguments[verbosity], context.console)
      if isJSON, isSeveral { try context.console.write("}") }
      report(summary, of: file.isDash ? source.name : file.text, context)
    }
    if isJSON, isSeveral { try context.console.write("]\n") }
    return firstFailure ?? context.diagnostics.outcome
  }

  /// Opens a file that begins with a box; another one is reported, and its exit code remembered if it is the first.
  private static func open(
    _ file: Argument, _ context: CommandContext, _ firstFailure: inout ExitCode?
  ) -> (any ByteSource)? {
    do {
      let source = try InputFiles(context).open(file, spool: false)
      try checkBeginning(of: source)
      return source
    } catch {
      let code = Failure.report(error, to: context.diagnostics)
      firstFailure = firstFailure ?? code
      return nil
    }
  }

  /// Fails when there is nothing, or something of no known type that does not end where it says.
  private static func checkBeginning(of source: any ByteSource) throws {
    let isPipe = source.byteCount == nil
    var parser = BoxParser(source)
    guard var first = try parser.next() else { throw NoBoxes(file: source.name, reason: "the file is empty") }
    if BoxRegistry.standard.definition(of: first.type, in: first.context) != nil { return }
    if isPipe {
      // A pipe that ends soon tells its size now; what was read stays at hand.
      var window = ByteWindow(source)
      _ = try window.slice(at: 0, count: 1 << 16)
      parser = BoxParser(source)
      first = try parser.next() ?? first
    }
    guard let problem = first.problem else { return }
    throw NoBoxes(file: source.name, reason: "this is not an MP4 file: \(problem)")
  }

  /// Why a file is not dumped.
  private struct NoBoxes: Error, CustomStringConvertible {
    let file: String
    let reason: String
    var description: String { "\(file): \(reason)" }
  }

  private static func heading(of file: Argument, isFirst: Bool, _ isJSON: Bool) -> String {
    guard isJSON else { return "\(isFirst ? "" : "\n")==> \(Printable.escaped(file.text)) <==\n" }
    return "\(isFirst ? "" : ",")\n{\"file\":\(JSONSink.quoted(file.text)),\"boxes\":"
  }

  private static func dumpText(_ source: any ByteSource, verbosity: Int, _ console: Console) throws -> BoxDump.Summary {
    let sink = TextSink(console, verbosity: verbosity)
    var dump = BoxDump(source)
    let summary = try dump.run(to: sink)
    sink.finish()
    if let failure = sink.failure { throw failure }
    return summary
  }

  private static func dumpJSON(_ source: any ByteSource, _ console: Console) throws -> BoxDump.Summary {
    let sink = JSONSink(console)
    var dump = BoxDump(source)
    let summary = try dump.run(to: sink)
    sink.finish()
    if let failure = sink.failure { throw failure }
    return summary
  }

  private static func report(_ summary: BoxDump.Summary, of name: String, _ context: CommandContext) {
    guard let first = summary.firstProblem else { return }
    let more = summary.problems > 1 ? " (and \(summary.problems - 1) more, marked in the dump)" : ""
    let path = first.path.description
    context.diagnostics.finding("\(name): \(path.isEmpty ? "" : "\(path): ")\(first.error)\(more)")
  }
}
