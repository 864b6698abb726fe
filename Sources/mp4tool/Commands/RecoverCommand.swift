import MP4
import MP4Bytes
import MP4Inspection
import MP4Records

enum RecoverCommand {
  static let like = Option.path(
    "like", placeholder: "GOOD",
    help:
      "An intact file from the same device, recorded with the same settings. It serves as the reference for the "
      + "tracks, their sample formats and their interleaving. Not needed if BROKEN contains a `moov`.")

  static let command = Command(
    name: "recover",
    summary: "rebuild a recording whose moov was never written",
    operands: [
      Operand(
        "BROKEN", unless: [RecordFormatOption.printSchema.declaration.name],
        help: "The damaged MP4 or QuickTime file; it is not changed.")
    ],
    description: [
      "Cameras and phones write `moov`, the index of all samples, at the end of a recording. After a crash, the file "
        + "contains media but no `moov`, and no player can open it. This command locates the samples and writes a new "
        + "file with `moov` first. Nothing is transcoded.",
      "A `moov` in BROKEN is used, even at a position where players do not find it, such as after garbage or after a "
        + "media data box with a wrong size. In a fragmented recording, all complete movie fragments are kept, as with "
        + "`mp4tool defrag`.",
      "Without a `moov`, the intact file GOOD (`--like`) is the reference. H.264, H.265 and H.266 pictures are "
        + "located by the lengths and headers of their NAL units; AAC by parsing its frames; JPEG by its markers; MP3,"
        + " AC-3, E-AC-3, AMR and ProRes by their headers; text and metadata by their embedded length fields. Samples "
        + "without a recognizable format, such as uncompressed audio and timecodes, are located by comparison with "
        + "GOOD: by their size, and by their position between other samples. At the end of a file that was cut off, "
        + "the times of GOOD determine where uncompressed audio ends. Opus packets do not declare their size. They are"
        + " divided at their first bytes where the result is nearly certain; the others are omitted and reported, and "
        + "the packet before them lasts longer, so that audio stays in sync. Sample descriptions, track IDs, "
        + "timescales, rates and edit lists are copied from GOOD; its tags and location are not. The times of pictures"
        + " are derived from the picture order in the slice headers, so that missing pictures leave a gap. Timecodes "
        + "last as long as the media. If GOOD lacks an audio track of BROKEN, or has another format, the pictures are "
        + "recovered without it.",
      "Data that cannot be assigned to a track is omitted and reported, and the exit status is 1. Usually this is "
        + "the last sample, which was incomplete. Space that was reserved but never written (zeros at the end of the "
        + "media, or in gaps such as those of GOOD) is ignored. If GOOD was recorded with different settings than "
        + "BROKEN, the output may not play; a warning says so if H.264 or H.265 pictures do not fit its parameter "
        + "sets, or if x264 or x265 declares other settings. Try another reference file then. A summary is printed on "
        + "standard output, unless `--quiet` is given or OUT is `-`. With `--format json`, it is always printed, and "
        + "OUT cannot be `-`.",
    ],
    options: [
      like, OutputFormat.option, RecordFormatOption.printSchema,
      OutputOptions.output(unless: [OutputJob.dryRunWithoutReport, RecordFormatOption.printSchema]),
      OutputJob.dryRunWithoutReport,
    ]
      + OutputOptions.besides,
    examples: [
      Command.Example(
        "mp4tool recover broken.mp4 --like good.mp4 -o recovered.mp4", "Rebuilds a recording after a crash."),
      Command.Example(
        "mp4tool recover broken.mov -o recovered.mov",
        "Uses a `moov` at an unusual position in the file."),
      Command.Example(
        "mp4tool recover --dry-run --format json broken.mp4 --like good.mp4 | jq .totals",
        "Reports how much can be recovered, and writes nothing."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Some data cannot be assigned to a track, or samples are lost."),
      Command.ExitNote(
        .inputNotUsable, "No samples were found, or `--like` is needed but was not given."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON",
        paragraphs: ["`--format json` prints one object. All numbers are integers. The object has these members:"],
        items: RecoveryReport.allChoices)
    ],
    run: { try RecoverJob(arguments: $0, context: $1).run() })
}

private struct RecoverJob {
  let arguments: ParsedArguments
  let context: CommandContext

  func run() throws -> ExitCode {
    if arguments[RecordFormatOption.printSchema] {
      try RecoveryReport.schema.write(to: context.console)
      return .done
    }
    let output = arguments[OutputOptions.output]
    let isPiped = output?.isDash ?? false
    if isPiped, arguments.has(OutputFormat.option) {
      throw UsageError("the output and the report cannot both go to standard output")
    }
    if arguments[RecoverCommand.like]?.isDash ?? false, arguments.operands.contains(where: \.isDash) {
      throw UsageError("BROKEN and GOOD cannot both be standard input")
    }
    let good = try arguments[RecoverCommand.like].map { try InputFiles(context).open($0, spool: true) }
    var (result, isWritten) = (Recovery?.none, false)
    let code = try OutputJob(arguments, context).run { sources, onProgress in
      let recovery = try Recovery(of: sources[0], like: good, onProgress: onProgress)
      result = recovery
      return PlannedOutput(
        diagnostics: recovery.diagnostics,
        content: .file {
          try recovery.write(to: $0)
          isWritten = true
        }, byteCount: recovery.plan.byteCount,
        counts: { counted(recovery.tracks.reduce(0) { $0 + $1.sampleCount }, "sample") })
    }
    guard let recovery = result, !isPiped else { return code }
    if arguments[OutputFormat.option] == .json {
      try recovery.writeJSON(to: context.console, output: output?.text, isWritten: isWritten)
    } else if !arguments[GeneralOptions.quiet] {
      try context.console.write(Self.text(recovery, like: arguments[RecoverCommand.like]?.text ?? ""))
    }
    return code
  }

  /// The maximum number of ranges in text output.
  private static let listed = 10

  private static func text(_ recovery: Recovery, like good: String) -> String {
    var lines = ["found by \(means(recovery.means, good))"]
    for track in recovery.tracks {
      let codec = track.codec.isEmpty ? "" : " \(track.codec)"
      let (samples, bytes) = (counted(track.sampleCount, "sample"), counted(track.byteCount, "byte"))
      lines.append("track \(track.id) (\(track.handler))\(codec): \(samples), \(track.duration.clock), \(bytes)")
    }
    if recovery.paddingByteCount > 0 { lines.append("padding: \(counted(recovery.paddingByteCount, "byte"))") }
    if !recovery.unknown.isEmpty {
      lines.append("not assigned to a track: \(counted(recovery.unknownByteCount, "byte"))")
      for range in recovery.unknown.prefix(listed) {
        lines.append("  \(counted(range.count, "byte")) at byte \(range.lowerBound)")
      }
      if recovery.unknown.count > listed { lines.append("  and \(recovery.unknown.count - listed) more ranges") }
    }
    return lines.map { Printable.escaped($0) + "\n" }.joined()
  }

  private static func means(_ means: Recovery.Means, _ good: String) -> String {
    switch means {
    case .movieBox: "moov"
    case .foundMovieBox(let offset): "the moov at byte \(offset)"
    case .fragments(let count): counted(count, "movie fragment")
    case .fragmentsLikePattern: "movie fragments, with the moov of \(good)"
    case .pattern: "comparison with \(good)"
    }
  }
}
