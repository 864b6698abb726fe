import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging
import Serving
import Streaming

/// `mp4tool live`.
enum LiveCommand {
  static let output = Option.folder(
    "output", short: "o", placeholder: "DIR",
    help: "The folder to make. It may not be there yet, or be empty. Players can read from it at once.",
    requiredUnless: [])
  static let segmentDuration = Option.parsed(
    "segment-duration", placeholder: "SECONDS", as: Seconds.self,
    help: "How long segments should be; they end before a sync sample of the video. 6 seconds unless given.")
  static let window = Option.integer(
    "window", placeholder: "N", in: 1...100_000, default: 6,
    help: "How many segments the playlist has; more when they would last less than three target durations, as players "
      + "are promised.")
  static let dvr = Option.flag(
    "dvr", help: "Keep all segments, so that players can go back to the first one (an EVENT playlist).")
  static let targetDuration = Option.parsed(
    "target-duration", placeholder: "SECONDS", as: TargetSeconds.self,
    help: "The most seconds that a segment may last, rounded to whole ones. Playlists say it from the start and can "
      + "never say another. Unless given it is what `--segment-duration` and the first segment need.")
  static let idle = Option.parsed(
    "idle", placeholder: "SECONDS", as: IdleSeconds.self,
    help: "How long an INPUT that is a file may stay as it is before it has ended. 10 seconds unless given.")
  static let noFollow = Option.flag(
    "no-follow",
    help: "End at the present end of an INPUT that is a file or a folder, and do not wait for more of it.")
  static let serve = Option.flag(
    "serve", help: "Serve the folder at once, with a page that plays it, as `mp4tool serve DIR` does.")
  static let fsync = Option.flag(
    "fsync", help: "Have every file on the disk, not only in memory, before it appears.")

  static let command = Command(
    name: "live",
    summary: "package a live stream for HTTP Live Streaming while it comes",
    operands: [
      Operand(
        "INPUT",
        help:
          "Fragmented MP4 as it comes into being: `-` for standard input, a FIFO, a file that grows, or a folder into "
          + "which a recorder writes files.")
    ],
    description: [
      "Makes the folder DIR with `master.m3u8`, `index.m3u8`, `init.mp4` and `segment1.m4s`, `segment2.m4s` and so on, "
        + "while the INPUT comes. Segments appear whole, and the playlist is replaced in one step when one has appeared. "
        + "Fragments stay as they come, with all their tracks; a segment is made of whole ones. Only a fragment that does not "
        + "begin with a sync sample, or is longer than `--segment-duration`, is divided at sync samples inside it, where segments can "
        + "start then.",
      "A file is followed while it grows. It has ended when an index (`mfra`) or a movie box with all samples comes after the "
        + "fragments, when its writer closes it (on Linux), or when it did not grow for `--idle` seconds.",
      "In a folder, files are read in the order of their names, and those that come later in the order in which they appear. "
        + "The last one is read as it grows, and is complete when the next one appears. Names that begin with a point and "
        + "endings such as `.tmp` are not looked at, so that files can be renamed into place.",
      "The playlist has the last segments. Those that leave it are deleted when no player can be loading them any more: after "
        + "their own duration and that of the longest playlist in which they were (RFC 8216, 6.2.2). What cannot be deleted "
        + "yet when the INPUT ends stays. EXT-X-PROGRAM-DATE-TIME is the time of day at which the first fragment came, less "
        + "its duration, and goes on with the times of the media.",
      "The target duration is settled with the first segment. A segment ends early rather than being longer, at a "
        + "fragment without a sync sample if need be; only a fragment that is longer by itself breaks it, which a warning reports. "
        + "Where sync samples are farther apart than `--segment-duration`, give `--target-duration`.",
      "EXT-X-INDEPENDENT-SEGMENTS is written as long as every segment can be decoded on its own. AVERAGE-BANDWIDTH is that of "
        + "the segments so far when `master.m3u8` is written, and of all at the end. After a change of the source, "
        + "`master.m3u8` names the codecs of all sources of which the playlist has segments. Encrypted tracks stay "
        + "encrypted; with `--key-uri`, EXT-X-KEY comes with the first segment that has encrypted samples.",
      "When the source starts again with another movie box, or times go back, EXT-X-DISCONTINUITY says so. A fragment that is cut "
        + "off or damaged is left out, and one that came before too; where nothing came for a while there is a discontinuity. "
        + "All that is reported, with the byte of the input.",
      "The end of standard input, SIGINT, SIGTERM and SIGHUP complete the open segment and end the playlist. After a signal the "
        + "INPUT has a second to end, so that in a pipe the last fragment of an encoder that gets the same signal is there.",
      "With `--serve` the address of a page is printed that plays the presentation while it comes; `--port`, `--bind`, `--cors` "
        + "and `--log-format` are those of `mp4tool serve`. When the INPUT has ended it is served on until a signal comes.",
    ],
    options: [
      output, segmentDuration, window, dvr, targetDuration, HLSCommand.keyURI, HLSCommand.keyFormat,
      HLSCommand.keyFormatVersions, idle, noFollow, fsync, serve,
    ] + ServeJob.options,
    examples: [
      Command.Example(
        "ffmpeg -i rtsp://camera -c copy -f mp4 -movflags frag_keyframe+empty_moov - | mp4tool live - -o live",
        "Makes `live/master.m3u8` and goes on until the camera does not."),
      Command.Example(
        "… | mp4tool live - -o live --serve --bind 0.0.0.0", "Lets every machine that reaches this one watch."),
      Command.Example(
        "mp4tool live recordings -o live --dvr", "Follows a recorder that writes file after file into a folder."),
      Command.Example(
        "… | mp4tool live - -o live --segment-duration 2 --window 10",
        "Makes segments of two seconds, and lists ten of them."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Fragments were cut off or damaged, or nothing came for a while."),
      Command.ExitNote(.inputNotUsable, "Nothing came that could be packaged."),
      Command.ExitNote(.outputNotMade, "The folder has something in it, or cannot be made."),
      Command.ExitNote(
        .readOrWriteFailed,
        "The disk is full, or reading failed. The playlist is ended with the segments that are complete."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var options = LivePackager.Options()
    if let duration = arguments[segmentDuration] { options.segmentDuration = duration.time }
    options.windowCount = arguments[window]
    options.keepsAll = arguments[dvr]
    options.targetDuration = arguments[targetDuration].map { MediaTime(Int64($0.seconds), 1) }
    options.key = try HLSCommand.key(arguments)
    let words = [arguments.operands[0], arguments[output]].compactMap { $0 }
    let paths = words.compactMap { Pathname($0.bytes) }
    guard paths.count == 2 else { throw UsageError("the name of a file has no zero byte in it") }
    if words[1].isDash { throw UsageError("option '--output' makes a folder, which cannot go to standard output") }
    let input = try openLiveInput(
      paths[0], follows: !arguments[noFollow], idle: arguments[idle]?.duration ?? .seconds(10)
    ) { NaturalName($0.description) < NaturalName($1.description) }
    if let file = input as? GrowingFile {
      file.onEvent = { [diagnostics = context.diagnostics] event in
        switch event {
        case .waits:
          diagnostics.note("\(file.name): waiting for more of it; --no-follow ends at its present end")
        case .idle(let duration):
          diagnostics.note(
            "\(file.name): it did not grow for \(duration.components.seconds) s and is taken as complete")
        }
      }
    } else if arguments[idle] != nil {
      throw UsageError("option '--idle' is about an INPUT that is a file and is followed")
    }
    let folder = try LiveFolder(paths[1], syncs: arguments[fsync])
    if folder.isSame(as: paths[0]) { throw UsageError("the folder that is watched cannot be the output") }
    var server: (() throws -> Server)?
    if arguments[serve] {
      let site = Site(try SourceFolder(paths[1]), title: "\(paths[1].lastComponent)")
      server = { try ServeJob(arguments, context).start(site.response) }
    } else if let option = ServeJob.options.first(where: { arguments.has($0) }) {
      throw UsageError("option '--\(option.declaration.name)' needs '--serve'")
    }
    try LiveJob(input, folder, options, context).run(serving: server)
    return context.diagnostics.outcome
  }
}

/// For how long a file is waited for.
struct IdleSeconds: OptionValue {
  static let expectation = "a whole number of seconds from 1 to 86400"
  let duration: Duration

  init?(_ word: String) {
    guard let seconds = Int(word), (1...86_400).contains(seconds) else { return nil }
    duration = .seconds(seconds)
  }
}

/// A whole number of seconds that playlists can declare.
struct TargetSeconds: OptionValue {
  static let expectation = "a whole number of seconds from 1 to 3600"
  let seconds: Int

  init?(_ word: String) {
    guard let seconds = Int(word), (1...3600).contains(seconds) else { return nil }
    self.seconds = seconds
  }
}
