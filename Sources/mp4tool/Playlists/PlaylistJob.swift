import Bytes
import Fetching
import FileIO
import HLS
import ISOBMFF
import MP4
import Platform

/// What a command does whose input is a playlist: gets its segments, and makes one file of them, or one of each part
/// between discontinuities.
struct PlaylistJob {
  /// The segments of a presentation, or of a part of it.
  struct Input {
    var sources: [any ByteSource] = []
    var parts: [SourcePart] = []
  }
  typealias Planning = (_ input: Input, _ onProgress: @escaping (Int) -> Bool) throws -> OutputPlan

  private let arguments: ParsedArguments
  private let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    self.arguments = arguments
    self.context = context
  }

  /// Makes the output of the playlist at `place`.
  func run(_ place: PlaylistPlace, _ makePlan: @escaping Planning) throws -> ExitCode {
    let values = try PlaylistOptions.Values(arguments)
    let splits = arguments[PlaylistOptions.split]
    let output = arguments[OutputOptions.output]
    if splits, output?.isDash == true { throw UsageError("option '--split' makes several files, and '-' is one") }
    if splits, arguments.ifDeclared(ReportFile.option) ?? nil != nil {
      throw UsageError("options '--split' and '--report' contradict each other: a report is about one file")
    }
    // An output that cannot be made is found out before anything is fetched.
    if let path = place.path.flatMap({ Path($0) }) { context.inputs.add(path) }
    try OutputJob(arguments, context, sources: [], output: splits ? nil : output).checkOutputs()
    let periods = try read(place, values, scratch: scratch(output))
    let parts = splits ? periods.map { [$0] } : [periods]
    let jobs = parts.enumerated().map { number, periods in
      let input = Self.joined(periods)
      let name = splits && parts.count > 1 ? output.map { Self.numbered($0, number + 1) } : output
      return (job: OutputJob(arguments, context, sources: input.sources, output: name), input: input)
    }
    // None is made unless all can be.
    if jobs.count > 1 { for (job, _) in jobs { try job.checkOutputs() } }
    var code = ExitCode.done
    for (job, input) in jobs {
      let own = try job.run { _, onProgress in try makePlan(input, onProgress) }
      if own != .done { code = own }
    }
    return code
  }

  /// The segments of each part between discontinuities.
  private func read(_ place: PlaylistPlace, _ values: PlaylistOptions.Values, scratch: Path?) throws -> [Input] {
    let reader = PlaylistReader(
      place, values, context, allowsOutside: arguments[PlaylistOptions.allowOutside], scratch: scratch)
    var isComplete = true
    try Signals.holdingStops { isWaiting in
      isComplete = try reader.read(isStopped: isWaiting)
      // Ctrl-C is heard: it ended the following. Other signals do what they do.
      if isComplete { _ = Signals.takeInterrupt() }
    }
    // The signal has ended the program, unless a handler took it.
    guard isComplete else {
      throw PlaylistFailure(file: place.name, reason: "it was stopped before all of it was there")
    }
    let periods = Self.periods(reader.streams)
    guard !periods.isEmpty else {
      throw PlaylistFailure(file: place.name, reason: "there is no segment in it that can be read")
    }
    return periods
  }

  /// Fetched bytes go to the disk of the output, where there has to be room for as many anyway.
  private func scratch(_ output: Argument?) -> Path? {
    guard let output, !output.isDash else { return nil }
    return Path(output.bytes)?.folder
  }

  /// `out-1.mp4` of `out.mp4`.
  private static func numbered(_ output: Argument, _ number: Int) -> Argument {
    let bytes = output.bytes
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    let dot = bytes[start...].lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
    return Argument(bytes: Array(bytes[..<dot]) + Array("-\(number)".utf8) + Array(bytes[dot...]))
  }

  private static func periods(_ streams: [StreamState]) -> [Input] {
    var found: [Int: [Int: [any ByteSource]]] = [:]
    for (series, stream) in streams.enumerated() {
      var own: [Int: [Piece]] = [:]
      var isReadable = false
      for piece in stream.pieces {
        // Without an init segment, those after it cannot be read.
        if piece.isMap { isReadable = !piece.isLost }
        if piece.isLost || !isReadable { continue }
        // Where it was stopped in the middle, what comes after does not count.
        guard piece.source != nil else { break }
        own[piece.discontinuity, default: []].append(piece)
      }
      for (discontinuity, pieces) in own where pieces.contains(where: { !$0.isMap }) {
        found[discontinuity, default: [:]][series] = pieces.compactMap(\.source)
      }
    }
    return found.sorted { $0.key < $1.key }.map { _, all in
      var input = Input()
      for (series, sources) in all.sorted(by: { $0.key < $1.key }) {
        input.sources += sources
        input.parts += sources.map { _ in SourcePart(series: series, period: 0) }
      }
      return input
    }
  }

  private static func joined(_ periods: [Input]) -> Input {
    var input = Input()
    for (number, period) in periods.enumerated() {
      input.sources += period.sources
      input.parts += period.parts.map { SourcePart(series: $0.series, period: number) }
    }
    return input
  }
}
