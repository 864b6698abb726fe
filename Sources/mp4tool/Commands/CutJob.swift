import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection

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
    var options = MovieCutter.reading
    options.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    return try MovieCutter(
      reading: sources, options.writing(to: arguments.outputName), onProgress: onProgress)
  }

  // MARK: Times

  /// With `--keyframes`, reports where each part starts.
  private func noteStarts(_ parts: [MovieCutter.Part], _ cutter: MovieCutter) {
    guard arguments[CutCommand.keyframes] else { return }
    for (index, part) in parts.enumerated() where part.requestedStart < cutter.duration {
      let name = parts.count > 1 ? "part \(index + 1) " : ""
      let (time, requested) = (part.range.lowerBound.clock, part.requestedStart.clock)
      let words = time == requested ? "" : " instead of \(requested)"
      context.diagnostics.note(
        "\(cutter.name): \(name)starts at \(part.isAtKeyframe ? "the keyframe at " : "")\(time)\(words)")
    }
  }

  /// The requested parts of the presentation.
  private func ranges(_ cutter: MovieCutter) throws -> [Range<MediaTime>] {
    func spans(_ ranges: [CutRange]) throws(MovieError) -> [PresentationSpan] {
      var spans: [PresentationSpan] = []
      for range in ranges {
        spans.append(
          PresentationSpan(from: try range.start?.time(in: cutter), to: try range.end?.time(in: cutter)))
      }
      return spans
    }
    let selection: Cut.Selection
    if !arguments[CutCommand.removed].isEmpty {
      selection = .removing(try spans(arguments[CutCommand.removed]))
    } else {
      let range = CutRange(arguments[CutCommand.from], arguments[CutCommand.to])
      let given = arguments[CutCommand.ranges]
      selection = .keeping(try spans(given.isEmpty ? [range] : given))
    }
    return try parts(cutter) { () throws(MovieError) in
      try cutter.parts(selection, atKeyframes: arguments[CutCommand.keyframes])
    }.map(\.range)
  }

  /// Parts whose starts are reported. Times in the wrong order are wrong usage, not a problem of the file.
  private func parts(
    _ cutter: MovieCutter, disorder: String? = nil, _ make: () throws(MovieError) -> [MovieCutter.Part]
  ) throws -> [MovieCutter.Part] {
    do throws(MovieError) {
      let parts = try make()
      noteStarts(parts, cutter)
      return parts
    } catch {
      guard case .impossible(_, let obstacle) = error, [.unorderedParts, .emptyPart].contains(obstacle.code) else {
        throw error
      }
      throw UsageError(disorder ?? obstacle.description)
    }
  }

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
    var borders: [MediaTime] = []
    for time in times { borders.append(try time.time(in: cutter)) }
    let parts = try parts(
      cutter, disorder: "the times of '--split-at' must be after the start, and in order"
    ) { () throws(MovieError) in
      try cutter.parts(splitAt: borders, atKeyframes: arguments[CutCommand.keyframes])
    }
    var plans: [OutputPlan] = []
    for part in parts { plans.append(try cutter.planPart([part.range])) }
    plans[0].diagnostics = cutter.diagnostics + plans[0].diagnostics
    return plans
  }
}
