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
    "time-offset", placeholder: "SECONDS", as: Seconds.self,
    help: "With `--profile apple`, when the first picture is presented; 10 seconds unless given.")
  static let duration = Option.parsed(
    "duration", placeholder: "SECONDS", as: Seconds.self,
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
  static let index = Option.flag(
    "index", help: "Write an index (`sidx`) of the segments in front of them.")
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
    description: ["Writes it."],
    options: [
      OutputOptions.output(unless: [OutputJob.dryRun.declaration.name, SegmentFolder.segments.declaration.name]),
      SegmentFolder.segments, SegmentFolder.names, SegmentFolder.initName, OutputJob.dryRun, DefragCommand.tracks,
      profile,
      timeOffset, duration, cutAt, fragmentDuration, index, randomAccess, DefragCommand.noEdits,
    ] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool fragment movie.mp4 -o fragmented.mp4", "Makes fragments of about six seconds."),
      Command.Example(
        "mp4tool fragment movie.mp4 --segments movie --name seg-%03d.m4s",
        "Makes a folder with `init.mp4`, `seg-001.m4s`, `seg-002.m4s` and so on."),
      Command.Example(
        "mp4tool fragment --tracks video movie.mp4 --segments video",
        "Makes segments of the video alone, as CMAF has them."),
    ],
    exitNotes: [],
    manSections: [SegmentFolder.manSection],
    run: run)

  private static func options(_ arguments: ParsedArguments) -> Fragmenter.Options {
    var options = Fragmenter.Options()
    if arguments[profile] == .apple {
      options.profile = .apple(timeOffset: arguments[timeOffset]?.time ?? FragmentProfile.appleTimeOffset)
    }
    if let duration = arguments[duration] { options.cutting = .interval(duration.time) }
    if let times = arguments[cutAt] { options.cutting = .times(times.times) }
    options.fragmentDuration = arguments[fragmentDuration]?.time
    options.hasIndex = arguments[index]
    options.hasRandomAccess = arguments[randomAccess]
    return options
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var reading = Defragmenter.Options()
    reading.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    reading.writesEdits = !arguments[DefragCommand.noEdits]
    let fragmenter = Fragmenter(options(arguments))
    if let folder = try SegmentFolder.Target(arguments) {
      return try FolderJob(arguments, context).run(folder.path) { sources, onProgress in
        let plan = try fragmenter.plan(TimedMovie(reading: sources, reading, onProgress: onProgress))
        return SegmentFolder(plan, folder)
      }
    }
    return try OutputJob(arguments, context).run { sources, onProgress in
      try fragmenter.plan(TimedMovie(reading: sources, reading, onProgress: onProgress))
    }
  }
}

extension FragmentPlan: FilePlan {
  var counts: String? { "\(segments.count) segment\(segments.count == 1 ? "" : "s")" }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool { false }
}
