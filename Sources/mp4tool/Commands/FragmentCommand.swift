import Bytes
import FileIO
import ISOBMFF
import MP4

/// `mp4tool fragment`.
enum FragmentCommand {
  /// How the output says when its media is presented.
  enum Profile: String, OptionChoice {
    case cmaf
    case apple

    var meaning: String {
      switch self {
      case .cmaf: "times from 0, an edit list that takes the priming of audio away, the rules of CMAF"
      case .apple: "no edit list; all times are later by the time offset, so that priming lies before the first picture"
      }
    }
  }
  static let profile = Option<Profile>.choice(
    "profile", placeholder: "PROFILE", default: .cmaf, help: "How the output says when its media is presented.")
  static let timeOffset = Option.parsed(
    "time-offset", placeholder: "SECONDS", as: TimeOffset.self,
    help: "With `--profile apple`, when the first picture is presented; 10 seconds unless given.")
  static let segmentDuration = Option.parsed(
    "segment-duration", placeholder: "SECONDS", as: Seconds.self,
    help:
      "How long segments are at least, but for the last: each ends before the first sync sample that is presented so "
      + "long after its start, or later. 6 seconds unless given.")
  static let cutAt = Option.parsed(
    "cut-at", placeholder: "TIMES", as: TimeList.self,
    help:
      "Start segments at these times of the presentation instead, in seconds with commas between them. There must be "
      + "a sync sample at each.")
  static let fragmentDuration = Option.parsed(
    "fragment-duration", placeholder: "SECONDS", as: Seconds.self,
    help: "Put several fragments into each segment, which last about so long, instead of one.")
  static let segmentIndex = Option.flag(
    "sidx",
    help:
      "Write an index (`sidx`) of the segments in front of them, or with `--segments` in each of its fragments, for "
      + "players that seek by byte ranges.")
  static let randomAccess = Option.flag(
    "mfra", help: "Write a table of the places where decoding can start (`mfra`) at the end.")

  static let command = Command(
    name: "fragment",
    summary: "turn a progressive MP4 into a fragmented one, as streams are made of",
    operands: [
      Operand(
        "INPUT", .oneOrMore,
        help: "A progressive or fragmented file, or an init segment and its media segments; and more of these.")
    ],
    description: [
      "Writes a fragmented MP4: a `moov` without samples, then a `moof` and an `mdat` for each segment. Samples are copied "
        + "as they are, nothing is encoded again; their durations, sync flags, descriptions, groups, subsamples, "
        + "dependencies and encryption stay, and everything is presented when it was. `mp4tool defrag` makes the "
        + "progressive file again. A fragmented INPUT is cut again. A QuickTime movie becomes an MP4 file when the output "
        + "is named `.mp4`, `.m4a`, `.m4v` or `.m4b`, as with `mp4tool defrag`.",
      "A segment begins with a sync sample of the first video track, or of the first track without one, and ends before "
        + "the first sync sample that is presented `--segment-duration` after the start of the segment, or later. So segments "
        + "are longer where sync samples are rare, which a note says. Samples of the other tracks go into the segment in "
        + "which they begin to be presented; where these cannot all be decoded on their own, as those of xHE-AAC, a "
        + "segment begins with one that can. Tracks never drift apart, since every cut counts from the presentation. Within a fragment "
        + "several tracks take turns every half second, so that a player can start before it has all of it; a track alone "
        + "has one run. Samples in the clear and encrypted ones are in fragments of their own.",
      "The CMAF profile takes the delay of reordered pictures out of their composition offsets, so that the first picture "
        + "is presented at its decode time, and needs no edit list for video. An edit list says only how much of a track "
        + "is cut off at its start, as the priming of audio, or where a track ends before its samples do. A track that "
        + "starts later than others has a later decode time. Where one track alone follows the rules, `ftyp` has the brands "
        + "`cmfc` and, without an edit list for video, `cmf2`; `--tracks` takes one track. An edit list that presents several parts or another "
        + "speed is kept, with a warning: players of segments present the media as it is. Some readers, ffmpeg among them, "
        + "present pictures with negative composition offsets a little late.",
      "The Apple profile has no edit lists: all media times are later by `--time-offset`, so that the priming of audio "
        + "can lie before the first picture, which is presented at the offset. What an edit list hides at the end of a "
        + "track is presented then, and a warning says so. An edit list that presents several parts, or a track that "
        + "would start before 0, is an error.",
      "Events between the fragments of the INPUT (`emsg`: ad breaks, ID3) are put in front of the segment in whose time "
        + "they start, in version 1, each once. Movie fragments cannot carry shadow sync samples (`stsh`), and producer "
        + "times (`prft`) of the INPUT are not carried over; messages say so. Where the tracks of a fragmented INPUT start "
        + "at times that differ by no whole number of units, the presentation starts up to a fiftieth of a second after "
        + "0, so that nothing has to be rounded. Memory is needed for the tables only, so the size of the media does not "
        + "matter.",
    ],
    options: [
      OutputOptions.output(unless: [OutputJob.dryRun.declaration.name, SegmentFolder.segments.declaration.name]),
      SegmentFolder.segments, SegmentFolder.names, SegmentFolder.initName, OutputJob.dryRun, ReportFile.option,
      DefragCommand.tracks,
      profile,
      timeOffset, segmentDuration, cutAt, fragmentDuration, segmentIndex, randomAccess, DefragCommand.noEdits,
      DefragCommand.overlap,
      JoinCommand.forceInit,
    ] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool fragment movie.mp4 -o fragmented.mp4", "Makes fragments of about six seconds."),
      Command.Example(
        "mp4tool fragment --tracks video --segment-duration 2 --sidx movie.mp4 -o video.mp4",
        "Makes a CMAF track file with an index, of the video alone."),
      Command.Example(
        "mp4tool fragment --profile apple movie.mov -o fragmented.mp4", "Lays times as Apple's writer for HLS does."),
      Command.Example(
        "mp4tool fragment --cut-at 10,24.5 movie.mp4 -o fragmented.mp4", "Makes three segments, cut where asked."),
      Command.Example(
        "mp4tool fragment --dry-run --report - movie.mp4 | jq '.segments[].duration'",
        "Shows how long the segments would be, and makes nothing."),
      Command.Example(
        "mp4tool fragment movie.mp4 --segments movie --segment-name seg-%03d.m4s",
        "Makes a folder with `init.mp4`, `seg-001.m4s`, `seg-002.m4s` and so on."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are lost or cut off; the output holds the others."),
      Command.ExitNote(
        .inputNotUsable,
        "There are no tracks or no samples, there is no sync sample where one is needed, or edits cannot be kept."),
    ],
    manSections: [SegmentFolder.manSection, FragmentReport.manSection],
    run: run)

  /// The profile that `--profile` and `--time-offset` ask for.
  static func profile(_ arguments: ParsedArguments) throws(UsageError) -> FragmentProfile {
    guard arguments[profile] == .apple else {
      guard arguments[timeOffset] == nil else {
        throw UsageError("option '--\(timeOffset.declaration.name)' needs '--\(profile.declaration.name) apple'")
      }
      return .cmaf
    }
    return .apple(timeOffset: arguments[timeOffset]?.time ?? FragmentProfile.appleTimeOffset)
  }

  private static func options(_ arguments: ParsedArguments) throws(UsageError) -> Fragmenter.Options {
    var options = Fragmenter.Options()
    options.profile = try profile(arguments)
    if arguments[segmentDuration] != nil, arguments[cutAt] != nil {
      throw UsageError(
        "options '--\(segmentDuration.declaration.name)' and '--\(cutAt.declaration.name)' contradict each other: segments are "
          + "cut after so long or at given times")
    }
    if let duration = arguments[segmentDuration] { options.cutting = .interval(duration.time) }
    if let times = arguments[cutAt] { options.cutting = .times(times.times) }
    options.fragmentDuration = arguments[fragmentDuration]?.time
    options.hasIndex = arguments[segmentIndex]
    options.hasRandomAccess = arguments[randomAccess]
    return options
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var reading = Defragmenter.Options()
    reading.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    reading.writesEdits = !arguments[DefragCommand.noEdits]
    let folder = try SegmentFolder.Target(arguments)
    // Segments come with an `init.mp4`.
    reading.outputKind = folder == nil ? Defragmenter.OutputKind(ofOutput: arguments[OutputOptions.output]) : .iso
    reading.overlaps = DefragCommand.overlap(arguments)
    reading.takesAllSegments = arguments[JoinCommand.forceInit]
    let fragmenter = Fragmenter(try options(arguments))
    if let folder {
      return try FolderJob(arguments, context).run(folder.path) { sources, onProgress in
        let plan = try fragmenter.plan(Movie(reading: sources, reading, onProgress: onProgress))
        return SegmentFolder(plan, folder)
      }
    }
    return try OutputJob(arguments, context).run { sources, onProgress in
      try fragmenter.plan(Movie(reading: sources, reading, onProgress: onProgress))
    }
  }
}

extension FragmentPlan: FilePlan {
  var counts: String? { counted(segments.count, "segment") }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool {
    try writeReport(to: sink, output: output, isMade: isMade, names: nil)
    return true
  }
}
