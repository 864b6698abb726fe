import MP4

/// `mp4tool defrag`.
enum DefragCommand {
  static let interleave = Option.seconds(
    "interleave", placeholder: "SECONDS",
    help: "Let the tracks take turns in the media data in chunks of about so many seconds, by decode time, whatever "
      + "their order was. Without it, the order of the fragments stays.")
  static let compact = Option.flag(
    "compact",
    help: "Write the sizes of samples in 4, 8 or 16 bits (`stz2`) where all of a track fit. Not every player reads it.")

  static let command = Command(
    name: "defrag",
    summary: "turn a fragmented MP4 into a progressive one that every player opens",
    operands: [
      Operand("INPUT", .oneOrMore, help: "One fragmented file, or an init segment and its media segments in any order.")
    ],
    description: [
      "Writes a progressive MP4: one `moov` with complete tables before one `mdat`. Samples are copied as they are, "
        + "nothing is encoded again; their times, composition offsets, sync flags and descriptions stay, and so do edit "
        + "lists and the offset between tracks. Encrypted tracks stay encrypted and can be decrypted as before; sample groups, "
        + "subsamples and dependencies stay. Durations are set, and brands and boxes that only fragments need are gone.",
      "Segments are put in the order of their decode times first, as `mp4tool join` does. Times that begin late are "
        + "moved to 0 for all tracks alike, and a note says so. A gap in time is closed by making the sample before it "
        + "last longer: that is a warning, since nothing is lost. Samples whose bytes are missing are left out, which is "
        + "a finding and ends with 1.",
      "The media data keeps the order that it has in the fragments, in chunks of half a second, unless `--interleave` "
        + "asks for another. Events (`emsg`) and producer "
        + "times (`prft`) have no place in a progressive file and are left out with a note.",
      "A file that is progressive already is said to be so and is written with `moov` first. Memory is needed for the "
        + "tables only, so the size of the media does not matter.",
    ],
    options: [interleave, compact] + OutputOptions.all,
    examples: [
      Command.Example("mp4tool defrag recording.mp4 -o movie.mp4", "Makes a fragmented recording playable everywhere."),
      Command.Example(
        "mp4tool defrag init.mp4 seg*.m4s -o movie.mp4", "Makes one file out of the segments of an HLS or DASH stream."),
      Command.Example(
        "mp4tool defrag --strict --no-clobber in.mp4 -o out.mp4",
        "Makes a file only when nothing had to be repaired and none of that name is there."),
      Command.Example(
        "for f in *.mp4; do mp4tool defrag -q \"$f\" -o \"done/$f\" || echo \"$f: $?\"; done",
        "Does a whole folder and names those that had findings."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are lost or cut off; the output holds the others."),
      Command.ExitNote(.inputNotUsable, "There are no tracks or no samples, or the segments belong to another init."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var options = Defragmenter.Options()
    options.interleave = arguments[interleave]
    options.isCompact = arguments[compact]
    return try OutputJob(arguments, context).run { sources, onProgress in
      try Defragmenter(options).plan(sources, onProgress: onProgress)
    }
  }
}
