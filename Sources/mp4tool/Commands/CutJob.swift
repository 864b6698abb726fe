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
      return PlannedOutput(try cutter.plan(ranges))
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
    var options = ReadingOptions()
    options.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    options.keepsEvents = true
    options.outputKind = ReadingOptions.OutputKind(ofOutput: arguments[CutCommand.output])
    return try MovieCutter(reading: sources, options, onProgress: onProgress)
  }

  // MARK: Times

  /// The start of a part, and the requested one.
  private struct Start {
    var time: MediaTime
    let requested: MediaTime
    /// Whether it is at a keyframe.
    var isKeyframe = false

    /// A part that starts with the presentation or where the previous one ends.
    init(_ time: MediaTime) { (self.time, requested) = (time, time) }

    init(_ given: CutTime, _ cutter: MovieCutter, atKeyframe: Bool) throws {
      requested = try given.time(in: cutter)
      isKeyframe = atKeyframe && requested < cutter.duration
      time = isKeyframe ? cutter.keyframe(before: requested) : requested
    }
  }

  private func start(_ given: CutTime, _ cutter: MovieCutter) throws -> Start {
    try Start(given, cutter, atKeyframe: arguments[CutCommand.keyframes])
  }

  /// With `--keyframes`, reports where each part starts.
  private func noteStarts(_ starts: [Start], _ cutter: MovieCutter) {
    guard arguments[CutCommand.keyframes] else { return }
    for (index, start) in starts.enumerated() where start.requested < cutter.duration {
      let part = starts.count > 1 ? "part \(index + 1) " : ""
      let (time, requested) = (start.time.clock, start.requested.clock)
      let words = time == requested ? "" : " instead of \(requested)"
      context.diagnostics.note(
        "\(cutter.name): \(part)starts at \(start.isKeyframe ? "the keyframe at " : "")\(time)\(words)")
    }
  }

  /// The requested parts of the presentation.
  private func ranges(_ cutter: MovieCutter) throws -> [Range<MediaTime>] {
    let zero = MediaTime(0, 1)
    guard arguments[CutCommand.removed].isEmpty else {
      var (kept, starts, next) = ([Range<MediaTime>](), [Start](), Start(zero))
      for range in arguments[CutCommand.removed] {
        let start = try range.start?.time(in: cutter) ?? zero
        let end = try range.end.map { try self.start($0, cutter) } ?? Start(cutter.duration)
        guard start >= next.time, start <= end.time || arguments[CutCommand.keyframes] else { throw Self.disorder }
        if start > next.time {
          kept.append(next.time..<start)
          starts.append(next)
        }
        next = end
        next.time = max(start, end.time)
      }
      if next.time < cutter.duration {
        kept.append(next.time..<cutter.duration)
        starts.append(next)
      }
      noteStarts(starts, cutter)
      if kept.isEmpty {
        throw UnusableInput(file: cutter.name, reason: "all of its \(cutter.duration) would be removed")
      }
      return kept
    }
    let from = CutRange(arguments[CutCommand.from], arguments[CutCommand.to])
    let given = arguments[CutCommand.ranges].isEmpty ? [from] : arguments[CutCommand.ranges]
    var starts: [Start] = []
    let ranges = try given.map { range in
      let own = try range.start.map { try self.start($0, cutter) } ?? Start(zero)
      let start = own.time
      let end = try range.end?.time(in: cutter) ?? max(start, cutter.duration)
      guard start < end || range.end == nil else { throw UsageError("a part ends before it starts, or has no length") }
      starts.append(own)
      return start..<end
    }
    noteStarts(starts, cutter)
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
    let jobs = (0...times.count).map { OutputJob(arguments, context, to: .file(name?($0 + 1)), from: sources) }
    return try OutputJob.runAll(jobs) { number, sources, onProgress in
      if plans.isEmpty { plans = try self.plans(of: read(sources, onProgress), at: times) }
      return PlannedOutput(plans[number])
    }
  }

  private func plans(of cutter: MovieCutter, at times: [CutTime]) throws -> [OutputPlan] {
    var (borders, starts) = ([MediaTime(0, 1)], [Start(MediaTime(0, 1))])
    for time in times {
      let start = try start(time, cutter)
      guard let last = borders.last, start.time > last else {
        throw UsageError("the times of '--split-at' must be after the start, and in order")
      }
      borders.append(start.time)
      starts.append(start)
    }
    noteStarts(starts, cutter)
    borders.append(max(cutter.duration, borders[borders.count - 1]))
    var plans = try zip(borders, borders.dropFirst()).map { try cutter.planPart([$0..<$1]) }
    plans[0].diagnostics = cutter.diagnostics + plans[0].diagnostics
    return plans
  }
}
