import Bytes
import Fetching
import ISOBMFF
import MP4
import Streaming

/// `mp4tool join`.
enum JoinCommand {
  /// The order in which segments are put together.
  enum Order: String, OptionChoice {
    case time
    case given

    var meaning: String {
      switch self {
      case .time: "by decode time, whatever the order of the operands"
      case .given: "in the order of the operands"
      }
    }
  }

  static let order = Option<Order>.choice(
    "order", placeholder: "ORDER", default: .time, help: "The order of the segments in the output.")

  static let forceInit = Option.flag(
    "force-init",
    help: "Use also segments that the init segment does not seem to fit, instead of leaving them out. Fragments of "
      + "tracks that it does not have cannot be used.")

  static let command = Command(
    name: "join",
    summary: "put an init segment and its media segments together as one fragmented file",
    operands: [
      Operand(
        "INIT",
        help: "The init segment: the file with the `moov` box; or a whole fragmented file, or a playlist, see below."),
      Operand(
        "SEGMENT", .anyNumber,
        help: "The media segments that belong to it, in any order, the init segment among them; none for a playlist."),
    ],
    description: [
      "Writes INIT and every SEGMENT into one fragmented MP4. Shells expand `seg*.m4s` so that seg10 comes before seg2; "
        + "therefore segments are put in the order of their decode times, and a note says so when that changed anything. "
        + "Equal times are ordered by sequence number, then by name as people count, and 32-bit times that begin again "
        + "at 0 are seen through. Where the times of two takes overlap, so that their order by time would mix them, the "
        + "order of names is used and a warning says so.",
      "The output is the bytes of the inputs one after the other, except what must change: absolute data offsets, the "
        + "size of a last box that reached to the end of its file, the offsets of a random access table, and inits that "
        + "are repeated. To get a file for every player, use `mp4tool defrag`.",
      "A hole or an overlap in time, or a segment that is there twice, is reported with the names of the files and the "
        + "seconds. Segments of another rendition are left out, see below; a file that is no segment is an error, and so are "
        + "two inits that differ, such as those of audio and video in one folder, since one file has one: `mp4tool defrag` "
        + "sorts segments to their inits. Of a segment that is cut off the "
        + "tables still name the samples that it lost; `mp4tool defrag` leaves those out.",
    ],
    options: [order, forceInit] + PlaylistOptions.all + OutputOptions.all,
    examples: [
      Command.Example(
        "mp4tool join init.mp4 seg*.m4s -o movie.mp4", "Joins all segments of a folder in order of time."),
      Command.Example(
        "mp4tool join --strict init.mp4 seg*.m4s -o movie.mp4", "The same, but makes no file when a segment is missing."
      ),
      Command.Example(
        "mp4tool join --order given init.mp4 b.m4s a.m4s -o movie.mp4",
        "Keeps the segments in the order of the command."),
      Command.Example(
        "mp4tool join init.mp4 seg*.m4s -o - | ffplay -", "Plays what would be joined, without making a file."),
      Command.Example("mp4tool join stream/index.m3u8 -o movie.mp4", "Joins all segments of a media playlist."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings, "A segment is cut off, and the output holds what is there of it; or a segment is of another init."),
      Command.ExitNote(.inputNotUsable, "INIT has no tracks, a SEGMENT is no segment, or none is of INIT."),
    ],
    manSections: [initSection, PlaylistOptions.manSection],
    run: run)

  /// The chapter of the man pages about segments that do not belong to the init.
  static let initSection = Command.ManSection(
    title: "SEGMENTS OF ANOTHER INIT",
    paragraphs: [
      "A segment is left out, with its name and the reason, and the exit status is 1, when what it says contradicts the init "
        + "before it: it has fragments of tracks that the init does not have; the index in it (`sidx`) counts in other units "
        + "than the track; with the default sizes of the init its samples are not its media data; its pictures have another "
        + "size, or use parameter sets that the init does not have; its sound has another number of channels; or its "
        + "samples are not made as the init says while those of other segments are. When no segment is of the init, that is "
        + "an error. `--force-init` uses the segments all the same, but for fragments of tracks that the init does not have, "
        + "which nothing describes. The segments of a media playlist are compared with its "
        + "EXT-X-MAP in the same way, unless several of these describe the same tracks.",
      "Not everything can be seen: most renditions of H.264 that differ in size alone say so nowhere but in their inits. "
        + "Encrypted samples say nothing.",
    ])

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if let playlist = try PlaylistOperand(arguments, Fetcher(context.fetching)).place() {
      return try PlaylistJob(arguments, context).run(playlist) { input, onProgress in
        try check(input)
        var joiner = Joiner(order: .given)
        joiner.takesAllSegments = arguments[forceInit]
        return try joiner.plan(input.sources, onProgress: onProgress)
      }
    }
    var joiner = Joiner(order: arguments[Self.order] == .given ? .given : .time)
    joiner.takesAllSegments = arguments[forceInit]
    return try PlaylistOperand.advising {
      try OutputJob(arguments, context).run { try joiner.plan($0, onProgress: $1) }
    }
  }
  /// What cannot be joined without changing times and numbers of tracks.
  private static func check(_ input: PlaylistInput) throws(UnusableInput) {
    for (part, source) in zip(input.parts, input.sources) where part != input.parts[0] {
      let reason =
        part.period == input.parts[0].period
        ? "its tracks are in another playlist than those before; join takes one media playlist, and defrag puts both "
          + "together"
        : "there is a discontinuity before it, where times start again; defrag moves them, and --split makes a file of "
          + "each part"
      throw UnusableInput(file: source.name, reason: reason)
    }
  }
}
