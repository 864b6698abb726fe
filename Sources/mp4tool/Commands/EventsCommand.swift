import Bytes
import Fetching
import FileIO
import Inspection
import MP4

enum EventsCommand {
  static let command = Command(
    name: "events",
    summary: "list what happens in MP4 files and presentations: events, ID3, SCTE-35, chapters, dates",
    operands: [
      Operand(
        "FILE", .oneOrMore, unless: [RecordFormatOption.printSchema.declaration.name],
        help: "An MP4, CMAF or QuickTime file, or an init segment and its media segments; an HLS playlist, or a folder "
          + "with one; `-` is standard input; URLs are accepted.")
    ],
    description: [
      "Lists event messages (`emsg` boxes, and the samples of event message tracks and URI metadata tracks), chapters, "
        + "the timecodes of timecode tracks, and producer reference times (`prft`), by presentation time. Messages "
        + "that several segments repeat are listed once.",
      "The payloads of event messages and samples are decoded if they are ID3 tags (versions 2.2 to 2.4) or splice "
        + "information sections (ANSI/SCTE 35) as bytes, base64 or in XML; other payloads, and those that are not "
        + "decoded completely, are also printed in hexadecimal digits.",
      "Of a playlist, lists the events of its segments, date ranges (`EXT-X-DATERANGE`, with SCTE-35 decoded), dates "
        + "(`EXT-X-PROGRAM-DATE-TIME`, the first one and those that jump) and discontinuities, each with its line, and "
        + "by the time of the presentation, which starts at 0 with the first segment. Of segments that are not MP4, "
        + "such as MPEG-TS, nothing is read. Of a multivariant playlist, the first variant and its renditions are "
        + "read, or those that `--variant` and `--language` choose; what several playlists have is listed once.",
      "Presentation times are those of the file, with the edit list, as in `mp4tool samples`. Of the media, only the "
        + "samples of metadata, chapters and timecodes are read.",
      RemoteFile.description,
    ],
    options: [
      PlaylistOptions.variantOrFirst, PlaylistOptions.languages, RecordFormatOption.option,
      RecordFormatOption.printSchema, PlaylistOptions.allowOutside, OutputOptions.progress,
    ],
    examples: [
      Command.Example("mp4tool events movie.mp4", "Lists the events of a file."),
      Command.Example("mp4tool events init.mp4 seg*.m4s", "Lists the events of the segments of a stream."),
      Command.Example(
        "mp4tool events https://example.com/live.m3u8", "Lists ad breaks, dates and discontinuities of a stream."),
      Command.Example(
        "mp4tool events --format jsonl init.mp4 seg*.m4s | jq 'select(.kind == \"scte35\")'",
        "Prints only the splice information."),
      Command.Example("mp4tool events --format csv movie.mp4 > events.csv", "Writes a table for a spreadsheet."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Events or samples are damaged or cannot be read."),
      Command.ExitNote(.inputNotUsable, "There is no movie box, or it is damaged beyond use."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON AND CSV",
        paragraphs: ["Events have these members, which are the columns of CSV, too, except `details`:"],
        items: PlacedRecord<TimelineEvent>.documentation.map { Choice(name: $0.name, meaning: $0.meaning) })
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if arguments[RecordFormatOption.printSchema] {
      try EventListing.writeSchema(to: context.console)
      return .done
    }
    let listing: EventListing
    switch try PresentationOperand(arguments, context).contents() {
    case .files(let sources):
      let movie = try Movie(reading: sources)
      // Notes are about repairs and omissions in written movies, including events that are listed here.
      for diagnostic in movie.diagnostics where diagnostic.severity != .note { context.diagnostics.say(diagnostic) }
      listing = try EventListing(movie)
    case .presentation(let presentation):
      let movies = try PresentationMovies(presentation, arguments, withNotes: false, context)
      listing = try EventListing(movies)
      if movies.parts.isEmpty, listing.events.isEmpty, !movies.hasOtherFormats {
        throw UnusableInput(file: movies.name, reason: "no segment of it is MP4 that can be read")
      }
    }
    for diagnostic in listing.diagnostics where diagnostic.severity != .note { context.diagnostics.say(diagnostic) }
    let console = context.console
    if let format = arguments[RecordFormatOption.option].records {
      try listing.write(format, to: console)
    } else {
      try listing.writeText(to: console)
    }
    return context.diagnostics.outcome
  }
}
