import Bytes
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
  static let segmentDuration = Option.parsed(
    "segment-duration", placeholder: "SECONDS", as: Seconds.self,
    help:
      "How long segments are at least, but for the last: each ends before the first sync sample of the first video that "
      + "is presented so long after its start, or later. 6 seconds unless given.")
  static let singleFile = Option.flag(
    "single-file", help: "Put all segments of a rendition into one file, of which the playlists name byte ranges.")
  static let muxed = Option.flag(
    "muxed", help: "Keep audio and video together in one rendition instead of one for each track. This is not CMAF.")
  static let reference = Option.flag(
    "reference",
    help:
      "Copy nothing: make only playlists, with byte ranges of the INPUTs, which stay as they are. These are fragmented "
      + "files; all tracks of one are a rendition, and segments start where movie fragments begin with a sync sample.")
  static let recut = Option.flag(
    "recut", help: "Cut fragmented INPUTs again also where their movie fragments could be copied as they are.")
  static let iFrames = Option.flag(
    "iframes",
    help:
      "With `--reference`, copy the key frames to a file of their own where they have no movie fragments of their own, "
      + "instead of making no playlist of them.")
  static let noIFrames = Option.flag("no-iframes", help: "Make no playlists of key frames.")
  static let kind = Option<Kind>.choice(
    "playlist-type", placeholder: "TYPE", default: .vod, help: "Whether the playlists may grow.")
  static let startNumber = Option.integer(
    "start-number", placeholder: "N", in: 0...1_000_000_000, default: 1, help: "The number of the first segment.")
  static let baseURL = Option.text(
    "base-url", placeholder: "URL",
    help: "Write URL in front of all names in the playlists, such as `https://cdn.example.com/movie/`.")
  /// What `--video-range` can say.
  enum Range: String, OptionChoice {
    case auto
    case sdr = "SDR"
    case pq = "PQ"
    case hlg = "HLG"

    var meaning: String {
      switch self {
      case .auto: "what the video says; SDR where nothing does, with a warning where it can be another"
      case .sdr: "standard dynamic range"
      case .pq: "perceptual quantization, as HDR10 and Dolby Vision have it"
      case .hlg: "hybrid log-gamma"
      }
    }
    var value: VideoRange? {
      switch self {
      case .auto: nil
      case .sdr: .sdr
      case .pq: .pq
      case .hlg: .hlg
      }
    }
  }
  static let videoRange = Option<Range>.choice(
    "video-range", placeholder: "RANGE", default: .auto,
    help: "The dynamic range of video that does not say it itself, in its sample entry or its first parameter sets.")
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
        + "its own, and so do subtitles in WebVTT or TTML (`wvtt`, `stpp`); those of 3GPP (`tx3g`) "
        + "become WebVTT files. Samples are copied as they are, as `mp4tool fragment` does, whose profiles are those "
        + "here. Descriptions of MPEG-4 sound in QuickTime files become those of ISO files, as players want them.",
      "The movie fragments of an INPUT with one track, or of any with `--muxed`, are copied byte for byte where segments "
        + "start at their starts anyway and nothing in them has to be repaired, which a note says; otherwise, with the Apple "
        + "profile and with `--recut` it is cut again. With `--reference` not even that: the playlists name byte ranges of the "
        + "INPUTs by their paths from DIR, and `--base-url` is the URL of DIR. What players cannot be given so is an error: "
        + "samples in the movie box, a movie box after the fragments, data outside of its fragment, fragments "
        + "without decode times, and a first fragment that does not begin with a sync sample.",
      "The segments of the first video decide where others are cut: other videos at the same times, when they have sync "
        + "samples there, which a warning says when they do not; audio and subtitles next to them. All renditions have "
        + "one target duration, but for subtitles with a longer segment.",
      "Tracks with the same samples in several INPUTs are one rendition. Audio tracks of one codec and number of channels are a "
        + "group; tracks of another INPUT with the same language at another bit rate are another group with the same names, which "
        + "goes with the video of that INPUT. All groups list the same languages: one that a group lacks is taken from another "
        + "group. Languages are those that the tracks declare; the first track is the default. Notes report all of this.",
      "For each video there is a playlist of key frames (`iframes.m3u8`), which players show while they seek. Each of them is a "
        + "fragment of its own in `iframes.mp4`, so that a byte range of it is all that is needed. Of a referenced INPUT they "
        + "are ranges where each has a movie fragment of its own there.",
      "Bandwidths are measured: the peak of all runs of segments that last between 0.5 and 1.5 target durations, and the "
        + "average. Codecs, picture sizes, video ranges and channels come from the configuration of the "
        + "decoders, not from what sample entries claim. FRAME-RATE is the greatest number of pictures in any one second; a rate "
        + "within 0.5 % of a common one is that one. Playlists have the lowest version that holds.",
      "Where sample entry and first parameter sets do not say whether video is SDR, PQ or HLG, video of 8 bits or with the colours "
        + "of BT.709 is SDR; any other is SDR with a warning, unless `--video-range` says what it is.",
      "With the Apple profile, notes name what Apple's HLS Authoring Specification asks to be otherwise. Sample entries that allow "
        + "parameter sets in samples (`hev1`, `avc3`, `dvhe`, `dvav`) become those that do not (`hvc1`, `avc1`, `dvh1`, `dva1`) "
        + "where no keyframe has a parameter set that the sample entry lacks.",
      "Encrypted tracks stay encrypted. `EXT-X-KEY` is written when `--key-uri` is given, and never invented: its method is "
        + "SAMPLE-AES for `cbcs`, and SAMPLE-AES-CTR for `cenc`. It comes with the first segment that has encrypted samples, "
        + "after a clear lead. Samples that need more than one key are reported. `master.m3u8` has it as `EXT-X-SESSION-KEY`, so that players "
        + "can ask for the key early, unless there are two methods.",
    ],
    options: [
      output, OutputJob.dryRun, ReportFile.option, DefragCommand.tracks, segmentDuration, FragmentCommand.profile,
      FragmentCommand.timeOffset, singleFile, reference, muxed, recut, noIFrames, iFrames, videoRange, kind,
      startNumber,
      baseURL, keyURI, keyFormat, keyFormatVersions,
      DefragCommand.noEdits, DefragCommand.overlap, JoinCommand.forceInit,
    ] + OutputOptions.besides,
    examples: [
      Command.Example("mp4tool hls movie.mp4 -o movie", "Makes `movie/master.m3u8` and everything that it names."),
      Command.Example(
        "mp4tool hls 1080p.mp4 720p.mp4 english.m4a french.m4a -o out",
        "Makes two variants with sound in two languages."),
      Command.Example(
        "mp4tool hls --single-file --segment-duration 4 movie.mp4 -o out",
        "Makes one file for each rendition, with segments of four seconds as byte ranges."),
      Command.Example(
        "mp4tool hls --reference recording.mp4 -o out",
        "Makes playlists of a fragmented recording, which stays where it is."),
      Command.Example(
        "mp4tool hls --key-uri skd://movie --key-format com.apple.streamingkeydelivery encrypted.mp4 -o out",
        "Names the key of encrypted tracks in their playlists."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are lost or cut off; the output holds the others."),
      Command.ExitNote(.inputNotUsable, "There is no video and no audio in it, or edits cannot be kept."),
    ],
    manSections: [HLSReport.manSection],
    run: run)

  private static func options(_ arguments: ParsedArguments) throws(UsageError) -> Packager.Options {
    var options = Packager.Options()
    try check([baseURL], arguments)
    if let duration = arguments[segmentDuration] { options.segmentDuration = duration.time }
    options.profile = try FragmentCommand.profile(arguments)
    options.storage = arguments[reference] ? .referenced : arguments[singleFile] ? .singleFile : .separateFiles
    options.copiesFragments = !arguments[recut]
    options.copiesKeyFrames = arguments[iFrames]
    options.isMuxed = arguments[muxed]
    options.hasIFramePlaylists = !arguments[noIFrames]
    options.playlistType = arguments[kind] == .vod ? .vod : .event
    options.startNumber = arguments[startNumber]
    options.baseURL = arguments[baseURL] ?? ""
    options.videoRange = arguments[videoRange].value
    options.key = try key(arguments)
    return options
  }

  /// Where players get the key.
  static func key(_ arguments: ParsedArguments) throws(UsageError) -> Packager.Key? {
    try check([keyURI, keyFormat, keyFormatVersions], arguments)
    if let uri = arguments[keyURI] {
      return Packager.Key(uri: uri, format: arguments[keyFormat], formatVersions: arguments[keyFormatVersions])
    }
    for other in [keyFormat, keyFormatVersions] where arguments[other] != nil {
      throw UsageError("option '--\(other.declaration.name)' needs '--\(keyURI.declaration.name) URI'")
    }
    return nil
  }

  private static func check(_ options: [Option<String?>], _ arguments: ParsedArguments) throws(UsageError) {
    for option in options {
      // Attributes have no way to write them.
      guard arguments[option]?.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x7f }) == true else { continue }
      throw UsageError("option '--\(option.declaration.name)' cannot have quotation marks or control characters in it")
    }
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var reading = Defragmenter.Options()
    reading.tracks = arguments[DefragCommand.tracks]?.selection ?? TrackSelection()
    reading.writesEdits = !arguments[DefragCommand.noEdits]
    reading.overlaps = DefragCommand.overlap(arguments)
    reading.takesAllSegments = arguments[JoinCommand.forceInit]
    try checkReference(arguments)
    // Ranges of a file have the times of the file.
    (reading.keepsStart, reading.takesWholeFragments) = (arguments[reference], arguments[reference])
    var options = try options(arguments)
    var path: Pathname?
    if let word = arguments[output] {
      if word.isDash { throw UsageError("option '--output' makes a folder, which cannot go to standard output") }
      path = Pathname(word.bytes)
      if path == nil { throw UsageError("the name of the output has a zero byte in it") }
    }
    if arguments[reference] {
      let names = try referenceURIs(arguments, from: path ?? "DIR")
      options.referenceURI = { names[$0] ?? $0 }
    }
    let packager = Packager(options)
    return try FolderJob(arguments, context).run(path) { sources, onProgress in
      HLSFolder(try packager.plan([Movie(reading: sources, reading, onProgress: onProgress)]))
    }
  }

  /// Refuses what `--reference` leaves no choice of, and inputs that have no name.
  private static func checkReference(_ arguments: ParsedArguments) throws(UsageError) {
    let name = reference.declaration.name
    guard arguments[reference] else {
      guard !arguments[iFrames] else {
        throw UsageError("option '--\(iFrames.declaration.name)' needs '--\(name)'")
      }
      return
    }
    let others: [any DeclaredOption] = [
      singleFile, recut, DefragCommand.tracks, DefragCommand.noEdits, FragmentCommand.profile,
    ]
    for other in others where arguments.has(other) {
      throw UsageError(
        "options '--\(name)' and '--\(other.declaration.name)' contradict each other: inputs are used as they are")
    }
    if arguments[iFrames], arguments[noIFrames] {
      throw UsageError(
        "options '--\(iFrames.declaration.name)' and '--\(noIFrames.declaration.name)' contradict each other")
    }
    for operand in arguments.operands where operand.isDash || operand.bytes.starts(with: "/dev/".utf8) {
      throw UsageError("option '--\(name)' takes files that players can ask for by their names, not '\(operand.text)'")
    }
  }

  /// What playlists call the inputs, by the names that messages have for them.
  private static func referenceURIs(_ arguments: ParsedArguments, from folder: Pathname) throws -> [String: String] {
    var names: [String: String] = [:]
    for path in arguments.operands.compactMap({ Pathname($0.bytes) }) {
      names[path.description] = try path.relative(to: folder).uriReference
    }
    return names
  }
}
