import Bytes
import Inspection
import MP4

enum RecoverCommand {
  static let like = Option.path(
    "like", placeholder: "GOOD",
    help:
      "A whole file of the same device, recorded with the same settings: it shows which tracks there are, how their "
      + "samples look, and how they are interleaved. Not needed if BROKEN has a `moov` anywhere.")

  static let command = Command(
    name: "recover",
    summary: "rebuild a recording whose moov was never written",
    operands: [Operand("BROKEN", help: "The damaged MP4 or QuickTime file; it is not changed.")],
    description: [
      "Cameras and phones write `moov`, which says where every sample is, when a recording ends. After a crash, the "
        + "media is there, but no player can open the file. This command finds the samples again and writes a new "
        + "file with `moov` first. Nothing is transcoded.",
      "If BROKEN has a `moov`, even one where no player looks for it, such as after garbage or behind media data with "
        + "a wrong size, that is used. In a fragmented recording, the whole movie fragments are kept, as `mp4tool "
        + "defrag` does.",
      "Otherwise GOOD is the pattern. Pictures of H.264, H.265 and H.266 are found by the lengths and headers of "
        + "their NAL units, AAC by parsing its frames, JPEG by its markers, MP3, AC-3, E-AC-3, AMR and ProRes by "
        + "their headers, texts and metadata by the sizes in them. Samples that can be anything, such as "
        + "uncompressed audio and timecodes, are found by the sizes that they have in GOOD between the others. "
        + "Sample descriptions, track IDs, timescales, rates and edit lists are those of GOOD; its tags and location "
        + "are not carried over. Where pictures are reordered, their times follow from their order in the slice "
        + "headers.",
      "Bytes that belong to no track as far as is known are omitted and reported, and the exit status is 1. Usually "
        + "that is the last sample, which was being written. Zeros that were reserved and never written do not count. "
        + "If GOOD was recorded with other settings than BROKEN, the result may not play: try another.",
    ],
    options: [like, OutputFormat.option, OutputOptions.output(unless: ["dry-run"]), OutputJob.dryRun]
      + OutputOptions.besides,
    examples: [
      Command.Example(
        "mp4tool recover broken.mp4 --like good.mp4 -o recovered.mp4", "Rebuilds a recording after a crash."),
      Command.Example("mp4tool recover broken.mov -o recovered.mov", "Uses the `moov` that is somewhere in the file."),
      Command.Example(
        "mp4tool recover --dry-run --format json broken.mp4 --like good.mp4 | jq .totals",
        "Only counts what could be recovered."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Some bytes belong to no track as far as is known, or samples are lost."),
      Command.ExitNote(
        .inputNotUsable, "Nothing was found, or `--like` is needed and was not given; nothing was written."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON",
        paragraphs: ["`--format json` prints one object. All numbers are integers. It has these members:"],
        items: [
          Choice(
            name: "output", meaning: "The `name`, or null; the `size` in bytes; and `is_written`."),
          Choice(
            name: "means",
            meaning: "How samples were found: `moov`, `found_moov` (then `moov_offset` is where), `fragments`, "
              + "`fragments_like` (fragments, with the `moov` of GOOD), or `like`."),
          Choice(
            name: "totals",
            meaning: "The sizes of BROKEN (`input_bytes`), of all samples (`media_bytes`), of what belongs to no track "
              + "(`unknown_bytes`), and of padding, boxes and zeros (`padding_bytes`); the number of `samples`."),
          Choice(
            name: "tracks",
            meaning: "For each track its `id`, `handler` and `codec`, the number of its `samples`, their `bytes`, and "
              + "its `duration` in units of its `timescale`."),
          Choice(name: "unknown", meaning: "The `offset` and `size` of each range that belongs to no track."),
          Choice(name: "diagnostics", meaning: "The `severity`, `file` and `message` of each message."),
        ])
    ],
    run: { try RecoverJob(arguments: $0, context: $1).run() })
}

private struct RecoverJob {
  let arguments: ParsedArguments
  let context: CommandContext

  func run() throws -> ExitCode {
    let output = arguments[OutputOptions.output]
    let isPiped = output?.isDash ?? false
    if isPiped, arguments.has(OutputFormat.option) {
      throw UsageError("the output and the report cannot both go to standard output")
    }
    if arguments[RecoverCommand.like]?.isDash ?? false, arguments.operands.contains(where: \.isDash) {
      throw UsageError("BROKEN and GOOD cannot both be standard input")
    }
    let good = try arguments[RecoverCommand.like].map { try InputFiles(context).open($0, spool: true) }
    let state = State()
    let code = try OutputJob(arguments, context).run { sources, onProgress in
      let recovery = try Recovery(of: sources[0], like: good, onProgress: onProgress)
      state.recovery = recovery
      return Plan(recovery: recovery, state: state)
    }
    guard let recovery = state.recovery, !isPiped else { return code }
    if arguments[OutputFormat.option] == .json {
      try recovery.writeJSON(to: context.console, output: output?.text, isMade: state.isWritten)
    } else if !arguments[GeneralOptions.quiet] {
      try context.console.write(Self.text(recovery, like: arguments[RecoverCommand.like]?.text ?? ""))
    }
    return code
  }

  /// The state of the plan.
  private final class State {
    var recovery: Recovery?
    var isWritten = false
  }

  private struct Plan: FilePlan {
    let recovery: Recovery
    let state: State
    var diagnostics: [Diagnostic] { recovery.diagnostics }
    var byteCount: Int { recovery.plan.byteCount }
    var counts: String? { counted(recovery.tracks.reduce(0) { $0 + $1.sampleCount }, "sample") }
    func write(to sink: any ByteSink) throws {
      try recovery.write(to: sink)
      state.isWritten = true
    }
    func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool { false }
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
      lines.append("of no known track: \(counted(recovery.unknownByteCount, "byte"))")
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
