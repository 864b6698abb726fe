import ISOBMFF
import MP4
import MP4Bytes

enum CutCommand {
  static let from = Option<CutTime?>.parsed(
    "from", placeholder: "TIME", as: CutTime.self, help: "The start of the output. The default is the start of FILE.")
  static let to = Option<CutTime?>.parsed(
    "to", placeholder: "TIME", as: CutTime.self,
    help: "The end of the output (exclusive). The default is the end of FILE.")
  static let duration = Option<CutTime?>.parsed(
    "duration", placeholder: "TIME", as: CutTime.self,
    help: "The duration of the output, instead of `--to`: also a number of frames, such as `250f`, or hours, minutes, "
      + "seconds and frames of the timecode track, such as `00:00:10:00`.")
  static let ranges = Option<[CutRange]>.repeated(
    "range", placeholder: "A..B", as: CutRange.self,
    help: "Keep the part from A to B. Can be repeated; parts must be in order and are joined.")
  static let removed = Option<[CutRange]>.repeated(
    "remove", placeholder: "A..B", as: CutRange.self,
    help: "Remove the part from A to B and keep the rest. Can be repeated.")
  static let splitAt = Option<CutTimes?>.parsed(
    "split-at", placeholder: "TIMES", as: CutTimes.self,
    help: "Split the file at TIMES, separated by commas, and write one file per part. The name OUT must contain `%d` "
      + "(or `%n`), which is replaced by the part number, starting at 1; `%03d` pads it with zeros. It can also have "
      + "`%t`, the title of the part, and `%c`, the timecode or time at which it starts.")
  static let splitEvery = Option<PartLength?>.parsed(
    "split-every", placeholder: "TIME|SIZE", as: PartLength.self,
    help: "Split the file into parts of this duration, such as `10:00` or `10m`; or at keyframes into files of at most "
      + "this size, such as `4GB` or `650MiB`; see `--split-at`.")
  static let splitChapters = Option.flag(
    "split-chapters", help: "Split the file at its chapters, whose titles are those of the parts; see `--split-at`.")
  static let list = Option.path(
    "list", placeholder: "LIST",
    help: "Keep the parts in the file LIST: an edit decision list (CMX 3600), or lines with a start, an end and "
      + "optionally a title, separated by commas. If the name OUT contains `%d`, `%t` or `%c`, each part is written to "
      + "a file of its own; otherwise, they are joined.")
  static let reel = Option.text(
    "reel", placeholder: "NAME",
    help: "With `--list`, the reel of FILE in the edit decision list; events of other reels are ignored. The default "
      + "is the reel of its timecode, or the file name.")
  static let keyframes = Option.flag(
    "keyframes",
    help: "Start each part at the last keyframe at or before the requested time. A note reports its time.")

  static let output = OutputOptions.output(unless: [OutputJob.dryRunWithoutReport])

  static let command = Command(
    name: "cut",
    summary: "trim an MP4 file, remove parts of it or split it, without transcoding",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "An MP4, CMAF or QuickTime file, or an init segment and its media segments; all FILEs together are one "
          + "movie. `-` is standard input; URLs are accepted.")
    ],
    description: [
      "Writes the requested parts of all tracks as progressive MP4. Nothing is transcoded, and samples do not change, "
        + "except where parts are joined at an open GOP. End times are exclusive. \(CutTime.description)",
      "Cuts are frame-accurate. The output contains the samples from the preceding keyframe on, and an edit list hides "
        + "those before the start. If that keyframe starts an open GOP, whose leading pictures depend on the previous "
        + "GOP, the previous GOP is included too. Players that ignore edit lists show the hidden pictures; a note "
        + "reports their duration, and `--keyframes` avoids them. GStreamer 1.22 ends a part early if its hidden "
        + "pictures last longer than the part; it may also stop at the last keyframe of the part. Audio keeps the "
        + "pre-roll that its codec needs (from the `roll` sample group, or the usual value for AAC, Opus, MP3 and "
        + "others), hidden in the same way. All tracks stay in sync.",
      "Subtitles and chapters that cross a cut are shortened. Chapter lists (`chpl`), timecode tracks and the times in "
        + "TTML documents are adjusted. Events between the fragments of FILE (`emsg`) become a timed metadata track. "
        + "Encrypted tracks stay encrypted. The iTunes tag for audio priming (`iTunSMPB`) is removed, because edit "
        + "lists describe the priming.",
      OpenGOP.description
        + " Where wrong pictures of H.264 would be presented, or pictures in the wrong order, the hidden pictures "
        + "start up to three keyframes earlier. If that does not help, the cut is refused, with the times of the "
        + "nearest IDR pictures. A warning reports the splices.",
      "Several parts that do not start at keyframes need several edits in one edit list. Chromium and other players "
        + "honor only one edit and show up to one extra GOP per part; a note reports this. ffmpeg up to 9.0 presents "
        + "reordered pictures after a splice late, by the reordering delay.",
      "Of an edit decision list, the source times of cuts count, which are timecodes of FILE; their end is exclusive. "
        + "Dissolves, wipes and speeds (M2) are refused, with their line. Events that repeat all times before them "
        + "count once, and events of sound alone do not count if there are others. `%t` is the clip name. A reel of "
        + "eight letters can be the start of a longer name; `AX` is any file.",
      RemoteFile.description,
    ],
    options: [
      from, to, duration, ranges, removed, splitAt, splitEvery, splitChapters, list, reel, keyframes,
      DefragCommand.tracks,
      output, OutputJob.dryRunWithoutReport,
    ] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool cut --from 1:02.5 --to 1:10 film.mp4 -o part.mp4", "Writes 7.5 seconds of a film."),
      Command.Example(
        "mp4tool cut --range 0..10 --range 60..70 film.mp4 -o parts.mp4", "Writes two parts to one file."),
      Command.Example("mp4tool cut --remove 5:00..7:30 show.mp4 -o show-only.mp4", "Removes an advertisement."),
      Command.Example("mp4tool cut --split-at 10:00,20:00 talk.mp4 -o talk-%d.mp4", "Splits a file into three."),
      Command.Example("mp4tool cut --split-chapters book.m4b -o '%02d %t.m4a'", "Writes a file for each chapter."),
      Command.Example(
        "mp4tool cut --list selects.edl --reel A001 A001.mov -o 'A001_%03d.mov'", "Writes the events of an EDL."),
      Command.Example("mp4tool cut --keyframes --from 60 film.mp4 -o rest.mp4", "Starts at a keyframe."),
      Command.Example("mp4tool cut --from 250f --to 500f film.mp4 -o part.mp4", "Writes frames 250 to 499."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples of FILE are missing or cut off; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "The part is after the end of FILE, the frame or timecode does not exist, FILE has no samples, or a part of "
          + "H.264 starts with an open GOP that cannot follow another part."),
    ],
    run: { try CutJob(arguments: $0, context: $1).run() })
}
