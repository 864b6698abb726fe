import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection

enum ConcatCommand {
  /// The chapters of the output.
  enum Chapters {
    case keep
    case files
    case none
  }

  static let allowDifferent = Option.flag(
    "allow-different",
    help: "Concatenate files even if their video sizes, audio formats, codecs or tracks differ. Differences become "
      + "warnings. Not all players can play the output.")
  static let chapters = Option<Chapters>.choice(
    "chapters", placeholder: "CHAPTERS", default: .keep, help: "The chapters of the output.",
    [
      NamedValue(.keep, "keep", "the chapters of all files, at their new times"),
      NamedValue(.files, "files", "one chapter per file, with the file name as its title"),
      NamedValue(.none, "none", "no chapters"),
    ])
  static let output = OutputOptions.output(unless: [OutputJob.dryRunWithoutReport])

  static let command = Command(
    name: "concat",
    summary: "concatenate files in playback order, without transcoding",
    operands: [
      Operand(
        "FILE", .one,
        help: "The first file: progressive, fragmented or QuickTime. The output gets the metadata of this file. `-` is "
          + "standard input; URLs are accepted."),
      Operand(
        "OTHER", .oneOrMore,
        help: "The other files, in playback order. A file can be repeated. `-` is standard input."),
    ],
    description: [
      "Writes one progressive file. Each output track contains the samples of the matching tracks of all files, in "
        + "order. Nothing is transcoded: the bytes, sync flags and groups of samples are kept, except where a file "
        + "starts with an open GOP. To join an init segment "
        + "and its media segments, use `mp4tool join` or `mp4tool defrag`.",
      "Two tracks match if they have the same kind, codec, picture size, rotation, sample rate, channels, encryption "
        + "and language. If any of these differs, nothing is written, and an error reports the difference. Identical "
        + "sample entries are written once; different ones, such as those with different parameter sets, are kept "
        + "separately. Timescales are converted if the conversion is exact. Different constant frame rates are a "
        + "warning.",
      "Each file starts when the longest track of the previous file ends. All tracks of a file start in sync. The last "
        + "sample of a shorter track is extended. If it is a visible subtitle, an empty edit is inserted instead. "
        + "Media that edit lists hide, such as audio priming, stays hidden: the track then has one edit per file. "
        + "Players that honor only the first edit, such as browsers, present the hidden media, usually a few "
        + "milliseconds per file.",
      OpenGOP.description
        + " A file with H.264 that would be presented in the wrong order is refused; otherwise a warning reports it. "
        + "Files that `mp4tool cut` wrote from one file repeat the hidden samples around each cut. In their original "
        + "order, each sample is written once, so that the video continues as before the cut.",
      "Metadata, brands and other boxes come from the first file; a note lists the boxes that differ in the other "
        + "files. Chapter times are adjusted, and chapters are written as a Nero chapter list (`chpl`); chapter tracks "
        + "are kept if all files have them. The output is a QuickTime file if all inputs are.",
      RemoteFile.description,
    ],
    options: [allowDifferent, chapters, output, OutputJob.dryRunWithoutReport] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool concat part1.mp4 part2.mp4 -o film.mp4", "Concatenates two parts of a recording."),
      Command.Example(
        "mp4tool concat --chapters files day1.mov day2.mov -o days.mov", "The same, with a chapter for each file."),
      Command.Example(
        "mp4tool concat --allow-different wide.mp4 tall.mp4 -o both.mp4", "Concatenates videos of different sizes."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples of a file are missing; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "The files differ, one of them has no samples, or one starts with an open GOP of H.264 that cannot follow the "
          + "previous file."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let mode = arguments[chapters]
    return try OutputJob(arguments, context).run { sources, onProgress in
      var concatenator = Concatenator()
      concatenator.allowsDifferent = arguments[allowDifferent]
      concatenator.keepsChapterTracks = mode == .keep
      switch mode {
      case .none: concatenator.chapters = []
      case .files:
        concatenator.chapters = sources.map { [Chapter(time: MediaTime(0, 1), title: title(of: $0))] }
      case .keep: break
      }
      return PlannedOutput(try concatenator.plan(sources, onProgress: onProgress))
    }
  }

  /// The name of a file without its folder and extension.
  private static func title(of source: any ByteSource) -> String {
    let name = source.name.split(separator: "/").last.map(String.init) ?? source.name
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }
}
