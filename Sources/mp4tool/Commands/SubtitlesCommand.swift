import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import MP4Presentations

enum SubtitlesCommand {
  /// The format of subtitle segments.
  enum Format {
    case vtt
    case wvtt
  }
  static let subtitles = Option.repeated(
    "subtitles", placeholder: "LANG=FILE", as: SubtitleFile.self,
    help:
      "Add FILE (WebVTT or SubRip). LANG is its language, a BCP 47 tag such as `en` or `pt-BR`. FILE may be followed "
      + "by comma-separated settings: `name=NAME`, the name that players show (default: the name of the language); "
      + "`default`, to show these subtitles unless the user chooses others; `forced`, to show them even if the user "
      + "wants no subtitles; or `sdh`, for the deaf and hard of hearing. Can be repeated."
  ).required()
  static let segmentDuration = Option.parsed(
    "segment-duration", placeholder: "SECONDS", as: Seconds.self,
    help:
      "Divide the subtitles into segments of about this duration, at segment boundaries of the presentation, instead "
      + "of writing one file. A cue that crosses a boundary is in both segments.")
  static let textFormat = Option<Format>.choice(
    "text-format", placeholder: "FORMAT", default: .vtt, help: "The format of the subtitle segments.",
    [
      NamedValue(.vtt, "vtt", "WebVTT files, which all players support"),
      NamedValue(.wvtt, "wvtt", "fragmented MP4 with WebVTT (ISO/IEC 14496-30), always segmented"),
    ])
  static let mediaStart = Option.parsed(
    "media-start", placeholder: "SECONDS", as: TimeOffset.self,
    help: "The media time at which the presentation starts. By default, it is read from the first segment.")
  static let inPlace = Option.flag(
    "in-place",
    help:
      "Write the subtitles to a folder beside PLAYLIST (`subtitles`, or `subtitles-2` and so on if it exists), then "
      + "replace PLAYLIST itself. `-o` and `--no-clobber` cannot be given.")
  static let allowOutside = Option.flag(
    "allow-outside",
    help:
      "Also read playlists and segments outside the folder of PLAYLIST and on servers; also allow a public server to "
      + "refer to private addresses.")
  private static let output = Option.folder(
    "output", short: "o", placeholder: "DIR",
    help:
      "The folder to write, with the subtitles and a copy of PLAYLIST that refers to them and to the existing media. "
      + "It must not exist, or must be empty. It appears only when everything in it is complete."
  ).required(unless: [OutputJob.dryRun, inPlace])

  static let command = Command(
    name: "subtitles",
    summary: "add WebVTT and SubRip subtitles to a local or remote HLS presentation",
    operands: [
      Operand(
        "PLAYLIST",
        help: "The multivariant playlist of the presentation: a file, or an http or https URL, which is fetched with "
          + "`curl`. Or a media playlist in a file, whose multivariant playlist is then written to `DIR/master.m3u8`.")
    ],
    description: [
      "Writes a copy of PLAYLIST to the folder DIR. In the copy, every variant has the subtitles (EXT-X-MEDIA, "
        + "SUBTITLES). The playlists and segments of the subtitles are in the folder `DIR/subtitles`. BANDWIDTH, "
        + "AVERAGE-BANDWIDTH and CODECS of the variants include the subtitles. The media and the media playlists are "
        + "not copied: relative URIs in the copy are adjusted, or become absolute if PLAYLIST is a URL. Everything "
        + "else in PLAYLIST is copied unchanged. You can therefore add subtitles to a presentation that you cannot "
        + "change. Other mp4tool commands need `--allow-outside` to read a playlist that refers to files outside DIR. "
        + "Existing subtitles remain, and new ones join their groups.",
      "The cues of each FILE are written to one WebVTT file, unless `--segment-duration` or `--text-format wvtt` is "
        + "given. Each subtitle segment spans whole segments of the presentation, so their boundaries coincide. "
        + "Subtitles are also segmented if there are discontinuities, or if the media playlists are not of type VOD: "
        + "the HLS specification then requires subtitle playlists to have the same target duration as the others.",
      "Cue times are relative to the start of the presentation. The media time at that point is read from the first "
        + "segment (MP4, MPEG-TS or packed audio), and again after every discontinuity; X-TIMESTAMP-MAP and MP4 decode "
        + "times are set accordingly. Presentations written by `mp4tool hls --profile apple` start at 10 s by default.",
      "WebVTT is parsed according to the W3C specification; lines that players would ignore are reported with their "
        + "numbers. If FILE has X-TIMESTAMP-MAP, its cues are moved to the matching media time, and a note reports "
        + "this. In SubRip, the tags `<i>`, `<b>` and `<u>`, the eight named colors of WebVTT and `{\\an8}` are kept; "
        + "other markup is not.",
    ],
    options: [
      output, inPlace, OutputJob.dryRunWithoutReport, subtitles, SubtitleFile.encoding, segmentDuration, textFormat,
      mediaStart, allowOutside,
    ] + OutputOptions.besides,
    examples: [
      Command.Example(
        "mp4tool subtitles movie/master.m3u8 --subtitles en=subs.vtt -o subtitled",
        "Writes `subtitled/master.m3u8`, which plays the movie with subtitles."),
      Command.Example(
        "mp4tool subtitles https://example.com/master.m3u8 --subtitles en=en.vtt --subtitles fr=fr.srt,name=Français "
          + "-o out",
        "Writes a playlist that plays a remote presentation with subtitles in two languages."),
      Command.Example(
        "mp4tool subtitles --in-place --segment-duration 6 movie/master.m3u8 --subtitles de=de.srt,default",
        "Adds subtitles in six-second segments to a presentation; players show them by default."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings,
        "Some cues have times that cannot be read, or bytes that are not valid in the encoding; everything else is "
          + "added."),
      Command.ExitNote(
        .inputNotUsable,
        "PLAYLIST is a live stream, or a media playlist that is remote or to be changed in place; a FILE is neither "
          + "WebVTT nor SubRip; a FILE is not UTF-8 and no encoding is given; or subtitles with the same name already "
          + "exist."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let reader = try TimingReader(
      arguments.operands[0], allowsOutside: arguments[allowOutside], mediaStart: arguments[mediaStart]?.time,
      context.fetching)
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
    let job = SubtitlesJob(arguments, context, reader, SubtitlePlanner(form), adding: files)
    if arguments[inPlace] {
      try arguments.refuse([output, OutputOptions.noClobber], with: inPlace)
      return try job.runInPlace()
    }
    return try job.run(to: arguments.folder(output))
  }
}
