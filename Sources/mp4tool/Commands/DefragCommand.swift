import Bytes
import Fetching
import FileIO
import ISOBMFF
import MP4
import Packaging
import Streaming

/// `mp4tool defrag`.
enum DefragCommand {
  /// Where the movie box stands.
  enum MoviePlace: String, OptionChoice {
    case first
    case last

    var meaning: String {
      switch self {
      case .first: "before the media data, as players want it that start while they load"
      case .last: "after the media data"
      }
    }
  }
  static let tracks = Option.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help:
      "Take only these tracks: IDs of the input, or the kinds `video`, `audio`, `text` or a handler such as `meta`, "
      + "with commas between them.")
  static let keepStart = Option.flag(
    "keep-start",
    help: "Keep the time at which the presentation starts, as an empty edit, instead of moving it to 0.")
  static let noEdits = Option.flag(
    "no-edits",
    help: "Write no edit lists, for readers that do not know them. The priming of audio is heard then, and tracks that "
      + "start later than others start with them; a warning names these tracks.")
  static let moov = Option<MoviePlace>.choice(
    "moov", placeholder: "PLACE", default: .first, help: "Where the movie box is in the output.")
  static let interleave = Option.parsed(
    "interleave", placeholder: "SECONDS", as: Seconds.self,
    help: "Let the tracks take turns in the media data in chunks of about so many seconds, by decode time, whatever "
      + "their order was. Without it, the order of the fragments stays, and several movies take turns every half second."
  )
  static let compact = Option.flag(
    "compact",
    help: "Write the sizes of samples in 4, 8 or 16 bits (`stz2`) where all of a track fit. Not every player reads it.")
  static let keepEvents = Option.flag(
    "keep-events",
    help: "Make the events between the fragments (`emsg`) a timed metadata track as ISO/IEC 23001-18 has it, instead "
      + "of leaving them out.")

  /// How samples of added subtitles are coded.
  enum TextForm: String, OptionChoice {
    case tx3g
    case wvtt

    var meaning: String {
      switch self {
      case .tx3g:
        "text of 3GPP, which QuickTime, VLC and ffmpeg show; bold, italic and underlined letters stay, places do not"
      case .wvtt: "WebVTT with all that it says, ISO/IEC 14496-30, which fewer players show in such a file"
      }
    }
  }
  /// What is done where fragments declare different samples for the same times.
  enum Overlap: String, OptionChoice {
    case replace
    case keep
    case fail

    var meaning: String {
      switch self {
      case .replace: "use the samples that are declared last"
      case .keep: "use the samples that are declared first"
      case .fail: "make no output, and end with 65"
      }
    }
    var policy: OverlapPolicy {
      switch self {
      case .replace: .replace
      case .keep: .keep
      case .fail: .fail
      }
    }
  }
  static let overlap = Option<Overlap>.choice(
    "overlap", placeholder: "POLICY", default: .replace,
    help: "What to do where fragments declare different samples for the same times. When it is given, samples that are "
      + "left out are a note; otherwise they are lost, and the exit status is 1.")
  /// What was asked for, if anything was.
  static func overlap(_ arguments: ParsedArguments) -> OverlapPolicy? {
    arguments.has(overlap) ? arguments[overlap].policy : nil
  }
  static let subtitles = Option.repeated(
    "subtitles", placeholder: "[LANG=]FILE", as: SubtitleFile.self,
    help: "Add the subtitles in FILE, WebVTT or SubRip, as a track in the language LANG, such as `en`; without it the "
      + "name of FILE says the language, as `film.en.srt` does, or it is not known. After FILE, separated by commas: "
      + "`name=NAME`, the name of the track; `default`, to be shown when no other is chosen; `forced` and `sdh` as in "
      + "`mp4tool subtitles`. Their times count from the start of the presentation. It can be given several times.")
  static let textForm = Option<TextForm>.choice(
    "text-format", placeholder: "FORMAT", default: .tx3g, help: "How samples of added subtitles are coded.")

  static let command = Command(
    name: "defrag",
    aliases: ["remux"],
    summary: "turn a fragmented MP4 into a progressive one that every player opens",
    operands: [
      Operand(
        "INPUT", .oneOrMore,
        help: "One fragmented file, or an init segment and its media segments in any order; and more of these; or one "
          + "playlist, see below.")
    ],
    description: [
      "Writes a progressive MP4: one `moov` with complete tables before one `mdat`. Samples are copied as they are, "
        + "nothing is encoded again; their times, composition offsets, sync flags and descriptions stay, and so do edit "
        + "lists and the offset between tracks. Encrypted tracks stay encrypted and can be decrypted as before, for which "
        + "`pssh` of fragments comes to the movie box; sample groups, subsamples and dependencies stay. Durations are set, and brands and boxes that only fragments need are gone.",
      "Fragments are put in the order of their decode times, whatever the order and the names of the inputs, by which "
        + "`mp4tool join` keeps two takes apart. Where fragments declare the same times, the later declaration is used: the one that comes later in the order of the "
        + "inputs and in the file, also where it starts earlier. Only the samples that are declared again are left out, "
        + "and what a fragment has before and after them stays; a sample of which less than half is declared again stays "
        + "too, and the one before it is shortened. The same samples with the same bytes once more are a warning. Different "
        + "samples at the same times are data loss and end with 1, since only one of them can be in the output and nothing in "
        + "the input says which is meant. `--overlap` decides that: then it is a note. Times that begin late are "
        + "moved to 0 for all tracks alike, and a note says so. A gap in time, or a duration that a fragment says "
        + "to be empty, is closed by making the sample before it last longer: that is a warning, since nothing is lost. Samples whose bytes are missing are left out, which is "
        + "a finding and ends with 1.",
      "The media data keeps the order that it has in the fragments, in chunks of half a second, unless `--interleave` "
        + "asks for another. Producer times (`prft`) "
        + "have no place in a progressive file and are left out with a note, and so are events (`emsg`) unless "
        + "`--keep-events` is given. Then they are samples of an event message track: it is cut wherever an event starts or "
        + "ends, each sample lists the events that are active in it, and an event that several segments repeat is one. "
        + "Times that count from a segment or from the presentation stay right when tracks are moved. An event of unknown "
        + "duration lasts until the next one with its scheme and value; one that is over before the presentation starts "
        + "is left out, and one that would start after its end is announced in the last sample.",
      "Sample groups of the compact form (`csgp`) are written as `sbgp`, and the encryption boxes of PIFF, as Smooth "
        + "Streaming has them, as auxiliary information of the samples. A fragment that has another key than its track "
        + "cannot be said in a progressive file: that is a finding. Samples that need an initialization vector each, of "
        + "which the input has none, cannot be decrypted from it: that is a warning.",
      "What is lost is reported by track and time. `--report` writes all that was decided for programs, and `--dry-run` makes "
        + "no output.",
      "An input that starts with a movie box of its own, different from those before, starts a new group: the inputs "
        + "after it belong to it, and its tracks are put together with those of the first, as video and audio of HLS "
        + "and DASH are. Tracks keep their time against each other and get another ID where theirs is taken; "
        + "alternate groups stay apart. An init is found wherever it is among the inputs, and segments that "
        + "are not of the init before them go to another one that they fit. The movie header, user data and metadata are those of the first. An equal movie box "
        + "is the same init once more, such as that of each segment, while the times after it continue. An input with an equal "
        + "movie box and other samples at the same times is an input of its own: its tracks are added beside the others, "
        + "with a warning, since two files of one camera are more likely meant to follow each other. Copies are used once.",
      "Subtitles (`--subtitles`) become tracks that are alternatives to each other; only one that is the `default` is "
        + "enabled. Their times count from the first picture, or from the first sound where that comes long before it. They are text of 3GPP "
        + "unless `--text-format` says otherwise, since that is what players of such files know; cues that are shown together "
        + "are one text then, with a line for each.",
      "Edit lists keep their meaning: the priming of audio stays inaudible, what is cut off at the start stays cut off, and "
        + "a duration of 0 becomes the real one. Tracks that start later than others get an empty edit, for which the "
        + "timescale of the movie is raised where that is needed to be exact. Apple's writer for HLS, and `--profile apple`, write "
        + "no edit list but let the priming of audio start before the first picture. That is recognized when no track has an edit "
        + "list, the first picture is presented at a whole second other than 0, and audio with a sample group `roll` starts at most "
        + "half a second earlier: edit lists hide the priming then, which a note says.",
      "A progressive file is copied with `moov` first. That every sample is where its tables say is checked before: where "
        + "bytes are missing, tables are missing or contradict each other, or a size is wrong, the tables are re-created "
        + "from the samples that are there, lost samples are reported by track and time, and the exit status is 1. Memory "
        + "is needed for the tables only, so the size of the media does not matter.",
      "Each output is read back from memory before anything is written. Where it would not give the samples that were "
        + "planned, boxes that the samples do not need are left out; where that does not help, the input is refused with "
        + "65. So what is written is always read in one way, however damaged the input is.",
      "A QuickTime movie stays one, unless the output is named `.mp4`, `.m4a`, `.m4v` or `.m4b`. Then it becomes an MP4 "
        + "file: its brands and sample descriptions are those of ISO files, and uncompressed sound is called `ipcm` or "
        + "`fpcm` (ISO/IEC 23003-5). Samples, times and edits stay as they are. Codecs that only QuickTime defines, such "
        + "as ProRes, are kept with a warning.",
      "With `--in-place` there is no output: the file itself becomes progressive, see below.",
      RemoteFile.description,
    ],
    options: [
      OutputOptions.output(unless: [OutputJob.dryRun, inPlace].map(\.declaration.name)), inPlace, OutputJob.dryRun,
      ReportFile.option, tracks, keepStart, noEdits, moov, interleave, compact, keepEvents, subtitles,
      SubtitleFile.encoding, textForm, overlap, JoinCommand.forceInit,
    ] + PlaylistOptions.all + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool defrag recording.mp4 -o movie.mp4", "Makes a fragmented recording playable everywhere."),
      Command.Example(
        "mp4tool defrag init.mp4 seg*.m4s -o movie.mp4", "Makes one file out of the segments of an HLS or DASH stream."),
      Command.Example(
        "mp4tool defrag v/init.mp4 v/*.m4s a/init.mp4 a/*.m4s -o movie.mp4",
        "Puts video and audio together that were downloaded apart."),
      Command.Example(
        "mp4tool defrag https://example.com/master.m3u8 -o movie.mp4",
        "Makes one file of a stream: its best variant with its sound."),
      Command.Example(
        "mp4tool defrag movie.mp4 --subtitles en=en.vtt --subtitles fr=fr.srt -o subtitled.mp4",
        "Adds subtitles in two languages as tracks."),
      Command.Example("mp4tool defrag --tracks audio recording.mp4 -o sound.m4a", "Takes the audio tracks only."),
      Command.Example(
        "mp4tool defrag --in-place recording.mp4",
        "Makes a recording progressive in its own file, in the time that reading its fragment headers takes."),
      Command.Example(
        "mp4tool defrag --dry-run --report - recording.mp4 | jq '.diagnostics[] | select(.severity == \"error\").message'",
        "Lists what would be lost, and makes nothing."),
      Command.Example(
        "for f in *.mp4; do mp4tool defrag -q \"$f\" -o \"done/$f\" || echo \"$f: $?\"; done",
        "Does a whole folder and names those that had findings."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings, "Samples are lost or cut off, or a segment is of another init; the output holds the others."),
      Command.ExitNote(
        .inputNotUsable,
        "There are no tracks or no samples, no sample has its data, or all segments belong to another init; with "
          + "`--in-place` also a file that cannot be changed this way, which stays as it was."),
    ],
    manSections: [JoinCommand.initSection, PlaylistOptions.manSection, InPlaceJob.manSection, DefragReport.manSection],
    run: run)

  static let inPlace = Option.flag(
    "in-place",
    help: "Change the one INPUT itself, without copying its media; it may not be a pipe, and `-o` is not given. "
      + "Whenever this is interrupted, the file is what it was or finished.")

  /// What says where media goes, or that another file is made.
  static let withoutInPlace: [any DeclaredOption] = [
    OutputOptions.output(unless: []), OutputOptions.noClobber, moov, interleave, keepEvents, subtitles,
  ]

  private static func options(_ arguments: ParsedArguments) -> Defragmenter.Options {
    var options = Defragmenter.Options()
    options.tracks = arguments[tracks]?.selection ?? TrackSelection()
    options.keepsStart = arguments[keepStart]
    options.writesEdits = !arguments[noEdits]
    options.isMovieFirst = arguments[moov] == .first
    options.interleave = arguments[interleave]?.time
    options.isCompact = arguments[compact]
    options.overlaps = overlap(arguments)
    options.takesAllSegments = arguments[JoinCommand.forceInit]
    options.keepsEvents = arguments[keepEvents]
    options.outputKind = Defragmenter.OutputKind(ofOutput: arguments[OutputOptions.output])
    return options
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let defragmenter = Defragmenter(options(arguments))
    let playlist = try PlaylistOperand(arguments, Fetcher(context.fetching)).place()
    if arguments[inPlace] {
      if playlist != nil {
        throw UsageError("a playlist cannot be made a file in place: it names many; give the output with '-o'")
      }
      return try InPlaceJob(arguments, context).run(defragmenter)
    }
    try arguments[subtitles].checkLanguages(subtitles, isNeeded: false)
    if arguments[subtitles].isEmpty, arguments.has(SubtitleFile.encoding) {
      throw UsageError("option '--encoding' is about subtitles; add '--subtitles FILE'")
    }
    for file in arguments[subtitles] { context.inputs.add(file.path) }
    let texts = try AddedTexts(arguments[subtitles], arguments[textForm] == .tx3g ? .timedText : .webVTT, arguments)
    func plan(_ sources: [any ByteSource], _ parts: [SourcePart], _ onProgress: @escaping (Int) -> Bool) throws
      -> OutputPlan
    {
      var plan = try defragmenter.plan(sources, parts: parts, followers: texts.sources, onProgress: onProgress)
      plan.notices = texts.notices + plan.notices
      return plan
    }
    if let playlist {
      return try PlaylistJob(arguments, context).run(playlist) { try plan($0.sources, $0.parts, $1) }
    }
    return try PlaylistOperand.advising {
      try OutputJob(arguments, context).run { try plan($0, [], $1) }
    }
  }
}
