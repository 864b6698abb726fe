import Bytes
import FileIO
import ISOBMFF
import MP4

/// `mp4tool dump --tracks`: the samples of one track as a file.
struct TrackJob {
  private let arguments: ParsedArguments
  private let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    self.arguments = arguments
    self.context = context
  }

  func run(_ track: TrackList) throws -> ExitCode {
    guard let target = arguments[DumpCommand.output] else {
      throw UsageError("option '--tracks' needs an output file: add '-o OUT'")
    }
    if target.isDash, context.console.isTerminal {
      throw UsageError("standard output is a terminal; write samples to a file or a pipe")
    }
    guard let path = Pathname(target.bytes) else { throw UsageError("the name of the output contains a NUL byte") }
    let initFile = arguments[DumpCommand.initFile].map { [$0] } ?? []
    let sources = try InputFiles(context).open(initFile + arguments.operands)
    var options = OutputFile.Options()
    options.inputs = context.inputs
    // An output that cannot be made is found out before the inputs are read.
    let output = try OutputFile(path, options: options)
    let samples = try TrackSamples(of: track.selection, in: sources)
    let job = OutputJob(arguments, context)
    for diagnostic in samples.diagnostics { job.say(diagnostic) }
    try output.expect(byteCount: samples.byteCount)
    try samples.write(to: output)
    try output.commit()
    context.diagnostics.detail(
      "\(output.name): \(counted(samples.count, "sample")), \(counted(samples.byteCount, "byte"))")
    return context.diagnostics.outcome
  }
}
