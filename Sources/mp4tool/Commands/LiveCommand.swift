import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import MP4Serving
import MP4Streaming

enum LiveCommand {
  static let output = Option.folder(
    "output", short: "o", placeholder: "DIR",
    help: "The folder to write. It must not exist, or must be empty. Players can read from it immediately."
  ).required()
  static let segmentDuration = Option.parsed(
    "segment-duration", placeholder: "SECONDS", as: Seconds.self,
    help: "The intended duration of segments; if possible, each ends before a sync sample of the video. The default is "
      + "6 seconds.")
  static let window = Option.integer(
    "window", placeholder: "N", in: 1...100_000, default: 6,
    help: "The number of segments in the playlist (sliding window). There are more if N segments would last less than "
      + "three target durations, the minimum for live playlists.")
  static let dvr = Option.flag(
    "dvr", help: "Keep all segments, so that players can seek back to the first one (an EVENT playlist).")
  static let targetDuration = Option.parsed(
    "target-duration", placeholder: "SECONDS", as: TargetSeconds.self,
    help: "The maximum duration of segments, rounded to whole seconds. Playlists declare it from the start and cannot "
      + "change it. The default is derived from `--segment-duration` and the first segment.")
  static let idle = Option.parsed(
    "idle", placeholder: "SECONDS", as: IdleSeconds.self,
    help: "When INPUT is a file, consider it complete after it has not grown for this long. The default is 10 seconds.")
  static let noFollow = Option.flag(
    "no-follow",
    help: "Stop at the current end of a file or folder instead of waiting for more.")
  static let serve = Option.flag(
    "serve", help: "Also serve the folder over HTTP with a player page, like `mp4tool serve DIR`.")
  static let fsync = Option.flag(
    "fsync", help: "Flush every file to disk before it gets its final name.")

  static let command = Command(
    name: "live",
    summary: "package a live stream as HLS in real time",
    operands: [
      Operand(
        "INPUT",
        help:
          "Fragmented MP4 that is still being written: standard input (`-`), a FIFO, a growing file, or a folder to "
          + "which a recorder writes files.")
    ],
    description: [
      "Creates the folder DIR with `master.m3u8`, `index.m3u8`, `init.mp4`, `segment1.m4s`, `segment2.m4s` and so on "
        + "while the INPUT arrives. Each segment appears only when it is complete; then the playlist is replaced "
        + "atomically. Fragments are used as they arrive, with all their tracks; a segment consists of whole "
        + "fragments. Exception: a fragment that does not begin with a sync sample, or is longer than "
        + "`--segment-duration`, is split at the sync samples inside it, so that segments can start there. Where a "
        + "source restarts, or after missing samples, decoding starts again at the next sync sample: if an open GOP of "
        + "H.265 starts there, its CRA picture becomes a BLA picture.",
      "Segments follow the video. Sound in fragments of its own waits for the video of its times, and a fragment of "
        + "sound that extends beyond a segment is split where the segment ends. Where the video has no samples, as "
        + "after its end, segments follow the sound, and a warning reports this; EXT-X-DISCONTINUITY is written there "
        + "and where the video continues. If only the edit list of a track delays it, as for sound that begins late, "
        + "its decode times are increased instead, because players of HLS ignore edit lists.",
      "If the INPUT has several audio tracks, or audio and video with different keys, each audio track becomes a "
        + "rendition in a folder of its own, such as `audio-en`, and `master.m3u8` lists it with name and language, "
        + "because players play only one sound of a rendition, and a playlist has one key at a time. Renditions have "
        + "the same segments, which start with the video. Each fragment is then separated when it is complete. Where a "
        + "rendition has no samples, its playlist has EXT-X-GAP, and a warning reports this. A rendition that appears "
        + "after a restart has EXT-X-GAP for all segments before it. A sample of audio that lasts several segments, as "
        + "some writers declare it before a pause, is shortened.",
      "A file is followed while it grows. It is considered complete when an index (`mfra`) or a `moov` with all "
        + "samples appears after the fragments, when its writer closes it (on Linux), or when it has not grown for "
        + "`--idle` seconds.",
      "Files that are in a folder at the start are read in the order of their names, and new files in the order in "
        + "which they appear. The last file is read while it grows and is complete when the next one appears. A folder "
        + "is never complete: stop with Ctrl-C, or use `--no-follow`. Files whose names begin with a dot or end in an "
        + "extension such as `.tmp` are ignored, so that files can be renamed into place.",
      "The playlist lists the most recent segments. Segments that leave it are deleted when no player can still be "
        + "loading them: after their own duration plus that of the longest playlist that listed them (RFC 8216, "
        + "6.2.2). If segments cannot be deleted yet when the INPUT ends, they remain. EXT-X-PROGRAM-DATE-TIME starts "
        + "at the date and time when the first fragment arrived, minus the duration of that fragment, and advances "
        + "with the media time.",
      "The target duration is fixed when the first segment is complete. A segment ends early rather than exceed it, "
        + "before a fragment without a sync sample if necessary. Only a single fragment that is longer can exceed it; "
        + "a warning reports this. If sync samples are farther apart than `--segment-duration`, set "
        + "`--target-duration` to at least the longest interval between them.",
      "EXT-X-INDEPENDENT-SEGMENTS is written as long as every segment can be decoded on its own. AVERAGE-BANDWIDTH "
        + "covers all segments that have been written. After the source changes, `master.m3u8` lists the codecs of all "
        + "sources in the playlist. Encrypted tracks stay encrypted; with `--key-uri`, EXT-X-KEY appears at the first "
        + "segment that has encrypted samples.",
      "EXT-X-DISCONTINUITY is written if the source restarts with another `moov`, if times jump backward, or if there "
        + "is a gap in the times. Fragments that are cut off, damaged or repeated are omitted, and so are those of "
        + "tracks that the `moov` does not declare. All of this is reported with the byte offset in the input.",
      "At the end of standard input, or after SIGINT, SIGTERM or SIGHUP, the open segment is completed and the "
        + "playlist ends. After a signal, the INPUT has one second to end, so that the last fragment of an encoder "
        + "that gets the same signal is included.",
      "`--serve` also serves DIR over HTTP, and prints the address of a page that plays the stream. `--port`, "
        + "`--bind`, `--host`, `--cors` and `--log-format` work as in `mp4tool serve`. After the INPUT has ended, the "
        + "server runs until a signal arrives.",
    ],
    options: [
      output, segmentDuration, window, dvr, targetDuration, HLSCommand.keyURI, HLSCommand.keyFormat,
      HLSCommand.keyFormatVersions, idle, noFollow, fsync, serve,
    ] + ServeJob.options,
    examples: [
      Command.Example(
        "ffmpeg -i rtsp://camera -c copy -f mp4 -movflags frag_keyframe+empty_moov - | mp4tool live - -o live",
        "Writes `live/master.m3u8` and updates it while the camera runs."),
      Command.Example(
        "ffmpeg ... | mp4tool live - -o live --serve --bind 0.0.0.0", "Also serves the stream to other machines."),
      Command.Example(
        "mp4tool live recordings -o live --dvr", "Follows a recorder that writes files to a folder."),
      Command.Example(
        "ffmpeg ... | mp4tool live - -o live --segment-duration 2 --window 10",
        "Writes two-second segments and lists ten of them."),
    ],
    exitNotes: [
      Command.ExitNote(
        .findings, "Fragments were cut off, damaged or of undeclared tracks, or there was a gap in the times."),
      Command.ExitNote(.inputNotUsable, "Nothing arrived that could be packaged."),
      Command.ExitNote(
        .readOrWriteFailed,
        "The playlist ends with the segments that are complete."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var options = LivePackager.Options()
    if let duration = arguments[segmentDuration] { options.segmentDuration = duration.time }
    options.windowCount = arguments[window]
    options.keepsAll = arguments[dvr]
    options.targetDuration = arguments[targetDuration].map { MediaTime(Int64($0.seconds), 1) }
    options.key = try HLSCommand.key(arguments)
    let source = arguments.operands[0].path
    guard let target = try arguments.folder(output) else { throw UsageError("option '--output' is required") }
    let input = try openLiveInput(
      source, follows: !arguments[noFollow], idle: arguments[idle]?.duration ?? .seconds(10)
    ) { NaturalName($0.description) < NaturalName($1.description) }
    if let file = input as? GrowingFile {
      file.onEvent = { [diagnostics = context.diagnostics] event in
        switch event {
        case .waits:
          diagnostics.note("\(file.name): waiting for the file to grow; --no-follow stops at its current end")
        case .idle(let duration):
          diagnostics.note(
            "\(file.name): the file has not grown for \(duration.components.seconds) s; considered complete")
        }
      }
    } else if arguments[idle] != nil {
      throw UsageError("option '--idle' needs an INPUT that is a file, without '--no-follow'")
    }
    let folder = try LiveFolder(target, syncs: arguments[fsync])
    if folder.isSame(as: source) { throw UsageError("the input folder cannot be the output") }
    var server: (() throws -> Server)?
    if arguments[serve] {
      // The segments of the next run have the same names.
      let site = Site(
        try SourceFolder(target), title: "\(target.lastComponent)", caching: CachePolicy(segments: 60))
      server = { try ServeJob(arguments: arguments, context: context).start(site.response) }
    } else if let option = ServeJob.options.first(where: { arguments.has($0) }) {
      throw UsageError("option '--\(option.declaration.name)' needs '--serve'")
    }
    try LiveJob(input, folder, options, context).run(serving: server)
    return context.diagnostics.outcome
  }
}

/// How long to wait for a file to grow, in seconds.
struct IdleSeconds: TextOptionValue {
  static let expectation = "a whole number of seconds from 1 to 86400"
  let duration: Duration

  init?(_ word: String) {
    guard let seconds = Int(word), (1...86_400).contains(seconds) else { return nil }
    duration = .seconds(seconds)
  }
}

/// A target duration in seconds.
struct TargetSeconds: TextOptionValue {
  static let expectation = "a whole number of seconds from 1 to 3600"
  let seconds: Int

  init?(_ word: String) {
    guard let seconds = Int(word), (1...3600).contains(seconds) else { return nil }
    self.seconds = seconds
  }
}
