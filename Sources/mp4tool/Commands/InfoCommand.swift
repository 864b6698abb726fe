import Bytes
import Fetching
import FileIO
import Inspection
import MP4

/// `mp4tool info`.
enum InfoCommand {
  static let command = Command(
    name: "info",
    summary: "show what MP4 files contain: tracks, codecs, times and metadata",
    operands: [
      Operand(
        "FILE", .oneOrMore, unless: [RecordFormatOption.printSchema.declaration.name],
        help:
          "An MP4, CMAF, QuickTime, HEIC or AVIF file; `-` is standard input; URLs are accepted. Media segments "
          + "follow their init segment.")
    ],
    description: [
      "Shows a line for each movie with its size, duration, bit rate, layout, brand and title, a line for each track "
        + "with its codec and what its samples are, and further lines for everything that is not usual: rotation, "
        + "colors, edit lists, open GOPs, encryption and so on. In units, k is 1000.",
      "Durations are those of the presentation, that is, with the edit list. Of the media, at most 64 KiB of the first "
        + "sync sample of a video track are read, and the samples of chapters and timecodes.",
      RemoteFile.description,
    ],
    options: [RecordFormatOption.option, RecordFormatOption.printSchema],
    examples: [
      Command.Example("mp4tool info movie.mp4", "Shows what a file contains."),
      Command.Example("mp4tool info init.mp4 seg*.m4s", "Shows what the segments of a stream contain."),
      Command.Example("mp4tool info --format csv *.mp4", "Prints a table with a line for each file."),
      Command.Example(
        "mp4tool info --format json movie.mp4 | jq '.[0].tracks[].codec'", "Prints the codecs of the tracks."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Something in a FILE is lost or cannot be read; messages say what."),
      Command.ExitNote(.inputNotUsable, "A FILE has no movie box, or it is damaged beyond use; the others are shown."),
      Command.ExitNote(.inputMissing, "A FILE cannot be opened; the others are shown."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON",
        paragraphs: ["An array with an object for each movie, with these members:"],
        items: MovieSummary.documentation.map { Choice(name: $0.name, meaning: $0.meaning) }),
      Command.ManSection(
        title: "JSON OF TRACKS",
        paragraphs: ["The elements of `tracks` have these members:"],
        items: TrackSummary.documentation.map { Choice(name: $0.name, meaning: $0.meaning) }),
      Command.ManSection(
        title: "JSON OF IMAGES",
        paragraphs: ["A file of still images has these members; the schema describes those of its items:"],
        items: ImageSummary.documentation.map { Choice(name: $0.name, meaning: $0.meaning) }),
    ],
    run: { (arguments, context) throws in
      if arguments[RecordFormatOption.printSchema] {
        try FileSummary.writeSchema(to: context.console)
        return .done
      }
      return try InfoJob(arguments, context).run()
    })
}

/// A run of `mp4tool info` on one or more movies.
private struct InfoJob {
  private let arguments: ParsedArguments
  private let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    (self.arguments, self.context) = (arguments, context)
  }

  func run() throws -> ExitCode {
    var firstFailure: ExitCode?
    // A file that cannot be shown is no reason not to show the others.
    func attempt<Result>(_ body: () throws -> Result) throws -> Result? {
      do { return try body() } catch let error as IOError where error.operation == .write { throw error } catch {
        let code = Failure.report(error, to: context.diagnostics)
        firstFailure = firstFailure ?? code
        return nil
      }
    }
    let sources = try arguments.operands.compactMap { file in
      try attempt { try InputFiles(context).open(file, spool: true) }
    }
    let groups = try attempt { try InputGroups.groups(of: sources) } ?? []
    var summaries: [FileSummary] = []
    for group in groups {
      let summary = try attempt {
        try FileSummary(reading: group.map { sources[$0] })
      }
      guard let summary else { continue }
      for diagnostic in summary.diagnostics { context.diagnostics.say(diagnostic) }
      if arguments[RecordFormatOption.option] == .text {
        try context.console.write((summaries.isEmpty ? "" : "\n") + summary.text)
      }
      summaries.append(summary)
    }
    if let format = arguments[RecordFormatOption.option].records {
      try FileSummary.write(summaries, format, to: context.console)
    }
    return firstFailure ?? context.diagnostics.outcome
  }
}
