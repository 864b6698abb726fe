import Bytes
import ISOBMFF
import MP4

enum CutCommand {
  static let from = Option<CutTime?>.parsed(
    "from", placeholder: "TIME", as: CutTime.self, help: "Where the output starts. Default: the start of FILE.")
  static let to = Option<CutTime?>.parsed(
    "to", placeholder: "TIME", as: CutTime.self,
    help: "Where the output ends: the first time that is not in it. Default: the end of FILE.")
  static let ranges = Option<[CutRange]>.repeated(
    "range", placeholder: "A..B", as: CutRange.self,
    help: "Keep the part from A to B. Given several times, the parts follow one another; they must be in order.")
  static let removed = Option<[CutRange]>.repeated(
    "remove", placeholder: "A..B", as: CutRange.self,
    help: "Remove the part from A to B and keep the rest. Can be given several times.")
  static let splitAt = Option<CutTimes?>.parsed(
    "split-at", placeholder: "TIMES", as: CutTimes.self,
    help: "Write a file for each part between TIMES, which are separated by commas. OUT must have `%d` in its name, "
      + "which is replaced by the number of the part, from 1; `%03d` pads it with zeros.")
  static let keyframes = Option.flag(
    "keyframes",
    help: "Start every part at the last keyframe up to the requested time. A note says where that is.")

  static let output = OutputOptions.output(unless: [OutputJob.dryRunWithoutReport.declaration.name])

  static let command = Command(
    name: "cut",
    summary: "cut parts out of an MP4 file without transcoding",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "An MP4, CMAF or QuickTime file, or an init segment and its media segments; `-` is standard input; URLs "
          + "are accepted.")
    ],
    description: [
      "Writes one progressive MP4 with the requested part of all tracks. Nothing is transcoded: samples keep their "
        + "bytes. Ends of parts are exclusive. \(CutTime.description)",
      "The start is exact, wherever the keyframes are: the output has the samples from the keyframe before it on, and "
        + "an edit list hides what is before the start. At an open GOP, whose leading pictures need the GOP before, "
        + "it has that GOP too. Players that ignore edit lists show the hidden pictures; a note says how much that "
        + "is, and `--keyframes` avoids it. GStreamer 1.22 ends a part early if its hidden pictures are longer than "
        + "the part, or at its last keyframe. Audio has the pre-roll that its codec needs (the `roll` sample group, "
        + "or the usual one of AAC, Opus, MP3 and others), hidden in the same way. All tracks stay in sync.",
      "Subtitles and chapters at the border are shortened. Chapter lists (`chpl`), the numbers of timecode tracks and "
        + "the times of TTML documents follow the cut. Events between the fragments of FILE (`emsg`) become a timed "
        + "metadata track. Encrypted tracks keep their encryption. The tag with which iTunes describes audio priming "
        + "(`iTunSMPB`) is removed, because edit lists describe it.",
      "Several parts that do not start at keyframes need several edits in one edit list. Chromium and others honor "
        + "only one edit, and show up to a GOP more at each part; a note says so.",
      RemoteFile.description,
    ],
    options: [
      from, to, ranges, removed, splitAt, keyframes, DefragCommand.tracks,
      output, OutputJob.dryRunWithoutReport,
    ] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool cut --from 1:02.5 --to 1:10 film.mp4 -o part.mp4", "Writes 7.5 seconds of a film."),
      Command.Example(
        "mp4tool cut --range 0..10 --range 60..70 film.mp4 -o parts.mp4", "Writes two parts, one after the other."),
      Command.Example("mp4tool cut --remove 5:00..7:30 show.mp4 -o show-only.mp4", "Removes an advertisement."),
      Command.Example("mp4tool cut --split-at 10:00,20:00 talk.mp4 -o talk-%d.mp4", "Writes three files."),
      Command.Example("mp4tool cut --keyframes --from 60 film.mp4 -o rest.mp4", "Starts at a keyframe."),
      Command.Example("mp4tool cut --from 250f --to 500f film.mp4 -o part.mp4", "Writes frames 250 to 499."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples of FILE are missing or cut off; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "The part is after the end of FILE, there is no such frame or timecode, or FILE has no samples; nothing was "
          + "written."),
    ],
    run: { try CutJob(arguments: $0, context: $1).run() })
}
