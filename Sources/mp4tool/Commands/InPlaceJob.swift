import Bytes
import FileIO
import ISOBMFF
import MP4

struct InPlaceJob {
  let arguments: ParsedArguments
  let context: CommandContext

  func run(_ defragmenter: Defragmenter) throws -> ExitCode {
    let file = try InPlaceChange.open(try operand(), option: Self.option, context)
    var options = OutputFile.Options()
    options.growingInputs = context.inputs
    let report = try ReportFile(arguments, options, besides: nil, name: file.name)
    let progress = context.progress
    progress.begin("reading", total: file.source.size)
    let plan = try defragmenter.planInPlace(file.source) {
      progress.update(to: $0)
      return true
    }
    progress.end()
    let output = OutputJob(arguments, context)
    for diagnostic in plan.diagnostics { output.say(diagnostic) }
    let isWritten = try make(plan, file)
    try report?.write { file, name in try plan.report.write(to: file, output: name, isWritten: isWritten) }
    return context.diagnostics.outcome
  }

  /// Changes the file unless an option prevents that; returns whether it was changed.
  private func make(_ plan: InPlacePlan, _ file: InPlaceFile) throws -> Bool {
    if context.diagnostics.refuses(file.name, "not changed") { return false }
    if plan.isEmpty { return false }
    try file.expect(byteCount: plan.byteCount)
    if arguments[OutputJob.dryRun] {
      context.diagnostics.detail("\(file.name): \(counted(plan.byteCount, "byte")) would be appended")
      return false
    }
    try InPlaceChange.write(plan, to: file, context)
    context.diagnostics.detail(
      "\(file.name): changed in place, \(counted(plan.byteCount, "byte was", "bytes were")) appended")
    return true
  }

  /// The only operand.
  private func operand() throws(UsageError) -> Argument {
    let name = Self.option
    try arguments.refuse(
      DefragCommand.withoutInPlace, with: DefragCommand.inPlace,
      because: "the media is not moved, and no other file is written")
    guard let operand = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("option '--\(name)' needs exactly one INPUT, not \(arguments.operands.count)")
    }
    return operand
  }

  private static let option = DefragCommand.inPlace.declaration.name
}

extension InPlaceJob {
  /// The section of the man page.
  static let manSection = Command.ManSection(
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
