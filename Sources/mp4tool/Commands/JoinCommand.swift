import ISOBMFF
import MP4
import MP4Bytes
import MP4Fetching
import MP4Streaming

enum JoinCommand {
  static let order = Option<Joiner.Order>.choice(
    "order", placeholder: "ORDER", default: .time, help: "The order of the segments in the output.",
    [
      NamedValue(.time, "time", "by decode time, regardless of the order of the operands"),
      NamedValue(.given, "given", "in the order of the operands; times that go backward are not reported"),
    ])

  static let forceInit = Option.flag(
    "force-init",
    help: "Also use segments that do not seem to match the init segment. Fragments of tracks that it does not declare "
      + "cannot be used.")

  static let command = Command(
    name: "join",
    summary: "concatenate an init segment and its media segments, or MPEG-TS segments, byte for byte",
    operands: [
      Operand(
        "INIT",
        help:
          "The init segment (the file with the `moov` box), a whole fragmented file, an MPEG transport "
          + "stream, or an HLS playlist or DASH manifest. URLs are accepted."),
      Operand(
        "SEGMENT", .anyNumber,
        help:
          "The media segments of INIT, in any order. INIT can be anywhere among the operands, but only once. A "
          + "playlist needs no SEGMENT."),
    ],
    description: [
      "Writes INIT and every SEGMENT to one fragmented MP4. Shells expand `seg*.m4s` so that seg10 comes before seg2; "
        + "therefore segments are sorted by decode time, and a note is printed if that changes the order. Segments "
        + "with equal times are sorted by sequence number, then by name in numeric order. 32-bit times that wrap "
        + "around to 0 are recognized. Where two recordings overlap, so that sorting by time would mix them, segments "
        + "are sorted by name, with a warning.",
      "The output is the concatenation of the inputs. Only these parts are changed: absolute data offsets, the size of "
        + "a final box that extends to the end of its file, and the offsets of a random access table. Init segments "
        + "repeated inside segment files are omitted. Segments with full-segment encryption are decrypted. For a file "
        + "that every player can open, use `mp4tool defrag`.",
      "MPEG transport streams are concatenated in the order of their first times, unless `--order given` is used. A "
        + "file that is not whole packets is reported, and the exit status is 1. Lost packets are not looked for; "
        + "`mp4tool info` reports them.",
      "Gaps and overlaps are reported with file names and durations. Duplicate segments are kept, and reported with "
        + "file names. Fragments of a track for which the init segment has no `trex` are kept, with a warning: players "
        + "may not play them. Segments of another rendition are omitted. A file that is not a segment is rejected, and "
        + "so are two different init segments, such as those of audio and video in one folder; use `mp4tool defrag`, "
        + "which assigns segments to their init segments. If a segment is cut off, its headers still refer to the "
        + "missing samples; `mp4tool defrag` omits these.",
    ],
    options: [order, forceInit] + PlaylistOptions.ofOnePlaylist + OutputOptions.all,
    examples: [
      Command.Example("mp4tool join init.mp4 seg*.m4s -o movie.mp4", "Joins all segments in a folder, sorted by time."),
      Command.Example(
        "mp4tool join --strict init.mp4 seg*.m4s -o movie.mp4",
        "The same, but writes no file if there is a gap between segments. A missing first or last segment is not "
          + "detected."),
      Command.Example(
        "mp4tool join --order given init.mp4 b.m4s a.m4s -o movie.mp4",
        "Keeps the segments in the order of the command line."),
      Command.Example("mp4tool join init.mp4 seg*.m4s -o - | ffplay -", "Plays the joined file without storing it."),
      Command.Example("mp4tool join seg*.ts -o whole.ts", "Joins the segments of an MPEG transport stream."),
      Command.Example("mp4tool join stream/index.m3u8 -o movie.mp4", "Joins all segments of a media playlist."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "A segment is cut off, and the output has the part that is present; or a segment belongs to another init "
          + "segment."
      ),
      Command.ExitNote(
        .inputNotUsable, "INIT has no tracks, a SEGMENT is not a media segment, or no SEGMENT matches INIT."),
    ],
    manSections: [initSection, PlaylistOptions.manSectionOfOnePlaylist],
    run: run)

  /// The man page section about segments that do not match the init segment.
  static let initSection = Command.ManSection(
    title: "SEGMENTS OF ANOTHER INIT SEGMENT",
    paragraphs: [
      "A segment that contradicts every init segment among the inputs is omitted. Its name and the reason are "
        + "reported, and the exit status is 1. The reasons are: it has fragments of tracks that the init segment does "
        + "not declare; its index (`sidx`) has a different timescale from the track; with the default sizes of the "
        + "init segment, its samples do not fill its media data; its video has a different size or uses parameter sets "
        + "that the init segment does not have; its audio has a different number of channels; or its samples are not "
        + "in the format that the init segment declares, while those of other segments are. If no segment matches the "
        + "init segment, that is an error. `--force-init` uses such segments, except for fragments of undeclared "
        + "tracks, which have no sample description. Segments of a media playlist are compared with their EXT-X-MAP in "
        + "the same way.",
      "Not every mismatch can be detected: most H.264 renditions that differ only in size declare their size only in "
        + "the init segments. Encrypted samples cannot be compared.",
    ])

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    if let playlist = try PlaylistOperand(arguments, Fetcher(context.fetching)).place() {
      return try PlaylistJob(arguments: arguments, context: context).run(playlist) { input, onProgress in
        try check(input)
        var joiner = Joiner(order: .given)
        joiner.takesAllSegments = arguments[forceInit]
        var plan = try joiner.plan(input.sources, onProgress: onProgress)
        plan.diagnostics += input.texts.map {
          Diagnostic(.error, $0.source, "WebVTT cannot be joined with MP4; these subtitles are omitted")
        }
        return PlannedOutput(plan)
      }
    }
    var joiner = Joiner(order: arguments[order])
    joiner.takesAllSegments = arguments[forceInit]
    return try PlaylistOperand.advising {
      try OutputJob(arguments, context).run { PlannedOutput(try joiner.plan($0, onProgress: $1)) }
    }
  }
  /// Rejects playlists that cannot be joined without changing times or track IDs.
  private static func check(_ input: PlaylistInput) throws(UnusableInput) {
    for (part, source) in zip(input.parts, input.sources) where part != input.parts[0] {
      let reason =
        part.period == input.parts[0].period
        ? "its tracks are in a different media playlist than the preceding ones; 'mp4tool join' needs one media "
          + "playlist, 'mp4tool defrag' merges several"
        : "times restart at the discontinuity before it; 'mp4tool defrag' makes them continuous, and --split writes "
          + "one file per part"
      throw UnusableInput(file: source.name, reason: reason)
    }
  }
}
