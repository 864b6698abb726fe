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
        "FILE", .oneOrMore,
        help: "One MP4, CMAF, QuickTime, HEIC or AVIF file, or an init segment and its media segments; one HLS "
          + "playlist; or a folder that contains one of these; `-` is standard input (not for playlists); URLs are "
          + "accepted.")
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
      "The page needs no network and no other files. It follows the light or dark mode of the browser and can be "
        + "printed. With JavaScript, charts can be zoomed, and they show values when you point at them or press the "
        + "arrow keys. The page is readable without JavaScript. The data of the page is embedded as JSON in the "
        + "element with the ID `data`.",
      "Charts of long files combine many samples into bins that show the maximum, or the minimum and the maximum, so "
        + "the size of a page is at most about 1 MB. Media data is read only as in `mp4tool info`.",
      RemoteFile.description,
    ],
    options: [OutputOptions.output, OutputOptions.noClobber, PlaylistOptions.allowOutside, OutputOptions.progress],
    examples: [
      Command.Example("mp4tool report movie.mp4 -o report.html", "Writes a page about a file."),
      Command.Example(
        "mp4tool report stream/master.m3u8 -o report.html", "Writes a page about a presentation."),
      Command.Example(
        "mp4tool report init.mp4 seg*.m4s -o report.html", "Writes a page about the segments of a stream."),
      Command.Example(
        "mp4tool report movie.mp4 -o - | grep -o '{\"summary\":.*' | jq .findings", "Prints the findings as JSON."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "Segments or samples are missing or cannot be read; the page and messages list them."),
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
        title: "JSON OF PRESENTATIONS",
        paragraphs: ["For a presentation, the JSON in the page is an object with these members:"],
        items: PresentationReport.choices),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let operand = PresentationOperand(arguments, context)
    let contents = try operand.contents()
    operand.protect(contents)
    return try OutputJob(arguments, context, from: []).run(isText: true) { _, _ in
      let page = MemorySink()
      let diagnostics =
        switch contents {
        case .files(let sources): try write(sources, to: page)
        case .presentation(let presentation): try write(presentation, to: page, context)
        }
      return PlannedOutput(
        diagnostics: diagnostics, content: .file { try $0.write(page.bytes) }, byteCount: page.bytes.count)
    }
  }

  /// Writes the page; returns the diagnostics to print.
  private static func write(
    _ presentation: OpenedPresentation, to page: MemorySink, _ context: CommandContext
  ) throws -> [Diagnostic] {
    let report = try context.progress.opening(presentation) {
      try PresentationReport(presentation, .advised, onProgress: $0)
    }
    context.diagnostics.findings(report.problems, in: presentation.name)
    try report.write(to: page)
    return report.diagnostics.filter { $0.severity != .note }
  }

  private static func write(_ sources: [any ByteSource], to page: MemorySink) throws -> [Diagnostic] {
    let groups = try InputGroups.groups(of: sources)
    guard groups.count == 1 else {
      throw UnusableInput(file: sources[0].name, reason: "report needs exactly one movie, not \(groups.count)")
    }
    let report: FileReport
    do { report = try FileReport(reading: sources, .advised) } catch {
      guard sources.count == 1, let images = try ImageSummary(reading: sources[0]) else { throw error }
      try ImageReport(images, of: sources[0], check: Check.advised.run(sources)).write(to: page)
      return images.diagnostics
    }
    try report.write(to: page)
    return report.summary.diagnostics.filter { $0.severity != .note }
  }
}
