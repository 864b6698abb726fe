import Bytes
import Fetching
import FileIO
import Inspection
import MP4

enum ReportCommand {
  static let command = Command(
    name: "report",
    summary: "write a page with charts of an MP4 file or an HLS presentation",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "An MP4, CMAF, QuickTime, HEIC or AVIF file, or an init segment and its media segments; an HLS playlist, "
          + "or a folder with one; `-` is standard input; URLs are accepted.")
    ],
    description: [
      "Writes one HTML page for people who would rather look than read lists: the summary that `mp4tool info` prints, "
        + "a map of the file by bytes, the tracks on one timeline with fragments, keyframes, empty edits and gaps, the "
        + "bit rate of each track, frame sizes by kind and groups of pictures, composition offsets, the interleaving "
        + "of the tracks, the events that `mp4tool events` lists, and everything that `mp4tool check` finds, that "
        + "`mp4tool defrag` would repair or report, and that `mp4tool samples --stalls` lists, at its place.",
      "The page of a playlist or folder has the summary of its variants and renditions with the claims that the media "
        + "contradicts, the tracks of all media playlists on one timeline with their segments, the bit rates of the "
        + "segments, and the buffer of a player that downloads each variant at exactly its BANDWIDTH, and at its "
        + "AVERAGE-BANDWIDTH: how many seconds it has, and where it runs empty. A segment that is missing, cut off, or "
        + "cannot be played for other reasons is a hole in its track, and the end of the buffer. What `mp4tool check` "
        + "finds is at the segments that it is about, as are the places that `mp4tool samples --stalls` lists; the "
        + "events are those of `mp4tool events`.",
      "The page of a file of still images has its items, a map of the file by bytes, the video of a motion photo, and "
        + "what `mp4tool check` finds. An image sequence has a page as other tracks have, with the items.",
      "The page needs no network and no other file. It is light or dark as the browser is, can be printed, and can be "
        + "read without its script, which shows numbers at the pointer and with the arrow keys, and zooms. The values "
        + "of the page are in it as JSON, in the element with the ID `data`.",
      "Charts of long files have bins with the largest or the extreme values of many samples, so that a page has at "
        + "most about 1 MB. No media is read, except what `mp4tool info` reads.",
      RemoteFile.description,
    ],
    options: [OutputOptions.output, OutputOptions.noClobber, PlaylistOptions.allowOutside, OutputOptions.progress],
    examples: [
      Command.Example("mp4tool report movie.mp4 -o report.html", "Writes a page to open in a browser."),
      Command.Example(
        "mp4tool report stream/master.m3u8 -o report.html", "Writes a page about a presentation with its buffers."),
      Command.Example(
        "mp4tool report init.mp4 seg*.m4s -o report.html", "Writes a page about the segments of a stream."),
      Command.Example(
        "mp4tool report movie.mp4 -o - | grep -o '\"findings\":.*'", "Prints what the page points out, as JSON."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Segments or samples are missing or cannot be read; page and messages say which."),
      Command.ExitNote(.inputNotUsable, "There is no movie box, or it is damaged beyond use."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON",
        paragraphs: ["The values of the page are an object with these members:"],
        items: FileReport.documentation.map { Choice(name: $0.name, meaning: $0.meaning) }),
      Command.ManSection(
        title: "JSON OF PRESENTATIONS",
        paragraphs: ["The values of the page of a presentation are an object with these members:"],
        items: PresentationReport.documentation.map { Choice(name: $0.name, meaning: $0.meaning) }),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    guard let target = arguments[OutputOptions.output] else { throw UsageError("option '--output' is required") }
    guard let path = Pathname(target.bytes) else { throw UsageError("the name of the output contains a NUL byte") }
    let operand = PresentationOperand(arguments, context)
    let contents = try operand.contents()
    operand.protect(contents)
    // Detects an output that cannot be created before the inputs are read.
    let output = try output(path, arguments, context)
    guard case .files(let sources) = contents else {
      if case .presentation(let presentation) = contents {
        let report = try context.progress.opening(presentation) {
          try PresentationReport(presentation, onProgress: $0)
        }
        context.diagnostics.findings(report.problems, in: presentation.name)
        for diagnostic in report.diagnostics where diagnostic.severity != .note { context.diagnostics.say(diagnostic) }
        try report.write(to: output)
      }
      return try finish(output, context)
    }
    let groups = try InputGroups.groups(of: sources)
    guard groups.count == 1 else {
      throw UsageError("report takes one movie, but there are \(groups.count) of them")
    }
    let report: FileReport
    do { report = try FileReport(reading: sources) } catch {
      guard sources.count == 1, let images = try ImageSummary(reading: sources[0]) else { throw error }
      for diagnostic in images.diagnostics { context.diagnostics.say(diagnostic) }
      try ImageReport(images, of: sources[0], check: Check().run(on: sources)).write(to: output)
      return try finish(output, context)
    }
    let problems = report.summary.diagnostics.filter { $0.severity != .note }
    for diagnostic in problems { context.diagnostics.say(diagnostic) }
    try report.write(to: output)
    return try finish(output, context)
  }

  private static func output(
    _ path: Pathname, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws -> OutputFile {
    var options = OutputFile.Options()
    options.replacesExisting = !arguments[OutputOptions.noClobber]
    options.inputs = context.inputs
    return try OutputFile(path, options: options)
  }

  private static func finish(_ output: OutputFile, _ context: CommandContext) throws -> ExitCode {
    try output.commit()
    context.diagnostics.detail("\(output.name): \(counted(output.position, "byte"))")
    return context.diagnostics.outcome
  }
}
