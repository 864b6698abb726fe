import Bytes
import FileIO
import HLS
import MP4
import Streaming

/// The options of commands that take a playlist in place of files.
enum PlaylistOptions {
  static let variant = Option.parsed(
    "variant", placeholder: "WHICH", as: VariantChoice.self,
    help: "Which variant of a multivariant playlist: `best` (without this option) or `worst` by bandwidth, its place "
      + "counted from 1, its size such as `1280x720`, or the bits per second that it may need at most.")
  static let language = Option.text(
    "language", placeholder: "LIST",
    help: "The languages of the renditions to take, with commas between them; `en` takes `en-GB` too. Without it, the "
      + "sound that is played by default.")
  static let withSubtitles = Option.flag(
    "with-subtitles", help: "Take the text renditions of a multivariant playlist too, where they are in MP4.")
  static let limit = Option.parsed(
    "limit", placeholder: "SECONDS", as: Seconds.self,
    help: "Take the segments of a playlist only until they last so long together.")
  static let noFollow = Option.flag(
    "no-follow",
    help: "End at the present end of a playlist that has no EXT-X-ENDLIST, instead of waiting for more segments.")
  static let split = Option.flag(
    "split",
    help: "Make a file of each part between discontinuities: `OUT-1.mp4`, `OUT-2.mp4` and so on, in place of one.")
  static let downloadFolder = Option.folder(
    "download-dir", placeholder: "DIR",
    help: "Keep what is fetched in DIR, which is made where it is missing; what is there already is not fetched again.")
  static let allowOutside = Option.flag(
    "allow-outside",
    help: "Let a playlist in a file name files outside its folder, and what is on servers; and let what is on a public "
      + "server lead to private addresses.")

  static let all: [any DeclaredOption] = [
    variant, language, withSubtitles, limit, noFollow, split, downloadFolder, allowOutside,
  ]

  /// What was asked for.
  static func values(_ arguments: ParsedArguments) throws(UsageError) -> PlaylistReader.Options {
    var options = PlaylistReader.Options()
    options.choice.variant = arguments[variant] ?? .best
    options.choice.takesText = arguments[withSubtitles]
    options.follows = !arguments[noFollow]
    options.choice.languages = (arguments[language] ?? "").split(separator: ",").map(String.init)
    options.duration = arguments[limit].map { seconds in
      let (value, scale) = (seconds.time.value, Int64(seconds.time.timescale))
      return .seconds(value / scale) + .nanoseconds(value % scale * (1_000_000_000 / scale))
    }
    guard let folder = arguments[downloadFolder] else { return options }
    guard let path = Pathname(folder.bytes) else { throw UsageError("the name of the folder has a zero byte in it") }
    options.keep = path
    return options
  }

  static let manSection = Command.ManSection(
    title: "PLAYLISTS",
    paragraphs: [
      "In place of files, INPUT can be a playlist of HTTP Live Streaming: a file, or an http or https URL. Of a "
        + "multivariant playlist, one variant is taken with the sound that belongs to it. Its segments are put together "
        + "in their order. Byte ranges, further init segments, variables and relative URIs are understood. What is "
        + "missing by its own account (EXT-X-GAP) leaves a hole, which is reported. Only fragmented MP4 can be read: MPEG-TS, "
        + "packed sound and WebVTT segments, and segments that are encrypted whole (AES-128), are refused; encrypted "
        + "samples stay encrypted.",
      "After a discontinuity times start again. Each such part continues where the longest track before it ends, with all "
        + "of its tracks moved alike, and a note says when. Another init segment in the same playlist goes on with the "
        + "same tracks; what its decoders need becomes a further sample description.",
      "A playlist without EXT-X-ENDLIST is followed until it has one, until `--limit`, or until Ctrl-C, which writes the "
        + "output of what was read. A playlist in a file has ended, too, when no segment was added for three target "
        + "durations; a warning says that there is no EXT-X-ENDLIST. `--no-follow` ends at the present end.",
      "What is on servers is fetched by the program `curl`, several segments at once; after a break it goes on where it "
        + "was. Without `--download-dir` it goes to temporary files without names, in the folder of the output or in `TMPDIR`. "
        + "A segment that a server does not have is a finding. The variables `http_proxy`, `https_proxy`, `all_proxy` and "
        + "`no_proxy` work as in `curl`.",
      "A playlist can have 256 MiB and five million lines, which is enough for a million segments. A million byte ranges "
        + "of one file take about 450 MB of memory, a million files about 1.3 GB, and 10 to 20 seconds.",
      "A playlist is not trusted: in a file, it can name only files in its own folder or below, also through symbolic "
        + "links; on a server, only what is on servers, and from https only https. What leads elsewhere is refused with "
        + "the line that names it, unless it is a file and `--allow-outside` is given. From a public address, neither a "
        + "playlist nor a redirection leads to a private one (loopback, link-local, private networks) without "
        + "`--allow-outside`: a host is looked up once for a connection, all its addresses are checked, and the connection "
        + "goes to these.",
    ])
}

extension VariantChoice: OptionValue {
  static let expectation = "best, worst, a place such as 2, a size such as 1280x720, or bits per second"
}
