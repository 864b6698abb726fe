import BoxDump
import Bytes
import Fetching
import ISOBMFF
import Inspection
import MP4
import Streaming

enum DiffCommand {
  static let samples = Option.flag(
    "samples",
    help: "Compare the samples of tracks instead of boxes: how many there are, their times, sizes and bytes, keyframes "
      + "and codecs.")
  static let summaries = Option.flag(
    "summary",
    help: "Compare what `mp4tool info` says of both files instead of boxes: size, bit rates, codecs, pictures, sound, "
      + "groups of pictures, keyframes and so on; for encodes of the same source.")
  static let ignored = Option<[BoxExclusions]>.repeated(
    "ignore", placeholder: "PATH", as: BoxExclusions.self,
    help: "Ignore these boxes with their contents, such as `//free`, or a field of boxes, such as "
      + "`//tkhd/modification_time` or `//stts/entries.sample_delta`. PATH is as in `mp4tool dump --path`; the name of "
      + "a field can follow. Commas separate paths. Can be repeated.")

  static let command = Command(
    name: "diff",
    summary: "compare two MP4 files: boxes and fields, samples, or summaries",
    operands: [
      Operand(
        "FILE", unless: [RecordFormatOption.printSchema.declaration.name],
        help: "An MP4, CMAF, QuickTime or HEIF file; `-` is standard input; URLs are accepted."),
      Operand(
        "OTHER", unless: [RecordFormatOption.printSchema.declaration.name],
        help: "The other file."),
    ],
    description: [
      "Compares the boxes of two files and prints the differences like a unified diff: boxes and fields that "
        + "only FILE has with `-`, those that only OTHER has with `+`, after the path of the box that they are "
        + "in. Nothing is printed for files that are the same. The exit status is 0 if there are no differences, "
        + "otherwise 1.",
      "Boxes that are the only ones of their type in their container are matched wherever they are. Tracks "
        + "and items are matched by their IDs, of other boxes those with the same content, and the rest in order. "
        + "A box that comes after other boxes than in FILE has moved; where several boxes could be the one, it is "
        + "the smaller one and not the media data.",
      "Movie fragments that start at the same time are matched. A box that only one of the files has is shown with its "
        + "first 20 fields and boxes.",
      "Fields are compared by name, with the values that `mp4tool dump --verbosity 3` prints. Of each table, "
        + "the first 10 rows that differ are printed. If a field is larger or smaller by the same number in all "
        + "of them, such as the offsets of chunks because `moov` has another size, one line says so. Media data "
        + "and boxes that cannot be decoded are compared as bytes. If the same field differs in more than 10 "
        + "boxes of a type, the others are only counted; JSON and CSV have all of them.",
      "With `--samples`, compares the samples of two files, whatever their layout is: a fragmented file is "
        + "the same as a progressive one with the same media. For each track, one line says how many samples "
        + "there are, and if some differ, how many these are, which is the first, and how. Tracks with the same "
        + "handler are compared: those with the same ID, then the others in their order. If both have as many "
        + "samples, those with the same number are compared, otherwise those with the same decode time.",
      "Decode times are compared exactly, from the first sample of the track on, composition times from the "
        + "smallest one on, and times of presentation from the start of the movie on, as exactly as edit lists "
        + "express them. The last sample of a track may have another duration. Bytes are compared of samples of "
        + "which all else, except the codec, is the same: PCM can have other codecs in QuickTime files. Gaps and "
        + "overlaps of fragments are repaired as `mp4tool defrag` repairs them, with its messages.",
      "With `--summary`, prints a table of the properties that differ, with the value in each file, and by how "
        + "much sizes and rates differ; the others are listed by name. Tracks are matched as with `--samples`. "
        + "Keyframes are compared by the times at which they are presented.",
      RemoteFile.description,
    ],
    options: [
      samples, summaries, ignored, BoxFiles.option, DumpCommand.color, RecordFormatOption.option,
      RecordFormatOption.printSchema,
    ],
    examples: [
      Command.Example("mp4tool diff a.mp4 b.mp4", "Shows which boxes and fields differ."),
      Command.Example(
        "mp4tool diff --ignore //*/creation_time,//*/modification_time,//free a.mp4 b.mp4",
        "Ignores times and free space."),
      Command.Example(
        "mp4tool diff --format jsonl a.mp4 b.mp4 | jq 'select(.change == \"field\")'",
        "Prints only fields with other values, for a program."),
      Command.Example(
        "mp4tool diff --samples recording.mp4 movie.mp4", "Checks that a remux has all samples of a recording."),
      Command.Example(
        "mp4tool diff --samples --format json a.mp4 b.mp4 | jq '.[] | select(.same | not)'",
        "Prints the tracks that differ."),
      Command.Example(
        "mp4tool diff --summary low.mp4 high.mp4", "Compares two encodes: bit rates, profiles, keyframes and so on."),
      Command.Example(
        "mp4tool diff --quiet a.mp4 b.mp4 > /dev/null", "Only sets the exit status, for scripts."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "The files differ, or samples are lost or cannot be read."),
      Command.ExitNote(
        .inputNotUsable,
        "A file contains no box; with `--samples` or `--summary`, it has no movie box, or it is damaged beyond use."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON AND CSV",
        paragraphs: ["There is an object or line for each difference:"],
        items: BoxDifference.documentation.map { Choice(name: $0.name, meaning: $0.meaning) }),
      Command.ManSection(
        title: "SAMPLES",
        paragraphs: ["With `--samples`, there is an object or line for each track:"],
        items: TrackComparison.documentation.map { Choice(name: $0.name, meaning: $0.meaning) }),
      Command.ManSection(
        title: "SUMMARY",
        paragraphs: ["With `--summary`, there is an object or line for each property:"],
        items: ComparedProperty.documentation.map { Choice(name: $0.name, meaning: $0.meaning) }),
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
    for operand in arguments.operands where Pathname(operand.bytes).map(Site.isFolder) ?? false {
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
    "not an MP4 file; compare the outputs of `mp4tool info`, or the files that `mp4tool join` writes of playlists"

  private static func compareBoxes(
    _ sources: [any ByteSource], _ registry: BoxRegistry, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    for source in sources {
      var dump = BoxDump(source, registry: registry)
      if let reason = try dump.reasonForNoBoxes() { throw UnusableInput(file: source.name, reason: reason) }
    }
    let comparison = BoxComparison(
      sources[0], sources[1], ignoring: BoxExclusions(arguments[ignored]), registry: registry)
    let format = arguments[RecordFormatOption.option].records
    let isColoured = arguments[DumpCommand.color].isUsed(on: context.console)
    let count =
      try format.map { try comparison.write($0, to: context.console) }
      ?? comparison.writeText(to: context.console, isColoured: isColoured)
    for path in try comparison.unusedExclusions() {
      context.diagnostics.warning("--ignore \(path): no box and no field of the files has this path")
    }
    return count == 0 ? context.diagnostics.outcome : .findings
  }

  private static func compareMovies(
    _ sources: [any ByteSource], _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    let movies = try sources.map { try Movie(reading: [$0]) }
    for diagnostic in movies.flatMap(\.diagnostics) { context.diagnostics.say(diagnostic) }
    let format = arguments[RecordFormatOption.option].records
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

extension BoxExclusions: RepeatedValue {
  static let expectation = "a path such as '//free', or one with a field such as '//tkhd/modification_time'"

  init?(_ word: Argument) { self.init(word.text) }
}
