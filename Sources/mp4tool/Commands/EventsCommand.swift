import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4Inspection
import MP4Records

enum EventsCommand {
  static let telemetry = Option.flag(
    "telemetry",
    help: "List the positions and measurements in telemetry tracks instead of events: GPMF (GoPro), `camm` (Google), "
      + "`rtmd` (Sony), `mebx` (QuickTime), and the text of DJI's drones. Not available for playlists.")

  static let command = Command(
    name: "events",
    summary: "list timed events of MP4 files and HLS presentations: ID3, SCTE-35, chapters, dates",
    operands: [
      Operand(
        "FILE", .oneOrMore, unless: [RecordFormatOption.printSchema.declaration.name],
        help:
          "An MP4, CMAF or QuickTime file, an MPEG transport stream, or an init segment and its media segments; all "
          + "FILEs together are read as one movie. If several of them have a `moov`, only the chapters of the first "
          + "are listed. Or an HLS playlist or DASH manifest, or a folder, in which files are chosen as in "
          + "`mp4tool info`. `-` is standard input (not for playlists); URLs are accepted.")
    ],
    description: [
      "Lists event messages (`emsg` boxes, and samples of event message tracks and URI metadata tracks), chapters, "
        + "timecodes, and producer reference times (`prft`), sorted by presentation time. Messages that several "
        + "segments repeat are listed once.",
      "Payloads are decoded if they are ID3 tags (versions 2.2 to 2.4) or SCTE-35 splice information sections (as "
        + "bytes, base64 or XML). Payloads that are unknown or only partly decoded are printed in hexadecimal.",
      "For a playlist, lists the events of its segments, date ranges (`EXT-X-DATERANGE`, with SCTE-35 decoded), dates "
        + "(`EXT-X-PROGRAM-DATE-TIME`: the first one, and those where time jumps) and discontinuities, with their line "
        + "numbers. Times are relative to the start of the first segment. Segments that are neither MP4 nor "
        + "MPEG-TS are not read. For a multivariant playlist, the first variant and its renditions are read, or those "
        + "selected by `--variant` and `--language`. Events that occur in several playlists are listed once.",
      LoneSegments.description,
      "For a file, edit lists are applied to presentation times, as in `mp4tool samples`. Only the samples of "
        + "metadata, chapter and timecode tracks are read. With `--scan-captions`, the closed captions of all pictures "
        + "are also read, and each text is listed with its channel.",
      RemoteFile.description,
    ],
    options: [
      telemetry, PlaylistOptions.variantOrFirst, PlaylistOptions.languages, RecordFormatOption.option,
      RecordFormatOption.printSchema, PlaylistOptions.allowOutside, CaptionOptions.scan,
      OutputOptions.progress,
    ],
    examples: [
      Command.Example("mp4tool events movie.mp4", "Lists the events of a file."),
      Command.Example("mp4tool events init.mp4 seg*.m4s", "Lists the events of the segments of a stream."),
      Command.Example(
        "mp4tool events https://example.com/live.m3u8", "Lists ad breaks, dates and discontinuities of a stream."),
      Command.Example(
        "mp4tool events --format jsonl init.mp4 seg*.m4s | jq 'select(.kind == \"scte35\")'",
        "Prints only the splice information."),
      Command.Example("mp4tool events --telemetry drone.mp4", "Lists where and how a camera moved."),
      Command.Example("mp4tool events --scan-captions movie.mp4", "Lists the closed captions, too."),
      Command.Example("mp4tool events --format csv movie.mp4 > events.csv", "Writes a table for a spreadsheet."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Events or samples are damaged or cannot be read."),
      Command.ExitNote(
        .inputNotUsable,
        "FILE has no `moov` and is not a media segment, or its `moov` is damaged beyond use; or no segment of a "
          + "playlist can be read."
      ),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON AND CSV",
        paragraphs: ["Each event has these members, which are also the columns of CSV, except `details`:"],
        items: PlacedRecord<TimelineEvent>.choices),
      Command.ManSection(
        title: "TELEMETRY",
        paragraphs: [
          "Values are listed track by track. The values of a sample are spread evenly over its duration. Numbers are "
            + "multiplied and divided as their format says, and axes are in the order of the file. Times of GPMF "
            + "(`GPSU`) are those of the first position of a sample. Of the text of DJI's drones, the altitude is the "
            + "height `H` if the position is written as `GPS (longitude, latitude, number)`, because the number can be "
            + "that of satellites.",
          "With `--telemetry`, each value has these members, which are also the columns of CSV:",
        ],
        items: Telemetry.Entry.choices),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let console = context.console
    if arguments[RecordFormatOption.printSchema] {
      if arguments[telemetry] {
        try TelemetryListing.writeSchema(to: console)
        return .done
      }
      try EventListing.writeSchema(to: context.console)
      return .done
    }
    let listing: EventListing
    switch try PresentationOperand(arguments, context).contents() {
    case .files(let sources):
      let movie = try LoneSegments(context).movie(reading: sources).movie
      // Notes are about repairs and omissions in written movies, including events that are listed here.
      for diagnostic in movie.diagnostics where diagnostic.severity != .note { context.diagnostics.say(diagnostic) }
      if arguments[telemetry] {
        let listing = try TelemetryListing(movie)
        let problems =
          if let format = arguments[RecordFormatOption.option] {
            try listing.write(format, to: console)
          } else {
            try listing.writeText(to: console)
          }
        for diagnostic in problems { context.diagnostics.say(diagnostic) }
        return context.diagnostics.outcome
      }
      listing = try EventListing(movie, hasCaptions: arguments[CaptionOptions.scan])
    case .presentation(let presentation):
      if arguments[telemetry] { throw UsageError("option '--telemetry' does not apply to playlists; name a file") }
      let movies = try PresentationMovies(presentation, arguments, withNotes: false, context)
      listing = try EventListing(movies, hasCaptions: arguments[CaptionOptions.scan])
      if movies.parts.isEmpty, listing.events.isEmpty, !movies.hasOtherFormats {
        throw UnusableInput(file: movies.name, reason: "it has no readable MP4 segment")
      }
    }
    for diagnostic in listing.diagnostics where diagnostic.severity != .note { context.diagnostics.say(diagnostic) }
    if let format = arguments[RecordFormatOption.option] {
      try listing.write(format, to: console)
    } else {
      try listing.writeText(to: console)
    }
    return context.diagnostics.outcome
  }
}
