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
      Command.ExitNote(.inputNotUsable, "A file is no sequence of boxes at all."),
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
    let isJSON = arguments[OutputFormat.option] == .json
    let isSeveral = arguments.operands.count > 1
    if isJSON, isSeveral { try context.console.write("[") }
    for (index, operand) in arguments.operands.enumerated() {
      let source = try InputFiles(context).open(operand, spool: false)
      let name = Printable.escaped(operand.text)
      let summary: BoxDump.Summary
      if isJSON {
        if isSeveral { try context.console.write("\(index > 0 ? "," : "")\n{\"file\":") }
        if isSeveral { try context.console.write("\(JSONSink.quoted(operand.text)),\"boxes\":") }
        summary = try dumpJSON(source, context.console)
        if isSeveral { try context.console.write("}") }
      } else {
        if isSeveral { try context.console.write("\(index > 0 ? "\n" : "")==> \(name) <==\n") }
        summary = try dumpText(source, verbosity: arguments[verbosity], context.console)
      }
      try report(summary, of: operand.text, context)
    }
    if isJSON, isSeveral { try context.console.write("]\n") }
    return context.diagnostics.outcome
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

  private static func report(_ summary: BoxDump.Summary, of name: String, _ context: CommandContext) throws {
    guard let first = summary.firstProblem else { return }
    let more = summary.problems > 1 ? " (and \(summary.problems - 1) more, marked in the dump)" : ""
    let path = first.path.description
    context.diagnostics.finding("\(name): \(path.isEmpty ? "" : "\(path): ")\(first.error)\(more)")
  }
}
