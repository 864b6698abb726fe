import Bytes
import FileIO
import ISOBMFF
import MP4
import Platform

/// `mp4tool defrag --in-place`: makes a file progressive where it stands.
struct InPlaceJob {
  private let arguments: ParsedArguments
  private let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    self.arguments = arguments
    self.context = context
  }

  func run(_ defragmenter: Defragmenter) throws -> ExitCode {
    let file = try open(try operand())
    var options = OutputFile.Options()
    context.inputs.add(file.source.identity)
    options.inputs = context.inputs
    let report = try ReportFile(arguments, options, besides: nil, name: file.name)
    let progress = context.progress
    progress.begin("reading", total: file.source.size)
    let plan = try defragmenter.planInPlace(file.source) {
      progress.update(to: $0)
      return true
    }
    progress.end()
    let output = OutputJob(arguments, context)
    for notice in plan.notices { output.say(notice) }
    let isMade = try make(plan, file)
    try report?.write { file, name in try plan.report.write(to: file, output: name, isMade: isMade) }
    return context.diagnostics.outcome
  }

  /// Changes the file if it may be changed, and returns whether it was.
  private func make(_ plan: InPlacePlan, _ file: InPlaceFile) throws -> Bool {
    if context.diagnostics.forbidsOutput {
      context.diagnostics.error(
        "\(file.name): not changed, because --strict is given and there is something to warn about")
      return false
    }
    if plan.isEmpty { return false }
    try file.expect(byteCount: plan.byteCount)
    if arguments[OutputJob.dryRun] {
      context.diagnostics.detail("\(file.name): \(counted(plan.byteCount, "byte")) would be appended")
      return false
    }
    try write(plan, to: file)
    context.diagnostics.detail(
      "\(file.name): changed in place, \(counted(plan.byteCount, "byte was", "bytes were")) appended")
    return true
  }

  /// The one file there may be.
  private func operand() throws(UsageError) -> Argument {
    let name = Self.option
    for option: any DeclaredOption in DefragCommand.withoutInPlace where arguments.has(option) {
      throw UsageError(
        "options '--\(name)' and '--\(option.declaration.name)' contradict each other: no other file is made, and no "
          + "media moves")
    }
    guard let operand = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("option '--\(name)' takes one INPUT, not \(arguments.operands.count)")
    }
    return operand
  }

  private func open(_ operand: Argument) throws -> InPlaceFile {
    guard let path = Pathname(operand.bytes) else { throw UsageError("the name of an input has a zero byte in it") }
    do throws(IOError) {
      if operand.isDash { throw Self.notAFile }
      return try InPlaceFile(path)
    } catch {
      guard error.code == InPlaceFile.notAFile else { throw error }
      throw UsageError("option '--\(Self.option)' needs a file that can be changed, and '\(operand.text)' is none")
    }
  }

  private static let option = DefragCommand.inPlace.declaration.name
  private static let notAFile = IOError(.open, file: "standard input", code: InPlaceFile.notAFile, reason: "")

  /// Signals to stop wait until the file is finished, or as it was.
  private func write(_ plan: InPlacePlan, to file: InPlaceFile) throws(IOError) {
    try Signals.holdingStops { (isWaiting) throws(IOError) in
      file.onProgress = { _ in !isWaiting() }
      do throws(IOError) { try plan.write(to: file) } catch {
        do throws(IOError) { try file.takeBack() } catch {
          context.diagnostics.error("\(file.name): what was appended could not be taken back: \(error.reason)")
        }
        throw error
      }
    }
  }
}

extension InPlaceJob {
  /// What the man page says.
  static let manSection = Command.ManSection(
    title: "CHANGING A FILE IN PLACE",
    paragraphs: [
      "`mp4tool defrag --in-place FILE` makes a fragmented recording progressive without copying its media: a new `moov` is "
        + "appended inside a `free` box, and then one write of a few bytes turns the header of the old `moov` into that of an "
        + "`mdat` which reaches over all fragments and bares the new `moov`. It takes as long as reading the headers of "
        + "the fragments, and needs room on the disk for the new tables only.",
      "Each step waits until the disk has the one before, and the last one lies within one sector of 512 bytes. So at any "
        + "moment, and after a loss of power or a SIGKILL, the file is either the fragmented one, perhaps with a `free` "
        + "box at its end, or the finished progressive one; in the first case the same command can be given again. After "
        + "SIGINT, SIGTERM, SIGHUP, a full disk or any other error before the last step, everything is taken back, and the "
        + "file is byte for byte what it was.",
      "What cannot be done this way is refused with a sentence and 65, and nothing is changed: a movie box that is after "
        + "fragments or a `sidx`, a header that crosses a sector where no shorter write will do, a file none of "
        + "whose samples can be read, or whose movie box is cut off. A file that another program has open for writing, or that is read-only, is refused with "
        + "73. A progressive file in which every sample is where its tables say is not changed; that ends with 0. "
        + "Where tables are missing, contradict each other or name bytes that are not there, they are re-created, as "
        + "without `--in-place`.",
      "The finished file is read from memory before the first write. Where that would not give the samples that were "
        + "planned, the file is refused with 65 and stays as it was.",
      "A recording that was cut off is done as well. The header of its last box is set right first, also by one write within a "
        + "sector: an `mdat` gets the size that is there, another damaged box and garbage become a `free` box. Up to seven "
        + "bytes at the end that are too few for a box are replaced. Samples whose bytes are missing are left out, which "
        + "is a finding and ends with 1; the file is changed all the same, unless `--strict` is given.",
      "The result differs in a few things from that of `-o`. The `moov` is at the end, so that a player on the net has "
        + "to fetch it from there first; `mp4tool defrag FILE -o OUT` puts it in front. `ftyp` is not rewritten: brands of DASH or CMAF stay. Chunks end where samples do not follow "
        + "each other in the file. Other boxes after the old `moov`, such as `meta` and `uuid`, come once more after the "
        + "new one. The fragments remain inside the media data, where players do not look; their bytes are not freed. "
        + "All hard links to the file show the change. `--no-clobber` and `-o` cannot be given with `--in-place`, and "
        + "`--fsync` is always in force.",
    ])
}
