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
    if let length = arguments[CutCommand.splitEvery] {
      return try write("--split-every") { cutter, _ in
        switch length {
        case .time(let time): try parts(of: cutter, splitAt: cutter.times(every: time))
        case .bytes(let count): try parts(of: cutter, splitAt: cutter.times(everyBytes: count))
        }
      }
    }
    if arguments[CutCommand.splitChapters] { return try write("--split-chapters", chapters) }
    if let list = try list() { return try write(list) }
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
      [CutCommand.from, CutCommand.to, CutCommand.duration], [CutCommand.ranges], [CutCommand.removed],
      [CutCommand.splitAt], [CutCommand.splitEvery], [CutCommand.splitChapters], [CutCommand.list],
    ]
    let given = kinds.compactMap { $0.first { arguments.has($0) } }
    guard let first = given.first else {
      throw UsageError("no part is specified; use for example '--from 10 --to 20' or '--range 10..20'")
    }
    if given.count > 1 { throw UsageError(first, contradicts: given[1]) }
    try arguments.refuse(arguments.has(CutCommand.to) ? [CutCommand.duration] : [], with: CutCommand.to)
    if arguments.has(CutCommand.reel), !arguments.has(CutCommand.list) {
      throw UsageError("option '--reel' needs '--list'")
    }
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
      var given = try spans(arguments[CutCommand.ranges])
      if given.isEmpty {
        given = try spans([CutRange(arguments[CutCommand.from], arguments[CutCommand.to])])
        if let length = arguments[CutCommand.duration] {
          given[0].end = try cutter.end(of: length, from: given[0].start ?? MediaTime(0, 1))
        }
      }
      selection = .keeping(given)
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

  /// Reports parts that would extend past the end of the presentation.
  private func noteEnd(_ ranges: [Range<MediaTime>], _ cutter: MovieCutter) {
    for (index, range) in ranges.enumerated() where range.lowerBound < cutter.duration {
      let end = range.upperBound
      guard end > cutter.duration + MediaTime(1, 1000) else { continue }
      let part = ranges.count > 1 ? "part \(index + 1): " : ""
      context.diagnostics.note(
        "\(cutter.name): \(part)the presentation ends at \(cutter.duration.clock), before the requested \(end.clock)")
    }
  }

  // MARK: Several files

  /// A part that becomes a file.
  private struct NamedPart {
    var range: Range<MediaTime>
    var title: String?
  }

  private static let namesHelp =
    "the name of the output must contain %d, %0Nd, %t or %c, such as part%d.mp4, and %% for each other percent sign"

  private func split(at times: [CutTime]) throws -> ExitCode {
    try write("--split-at") { cutter, _ in
      var borders: [MediaTime] = []
      for time in times { borders.append(try time.time(in: cutter)) }
      return try parts(of: cutter, splitAt: borders)
    }
  }

  private func parts(of cutter: MovieCutter, splitAt times: [MediaTime]) throws -> [NamedPart] {
    let parts = try parts(
      cutter, disorder: "the times of '--split-at' must be after the start, and in order"
    ) { () throws(MovieError) in
      try cutter.parts(splitAt: times, atKeyframes: arguments[CutCommand.keyframes])
    }
    return parts.map { NamedPart(range: $0.range) }
  }

  /// A part for each chapter.
  private func chapters(_ cutter: MovieCutter, _ sources: [any ByteSource]) throws -> [NamedPart] {
    let chapters = try Movie(reading: sources).chapters().filter { $0.time < cutter.duration }
    guard let first = chapters.first else {
      throw UnusableInput(file: cutter.name, reason: "it has no chapters")
    }
    // What is before the first chapter is a part, too.
    let isLate = first.time > MediaTime(1, 1000)
    var (times, titles): ([MediaTime], [String?]) = ([], isLate ? [nil, first.title] : [first.title])
    if isLate { times.append(cutter.frameStart(near: first.time)) }
    for chapter in chapters.dropFirst() {
      let time = cutter.frameStart(near: chapter.time)
      guard time > times.last ?? MediaTime(0, 1) else { continue }
      times.append(time)
      titles.append(chapter.title)
    }
    var parts = try parts(of: cutter, splitAt: times)
    for index in parts.indices { parts[index].title = titles[index] }
    return parts
  }

  /// Reads the input once, and writes each part if all can be planned.
  private func write(
    _ option: String, _ makeParts: (MovieCutter, [any ByteSource]) throws -> [NamedPart]
  ) throws -> ExitCode {
    let output = arguments[CutCommand.output]
    let names = try output.map { output in
      guard let names = OutputNames(output) else {
        throw UsageError("with '\(option)', \(Self.namesHelp)")
      }
      return names
    }
    let sources = try InputFiles(context).open(arguments.operands)
    let cutter = try readShowingProgress(sources)
    let parts = try makeParts(cutter, sources)
    noteEnd(parts.map(\.range), cutter)
    var outputs: [Argument?] = []
    for (index, part) in parts.enumerated() {
      let place = try cutter.timecode(at: part.range.lowerBound) ?? part.range.lowerBound.clock
      outputs.append(names?.name(index + 1, title: part.title, place: place))
    }
    if let twice = Dictionary(grouping: outputs.compactMap(\.self), by: \.self).first(where: { $1.count > 1 }) {
      throw UsageError("\(twice.value.count) parts would be called '\(twice.key.text)'; add %d to the name")
    }
    var plans: [OutputPlan] = []
    for part in parts { plans.append(try cutter.planPart([part.range])) }
    plans[0].diagnostics = cutter.diagnostics + plans[0].diagnostics
    let jobs = outputs.map { OutputJob(arguments, context, to: .file($0), from: sources) }
    return try OutputJob.runAll(jobs) { number, _, _ in PlannedOutput(plans[number]) }
  }

  private func readShowingProgress(_ sources: [any ByteSource]) throws -> MovieCutter {
    let progress = context.progress
    let sizes = sources.compactMap(\.byteCount)
    progress.begin("reading", total: sizes.count == sources.count ? sizes.reduce(0, +) : nil)
    defer { progress.end() }
    return try read(sources) {
      progress.update(to: $0)
      return true
    }
  }

  // MARK: Lists

  /// The list of parts, without those of other reels.
  private func list() throws -> CutList? {
    guard let operand = arguments[CutCommand.list] else { return nil }
    let source = try InputFiles(context).open(operand, spool: true)
    let bytes = try source.bytes(in: 0..<CutList.limit + 1)
    guard bytes.count <= CutList.limit else {
      throw UnusableInput(file: source.name, reason: "the file is larger than 16 MiB, the maximum size of a list")
    }
    let list = try CutList(bytes, name: source.name)
    if let reel = arguments[CutCommand.reel] { return try list.keeping(reels: [reel]) }
    // The reel of its timecode, and its name with and without the extension.
    var names: [String] = []
    for operand in arguments.operands {
      if !operand.isDash, let source = try? InputFiles(context).open(operand, spool: true),
        let reel = try? MovieEditor(source).reel
      {
        names.append(reel)
      }
      let name = operand.text.split(separator: "/").last.map(String.init) ?? operand.text
      names += [name, name.split(separator: ".").first.map(String.init) ?? name]
    }
    return try list.keeping(reels: names)
  }

  /// Writes a file for each part if the name of the output has a placeholder; otherwise one file with all parts.
  private func write(_ list: CutList) throws -> ExitCode {
    let isAtKeyframes = arguments[CutCommand.keyframes]
    if let output = arguments[CutCommand.output], output.bytes.contains(UInt8(ascii: "%")) {
      return try write("--list") { cutter, _ in
        let ranges = try cutter.ranges(of: list, atKeyframes: isAtKeyframes)
        return zip(ranges, list.parts).map { NamedPart(range: $0, title: $1.name) }
      }
    }
    return try OutputJob(arguments, context).run { sources, onProgress in
      let cutter = try read(sources, onProgress)
      let ranges = try cutter.ranges(of: list, atKeyframes: isAtKeyframes)
      guard zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) else {
        throw UsageError("the parts of the list overlap or are not in order; write each to a file, such as part%d.mp4")
      }
      noteEnd(ranges, cutter)
      return PlannedOutput(try cutter.plan(ranges))
    }
  }
}
