import ISOBMFF
import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4Packaging
import MP4Records
import MP4Streaming

enum DefragCommand {
  static let tracks = Option.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help:
      "Use only these tracks: track IDs of the input, the kinds \(TrackList.kindsHelp), or handler types such as "
      + "`meta`, separated by commas.")
  static let keepStart = Option.flag(
    "keep-start",
    help: "Keep the start time of the presentation, as an empty edit, instead of moving it to 0.")
  static let noEdits = Option.flag(
    "no-edits",
    help: "Write no edit lists, for readers that do not support them. Audio priming is then audible, and all tracks "
      + "start together; a warning lists the tracks whose timing changes.")
  /// Whether the movie box is first.
  static let moov = Option<Bool>.choice(
    "moov", placeholder: "PLACE", default: true, help: "Where to write the `moov` box.",
    [
      NamedValue(
        true, "first", "before the media data, so that playback can start before the download ends (fast start)"),
      NamedValue(false, "last", "after the media data"),
    ])
  static let interleave = Option.parsed(
    "interleave", placeholder: "SECONDS", as: Seconds.self,
    help: "Interleave the tracks in chunks of about this duration, by decode time. By default the media keeps the "
      + "order it has in the fragments, and tracks of several movies are interleaved every half second.")
  static let compact = Option.flag(
    "compact",
    help: "Write sample sizes in 4, 8 or 16 bits (`stz2`) where all sizes of a track fit. Not all players support "
      + "this.")
  static let keepEvents = Option.flag(
    "keep-events",
    help: "Write the events between the fragments (`emsg`) as a timed metadata track (ISO/IEC 23001-18) instead of "
      + "omitting them.")

  static let overlap = Option<OverlapPolicy?>.choice(
    "overlap", placeholder: "POLICY",
    help: "What to do where fragments declare different samples for the same times. With `replace` or `keep`, a note "
      + "reports the omitted samples. Without this option, samples are omitted as with `replace`, but count as lost, "
      + "and the exit status is 1.",
    [
      NamedValue(OverlapPolicy.replace, "replace", "use the samples declared last"),
      NamedValue(.keep, "keep", "use the samples declared first"),
      NamedValue(.fail, "fail", "write no output and exit with 65"),
    ])
  static let subtitles = Option.repeated(
    "subtitles", placeholder: "[LANG=]FILE", as: SubtitleFile.self,
    help: "Add FILE, WebVTT or SubRip, as a subtitle track in the language LANG, such as `en`. Without LANG the "
      + "language is taken from a file name such as `film.en.srt`, or is undetermined. FILE may be followed by "
      + "comma-separated settings: `name=NAME`, the name of the track; `default`, to show it unless the user chooses "
      + "another; `forced` and `sdh` as in `mp4tool subtitles`. DESCRIPTION in the man page explains what cue times "
      + "are relative to. Can be repeated.")
  static let textForm = Option<TextFormat>.choice(
    "text-format", placeholder: "FORMAT", default: .timedText, help: "The format of added subtitles.",
    [
      NamedValue(
        .timedText, "tx3g",
        "3GPP timed text, supported by QuickTime, VLC and ffmpeg; keeps bold, italic and underline, but not positions"),
      NamedValue(
        .webVTT, "wvtt", "WebVTT with all its settings (ISO/IEC 14496-30), which fewer players show in an MP4 file"),
    ])

  static let command = Command(
    name: "defrag",
    aliases: ["remux"],
    summary: "write one ordinary MP4 (moov first) from fragments, segments, a playlist or another MP4",
    operands: [
      Operand(
        "INPUT", .oneOrMore, unless: [ReportFile.printSchema.declaration.name],
        help: "A fragmented or progressive file, or an init segment and its media segments in any order; or several of "
          + "these; or one HLS playlist or DASH manifest; or MPEG transport streams. URLs are accepted.")
    ],
    description: [
      "Writes a progressive MP4: one `moov` with complete sample tables, then one `mdat`. Samples are copied without "
        + "transcoding. Decode times, composition offsets, sync flags, sample descriptions, edit lists and the offsets "
        + "between tracks are kept, and so are sample groups, subsamples, dependencies and encryption. With `--key` or "
        + "`--key-file`, samples are decrypted. The `pssh` boxes of fragments move to `moov`. Missing durations are "
        + "computed; boxes and brands that only fragments need are removed.",
      "Fragments are sorted by decode time, regardless of the order and names of the inputs. Where fragments overlap, "
        + "the later one wins: the one that is later in the order of the inputs and in the file, even if it starts "
        + "earlier. Only samples that the later fragment replaces are omitted; the rest of the earlier fragment is "
        + "kept. A sample whose end overlaps the later fragment is shortened. A sample whose start overlaps it is kept "
        + "if the overlap is less than half of the sample's duration; the sample before it is then shortened. "
        + "Identical samples that are declared twice cause a warning. Different samples at the same times count as "
        + "data loss (exit status 1), because the input does not show which ones are valid. If `--overlap` specifies "
        + "which ones to use, a note reports the others instead.",
      "If the presentation starts after 0, all tracks are moved by the same amount so that it starts at 0, and a note "
        + "reports this, except for playlists. A gap, or a period that a fragment declares empty, is closed by "
        + "extending the sample before it. This is only a warning, because nothing is lost. Samples whose data is "
        + "missing are omitted and reported by track and time; the exit status is 1. If decoding continues with an "
        + "open GOP after a gap or in another "
        + "period, CRA pictures of H.265 become BLA pictures, and CRA pictures of H.266 follow an end of sequence, so "
        + "that decoding starts again there. Notes report this. `--in-place` does not change samples.",
      "Media data keeps the order of the fragments, in chunks of half a second, unless `--interleave` is given. A "
        + "progressive file cannot contain producer reference times (`prft`); they are omitted with a note. Events "
        + "(`emsg`) are omitted too, unless `--keep-events` writes them as an event message track (timed metadata). In "
        + "this track a sample begins wherever an event starts or ends, each sample lists the active events, and an "
        + "event that several segments repeat appears once. Event times stay correct when tracks are moved. An event "
        + "of unknown duration lasts until the next event with the same scheme and value. An event that ends before "
        + "the presentation starts is omitted; one that starts after the end is announced in the last sample.",
      "Compact sample groups (`csgp`) are written as `sbgp`. PIFF encryption boxes, as in Smooth Streaming, are "
        + "written as sample auxiliary information. PIFF fragments whose key differs from that of the track are "
        + "reported as an error. Samples that need an initialization vector but have none in the input cannot be "
        + "decrypted; a warning reports this.",
      "An input with a `moov` of its own starts a new group, which includes the inputs after it. The tracks of the "
        + "group are merged with those of the first group, as with separate audio and video segments of HLS or DASH. "
        + "Tracks keep their relative timing. A track whose ID is already used gets a new one; alternate groups stay "
        + "separate. The movie header, user data and metadata are those of the first group. The init segment may be "
        + "anywhere among the inputs, and segments that do not match the init segment before them are assigned to one "
        + "they match. An identical `moov` that is repeated, for example at the start of each segment, counts as the "
        + "same init segment as long as times increase. If the samples after it have the same times as earlier ones "
        + "but differ, they are written to additional tracks, with a warning. Exact copies are used only once.",
      "Subtitle tracks (`--subtitles`) are alternatives to each other. Only those marked `default` are enabled. Cue "
        + "times are relative to the first picture, or to the first audio if it starts more than half a second "
        + "earlier. By default, subtitles are 3GPP timed text, in which cues that are shown at the same time become "
        + "one text, with a line for each cue.",
      "Edit lists keep their meaning: audio priming stays inaudible, trimmed starts stay trimmed, and a duration of 0 "
        + "becomes the actual duration. Tracks that start later than others get an empty edit; if the movie timescale "
        + "cannot express its duration exactly, a larger one is used. Apple's HLS writers, like `mp4tool hls --profile "
        + "apple`, write no edit list but let audio priming start before the first picture. This is recognized if no "
        + "track has an edit list, the first picture is presented at a whole second other than 0, and audio with a "
        + "`roll` sample group starts at most half a second earlier. Edit lists then hide the priming, and a note "
        + "reports this.",
      "A progressive input is copied with `moov` first. Before that, the sample tables are checked: where data is "
        + "missing, tables are missing or contradictory, or a size is wrong, the tables are re-created from the "
        + "samples that are present. Lost samples are reported by track and time, and the exit status is 1. A `free` "
        + "box of less than 4096 bytes can follow `moov`, so that some file systems can share the media instead of "
        + "copying it. It replaces `free` boxes of the input that are also smaller than 4096 bytes and contain only "
        + "zeros.",
      "Memory use depends on the sample tables, not on the media size. The planned output is parsed in memory before "
        + "anything is written. If it does not contain the planned samples, boxes that the samples do not need are "
        + "omitted; if that does not help, the input is rejected with exit status 65.",
      "The output for a QuickTime movie is a QuickTime movie too, unless its name ends in `.mp4`, `.m4a`, `.m4v` or "
        + "`.m4b`. In that case, brands and sample descriptions are converted to those of ISO files, and uncompressed "
        + "audio becomes `ipcm` or `fpcm` (ISO/IEC 23003-5). Samples, times and edits do not change. Codecs that only "
        + "QuickTime defines, such as ProRes, are kept with a warning.",
      StreamInputs.description
        + " Several transport streams with the same streams are read as one, in the order of their times.",
      "With `--in-place`, the file itself becomes progressive, and `-o` cannot be given.",
      RemoteFile.description,
    ],
    options: [
      OutputOptions.output(unless: [OutputJob.dryRun, inPlace, ReportFile.printSchema]), inPlace, OutputJob.dryRun,
      ReportFile.option, ReportFile.printSchema, tracks, keepStart, noEdits, moov, interleave, compact, keepEvents,
      subtitles,
      SubtitleFile.encoding, textForm, overlap, JoinCommand.forceInit,
    ] + ContentKeyOptions.input.all + PlaylistOptions.all + OutputOptions.besides,
    examples: [
      Command.Example(
        "mp4tool defrag recording.mp4 -o movie.mp4",
        "Converts a fragmented recording to an ordinary MP4."),
      Command.Example("mp4tool defrag init.mp4 seg*.m4s -o movie.mp4", "Joins HLS or DASH segments into one file."),
      Command.Example(
        "mp4tool defrag v/init.mp4 v/*.m4s a/init.mp4 a/*.m4s -o movie.mp4",
        "Merges video and audio that were downloaded separately."),
      Command.Example("mp4tool defrag recording.ts -o movie.mp4", "Converts an MPEG transport stream."),
      Command.Example(
        "mp4tool defrag https://example.com/master.m3u8 -o movie.mp4",
        "Saves the best variant of a stream, with its audio, as one file."),
      Command.Example(
        "mp4tool defrag movie.mp4 --subtitles en=en.vtt --subtitles fr=fr.srt -o subtitled.mp4",
        "Adds subtitle tracks in two languages."),
      Command.Example(
        "mp4tool defrag --in-place recording.mp4",
        "Makes a recording progressive without copying it."),
      Command.Example(
        "mp4tool defrag --dry-run --report - recording.mp4 | jq '.diagnostics[] | select(.severity == "
          + "\"error\").message'",
        "Lists what would be lost, and writes nothing."),
      Command.Example(
        "mkdir -p done; for f in *.mp4; do mp4tool defrag -q \"$f\" -o \"done/$f\" || echo \"$f: $?\"; done",
        "Converts all files in a folder and prints the names of those that had errors."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "Samples are missing or cut off, or a segment belongs to another init segment; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "There are no tracks or no samples, all sample data is missing, or all segments belong to another init "
          + "segment; with `--in-place`, the file cannot be changed in place and is not changed."),
    ],
    manSections: [JoinCommand.initSection, PlaylistOptions.manSection, inPlaceSection] + ReportManual.defrag,
    run: run)

  private static func options(_ arguments: ParsedArguments) -> Defragmenter.Options {
    var options = Defragmenter.Options()
    options.reading.tracks = arguments[tracks]?.selection ?? TrackSelection()
    options.reading.keepsStart = arguments[keepStart]
    options.reading.keepsEdits = !arguments[noEdits]
    options.isMovieFirst = arguments[moov]
    options.interleave = arguments[interleave]?.time
    options.isCompact = arguments[compact]
    options.reading.overlaps = arguments[overlap]
    options.reading.takesAllSegments = arguments[JoinCommand.forceInit]
    options.reading.keepsEvents = arguments[keepEvents]
    return options
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if arguments[ReportFile.printSchema] {
      try DefragmentReport.schema.write(to: context.console)
      return .done
    }
    let defragmenter = Defragmenter(options(arguments)).writing(to: arguments.outputName)
    let playlist = try PlaylistOperand(arguments, Fetcher(context.fetching)).place()
    if arguments[inPlace] { return try runInPlace(defragmenter, hasPlaylist: playlist != nil, arguments, context) }
    try arguments[subtitles].checkLanguages(subtitles, isNeeded: false)
    if arguments[subtitles].isEmpty, arguments.has(SubtitleFile.encoding) {
      throw UsageError("option '--encoding' needs '--subtitles FILE'")
    }
    for file in arguments[subtitles] { context.inputs.add(file.path) }
    let given = try SubtitleTracks(arguments[subtitles], arguments[textForm], arguments)
    let tracks = arguments[tracks]?.selection ?? TrackSelection()
    func plan(
      _ sources: [any ByteSource], _ parts: [SourcePart], _ texts: SubtitleTracks, _ onProgress: @escaping (Int) -> Bool
    ) throws -> PlannedOutput {
      let sources = try ContentKeyOptions.input.decrypted(sources, arguments, context, tracks: tracks)
      var plan = try defragmenter.plan(sources, parts: parts, followers: texts.sources, onProgress: onProgress)
      plan.diagnostics = texts.diagnostics + plan.diagnostics
      return PlannedOutput(plan)
    }
    if let playlist {
      return try PlaylistJob(arguments: arguments, context: context).run(playlist) { input, onProgress in
        var texts = given
        try texts.add(input, arguments[textForm])
        return try plan(input.sources, input.parts, texts, onProgress)
      }
    }
    return try PlaylistOperand.advising {
      try OutputJob(arguments, context).run { try plan($0, [], given, $1) }
    }
  }
}
