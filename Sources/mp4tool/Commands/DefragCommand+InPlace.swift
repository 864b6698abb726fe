import MP4
import MP4FileIO

/// `mp4tool defrag --in-place`.
extension DefragCommand {
  static let inPlace = Option.flag(
    "in-place",
    help: "Make INPUT progressive by changing the file itself, without copying its media. The new `moov` is after the "
      + "media data; to have `moov` first, write a new file with `-o` instead. INPUT must be one regular file. If the "
      + "command is interrupted, the file is either still fragmented or completely converted.")

  /// Options that only apply to a separate output file.
  static let withoutInPlace: [any DeclaredOption] = [
    OutputOptions.output(unless: []), OutputOptions.noClobber, moov, interleave, keepEvents, subtitles,
  ]

  static func runInPlace(
    _ defragmenter: Defragmenter, hasPlaylist: Bool, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    try ContentKeyOptions.input.refuse(arguments, with: inPlace)
    if hasPlaylist { throw UsageError("a playlist cannot be converted in place; specify the output with '-o'") }
    try arguments.refuse(
      withoutInPlace, with: inPlace, because: "the media is not moved, and no other file is written")
    guard let operand = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError(
        "option '--\(inPlace.declaration.name)' needs exactly one INPUT, not \(arguments.operands.count)")
    }
    let file = try InputFiles(context).openInPlace(operand, option: inPlace)
    return try OutputJob(arguments, context, to: .inPlace(file)).run { _, onProgress in
      PlannedOutput(try defragmenter.planInPlace(file.source, onProgress: onProgress))
    }
  }

  /// The section of the man page.
  static let inPlaceSection = Command.ManSection(
    title: "CHANGING A FILE IN PLACE",
    paragraphs: [
      "`mp4tool defrag --in-place FILE` makes a fragmented recording progressive without copying its media. It appends "
        + "a new `moov` inside a `free` box. Then one write of a few bytes turns the header of the old `moov` into "
        + "that of an `mdat` that spans all fragments and ends where the new `moov` begins. This takes as long as "
        + "reading the fragment headers and needs disk space for the new tables only.",
      "Each step is flushed to disk before the next one, and the last step is a write within one 512-byte sector. "
        + "Therefore at any moment, even after a power failure or SIGKILL, the file is either the fragmented one, "
        + "perhaps with a `free` box at its end, or the finished progressive one. In the first case run the command "
        + "again. After SIGINT, SIGTERM, SIGHUP, a full disk or any other error before the last step, the appended "
        + "bytes are removed and the file is byte for byte unchanged.",
      "Files that cannot be changed this way are rejected with exit status 65 and not changed: those with a `moov` "
        + "that follows fragments or a `sidx`, with a header that one write within a sector cannot change, with no "
        + "readable samples, or with a `moov` that is cut off. A file that is read-only or that another program has "
        + "open for writing is rejected with 73. A progressive file whose tables are correct is not changed (exit "
        + "status 0). Tables that are missing, contradict each other or refer to missing data are re-created, as "
        + "without `--in-place`.",
      "The planned file is parsed in memory before the first write. If it does not contain the planned samples, the "
        + "file is rejected with 65 and not changed.",
      "A recording that is cut off is repaired too. First the header of its last box is corrected, again by a single "
        + "write within one sector: an `mdat` gets its actual size; any other damaged box becomes a `free` box. Up to "
        + "seven bytes at the end, too few for a box, are overwritten. Samples whose data is missing are omitted, with "
        + "exit status 1; the file is changed nevertheless, unless `--strict` is given.",
      "The result differs from that of `-o`. The `moov` is at the end, so playback over a network has to fetch it "
        + "first; `mp4tool defrag FILE -o OUT` writes it at the front. `ftyp` is not rewritten: DASH and CMAF brands "
        + "remain. A chunk ends wherever samples are not adjacent in the file. Other boxes after the old `moov`, such "
        + "as `meta` and `uuid`, are repeated after the new one. The fragment headers remain inside the media data, "
        + "where players do not look, and still take up space. All hard links to the file show the change. "
        + "`--no-clobber` and `-o` cannot be combined with `--in-place`; `--fsync` is implied.",
    ])
}
