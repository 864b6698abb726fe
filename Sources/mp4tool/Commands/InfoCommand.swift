import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Inspection
import MP4Packaging
import MP4Presentations
import MP4Records

enum InfoCommand {
  static let command = Command(
    name: "info",
    summary: "show what MP4 files and HLS presentations contain: tracks, codecs, times and metadata",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        unless: [RecordFormatOption.printSchema.declaration.name, ManyFiles.filesFrom.declaration.name],
        help:
          "An MP4, CMAF, QuickTime, HEIC or AVIF file, an MPEG transport stream, an HLS playlist or DASH manifest, or "
          + "a folder; `-` is standard input; URLs are accepted. Give media segments after their init segment.")
    ],
    description: [
      "Prints a line for each movie with its size, duration, bit rate, layout, brand and title; a line for each track "
        + "with its codec and format; and further lines for details such as rotation, colors, edit lists, open GOPs "
        + "and encryption. The prefix k means 1000.",
      "Durations are presentation durations: edit lists are applied. Media data is not read, except for the samples of "
        + "chapters and timecodes, at most 64 KiB of the first sync sample of each video track, and messages of its "
        + "pictures: closed captions are looked for in the first 10 seconds, or everywhere with `--scan-captions`. In "
        + "remote files, they are looked for only with that option, and in presentations never.",
      "For a multivariant playlist, prints a line for each variant and rendition with the declarations of the "
        + "playlist. A line that begins with `!` reports a declaration that differs from the media, or a bit rate that "
        + "is exceeded, for example `! resolution: 1920x1080, but the media has 1280x720`. For a media playlist, "
        + "prints the number, durations and bit rate of its segments, and the summary of the longest part between "
        + "discontinuities. Only the headers of segments are read. Segments that are neither MP4 nor MPEG-TS are "
        + "identified as such. "
        + "Segments with full-segment encryption (AES-128) are decrypted with the key that the playlist specifies, if "
        + "it can be read. For a remote presentation, only the first 60 seconds are examined, unless `--limit` is "
        + "given.",
      StreamInputs.description + " The whole stream is read.",
      "With `--verbose`, also prints all chapters, all metadata in full, and the summaries of the media of variants "
        + "and renditions.",
      "For a folder, examines its multivariant playlist if there is exactly one, otherwise its media playlists, "
        + "otherwise its MP4 files.",
      RemoteFile.description,
    ],
    options: ManyFiles.options + [
      PlaylistOptions.limit, PlaylistOptions.allowOutside, RecordFormatOption.option, RecordFormatOption.printSchema,
      CaptionOptions.scan, OutputOptions.progress,
    ],
    examples: [
      Command.Example("mp4tool info movie.mp4", "Shows what a file contains."),
      Command.Example("mp4tool info init.mp4 seg*.m4s", "Shows what the segments of a stream contain."),
      Command.Example(
        "mp4tool info https://example.com/master.m3u8",
        "Shows variants and renditions, and which declarations are wrong."),
      Command.Example("mp4tool info --format csv *.mp4", "Prints a table with a line for each file."),
      Command.Example(
        "mp4tool info --recursive --format jsonl archive/ > archive.jsonl",
        "Writes a line of JSON for each file in a folder and its subfolders."),
      Command.Example(
        "mp4tool info --format json movie.mp4 | jq '.[0].tracks[].codec'", "Prints the codecs of the tracks."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "Something in a FILE is lost or cannot be read; messages give the details. "
          + "Declarations that differ from the media do not change the exit status; use `mp4tool check` in scripts."),
      Command.ExitNote(
        .inputNotUsable,
        "A FILE has no `moov`, or its `moov` is damaged beyond use; the others are still shown."),
      Command.ExitNote(.inputMissing, "A FILE cannot be opened; the others are still shown."),
    ],
    manSections: [
      Command.ManSection(
        title: "CSV",
        paragraphs: [
          "A line for each file, with the first video track and the first audio track. Cells that do not apply are "
            + "empty. The columns are:"
        ],
        items: FileSummary.columns.map { Choice(name: $0.name, meaning: $0.meaning) }),
      Command.ManSection(
        title: "JSON",
        paragraphs: ["An array with an object for each movie, with these members:"],
        items: MovieSummary.choices),
      Command.ManSection(
        title: "JSON OF TRACKS",
        paragraphs: ["Each element of `tracks` has these members:"],
        items: TrackSummary.choices),
      Command.ManSection(
        title: "JSON OF IMAGES",
        paragraphs: ["The schema describes the members of items. A file of still images has these members:"],
        items: ImageSummary.choices),
      Command.ManSection(
        title: "JSON OF PRESENTATIONS",
        paragraphs: [
          "The schema describes the members of the parts of a presentation. A presentation has these members:"
        ],
        items: PresentationSummary.choices),
    ],
    run: { (arguments, context) throws in
      if arguments[RecordFormatOption.printSchema] {
        try FileSummary.writeSchema(to: context.console)
        return .done
      }
      return try InfoJob(arguments, context).run()
    })
}

/// A run of `mp4tool info` on one or more inputs.
private final class InfoJob {
  private let arguments: ParsedArguments
  private let context: CommandContext
  private var inputs: InputAttempts
  private var output: FileSummary.Output?
  private var isFirst = true
  /// The total duration of the segments that are examined in a remote presentation.
  private static let remoteLimit = Duration.seconds(60)

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    (self.arguments, self.context) = (arguments, context)
    inputs = InputAttempts(InfoCommand.command.name, context)
  }

  func run() throws -> ExitCode {
    let (files, search) = (try ManyFiles(InfoCommand.command.name, arguments, context), arguments.captionSearch)
    output = arguments[RecordFormatOption.option].map {
      FileSummary.Output($0, to: context.console, continues: files.continues)
    }
    isFirst = !files.continues
    try files.forEach(&inputs) { movies, inputs in
      try files.examine(
        movies, &inputs,
        { _, sources, _ in
          try FileSummary(reading: sources, captions: search.sparing(sources))
        }
      ) { summary in
        try show(summary)
        return summary.diagnostics.contains { $0.severity == .error } ? .findings : .done
      }
    } present: { presentation, inputs in
      try show(presentation, &inputs)
    }
    try output.take()?.finish()
    return max(inputs.failure, inputs.outcome, context.diagnostics.outcome)
  }

  private func show(_ presentation: OpenedPresentation, _ inputs: inout InputAttempts) throws {
    let isRemote = presentation.location.map { $0.path == nil } ?? false
    let limit = PlaylistOptions.duration(arguments) ?? (isRemote ? Self.remoteLimit : nil)
    let summary = context.progress.opening(presentation) {
      PresentationSummary(presentation, until: limit, onProgress: $0)
    }
    context.diagnostics.findings(summary.allProblems, in: summary.name)
    for failure in summary.failures { inputs.fail(failure) }
    try show(.presentation(summary))
  }

  private func show(_ summary: FileSummary) throws {
    for diagnostic in summary.diagnostics { context.diagnostics.say(diagnostic) }
    if arguments[RecordFormatOption.option] == nil {
      try context.console.write((isFirst ? "" : "\n") + summary.text(isVerbose: arguments[GeneralOptions.verbose]))
      isFirst = false
    }
    try output?.write(summary)
    try output?.flush()
  }
}
