import FileIO
import HLS
import ISOBMFF
import MP4
import Packaging

/// `mp4tool hls`.
enum HLSCommand {
  /// Whether playlists may grow.
  enum Kind: String, OptionChoice {
    case vod
    case event

    var meaning: String {
      switch self {
      case .vod: "nothing changes any more"
      case .event: "segments may be added at the end, which the playlists leave open"
      }
    }
  }
  static let output = Option.folder(
    "output", short: "o", placeholder: "DIR",
    help: "The folder to make. It may not be there yet, or be empty. It appears when everything in it is complete, and "
      + "not at all when something goes wrong.",
    requiredUnless: [OutputJob.dryRun.declaration.name])
  static let duration = Option.parsed(
    "duration", placeholder: "SECONDS", as: Seconds.self,
    help:
      "How long segments are at least, but for the last: each ends before the first sync sample of the first video that "
      + "is presented so long after its start, or later. 6 seconds unless given.")
  static let singleFile = Option.flag(
    "single-file", help: "Put all segments of a rendition into one file, of which the playlists name byte ranges.")
  static let muxed = Option.flag(
    "muxed", help: "Keep audio and video together in one rendition instead of one for each track. This is not CMAF.")
  static let noIFrames = Option.flag("no-iframes", help: "Make no playlists of key frames.")
  static let kind = Option<Kind>.choice(
    "playlist-type", placeholder: "TYPE", default: .vod, help: "Whether the playlists may grow.")
  static let startNumber = Option.integer(
    "start-number", placeholder: "N", in: 0...1_000_000_000, default: 1, help: "The number of the first segment.")
  static let baseURL = Option.text(
    "base-url", placeholder: "URL",
    help: "Write URL in front of all names in the playlists, such as `https://cdn.example.com/movie/`.")
  static let keyURI = Option.text(
    "key-uri", placeholder: "URI",
    help: "Where players get the key of encrypted tracks, such as `skd://movie`. Without it the playlists do not say.")
  static let keyFormat = Option.text(
    "key-format", placeholder: "FORMAT",
    help: "What kind of key that is, such as `com.apple.streamingkeydelivery`; `identity` unless given.")
  static let keyFormatVersions = Option.text(
    "key-format-versions", placeholder: "VERSIONS", help: "The versions of that kind, such as `1` or `1/2`.")

  static let command = Command(
    name: "hls",
    summary: "package movies for HTTP Live Streaming: segments, playlists, key frames",
    operands: [
      Operand(
        "INPUT", .oneOrMore,
        help: "Progressive or fragmented files, or init segments and their media segments, that start together.")
    ],
    description: [
      "Makes the folder DIR with `master.m3u8`, and a folder for each rendition with `index.m3u8`, `init.mp4` and "
        + "`segment1.m4s`, `segment2.m4s` and so on. Every video and audio track of the INPUTs becomes a rendition of "
        + "its own, and so do subtitles in WebVTT or TTML (`wvtt`, `stpp`). Samples are copied as they are, as "
        + "`mp4tool fragment` does, whose profiles are those here; a fragmented INPUT is cut anew. Descriptions of MPEG-4 "
        + "sound in QuickTime files become those of ISO files, as players want them.",
      "The segments of the first video decide where others are cut: other videos at the same times, when they have sync "
        + "samples there, which a warning tells when they do not; audio and subtitles next to them. All renditions have "
        + "one target duration. Audio tracks of one codec and number of channels are a group, of which the first is the default; their "
        + "languages are those that the tracks declare.",
      "For each video there is a playlist of key frames (`iframes.m3u8`), which players show while they seek. Each of them is a "
        + "fragment of its own in `iframes.mp4`, so that a byte range of it is all that is needed.",
      "Bandwidths are measured: the peak of all runs of segments that last between 0.5 and 1.5 target durations, and the "
        + "average. Codecs, picture sizes, frame rates, video ranges and channels come from the configuration of the "
        + "decoders, not from what sample entries claim. Playlists have the lowest version that holds.",
      "Encrypted tracks stay encrypted. `EXT-X-KEY` is written when `--key-uri` is given, and never invented: its method is "
        + "SAMPLE-AES for `cbcs`, and SAMPLE-AES-CTR for `cenc`.",
    ],
    options: [
      output, OutputJob.dryRun, DefragCommand.tracks, duration, FragmentCommand.profile, FragmentCommand.timeOffset,
      singleFile, muxed, noIFrames, kind, startNumber, baseURL, keyURI, keyFormat, keyFormatVersions,
      DefragCommand.noEdits,
    ] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool hls movie.mp4 -o movie", "Makes `movie/master.m3u8` and everything that it names."),
      Command.Example(
        "mp4tool hls 1080p.mp4 720p.mp4 english.m4a french.m4a -o out",
        "Makes two variants with sound in two languages."),
      Command.Example(
        "mp4tool hls --single-file --duration 4 movie.mp4 -o out",
        "Makes one file for each rendition, with segments of four seconds as byte ranges."),
      Command.Example(
        "mp4tool hls --key-uri skd://movie --key-format com.apple.streamingkeydelivery encrypted.mp4 -o out",
        "Names the key of encrypted tracks in their playlists."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are lost or cut off; the output holds the others."),
      Command.ExitNote(.inputNotUsable, "There is no video and no audio in it, or edits cannot be kept."),
    ],
    run: run)

  private static func options(_ arguments: ParsedArguments) throws(UsageError) -> Packager.Options {
    var options = Packager.Options()
    for option in [baseURL, keyURI, keyFormat, keyFormatVersions] {
      // Attributes have no way to write them.
      guard arguments[option]?.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x7f }) == true else { continue }
      throw UsageError("option '--\(option.declaration.name)' cannot have quotation marks or control characters in it")
    }
    if let duration = arguments[duration] { options.segmentDuration = duration.time }
    options.profile = try FragmentCommand.profile(arguments)
    options.storage = arguments[singleFile] ? .singleFile : .separateFiles
    options.isMuxed = arguments[muxed]
    options.hasIFramePlaylists = !arguments[noIFrames]
    options.playlistType = arguments[kind] == .vod ? .vod : .event
    options.startNumber = arguments[startNumber]
    options.baseURL = arguments[baseURL] ?? ""
    if let uri = arguments[keyURI] {
      options.key = Packager.Key(
        uri: uri, format: arguments[keyFormat], formatVersions: arguments[keyFormatVersions])
    } else {
      for other in [keyFormat, keyFormatVersions] where arguments[other] != nil {
        throw UsageError("option '--\(other.declaration.name)' needs '--\(keyURI.declaration.name) URI'")
      }
    }
    return options
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var reading = Defragmenter.Options()
    reading.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    reading.writesEdits = !arguments[DefragCommand.noEdits]
    let packager = Packager(try options(arguments))
    var path: Path?
    if let word = arguments[output] {
      if word.isDash { throw UsageError("option '--output' makes a folder, which cannot go to standard output") }
      path = Path(word.bytes)
      if path == nil { throw UsageError("the name of the output has a zero byte in it") }
    }
    return try FolderJob(arguments, context).run(path) { sources, onProgress in
      HLSFolder(try packager.plan([TimedMovie(reading: sources, reading, onProgress: onProgress)]))
    }
  }
}

/// The folder of a presentation.
private struct HLSFolder: FolderPlan {
  private let plan: PackagePlan
  let files: [PlannedFile]

  init(_ plan: PackagePlan) {
    self.plan = plan
    files = plan.files.compactMap { file in
      Path(Array(file.path.utf8)).map { path in
        PlannedFile(path: path, byteCount: file.byteCount) { try plan.write(file, to: $0) }
      }
    }
  }

  var notices: [Notice] {
    // Here it is what one asks for.
    plan.notices.filter { if case .combined = $0.kind { false } else { true } }
  }
  var counts: String? { "\(plan.renditions.count) rendition\(plan.renditions.count == 1 ? "" : "s")" }
  func writeReport(to sink: any ByteSink, output: String?, isMade: Bool) throws -> Bool { false }
}
