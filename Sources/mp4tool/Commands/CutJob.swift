import Bytes
import FileIO
import Inspection
import MP4

struct CutJob {
  let arguments: ParsedArguments
  let context: CommandContext

  func run() throws -> ExitCode {
    try checkOptions()
    if let times = arguments[CutCommand.splitAt]?.times { return try split(at: times) }
    return try OutputJob(arguments, context).run { sources, onProgress in
      let cutter = try read(sources, onProgress)
      let ranges = try self.ranges(cutter)
      noteEnd(ranges, cutter)
      return try cutter.plan(ranges)
    }
  }

  /// Throws if options contradict each other.
  private func checkOptions() throws(UsageError) {
    let kinds: [[any DeclaredOption]] = [
      [CutCommand.from, CutCommand.to], [CutCommand.ranges], [CutCommand.removed], [CutCommand.splitAt],
    ]
    let given = kinds.compactMap { $0.first { arguments.has($0) } }
    guard let first = given.first else {
      throw UsageError("no part is specified; use for example '--from 10 --to 20' or '--range 10..20'")
    }
    if given.count > 1 { throw UsageError(first, contradicts: given[1]) }
  }

  private func read(_ sources: [any ByteSource], _ onProgress: @escaping (Int) -> Bool) throws -> MovieCutter {
    var options = Defragmenter.Options()
    options.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    options.keepsEvents = true
    options.outputKind = Defragmenter.OutputKind(ofOutput: arguments[CutCommand.output])
    return try MovieCutter(reading: sources, options, onProgress: onProgress)
  }

  // MARK: Times

  /// The start of a part.
  private func start(_ given: CutTime, _ cutter: MovieCutter) throws -> MediaTime {
    let time = try given.time(in: cutter)
    guard arguments[CutCommand.keyframes], time < cutter.duration else { return time }
    let keyframe = cutter.keyframe(before: time)
    if keyframe.clock == time.clock { return keyframe }
    context.diagnostics.note("\(cutter.name): starts at the keyframe at \(keyframe.clock) instead of \(time.clock)")
    return keyframe
  }

  /// The requested parts of the presentation.
  private func ranges(_ cutter: MovieCutter) throws -> [Range<MediaTime>] {
    let zero = MediaTime(0, 1)
    guard arguments[CutCommand.removed].isEmpty else {
      var (kept, next) = ([Range<MediaTime>](), zero)
      for range in arguments[CutCommand.removed] {
        let start = try range.start?.time(in: cutter) ?? zero
        let end = try range.end.map { try self.start($0, cutter) } ?? cutter.duration
        guard start >= next, start <= end || arguments[CutCommand.keyframes] else { throw Self.disorder }
        if start > next { kept.append(next..<start) }
        next = max(start, end)
      }
      if next < cutter.duration { kept.append(next..<cutter.duration) }
      if kept.isEmpty {
        throw UnusableInput(file: cutter.name, reason: "all of its \(cutter.duration) would be removed")
      }
      return kept
    }
    let from = CutRange(arguments[CutCommand.from], arguments[CutCommand.to])
    let given = arguments[CutCommand.ranges].isEmpty ? [from] : arguments[CutCommand.ranges]
    let ranges = try given.map { range in
      let start = try range.start.map { try self.start($0, cutter) } ?? zero
      let end = try range.end?.time(in: cutter) ?? max(start, cutter.duration)
      guard start < end || range.end == nil else { throw UsageError("a part ends before it starts, or has no length") }
      return start..<end
    }
    let isOrdered = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    guard isOrdered || arguments[CutCommand.keyframes] else { throw Self.disorder }
    return ranges
  }

  private static let disorder = UsageError("the parts must be in order and cannot overlap")

  /// Reports a part that would extend past the end of the presentation.
  private func noteEnd(_ ranges: [Range<MediaTime>], _ cutter: MovieCutter) {
    guard let last = ranges.last, last.lowerBound < cutter.duration else { return }
    let end = last.upperBound
    guard end > cutter.duration + MediaTime(1, 1000) else { return }
    context.diagnostics.note(
      "\(cutter.name): the presentation ends at \(cutter.duration.clock), before the requested \(end.clock)")
  }

  // MARK: Several files

  private func split(at times: [CutTime]) throws -> ExitCode {
    guard let output = arguments[CutCommand.output] else { return try split(at: times, nil) }
    guard let names = OutputNames(output) else {
      throw UsageError("with '--split-at', the name of the output must contain one %d or %0Nd, such as part%d.mp4")
    }
    return try split(at: times) { names[$0] }
  }

  /// Reads the input once, and writes each part if all can be written.
  private func split(at times: [CutTime], _ name: ((Int) -> Argument)?) throws -> ExitCode {
    let sources = try InputFiles(context).open(arguments.operands)
    var plans: [OutputPlan] = []
    var outcome = ExitCode.done
    let jobs = (0...times.count).map { OutputJob(arguments, context, sources: sources, output: name?($0 + 1)) }
    for job in jobs { try job.checkOutputs() }
    for (number, job) in jobs.enumerated() {
      outcome = try job.run { sources, onProgress in
        if plans.isEmpty { plans = try self.plans(of: read(sources, onProgress), at: times) }
        return plans[number]
      }
    }
    return outcome
  }

  private func plans(of cutter: MovieCutter, at times: [CutTime]) throws -> [OutputPlan] {
    var borders = [MediaTime(0, 1)]
    for time in times {
      let border = try start(time, cutter)
      guard let last = borders.last, border > last else {
        throw UsageError("the times of '--split-at' must be after the start, and in order")
      }
      borders.append(border)
    }
    borders.append(max(cutter.duration, borders[borders.count - 1]))
    var plans = try zip(borders, borders.dropFirst()).map { try cutter.planPart([$0..<$1]) }
    plans[0].diagnostics = cutter.diagnostics + plans[0].diagnostics
    return plans
  }
}
