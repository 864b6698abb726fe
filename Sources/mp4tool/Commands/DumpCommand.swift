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
    context.diagnostics.error("dump: not linked yet")
    return .inputNotUsable
  }
}
