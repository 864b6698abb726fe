import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4Inspection
import MP4Presentations
import MP4Records

enum SamplesCommand {
  static let tracks = Option<TrackList?>.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help: "List only these tracks: IDs, the kinds \(TrackList.kindsHelp), or handler types, separated by commas.")
  static let keyframes = Option.flag("keyframes", help: "List only sync samples, where decoding can start.")
  static let groups = Option.flag(
    "gops", help: "Instead of samples, list GOPs. A GOP is a sync sample and the samples up to the next sync sample.")
  static let stalls = Option.flag(
    "stalls",
    help: "Instead of samples, list places where playback may stall, jump or lose sync: samples that are presented "
      + "for more than 1.5 times as long as usual, several samples at the same time, empty edits, tracks that start or "
      + "end at different times, and samples that are presented together but are more than a second apart in the file.")
  static let time = Option<ClockTime?>.parsed(
    "at", placeholder: "TIME", as: ClockTime.self,
    help: "List the sample that is presented at TIME, such as `1:02.5`, preceded by the sync sample from which "
      + "decoding starts.")
  static let numbers = Option<SampleNumbers?>.parsed(
    "number", placeholder: "N", as: SampleNumbers.self,
    help: "List only the sample with this number in its track, starting at 1, or a range such as `10..20`, `10..` or "
      + "`..20`.")
  static let range = Option<ClockRange?>.parsed(
    "range", placeholder: "A..B", as: ClockRange.self,
    help: "List only samples that are presented from time A up to, but not including, B; `A..` and `..B` leave one end "
      + "open. With `--gops`, list GOPs that overlap this range; with `--stalls`, places in this range.")

  static let command = Command(
    name: "samples",
    summary: "list the samples of MP4 files and HLS presentations: times, sizes, offsets, keyframes",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        unless: [RecordFormatOption.printSchema.declaration.name, ManyFiles.filesFrom.declaration.name],
        help:
          "An MP4, CMAF or QuickTime file, an MPEG transport stream, or an init segment and its media segments; all "
          + "FILEs together are read as one movie, except with `--recursive` and `--files-from`. Or an HLS playlist or "
          + "DASH manifest, or a folder, in which files are chosen as in `mp4tool info`. `-` is standard input (not "
          + "for playlists); URLs are accepted.")
    ],
    description: [
      "Lists the samples of all or selected tracks in decoding order: the number of each sample, its decode time (in "
        + "units of the media timescale and in seconds), its composition time (in units of the media timescale), its "
        + "presentation time (in seconds, with the edit list applied), its duration, its size and offset in bytes, "
        + "whether it is a sync sample, whether it depends on other samples, and whether others depend on it. Media "
        + "data is not read.",
      "Times in seconds are relative to the start of the presentation, as in all commands: `mp4tool cut` accepts them. "
        + "Times in units of the timescale are those in the file. The media of fragments can start at a time other "
        + "than 0; a note reports this.",
      "For a media playlist, lists the samples of its segments. For a multivariant playlist, lists the samples of the "
        + "first variant and its renditions, or of the playlists selected by `--variant` and `--language`. "
        + "Times in seconds are relative to the start of the first segment. Times in units of the timescale and "
        + "sample numbers are those of the media and restart after a discontinuity. For each sample, `file` is the "
        + "segment that contains it.",
      "With `--stalls`, the list for a playlist also contains gaps between segments, missing segments (such as those "
        + "marked with `EXT-X-GAP`), and segments whose media starts more than 0.2 s earlier or later than the "
        + "playlist declares, for example because audio and video drift apart.",
      LoneSegments.description,
      "Gaps and overlaps between fragments are repaired and reported as in `mp4tool defrag`.",
      RemoteFile.description,
    ],
    options: ManyFiles.options + [
      tracks, keyframes, time, range, numbers, groups, stalls, PlaylistOptions.variantOrFirst,
      PlaylistOptions.languages, RecordFormatOption.option, RecordFormatOption.printSchema,
      PlaylistOptions.allowOutside, OutputOptions.progress,
    ],
    examples: [
      Command.Example("mp4tool samples --tracks video movie.mp4 | less", "Lists the samples of the video tracks."),
      Command.Example("mp4tool samples --at 1:02.5 movie.mp4", "Shows the samples that are presented at 1:02.5."),
      Command.Example("mp4tool samples --tracks 1 --number 1234 movie.mp4", "Shows where sample 1234 is."),
      Command.Example("mp4tool samples --gops movie.mp4", "Lists the GOPs."),
      Command.Example("mp4tool samples --stalls movie.mp4", "Shows where playback may stall, and why."),
      Command.Example(
        "mp4tool samples --stalls stream/master.m3u8",
        "Shows gaps between segments, and where audio and video drift apart."),
      Command.Example("mp4tool samples --format csv movie.mp4 > samples.csv", "Writes a table for a spreadsheet."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "Samples are lost or cannot be read, or no sample matches `--at` or `--number`. Places that `--stalls` lists "
          + "are not errors."),
      Command.ExitNote(
        .inputNotUsable,
        "FILE has no `moov` and is not a media segment; `moov` is damaged beyond use; a track, variant or language "
          + "does not exist; or no segment of a playlist can be read."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON AND CSV",
        paragraphs: ["Each sample has these members, which are also the columns of CSV:"],
        items: PlacedRecord<SampleRecord>.choices),
      Command.ManSection(
        title: "GROUPS",
        paragraphs: ["With `--gops`, there is an object or line for each GOP:"],
        items: PlacedRecord<GroupOfPictures>.choices),
      Command.ManSection(
        title: "STALLS",
        paragraphs: [
          "With `--stalls`, there is an object or line for each place; more than 20 places of one kind in a "
            + "track are listed as one, the longest:"
        ],
        items: PlacedRecord<Stall>.choices),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    try checkOptions(arguments)
    if arguments[RecordFormatOption.printSchema] {
      if arguments[groups] {
        try GroupListing.writeSchema(to: context.console)
      } else if arguments[stalls] {
        try StallListing.writeSchema(to: context.console)
      } else {
        try SampleListing.writeSchema(to: context.console)
      }
      return .done
    }
    if arguments[ManyFiles.recursive] || arguments.has(ManyFiles.filesFrom) {
      return try listEach(arguments, context)
    }
    try ManyFiles.refuse(arguments, what: "list each file on its own")
    let contents = try PresentationOperand(arguments, context).contents()
    if case .presentation(let presentation) = contents { return try list(presentation, arguments, context) }
    guard case .files(let sources) = contents else { return .done }
    // Times are those of the whole presentation.
    let (all, hasTimescales) = try LoneSegments(context).movie(reading: sources)
    let movie = try all.keeping(arguments[tracks]?.selection ?? TrackSelection())
    let needTimes: [any DeclaredOption] = [groups, stalls, time, range]
    if !hasTimescales, let option = needTimes.first(where: { arguments.has($0) }) {
      let name = option.declaration.name
      throw UnusableInput(
        file: movie.name, reason: "its timescale, which --\(name) needs, is unknown; put the init segment before it")
    }
    // Notes about times mean nothing in units of the media.
    for diagnostic in movie.diagnostics where hasTimescales || diagnostic.severity != .note {
      context.diagnostics.say(diagnostic)
    }
    let format = arguments[RecordFormatOption.option]
    let console = context.console
    if arguments[stalls] {
      let listing = StallListing(movie, in: arguments[range]?.times)
      if let format { try listing.write(format, to: console) } else { try listing.writeText(to: console) }
      if let problem = reasonForNothing(in: movie.presentedTimes, arguments) {
        context.diagnostics.note("\(movie.name): \(problem)")
      }
      return context.diagnostics.outcome
    }
    let count: Int
    if arguments[groups] {
      let listing = GroupListing(movie, in: arguments[range]?.times)
      count = try format.map { try listing.write($0, to: console) } ?? listing.writeText(to: console)
    } else {
      var listing = SampleListing(movie, selection(arguments))
      listing.hasTimescales = hasTimescales
      count = try format.map { try listing.write($0, to: console) } ?? listing.writeText(to: console)
    }
    if count == 0 {
      reportNothing(
        "\(movie.name): \(reasonForNothing(in: movie, arguments) ?? "no sample matches")", arguments, context)
    }
    return context.diagnostics.outcome
  }

  /// Lists each of several movies.
  private static func listEach(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let (times, console) = (arguments[range]?.times, context.console)
    if arguments[stalls] {
      return try listEach(arguments, context) { movie in
        let listing = StallListing(movie, in: times)
        try listing.writeText(to: console)
        return listing.stalls.count
      } records: { movie, output in
        try StallListing(movie, in: times).add(to: &output, file: movie.name)
      }
    }
    if arguments[groups] {
      return try listEach(arguments, context) { movie in
        try GroupListing(movie, in: times).writeText(to: console)
      } records: { movie, output in
        try GroupListing(movie, in: times).add(to: &output)
      }
    }
    let selection = selection(arguments)
    return try listEach(arguments, context) { movie in
      try SampleListing(movie, selection).writeText(to: console)
    } records: { movie, output in
      try SampleListing(movie, selection).add(to: &output)
    }
  }

  private static func listEach<Element: Record>(
    _ arguments: ParsedArguments, _ context: CommandContext, text: (Movie) throws -> Int,
    records: (Movie, inout RecordOutput<Element>) throws -> Int
  ) throws -> ExitCode {
    var inputs = InputAttempts(command.name, context)
    // Writing is what takes time; its output is not buffered for several files.
    let files = try ManyFiles(command.name, arguments, context)
    var output = RecordOutput<Element>(
      arguments[RecordFormatOption.option] ?? .jsonLines, to: context.console, continues: files.continues)
    let isText = arguments[RecordFormatOption.option] == nil
    let selection = arguments[tracks]?.selection ?? TrackSelection()
    var (isFirst, count) = (!files.continues, 0)
    try files.forEach(&inputs) { movies, inputs in
      try files.examine(movies, &inputs) { _, sources, _ in
        try Movie(reading: sources).keeping(selection)
      } deliver: { movie in
        for diagnostic in movie.diagnostics { context.diagnostics.say(diagnostic) }
        if isText {
          try context.console.write("\(isFirst ? "" : "\n")\(Printable.escaped(movie.name)):\n")
          count += try text(movie)
        } else {
          count += try records(movie, &output)
          try output.flush()
        }
        isFirst = false
        return movie.diagnostics.contains { $0.severity == .error } ? .findings : .done
      }
    } present: { presentation, inputs in
      inputs.fail(
        UnusableInput(file: presentation.name, reason: "this is a presentation; list it without '--files-from'"))
    }
    if !isText { try output.finish() }
    if count == 0, !isFirst, !files.continues { context.diagnostics.note("nothing matches in any file") }
    return max(inputs.failure, inputs.outcome, context.diagnostics.outcome)
  }

  private static func list(
    _ presentation: OpenedPresentation, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    let movies = try PresentationMovies(
      presentation, tracks: arguments[tracks]?.selection ?? TrackSelection(), arguments, withNotes: true, context)
    let (format, console) = (arguments[RecordFormatOption.option], context.console)
    if arguments[stalls], !movies.parts.isEmpty {
      let listing = PresentationStalls(movies, in: arguments[range]?.times)
      try listing.write(format, to: console)
      if let problem = reasonForNothing(in: movies.presentedTimes, arguments) {
        context.diagnostics.note("\(movies.name): \(problem)")
      }
      return context.diagnostics.outcome
    }
    if movies.parts.isEmpty, arguments[tracks] == nil {
      throw UnusableInput(file: movies.name, reason: "it has no readable MP4 segment")
    }
    let count =
      arguments[groups]
      ? try GroupListing.write(movies, in: arguments[range]?.times, format, to: console)
      : try SampleListing.write(movies, selection(arguments), format, to: console)
    if count == 0 {
      reportNothing(
        "\(movies.name): \(reasonForNothing(in: movies.presentedTimes, arguments) ?? "no sample matches")", arguments,
        context)
    }
    return context.diagnostics.outcome
  }

  /// Reports that nothing is listed. In a range of times, nothing is a valid answer.
  private static func reportNothing(_ message: String, _ arguments: ParsedArguments, _ context: CommandContext) {
    if arguments.has(range), !arguments.has(numbers) {
      context.diagnostics.note(message)
    } else {
      context.diagnostics.finding(message)
    }
  }

  /// Why no sample matches, if one option is the reason.
  private static func reasonForNothing(in movie: Movie, _ arguments: ParsedArguments) -> String? {
    if let reason = reasonForNothing(in: movie.presentedTimes, arguments) { return reason }
    guard let numbers = arguments[numbers]?.numbers,
      movie.tracks.allSatisfy({ $0.samples.count < numbers.lowerBound })
    else { return nil }
    let counts = movie.tracks.map { "track \($0.id) has \(counted($0.samples.count, "sample"))" }
    return "there is no sample \(numbers.lowerBound): \(counts.joined(separator: ", "))"
  }

  /// Why nothing is presented at the requested time or in the requested range; `nil` if something may be.
  private static func reasonForNothing(in presented: Range<MediaTime>?, _ arguments: ParsedArguments) -> String? {
    guard let times = arguments[time].map({ $0.time..<$0.time }) ?? arguments[range]?.times else { return nil }
    guard let presented else { return "no sample is presented" }
    let (start, end) = (presented.lowerBound, presented.upperBound)
    if times.lowerBound < end, times.upperBound > start || times.isEmpty && times.lowerBound >= start { return nil }
    let words = times.isEmpty ? "at" : times.lowerBound < end ? "before" : "from"
    let time = times.lowerBound < end ? times.upperBound : times.lowerBound
    return "nothing is presented \(words) \(time.clock)\(words == "from" ? " on" : ""); the presentation is from "
      + "\(start.clock) to \(end.clock)"
  }

  private static func selection(_ arguments: ParsedArguments) -> SampleListing.Selection {
    var selection = SampleListing.Selection()
    selection.keyframesOnly = arguments[keyframes]
    selection.time = arguments[time]?.time
    selection.times = arguments[range]?.times
    selection.numbers = arguments[numbers]?.numbers
    return selection
  }

  private static func checkOptions(_ arguments: ParsedArguments) throws(UsageError) {
    let kinds: [any DeclaredOption] = [groups, stalls]
    let given = kinds.filter { arguments.has($0) }
    let filters: [any DeclaredOption] = [keyframes, time, numbers]
    if given.count > 1 { throw UsageError(groups, contradicts: stalls) }
    if let kind = given.first {
      try arguments.refuse(filters, with: kind, because: "only one of them lists samples")
    }
    if arguments.has(time) { try arguments.refuse([range, numbers, keyframes], with: time) }
  }
}

extension Movie {
  /// The time span in which its samples are presented; `nil` if there is none.
  fileprivate var presentedTimes: Range<MediaTime>? {
    let spans = tracks.compactMap(\.presentedTimes)
    guard let start = spans.map(\.lowerBound).min(), let end = spans.map(\.upperBound).max() else { return nil }
    return start..<end
  }
}
