import BoxDump
import ISOBMFF
import MP4
import MP4Bytes
import MP4Fetching
import MP4Inspection
import MP4Records
import MP4Serving

enum DiffCommand {
  static let samples = Option.flag(
    "samples",
    help: "Instead of boxes, compare the samples of tracks: their number, times, sizes, bytes, sync flags and codecs.")
  static let summaries = Option.flag(
    "summary",
    help: "Instead of boxes, compare the properties that `mp4tool info` prints: size, bit rates, codecs, video and "
      + "audio formats, GOPs, keyframes and so on. Use it to compare encodes of the same source.")
  static let ignored = Option<[BoxExclusions]>.repeated(
    "ignore", placeholder: "PATH", as: BoxExclusions.self,
    help: "Ignore these boxes and their contents, such as `//free`, or one of their fields, such as "
      + "`//tkhd/modification_time` or `//stts/entries.sample_delta`. PATH has the syntax of `mp4tool dump --path`, "
      + "optionally followed by the name of a field. Commas separate paths. Can be repeated.")

  static let command = Command(
    name: "diff",
    summary: "compare two MP4 files: boxes and fields, samples, or summaries",
    operands: [
      Operand(
        "FILE", unless: [RecordFormatOption.printSchema.declaration.name],
        help: "An MP4, CMAF, QuickTime, HEIC or AVIF file; `-` is standard input; URLs are accepted."),
      Operand(
        "OTHER", unless: [RecordFormatOption.printSchema.declaration.name],
        help: "The other file."),
    ],
    description: [
      "Compares the boxes of two files and prints the differences in the style of a unified diff: the path of the "
        + "containing box, then the boxes and fields that are only in FILE (with `-`) and those that are only in OTHER "
        + "(with `+`). If the files are the same, nothing is printed. The exit status is 0 if there are no "
        + "differences, otherwise 1.",
      "A box that is the only one of its type in its container is matched regardless of its position. Tracks and items "
        + "are matched by their IDs. Other boxes are matched by their content; those that then remain are matched in "
        + "order. A box is reported as moved if the order of the boxes differs. If any of several boxes could have "
        + "moved, the smallest one is reported, but never the media data.",
      "Movie fragments are matched by their start times. A box that only one of the files has is printed with its "
        + "first 20 fields and boxes.",
      "Fields are compared by name, with the values that `mp4tool dump --verbosity 3` prints. For each table, the "
        + "first 10 rows that differ are printed. If a field differs by the same amount in all rows that differ, as "
        + "chunk offsets do after the size of `moov` has changed, one line reports all of these rows. Media data and "
        + "boxes that cannot be decoded are compared as bytes. If the same field differs in more than 10 boxes of a "
        + "type, the others are only counted; JSON and CSV list all of them.",
      "With `--samples`, compares the samples of two files, regardless of their layout: a fragmented file and a "
        + "progressive file with the same media count as the same. For each track, one line reports the number of "
        + "samples, and, if some differ, how many, which one is the first, and how it differs. Tracks with the same "
        + "handler are compared: first those with the same ID, then the others in order. If two tracks have the same "
        + "number of samples, samples are matched by sample number; otherwise, by decode time.",
      "Decode times are compared exactly, relative to the first sample of the track; composition times relative to the "
        + "smallest one; and presentation times relative to the start of the movie, with the precision of edit lists. "
        + "Different durations of the last sample of a track do not count as a difference. Bytes are compared only for "
        + "samples whose other properties, except the codec, are the same: QuickTime files use different codec names "
        + "for PCM. The exit status is also 1 if only codec names or edit lists differ; `codecs_only` and "
        + "`presented_alike` in the JSON output tell these cases apart. Pictures that `mp4tool cut` and `mp4tool "
        + "concat` changed so that decoding starts again there are counted in `decoder_starts_only`. Gaps and "
        + "overlaps between fragments are "
        + "repaired and reported as in `mp4tool defrag`.",
      "With `--summary`, prints a table of the properties that differ, with the value in each file and the change in "
        + "sizes and rates. Identical properties are listed by name, unless all are identical; then nothing is "
        + "printed. Tracks are matched as with `--samples`. Keyframes are compared by presentation time.",
      RemoteFile.description,
    ],
    options: [
      samples, summaries, ignored, BoxFiles.option, DumpCommand.color, RecordFormatOption.option,
      RecordFormatOption.printSchema,
    ],
    examples: [
      Command.Example("mp4tool diff a.mp4 b.mp4", "Shows the boxes and fields that differ."),
      Command.Example(
        "mp4tool diff --ignore '//*/creation_time,//*/modification_time,//free' a.mp4 b.mp4",
        "Ignores times and free space."),
      Command.Example(
        "mp4tool diff --format jsonl a.mp4 b.mp4 | jq 'select(.change == \"field\")'",
        "Prints only fields whose values differ, as JSON."),
      Command.Example(
        "mp4tool diff --samples recording.mp4 movie.mp4", "Checks that a remux has all samples of a recording."),
      Command.Example(
        "mp4tool diff --samples --format json a.mp4 b.mp4 | jq '.[] | select(.same | not)'",
        "Prints the tracks that differ."),
      Command.Example(
        "mp4tool diff --summary low.mp4 high.mp4", "Compares two encodes: bit rates, profiles, keyframes and so on."),
      Command.Example(
        "mp4tool diff --quiet a.mp4 b.mp4 > /dev/null", "Sets only the exit status, for scripts."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "The files differ, or samples are lost or cannot be read."),
      Command.ExitNote(
        .inputNotUsable,
        "A file contains no boxes; or, with `--samples` or `--summary`, it has no `moov` or is damaged beyond use."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON AND CSV",
        paragraphs: ["There is an object or line for each difference:"],
        items: BoxDifference.choices),
      Command.ManSection(
        title: "SAMPLES",
        paragraphs: ["With `--samples`, there is an object or line for each track:"],
        items: TrackComparison.choices),
      Command.ManSection(
        title: "SUMMARY",
        paragraphs: ["With `--summary`, there is an object or line for each property:"],
        items: ComparedProperty.choices),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let kinds: [any DeclaredOption] = [samples, summaries].filter { arguments[$0] }
    let others: [any DeclaredOption] = kinds.dropFirst() + [ignored, BoxFiles.option, DumpCommand.color]
    if let kind = kinds.first { try arguments.refuse(others, with: kind) }
    if arguments[RecordFormatOption.printSchema] {
      if arguments[samples] {
        try SampleComparison.writeSchema(to: context.console)
      } else if arguments[summaries] {
        try SummaryComparison.writeSchema(to: context.console)
      } else {
        try BoxComparison.writeSchema(to: context.console)
      }
      return .done
    }
    // Definition files are always registered as inputs, so that no output replaces them.
    let registry = try BoxFiles(context: context).registry(arguments)
    for operand in arguments.operands where Site.isFolder(operand.path) {
      throw UnusableInput(file: operand.text, reason: "this is a folder, \(comparable)")
    }
    let sources = try InputFiles(context).open(arguments.operands)
    for source in sources where try ForeignFormat(of: source) == .playlist {
      throw UnusableInput(file: source.name, reason: "this is an HLS playlist, \(comparable)")
    }
    return arguments[samples] || arguments[summaries]
      ? try compareMovies(sources, arguments, context) : try compareBoxes(sources, registry, arguments, context)
  }

  /// A hint for inputs that cannot be compared.
  private static let comparable =
    "not an MP4 file; compare the outputs of `mp4tool info`, or the files that `mp4tool join` writes from playlists"

  private static func compareBoxes(
    _ sources: [any ByteSource], _ registry: BoxRegistry, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    for source in sources {
      var dump = BoxDump(source, registry: registry)
      if let reason = try dump.reasonForNoBoxes() { throw UnusableInput(file: source.name, reason: reason) }
    }
    let comparison = BoxComparison(
      sources[0], sources[1], ignoring: BoxExclusions(arguments[ignored]), registry: registry)
    let format = arguments[RecordFormatOption.option]
    let isColoured = arguments[DumpCommand.color].isUsed(on: context.console)
    let count =
      try format.map { try comparison.write($0, to: context.console) }
      ?? comparison.writeText(to: context.console, isColoured: isColoured)
    for path in try comparison.unusedExclusions() {
      context.diagnostics.warning("--ignore \(path): no box or field has this path")
    }
    return count == 0 ? context.diagnostics.outcome : .findings
  }

  private static func compareMovies(
    _ sources: [any ByteSource], _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    let movies = try sources.map { try Movie(reading: [$0]) }
    for diagnostic in movies.flatMap(\.diagnostics) { context.diagnostics.say(diagnostic) }
    let format = arguments[RecordFormatOption.option]
    if arguments[summaries] {
      let comparison = try SummaryComparison(movies[0], movies[1])
      if let format {
        try comparison.write(format, to: context.console)
      } else {
        try context.console.write(comparison.text)
      }
      return comparison.isSame ? context.diagnostics.outcome : .findings
    }
    let comparison = try SampleComparison(movies[0], movies[1])
    if let format {
      try comparison.write(format, to: context.console)
    } else {
      try context.console.write(comparison.text)
    }
    return comparison.isSame ? context.diagnostics.outcome : .findings
  }
}

extension BoxExclusions: TextOptionValue {
  static let expectation = "a path such as '//free', or one with a field such as '//tkhd/modification_time'"
}
