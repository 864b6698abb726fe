import Bytes
import Fetching
import Inspection
import MP4

/// `mp4tool diff`.
enum DiffCommand {
  static let samples = Option.flag(
    "samples",
    help: "Compare the samples of tracks: how many there are, their times, sizes and bytes, keyframes and codecs. "
      + "Required: so far, nothing else can be compared.")

  static let command = Command(
    name: "diff",
    summary: "compare two MP4 files: whether a remux kept all samples",
    operands: [
      Operand(
        "FILE", unless: [RecordFormatOption.printSchema.declaration.name],
        help: "An MP4, CMAF or QuickTime file; `-` is standard input; URLs are accepted."),
      Operand(
        "OTHER", unless: [RecordFormatOption.printSchema.declaration.name],
        help: "The other file."),
    ],
    description: [
      "Compares the samples of two files, whatever their layout is: a fragmented file is the same as a progressive one "
        + "with the same media. For each track, one line says how many samples there are, and if some differ, how many "
        + "these are, which is the first, and how. The exit status is 0 if all tracks are the same, otherwise 1.",
      "Tracks with the same handler are compared: those with the same ID, then the others in their order. If both have "
        + "as many samples, those with the same number are compared, otherwise those with the same decode time.",
      "Decode times are compared exactly, from the first sample of the track on, composition times from the smallest "
        + "one on, and times of presentation from the start of the movie on, as exactly as edit lists express them. "
        + "The last sample of a track may have another duration. Bytes are compared of samples of which all else is "
        + "the same.",
      "Gaps and overlaps of fragments are repaired as `mp4tool defrag` repairs them, with its messages.",
      RemoteFile.description,
    ],
    options: [samples, RecordFormatOption.option, RecordFormatOption.printSchema],
    examples: [
      Command.Example(
        "mp4tool diff --samples recording.mp4 movie.mp4", "Checks that a remux has all samples of a recording."),
      Command.Example(
        "mp4tool diff --samples --format json a.mp4 b.mp4 | jq '.[] | select(.same | not)'",
        "Prints the tracks that differ."),
      Command.Example(
        "mp4tool diff --samples --quiet recording.mp4 movie.mp4 > /dev/null",
        "Only sets the exit status, for scripts."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "The files differ, or samples are lost or cannot be read."),
      Command.ExitNote(.inputNotUsable, "A file has no movie box, or it is damaged beyond use."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON AND CSV",
        paragraphs: ["There is an object or line for each track:"],
        items: TrackComparison.documentation.map { Choice(name: $0.name, meaning: $0.meaning) })
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if arguments[RecordFormatOption.printSchema] {
      try SampleComparison.writeSchema(to: context.console)
      return .done
    }
    guard arguments[samples] else { throw UsageError("option '--samples' is required") }
    let sources = try InputFiles(context).open(arguments.operands)
    let movies = try sources.map { try Movie(reading: [$0]) }
    for diagnostic in movies.flatMap(\.diagnostics) { context.diagnostics.say(diagnostic) }
    let comparison = try SampleComparison(movies[0], movies[1])
    if let format = arguments[RecordFormatOption.option].records {
      try comparison.write(format, to: context.console)
    } else {
      try context.console.write(comparison.text)
    }
    return comparison.isSame ? context.diagnostics.outcome : .findings
  }
}
