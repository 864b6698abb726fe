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
          Choice(
            name: "3",
            meaning:
              "Everything: also each further field and table, such as the entries of `stss`, by the standard's names, and "
              + "the bytes after the fields of a box that the standard does not know."),
        ]),
      Command.ManSection(
        title: "JSON",
        paragraphs: [
          "An array of the boxes of the file; for several files an array of objects with the members `file` and `boxes`. "
            + "A box is an object with these members, in this order, as far as there is something to say:"
        ],
        items: [
          Choice(
            name: "type",
            meaning: "The four letters of the type, read as Latin-1; `null` for bytes that are not a box."),
          Choice(name: "user_type", meaning: "The 16 bytes of a `uuid` box in the usual groups of digits."),
          Choice(name: "offset", meaning: "Where the box starts in the file."),
          Choice(name: "header_size", meaning: "The bytes of its header, without version and flags."),
          Choice(name: "size", meaning: "The bytes of it that are there, with its header."),
          Choice(name: "version", meaning: "The version of a full box; `flags` follow it, as a number."),
          Choice(
            name: "fields",
            meaning:
              "An object of its fields by the standard's names. Numbers are numbers, fixed-point ones exact decimals; "
              + "types, languages and text are strings; bytes are strings of hexadecimal digits; what repeats is an "
              + "array, of values or of objects. Descriptors are in an array `descriptors`."),
          Choice(name: "rest", meaning: "Bytes after the fields that the standard does not know."),
          Choice(
            name: "error", meaning: "Where the box is damaged: the `field`, the `offset` in the file, and a `message`."),
          Choice(
            name: "boxes", meaning: "The boxes in it. Those deeper than 64 others stand in the array of the 64th."),
        ]),
      Command.ManSection(
        title: "DIFFERENCES FROM MP4DUMP",
        paragraphs: [
          "Lines differ from those of Bento4's `mp4dump` 1.6.0 only where that is plainly wrong:"
        ],
        items: [
          Choice(
            name: "matrix_8",
            meaning:
              "The last number of the matrix in `tkhd` has 30 bits of fraction, not 16: 1.000000, where `mp4dump` prints "
              + "16384.000000."),
          Choice(
            name: "signed numbers",
            meaning:
              "Offsets in `ctts` of both versions, `layer` and `alternate_group` in `tkhd`, and values of one byte in "
              + "`data`, are signed; `mp4dump` prints -1 as 4294967295, 65535 or 255. Values of eight bytes are shown."),
          Choice(
            name: "op_color",
            meaning: "The numbers of `vmhd` are in the order of the file; `mp4dump` exchanges the two bytes of each."),
          Choice(name: "colr", meaning: "An ICC profile is not read as if it were numbers of colours."),
          Choice(
            name: "rows without bytes",
            meaning:
              "Samples of a `trun` without any field of their own, and samples of a `senc` without initialization vector "
              + "and subsamples, are counted but not listed: a wrong count could list four thousand million of them."),
          Choice(
            name: "damage",
            meaning:
              "A box that is cut off or does not decode is shown with a line `!!` that says what is wrong; `mp4dump` "
              + "leaves it out, or prints numbers that are not in the file."),
          Choice(
            name: "control characters",
            meaning: "In text they are points, so that a file cannot control the terminal."),
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
      do {
        let source = try InputFiles(context).open(file, spool: false)
        let name = file.isDash ? source.name : file.text
        var dump = BoxDump(source)
        if let reason = try dump.reasonForNoBoxes() { throw NoBoxes(file: name, reason: reason) }
        if isSeveral { try context.console.write(separator(before: name, isFirst: shown == 0, isJSON)) }
        shown += 1
        let summary =
          isJSON
          ? try dumpJSON(&dump, file: isSeveral ? name : nil, context.console)
          : try dumpText(&dump, verbosity: arguments[verbosity], context.console)
        report(summary, of: name, context)
      } catch let error as NoBoxes {
        firstFailure = firstFailure ?? Failure.report(error, to: context.diagnostics)
      } catch let error as IOError where error.operation != .write {
        let code = Failure.report(error, to: context.diagnostics)
        firstFailure = firstFailure ?? code
      }
    }
    if isJSON, isSeveral { try context.console.write("]\n") }
    return firstFailure ?? context.diagnostics.outcome
  }

  /// Why a file is no sequence of boxes.
  private struct NoBoxes: Error, CustomStringConvertible {
    let file: String
    let reason: String
    var description: String { "\(file): \(reason)" }
  }

  private static func separator(before name: String, isFirst: Bool, _ isJSON: Bool) -> String {
    if isJSON { return isFirst ? "\n" : ",\n" }
    return "\(isFirst ? "" : "\n")==> \(Printable.escaped(name)) <==\n"
  }

  private static func dumpText(_ dump: inout BoxDump, verbosity: Int, _ console: Console) throws -> BoxDump.Summary {
    let sink = TextSink(console, verbosity: verbosity)
    let summary = try dump.run(to: sink)
    sink.finish()
    if let failure = sink.failure { throw failure }
    return summary
  }

  private static func dumpJSON(_ dump: inout BoxDump, file: String?, _ console: Console) throws -> BoxDump.Summary {
    let sink = JSONSink(console, file: file)
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
