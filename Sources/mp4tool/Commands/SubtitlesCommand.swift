import Bytes
import FileIO
import HLS
import MP4
import Packaging
import Presentations

/// `mp4tool subtitles`.
enum SubtitlesCommand {
  /// What the segments of subtitles are.
  enum Format: String, OptionChoice {
    case vtt
    case wvtt

    var meaning: String {
      switch self {
      case .vtt: "WebVTT files, which all players read"
      case .wvtt: "segments of fragmented MP4 with WebVTT in them, ISO/IEC 14496-30, always cut"
      }
    }
  }
  static let subtitles = Option.repeated(
    "subtitles", placeholder: "LANG=FILE", as: SubtitleFile.self,
    help: "Add the subtitles in FILE, WebVTT or SubRip, in the language LANG by BCP 47, such as `en` or `pt-BR`. "
      + "After FILE, separated by commas: `name=NAME`, what people choose it by, the name of the language unless given; "
      + "`default`, to be shown when no other is chosen; `forced`, to be shown even to those who want none; `sdh`, for "
      + "those who do not hear sounds. It can be given several times.",
    isRequired: true)
  static let segmentDuration = Option.parsed(
    "segment-duration", placeholder: "SECONDS", as: Seconds.self,
    help: "Cut the subtitles where segments of the presentation start, into pieces of about so many seconds, instead "
      + "of writing one file for all. A cue that crosses a cut is in both pieces.")
  static let textFormat = Option<Format>.choice(
    "text-format", placeholder: "FORMAT", default: .vtt, help: "What the segments of subtitles are.")
  static let mediaStart = Option.parsed(
    "media-start", placeholder: "SECONDS", as: TimeOffset.self,
    help: "The time that the media has where the presentation starts, instead of reading it in the first segment.")
  static let inPlace = Option.flag(
    "in-place",
    help: "Put the subtitles into a folder beside MASTER, and change MASTER itself when they are there, without `-o`.")
  static let allowOutside = Option.flag(
    "allow-outside",
    help:
      "Read playlists and segments that lie outside the folder of MASTER too, and what is on servers; and let what is "
      + "on a public server lead to private addresses.")
  private static let output = Option.folder(
    "output", short: "o", placeholder: "DIR",
    help: "The folder to make, with a copy of MASTER that names the subtitles and leads to the files of the "
      + "presentation where they are. It may not be there yet, or be empty. It appears when everything in it is "
      + "complete.",
    requiredUnless: [OutputJob.dryRun, inPlace].map(\.declaration.name))

  static let command = Command(
    name: "subtitles",
    summary: "add WebVTT and SubRip subtitles to an HLS presentation without touching it",
    operands: [
      Operand(
        "MASTER",
        help: "The multivariant playlist of the presentation: a file, or an address with `http://` or `https://`, "
          + "which is fetched by the program `curl`.")
    ],
    description: [
      "Writes the folder DIR with a copy of MASTER in which every variant has the subtitles (`EXT-X-MEDIA`, "
        + "`SUBTITLES`), and their playlists and segments in the folder `subtitles` beside it. Lines that need no "
        + "change keep every byte. The media and the playlists of the presentation stay where they are: relative "
        + "names in the copy lead back to them, and for an address they become whole addresses, so that subtitles can "
        + "be added to what cannot be changed. Subtitles that MASTER has already stay, and new ones join their groups.",
      "All cues go into one WebVTT file, which players accept, unless `--segment-duration` or `--text-format wvtt` asks for "
        + "segments. These are whole segments of the presentation put together, so that they start when its segments "
        + "do. Subtitles are cut too when there are discontinuities, or when the playlists are not of the type VOD: "
        + "then the RFC allows no segment of subtitles to be longer than the others.",
      "The times of the cues count from the start of the presentation. Which times the media has there is read in its "
        + "first segment, in MP4, transport streams and packed audio, and again after every discontinuity: "
        + "`X-TIMESTAMP-MAP` and the decode times of MP4 go by it. `--profile apple` of `mp4tool hls`, for one, "
        + "starts at 10 s.",
      "WebVTT is read the way the W3C has players read it; what they would ignore is reported with its line. Its "
        + "`X-TIMESTAMP-MAP` moves the cues to where the media has that time, which a note says. Of SubRip, `<i>`, `<b>`, `<u>`, the eight colours that WebVTT has names "
        + "for, and `{\\an8}` stay.",
    ],
    options: [
      output, inPlace, OutputJob.dryRunWithoutReport, subtitles, SubtitleFile.encoding, segmentDuration, textFormat,
      mediaStart,
      allowOutside,
    ] + OutputOptions.besides,
    examples: [
      Command.Example(
        "mp4tool subtitles movie/master.m3u8 --subtitles en=subs.vtt -o subtitled",
        "Makes `subtitled/master.m3u8`, which plays the movie with subtitles."),
      Command.Example(
        "mp4tool subtitles https://example.com/master.m3u8 --subtitles en=en.vtt --subtitles fr=fr.srt,name=Français -o out",
        "Makes a playlist here that plays a presentation elsewhere with subtitles in two languages."),
      Command.Example(
        "mp4tool subtitles --in-place --segment-duration 6 movie/master.m3u8 --subtitles de=de.srt,default",
        "Adds subtitles in pieces of six seconds to a presentation, and shows them."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "Some text has no times that can be read, or characters that are not in its encoding; the others are there."),
      Command.ExitNote(
        .inputNotUsable,
        "MASTER is a media playlist or live, a FILE is no WebVTT and no SubRip or not in its encoding, or there are "
          + "subtitles of that name."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let place = try PresentationLocation(
      arguments.operands[0], allowsOutside: arguments[allowOutside], context.fetching)
    let files = arguments[subtitles]
    try files.checkLanguages(subtitles)
    for file in files { context.inputs.add(file.path) }
    let duration = arguments[segmentDuration]?.time
    let length = duration.map { Duration.units($0.value, timescale: $0.timescale) } ?? .seconds(6)
    let form: SubtitlePlanner.Form =
      switch arguments[textFormat] {
      case .wvtt: .fragments(length)
      case .vtt: duration == nil ? .wholeFile : .segments(length)
      }
    let job = SubtitlesJob(
      arguments, context, TimingReader(place, mediaStart: arguments[mediaStart]?.time), SubtitlePlanner(form),
      adding: files)
    if arguments[inPlace] {
      for option: any DeclaredOption in [output, OutputOptions.noClobber] where arguments.has(option) {
        throw UsageError("options '--in-place' and '--\(option.declaration.name)' contradict each other")
      }
      return try job.runInPlace()
    }
    var path: Pathname?
    if let word = arguments[output] {
      if word.isDash { throw UsageError("option '--output' makes a folder, which cannot go to standard output") }
      path = Pathname(word.bytes)
      if path == nil { throw UsageError("the name of the output has a zero byte in it") }
    }
    return try job.run(to: path)
  }
}
