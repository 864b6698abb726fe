import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Records

enum FragmentCommand {
  static let profile = Option<FragmentProfile>.choice(
    "profile", placeholder: "PROFILE", default: .source,
    help: "The rules for times and brands that the output follows.",
    [
      NamedValue(.source, "source", "times and edit lists are those of the INPUT"),
      NamedValue(
        .cmaf, "cmaf",
        "CMAF rules with the brand `cmfc`: times start at 0, and an edit list skips the reordering delay and audio "
          + "priming"),
      NamedValue(
        .cmf2, "cmf2",
        "CMAF rules with the brand `cmf2`: times start at 0, and negative composition offsets replace the edit list of "
          + "video; ffmpeg presents it late"),
      NamedValue(
        .apple(timeOffset: FragmentProfile.appleTimeOffset), "apple",
        "no edit list; all times are shifted by the time offset, so that priming precedes the first picture"),
    ])
  static let timeOffset = Option.parsed(
    "time-offset", placeholder: "SECONDS", as: TimeOffset.self,
    help: "With `--profile apple`, the presentation time of the first picture. The default is 10 seconds.")
  static let segmentDuration = Option.parsed(
    "segment-duration", placeholder: "SECONDS", as: Seconds.self,
    help:
      "The minimum duration of segments, except for the last: each ends before the first sync sample that is presented "
      + "at least this long after the start of the segment. The default is 6 seconds.")
  static let cutAt = Option.parsed(
    "cut-at", placeholder: "TIMES", as: TimeList.self,
    help:
      "Start segments at these presentation times (in seconds, separated by commas) instead of using "
      + "`--segment-duration`. There must be a sync sample at each time.")
  static let fragmentDuration = Option.parsed(
    "fragment-duration", placeholder: "SECONDS", as: Seconds.self,
    help: "Divide each segment into fragments of about this duration, instead of writing one fragment per segment.")
  static let segmentIndex = Option.flag(
    "sidx",
    help: "Write a segment index (`sidx`) before the first segment of each output file, for players that seek by byte "
      + "ranges.")
  static let randomAccess = Option.flag(
    "mfra", help: "Write a table of random access points (`mfra`) at the end.")

  static let command = Command(
    name: "fragment",
    summary: "convert any MP4 to fragmented MP4 or segments",
    operands: [
      Operand(
        "INPUT", .oneOrMore, unless: [ReportFile.printSchema.declaration.name],
        help: "A progressive or fragmented file, or an init segment and its media segments; or several of these. URLs "
          + "are accepted.")
    ],
    description: [
      "Writes a fragmented MP4: a `moov` without samples, then a `moof` and an `mdat` for each fragment, by default "
        + "one fragment per segment. Samples are copied without transcoding; their durations, sync flags, "
        + "descriptions, groups, subsamples, dependencies and encryption are kept. Intervals between presentation "
        + "times are kept, but profiles other than `source` can shift all times by the same amount. `mp4tool defrag` "
        + "reverses this. A fragmented INPUT keeps its fragments, and in one file its indexes, unless "
        + "`--segment-duration`, `--fragment-duration` or `--cut-at` asks for new ones. A QuickTime movie becomes an "
        + "MP4 file if the name of the output ends in `.mp4`, `.m4a`, `.m4v` or `.m4b`, as with `mp4tool defrag`.",
      "A segment begins with a sync sample of the first video track, or of the first track if there is no video. It "
        + "ends before the first sync sample that is presented at least `--segment-duration` after the start of the "
        + "segment. Segments are therefore longer where sync samples are rare; a note reports this. Samples of the "
        + "other tracks are in the segment in which their presentation begins. If only some of these samples can be "
        + "decoded on their own, as in xHE-AAC, the track's part of the segment begins with such a sample. Tracks "
        + "never drift apart, because each cut is computed from the presentation time. Within a fragment, several "
        + "tracks are interleaved every half second, so that playback can start before the fragment is complete; a "
        + "single track is not divided. Clear and encrypted samples are in separate fragments.",
      "By default, decode times, composition offsets and edit lists are those of the INPUT. An edit list "
        + "usually skips the reordering delay of video and audio priming. With `--profile cmaf`, times start at 0, "
        + "and a track that starts later than others starts at a later decode time, unless media is hidden at its "
        + "start. If the output has one track and follows the CMAF rules, `ftyp` has the brand `cmfc`; otherwise "
        + "a note gives the reason. Use `--tracks` to select one track. HLS and DASH players ignore edit lists. A "
        + "warning reports those that they would need: several edits, a speed other than 1, or tracks that only "
        + "edits present together.",
      "With `--profile cmf2`, the reordering delay is removed from the composition offsets. The first picture is then "
        + "presented at its decode time, and video needs no edit list. `ftyp` has the brand `cmf2` as well as `cmfc`, "
        + "if the rules are followed. All versions of ffmpeg up to 9.0 present such video late, by the reordering "
        + "delay, also after remuxing; a note reports this.",
      "The Apple profile has no edit lists. All media times are shifted by `--time-offset`, so that audio priming can "
        + "precede the first picture, which is presented at the offset. Media that an edit list hides at the end of a "
        + "track is presented; a warning reports this. An edit list with several edits, or a track that would start "
        + "before 0, is an error.",
      "Events between the fragments of the INPUT (`emsg`: ad breaks, ID3) are each written once, as `emsg` version 1, "
        + "before the segment during which they start. Shadow sync samples (`stsh`), which movie fragments cannot "
        + "carry, and producer reference times (`prft`) are omitted; each omission is reported. If the start times of "
        + "the tracks of a fragmented INPUT differ by a fraction of a timescale unit, the presentation starts up to 20 "
        + "ms after 0, so that no time is rounded. Memory use depends on the sample tables, not on the media size.",
    ],
    options: [
      OutputOptions.output(unless: [OutputJob.dryRun, SegmentFolder.segments, ReportFile.printSchema]),
      SegmentFolder.segments, SegmentFolder.names, SegmentFolder.initName, OutputJob.dryRun, ReportFile.option,
      ReportFile.printSchema,
      DefragCommand.tracks, profile, timeOffset, segmentDuration, cutAt, fragmentDuration, segmentIndex, randomAccess,
      DefragCommand.noEdits, DefragCommand.overlap, JoinCommand.forceInit,
    ] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool fragment movie.mp4 -o fragmented.mp4", "Writes fragments of at least six seconds."),
      Command.Example(
        "mp4tool fragment --profile cmaf --tracks video --sidx movie.mp4 -o video.mp4",
        "Writes the video as a CMAF track file with an index."),
      Command.Example(
        "mp4tool fragment --profile apple movie.mov -o fragmented.mp4", "Uses the timing of Apple's HLS tools."),
      Command.Example(
        "mp4tool fragment --cut-at 10,24.5 movie.mp4 -o fragmented.mp4",
        "Writes three segments, cut at 10 and 24.5 seconds."),
      Command.Example(
        "mp4tool fragment --dry-run --report - movie.mp4 | jq '.segments[1:][].duration'",
        "Prints the durations of the media segments, and writes nothing."),
      Command.Example(
        "mp4tool fragment movie.mp4 --segments movie --segment-name seg-%03d.m4s",
        "Writes `init.mp4`, `seg-001.m4s`, `seg-002.m4s` and so on to a folder."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are missing or cut off; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "There are no tracks or no samples, there is no sync sample where one is needed, or edits cannot be kept."),
    ],
    manSections: [SegmentFolder.manSection] + ReportManual.fragment,
    run: run)

  /// The profile given by `--profile` and `--time-offset`.
  private static func profile(_ arguments: ParsedArguments) throws(UsageError) -> FragmentProfile {
    guard let offset = arguments[timeOffset]?.time else { return arguments[profile] }
    guard case .apple = arguments[profile] else {
      throw UsageError("option '--\(timeOffset.declaration.name)' needs '--\(profile.declaration.name) apple'")
    }
    return .apple(timeOffset: offset)
  }

  private static func options(_ arguments: ParsedArguments) throws(UsageError) -> Fragmenter.Options {
    var options = Fragmenter.Options()
    options.profile = try profile(arguments)
    if arguments[segmentDuration] != nil, arguments[cutAt] != nil {
      throw UsageError(segmentDuration, contradicts: cutAt, "segments are cut by duration or at given times")
    }
    if let duration = arguments[segmentDuration] { options.cutting = .interval(duration.time) }
    if let times = arguments[cutAt] { options.cutting = .times(times.times) }
    options.fragmentDuration = arguments[fragmentDuration]?.time
    options.hasIndex = arguments[segmentIndex]
    options.hasRandomAccess = arguments[randomAccess]
    options.reading.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    options.reading.keepsEdits = !arguments[DefragCommand.noEdits]
    options.reading.overlaps = arguments[DefragCommand.overlap]
    options.reading.takesAllSegments = arguments[JoinCommand.forceInit]
    return options
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if arguments[ReportFile.printSchema] {
      try FragmentReport.schema.write(to: context.console)
      return .done
    }
    let folder = try SegmentFolder(arguments)
    var options = try options(arguments)
    if let folder { options.names = folder.names }
    // The init segment is an MP4 file.
    let fragmenter = Fragmenter(options).writing(to: folder == nil ? arguments.outputName : "init.mp4")
    return try OutputJob(arguments, context, to: folder.map { .folder($0.path) }).run { sources, onProgress in
      let plan = try fragmenter.plan(sources, onProgress: onProgress)
      return folder == nil ? PlannedOutput(plan) : SegmentFolder.output(plan)
    }
  }
}
