import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4Inspection
import MP4Presentations
import MP4Records

enum ReportCommand {
  static let command = Command(
    name: "report",
    summary: "write an HTML page with charts of an MP4 file or an HLS presentation",
    operands: [
      Operand(
        "FILE", .oneOrMore, unless: [ManyFiles.filesFrom.declaration.name],
        help: "One MP4, CMAF, QuickTime, HEIC or AVIF file, or an init segment and its media segments; two such movies "
          + "to compare; one HLS playlist or DASH manifest; or a folder that contains one of these; `-` is standard "
          + "input (not for playlists); URLs are accepted.")
    ],
    description: [
      "Writes one HTML page with charts: the summary of `mp4tool info`; a byte map of the file; all tracks on one "
        + "timeline with fragments, keyframes, empty edits and gaps; the bit rate of each track; frame sizes by frame "
        + "type, and GOPs; composition order; the interleaving of the tracks; and the events of `mp4tool events`. The "
        + "findings of `mp4tool check` and `mp4tool samples --stalls`, and the repairs and losses that `mp4tool "
        + "defrag` would report, are marked where they occur.",
      "For a playlist or a folder, the page has the summary of its variants and renditions, with the declarations that "
        + "the media contradicts; all media playlists on one timeline with their segments; and the bit rates of the "
        + "segments. A simulation shows the buffer of a player that downloads each variant at exactly its BANDWIDTH, "
        + "and at its AVERAGE-BANDWIDTH: how many seconds the buffer holds, and where it runs empty. A segment that "
        + "cannot be played, for example because it is missing or cut off, is shown as a gap in its track, and the "
        + "simulation ends there. The findings of `mp4tool check` and `mp4tool samples --stalls` are marked on their "
        + "segments, and the events of `mp4tool events` are shown.",
      "For a file of still images, the page has its items, a byte map of the file, the video of a motion photo, and "
        + "the findings of `mp4tool check`. For an image sequence, the page has the same charts as for other tracks, "
        + "plus the items.",
      "With `--deep`, all media is read and verified; with `--spec`, the page lists the requirements of a "
        + "specification and says which ones the file meets. Both work as in `mp4tool check`.",
      "For two movies, the page lists the properties that differ, as `mp4tool diff --summary` does, and shows the "
        + "tracks of both (A and B) on one timeline, with the findings of both.",
      "With `--recursive` or `--files-from`, each file gets a page of its own below the folder OUT, at its own path "
        + "One line is printed for each page: its path, and the number of findings.",
      "The page needs no network and no other files. It follows the light or dark mode of the browser and can be "
        + "printed. With JavaScript, charts can be zoomed, and they show values when you point at them or press the "
        + "arrow keys. The page is readable without JavaScript. The data of the page is embedded as JSON in the "
        + "element with the ID `data`.",
      "Charts of long files combine many samples into bins that show the maximum, or the minimum and the maximum, so "
        + "the size of a page is at most about 1 MB. Media data is read only as in `mp4tool info`.",
      RemoteFile.description,
    ],
    options: [OutputOptions.output, OutputOptions.noClobber, CheckCommand.deep, CheckCommand.specification]
      + ManyFiles.options + [PlaylistOptions.allowOutside, CaptionOptions.scan, OutputOptions.progress],
    examples: [
      Command.Example("mp4tool report movie.mp4 -o report.html", "Writes a page about a file."),
      Command.Example(
        "mp4tool report stream/master.m3u8 -o report.html", "Writes a page about a presentation."),
      Command.Example(
        "mp4tool report init.mp4 seg*.m4s -o report.html", "Writes a page about the segments of a stream."),
      Command.Example("mp4tool report encode.mp4 other.mp4 -o report.html", "Compares two encodes."),
      Command.Example(
        "mp4tool report --deep --spec delivery.txt --recursive deliveries -o reports",
        "Verifies all files of a folder, and writes a page about each."),
      Command.Example(
        "mp4tool report movie.mp4 -o - | grep -o '{\"summary\":.*' | jq .findings", "Prints the findings as JSON."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "Segments or samples are missing or cannot be read, or a file does not meet the specification; the page lists "
          + "what is wrong."),
      Command.ExitNote(
        .inputNotUsable,
        "`moov` is missing or damaged beyond use, or the inputs contain more than one movie."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON",
        paragraphs: ["The JSON in the page is an object with these members:"],
        items: FileReport.choices),
      Command.ManSection(
        title: "JSON OF COMPARISONS",
        paragraphs: ["For two movies, the JSON in the page is an object with these members:"],
        items: ComparisonReport.choices),
      Command.ManSection(
        title: "JSON OF PRESENTATIONS",
        paragraphs: ["For a presentation, the JSON in the page is an object with these members:"],
        items: PresentationReport.choices),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let check = try CheckCommand.check(arguments, context)
    if arguments[ManyFiles.recursive] || arguments.has(ManyFiles.filesFrom) {
      return try writeEach(check, arguments, context)
    }
    try ManyFiles.refuse(arguments, what: "write a page for each file")
    let operand = PresentationOperand(arguments, context)
    let contents = try operand.contents()
    operand.protect(contents)
    var status = ExitCode.done
    let outcome = try OutputJob(arguments, context, from: []).run(isText: true) { _, _ in
      switch contents {
      case .presentation(let presentation):
        if let option = [CheckCommand.deep, CheckCommand.specification].first(where: arguments.has) {
          throw UsageError(
            "option '--\(option.declaration.name)' is for files; '\(presentation.name)' is a presentation")
        }
        return try plan(presentation, context)
      case .files(let sources):
        let groups = try InputGroups.groups(of: sources).map { $0.map { sources[$0] } }
        let progress = context.progress
        progress.begin(sources[0].name, total: sources.reduce(0) { $0 + ($1.byteCount ?? 0) })
        defer { progress.end() }
        let page = try Page(groups, check) { progress.update(to: $0) }
        status = page.status
        return page.output
      }
    }
    return max(status, outcome)
  }

  /// Writes a page for each of several files.
  private static func writeEach(
    _ check: Check, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> ExitCode {
    guard let folder = try arguments.folder(OutputOptions.output) else { return .wrongUsage }
    try folder.makeFolderIfMissing()
    var inputs = InputAttempts(command.name, context)
    let files = try ManyFiles(command.name, arguments, context, for: check.specification)
    try files.forEach(&inputs) { movies, inputs in
      // A page never replaces an input that is read later.
      for movie in movies { movie.path.map { context.inputs.add($0) } }
      try files.examine(movies, &inputs) { input, sources, onProgress in
        (input.name, try Page([sources], check, onProgress: onProgress))
      } deliver: { file, page in
        let path = try Self.page(about: file, in: folder)
        let status = try OutputJob(arguments, context, to: .file(Argument(path.description)), from: []).run(
          isText: true
        ) { _, _ in page.output }
        try context.console.write(Printable.escaped("\(path): \(page.words)") + "\n")
        return max(status, page.status)
      }
    } present: { presentation, inputs in
      inputs.fail(
        UnusableInput(file: presentation.name, reason: "this is a presentation; write its page without '--files-from'"))
    }
    return max(inputs.failure, inputs.outcome, context.diagnostics.outcome)
  }

  /// The path of the page about a file: its own path below the folder, with `.html`. Folders are created.
  private static func page(about file: [UInt8], in folder: Pathname) throws(IOError) -> Pathname {
    let parts = file.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
    var path = folder
    for (index, part) in parts.enumerated() {
      // Nothing is written outside of the folder.
      let name = part.elementsEqual("..".utf8) ? Array("up".utf8) : Array(part)
      let isLast = index + 1 == parts.count
      guard let name = Pathname(isLast ? name + Array(".html".utf8) : name) else { continue }
      path = path.appending(name)
      if !isLast { try path.makeFolderIfMissing() }
    }
    return path
  }

  private static func plan(_ presentation: OpenedPresentation, _ context: CommandContext) throws -> PlannedOutput {
    let report = try context.progress.opening(presentation) {
      try PresentationReport(presentation, .advised, onProgress: $0)
    }
    context.diagnostics.findings(report.problems, in: presentation.name)
    let page = MemorySink()
    try report.write(to: page)
    return Page(page.bytes, report.diagnostics, []).output
  }

  /// A page, and the diagnostics to print.
  private struct Page: Sendable {
    private let bytes: [UInt8]
    private let diagnostics: [Diagnostic]
    private let findings: [ReportFinding.Severity]
    /// Whether a movie does not meet the specification.
    let status: ExitCode

    init(
      _ bytes: [UInt8], _ diagnostics: [Diagnostic], _ findings: [ReportFinding.Severity],
      _ specified: [Specification.Result] = []
    ) {
      (self.bytes, self.findings) = (bytes, findings)
      status = specified.allSatisfy(\.passes) ? .done : .findings
      self.diagnostics = diagnostics.filter { $0.severity != .note }
    }

    /// The page about a movie, given by its inputs, or two movies.
    init(_ movies: [[any ByteSource]], _ check: Check, onProgress: @escaping (Int) -> Void) throws {
      let check = check.sparing(movies.flatMap(\.self))
      let page = MemorySink()
      func count(_ done: Int) -> Bool {
        onProgress(done)
        return true
      }
      if movies.count == 2 {
        let report = try ComparisonReport(reading: movies[0], and: movies[1], check, onProgress: count)
        try report.write(to: page)
        self.init(page.bytes, report.diagnostics, report.findings.map(\.severity), report.specified)
        return
      }
      guard movies.count == 1 else {
        throw UnusableInput(
          file: movies[0][0].name,
          reason:
            "a page is about one movie or two, not \(movies.count); '--recursive' and '--files-from' write one for "
            + "each file")
      }
      do {
        let report = try FileReport(reading: movies[0], check, onProgress: count)
        try report.write(to: page)
        self.init(
          page.bytes, report.summary.diagnostics, report.findings.map(\.severity), report.specified.map { [$0] } ?? [])
      } catch {
        guard movies[0].count == 1, let images = try ImageSummary(reading: movies[0][0]) else { throw error }
        let result = try check.run(movies[0])
        try ImageReport(images, of: movies[0][0], check: result).write(to: page)
        self.init(page.bytes, images.diagnostics, [], result.specified)
      }
    }

    var output: PlannedOutput {
      PlannedOutput(diagnostics: diagnostics, content: .file { try $0.write(bytes) }, byteCount: bytes.count)
    }

    /// The number of findings, as words.
    var words: String {
      let counts = [(ReportFinding.Severity.error, "error"), (.warning, "warning"), (.stall, "stall"), (.note, "note")]
      let parts = counts.compactMap { severity, word -> String? in
        let count = findings.count { $0 == severity }
        return count > 0 ? counted(count, word) : nil
      }
      return parts.isEmpty ? "no findings" : parts.joined(separator: ", ")
    }
  }
}
