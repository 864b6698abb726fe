import Bytes
import FileIO
import Inspection
import MP4

enum ConcatCommand {
  /// The chapters of the output.
  enum Chapters: String, OptionChoice {
    case keep
    case files
    case none

    var meaning: String {
      switch self {
      case .keep: "those of the files, moved to where their file starts"
      case .files: "one for each file, with its name as the title"
      case .none: "no chapters"
      }
    }
  }

  static let allowDifferent = Option.flag(
    "allow-different",
    help: "Concatenate files even if their pictures, sound, codecs or tracks differ; differences become warnings. Not "
      + "all players can play such a file.")
  static let chapters = Option<Chapters>.choice(
    "chapters", placeholder: "CHAPTERS", default: .keep, help: "The chapters of the output.")
  static let output = OutputOptions.output(unless: [OutputJob.dryRunWithoutReport.declaration.name])

  static let command = Command(
    name: "concat",
    summary: "play several files one after the other, as one file, without transcoding",
    operands: [
      Operand(
        "FILE", .one,
        help: "The first file: progressive, fragmented or QuickTime. The output has its metadata. `-` is standard "
          + "input; URLs are accepted."),
      Operand(
        "OTHER", .oneOrMore,
        help: "The files to follow, in this order. A file can be given several times. `-` is standard input."),
    ],
    description: [
      "Writes one progressive file in which the samples of all files follow each other, track by track. Nothing is "
        + "transcoded: samples keep their bytes, keyframes and sample groups. To put an init segment and its media "
        + "segments together, use `mp4tool join` or `mp4tool defrag`.",
      "Tracks belong together if they have the same kind, codec, picture size, rotation, sample rate, channels, "
        + "encryption and language. If anything differs, nothing is written, and the message names it. Sample "
        + "entries that are equal are written once; others, such as those with other parameter sets, are kept apart. "
        + "Timescales are converted if that is exact.",
      "Every file starts when the longest track of the file before it ends, with all of its tracks in sync. The last "
        + "sample of a shorter track lasts until then; after subtitles, there is an empty edit. Media that edit lists "
        + "hide, such as the priming of audio, stays hidden: its track then has an edit for each file. Players that "
        + "use only the first edit, such as browsers, present it, usually for some milliseconds for each file.",
      "Metadata, brands and other boxes are those of the first file; a note names those of the others that differ. "
        + "Chapters are moved, and written as Nero's list; chapter tracks are kept if all files have them. QuickTime "
        + "files stay QuickTime if all files are.",
      RemoteFile.description,
    ],
    options: [allowDifferent, chapters, output, OutputJob.dryRunWithoutReport] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool concat part1.mp4 part2.mp4 -o film.mp4", "Plays two parts of a recording as one."),
      Command.Example(
        "mp4tool concat --chapters files day1.mov day2.mov -o days.mov", "The same, with a chapter for each file."),
      Command.Example(
        "mp4tool concat --allow-different wide.mp4 tall.mp4 -o both.mp4", "Concatenates videos of different sizes."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples of a file are missing; the others are in the output."),
      Command.ExitNote(.inputNotUsable, "The files differ, or one of them has no samples; nothing was written."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let mode = arguments[chapters]
    return try OutputJob(arguments, context).run { sources, onProgress in
      var concatenator = Concatenator()
      concatenator.allowsDifferent = arguments[allowDifferent]
      concatenator.keepsChapterTracks = mode == .keep
      concatenator.chapters = sources.map { source in
        switch mode {
        case .none: []
        case .files: [ChapterList.Chapter(time: MediaTime(0, 1), title: title(of: source))]
        case .keep: (try? chapters(of: source)) ?? []
        }
      }
      return try concatenator.plan(sources, onProgress: onProgress)
    }
  }

  /// The chapters of a file. Problems with the file are reported when it is read for the output.
  private static func chapters(of source: any ByteSource) throws -> [ChapterList.Chapter] {
    try Chapter.list(of: Movie(reading: [source])).map { ChapterList.Chapter(time: $0.time, title: $0.title) }
  }

  /// The name of a file without its folder and extension.
  private static func title(of source: any ByteSource) -> String {
    let name = source.name.split(separator: "/").last.map(String.init) ?? source.name
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }
}
