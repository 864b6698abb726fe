import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Streaming

/// The options of commands that accept a playlist as input.
enum PlaylistOptions {
  static let variant = Option.parsed(
    "variant", placeholder: "WHICH", as: VariantChoice.self,
    help:
      "The variant of a multivariant playlist: `best` (the default) or `worst` by bandwidth; its position, starting at "
      + "1; its resolution, such as `1280x720`; or a maximum bandwidth in bits per second.")
  static let language = Option.text(
    "language", placeholder: "LIST",
    help:
      "The languages of the renditions to use, separated by commas; `en` includes `en-GB`. Without this option, the "
      + "audio rendition that players select automatically is used.")
  /// The options of commands that list the contents of a presentation.
  static let variantOrFirst = Option.parsed(
    "variant", placeholder: "WHICH", as: VariantChoice.self,
    help:
      "The variant of a multivariant playlist, with its renditions: `best` or `worst` by bandwidth; its position, "
      + "starting at 1 (the default is 1); its resolution, such as `1280x720`; or a maximum bandwidth in bits per "
      + "second.")
  static let languages = Option.text(
    "language", placeholder: "LIST",
    help:
      "Of the audio and subtitle renditions, list only those in these languages, separated by commas; `en` includes "
      + "`en-GB`.")
  static let withSubtitles = Option.flag(
    "with-subtitles",
    help: "Also use the subtitle renditions of a multivariant playlist, in MP4 or WebVTT; with `--language`, those in "
      + "these languages.")
  /// The maximum total duration of the segments to read, according to the option.
  static func duration(_ arguments: ParsedArguments) -> Duration? {
    arguments[limit].map { seconds in
      let (value, scale) = (seconds.time.value, Int64(seconds.time.timescale))
      return .seconds(value / scale) + .nanoseconds(value % scale * (1_000_000_000 / scale))
    }
  }
  static let limit = Option.parsed(
    "limit", placeholder: "SECONDS", as: Seconds.self,
    help: "Use only the first segments of a playlist, up to this total duration.")
  static let noFollow = Option.flag(
    "no-follow",
    help: "Stop at the current end of a playlist without EXT-X-ENDLIST instead of waiting for more segments.")
  static let split = Option.flag(
    "split",
    help: "Write one file for each part between discontinuities. With `-o movie.mp4`, these are `movie-1.mp4`, "
      + "`movie-2.mp4` and so on; if there is only one part, it is `movie.mp4`.")
  static let downloadFolder = Option.folder(
    "download-dir", placeholder: "DIR",
    help: "Keep downloaded segments in DIR, which is created if necessary; those already in DIR are not fetched again.")
  static let allowOutside = Option.flag(
    "allow-outside",
    help:
      "Allow a local playlist to refer to files outside its folder and to servers, and a playlist on a public server "
      + "to refer to private addresses.")

  /// The options of commands that write one file with all samples.
  static let all: [any DeclaredOption] = [withSubtitles] + ofOnePlaylist
  /// The options of commands that use one media playlist.
  static let ofOnePlaylist: [any DeclaredOption] = [
    variant, language, limit, noFollow, split, downloadFolder, allowOutside,
  ]

  /// The options of commands that use a presentation as a whole.
  static let ofPresentation: [any DeclaredOption] = [limit, noFollow, downloadFolder, allowOutside]

  /// The values of the options.
  static func values(_ arguments: ParsedArguments) -> PlaylistReader.Options {
    var options = PlaylistReader.Options()
    options.choice.variant = (arguments.ifDeclared(variant) ?? nil) ?? .best
    options.choice.takesText = arguments.ifDeclared(withSubtitles) ?? false
    options.follows = !arguments[noFollow]
    options.choice.languages = ((arguments.ifDeclared(language) ?? nil) ?? "").split(separator: ",").map(String.init)
    options.duration = duration(arguments)
    options.keep = arguments[downloadFolder]?.path
    return options
  }

  /// The man page section of `mp4tool defrag`.
  static let manSection = section(
    supported:
      "Byte ranges, several init segments, variables and relative URIs are supported. Segments that are marked "
      + "as missing (EXT-X-GAP) are omitted with a warning, and the gap is closed as described under DESCRIPTION.",
    variant: "One variant of a multivariant playlist is used, with its audio and, with `--with-subtitles`, its "
      + "subtitles. Segments of WebVTT become one track; if there are discontinuities, they need `--split`.",
    decryption: "Samples (METHOD=SAMPLE-AES or SAMPLE-AES-CTR) are decrypted with the key at the URI in the playlist "
      + "(KEYFORMAT `identity`), or with the keys given by `--key` or `--key-file`. Without a key, they stay "
      + "encrypted.",
    discontinuities: "In the output, each part between discontinuities continues after the longest track before "
      + "it, with all its tracks moved by the same amount, and a note reports the time. If the init segment "
      + "changes within a playlist, the same tracks continue; the new decoder configuration becomes another sample "
      + "description.")

  /// The man page section of `mp4tool join`.
  static let manSectionOfOnePlaylist = section(
    supported:
      "Byte ranges, variables and relative URIs are supported. Segments that are marked as missing (EXT-X-GAP) "
      + "leave a gap, which is reported.",
    variant: "One variant of a multivariant playlist is used. Its audio must be in the same media playlist; otherwise "
      + "use `mp4tool defrag`.",
    decryption: "Encrypted samples stay encrypted.",
    discontinuities:
      "A playlist with discontinuities is rejected unless `--split` is given; `mp4tool defrag` makes the times "
      + "continuous. Several init segments in one part are rejected even with `--split`.")

  /// How DASH manifests are read.
  private static let manifests =
    "A DASH manifest (MPD) is read like a multivariant playlist. Its representations are media playlists; their names "
    + "in messages are that of the manifest, `#` and their ID. Video representations are variants; of each set of "
    + "audio or text, the representation with the highest bit rate is used. Periods are parts between discontinuities: "
    + "a representation is continued by the most similar one in the same language. "
    + "Segments can be those of a template, a list, or an index (`sidx`). A manifest with `type=\"dynamic\"` is loaded "
    + "again until it is static. Parts of manifests in other documents (XLink) are an error; of several base URLs, the "
    + "first one is used; images, pictures for seeking and EventStream are ignored; the time of day is that of the "
    + "system. Like parts of a playlist, periods follow each other without the pauses and overlaps that their start "
    + "times declare; a warning reports periods whose duration is not that of their segments. Different values of "
    + "presentationTimeOffset of sound and pictures are not supported, and an error says so."

  /// How downloads of Apple's players are read.
  private static let downloads =
    "A download of Apple's players (a `.movpkg` folder) is read like a multivariant playlist that lists what was "
    + "downloaded. Its segments are in the order of its own index; those that are not stored are gaps. Samples that "
    + "FairPlay encrypts cannot be decrypted. Apple has not published this format: it is read as public descriptions "
    + "and GStreamer have it, and was only tried with folders made after them."

  private static func section(
    supported: String, variant: String, decryption: String, discontinuities: String
  ) -> Command.ManSection {
    Command.ManSection(
      title: "PLAYLISTS",
      paragraphs: [
        "The input can be an HLS playlist or a DASH manifest: a file, or an http or https URL. \(variant) Segments are "
          + "joined in the order of the playlist. \(supported) Segments are fragmented MP4; those of HLS can also be "
          + "MPEG-TS or packed audio.",
        manifests, downloads,
        "Segments and init segments with full-segment encryption (METHOD=AES-128) are decrypted with the keys at the "
          + "URIs in the playlist. Key URIs follow the same rules as segment URIs; in local playlists, `file:` URIs "
          + "are also supported. A key is a file of 16 bytes. A key that is missing or wrong is an error. "
          + "\(decryption)",
        "In a playlist, times can restart after a discontinuity. \(discontinuities)",
        "A playlist without EXT-X-ENDLIST is followed until it has one, the `--limit` is reached, or you press Ctrl-C. "
          + "After Ctrl-C, the segments received so far are written. A local playlist is also considered complete, "
          + "with a warning, when no segment has been added for three target durations. `--no-follow` stops at the "
          + "current end.",
        "Remote files are fetched with `curl`, several segments at a time; interrupted transfers resume. Without "
          + "`--download-dir`, the files are stored in unnamed temporary files in the folder of the output or in "
          + "`TMPDIR`. A segment that is missing on the server is reported, with exit status 1. The environment "
          + "variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` work as in `curl`.",
        "A playlist can be up to 256 MiB in size and have up to five million lines, enough for a million segments. A "
          + "million byte ranges of one file need about 450 MB of memory; a million files need about 1.3 GB. Either "
          + "takes 10 to 20 seconds.",
        "Playlists are not trusted. A local playlist can refer only to files in or below its folder; symbolic links "
          + "that lead out of it are rejected. A playlist on a server can refer only to URLs on servers, and an https "
          + "playlist only to https URLs. Other URIs are rejected, unless the playlist is local and `--allow-outside` "
          + "is given. The message gives the line. From a public address, neither a playlist nor a redirect can refer "
          + "to a private one (loopback, link-local or private network) without `--allow-outside`. A host is looked up "
          + "once per connection, all its addresses are checked, and the connection uses only these addresses.",
      ])
  }
}

extension VariantChoice: TextOptionValue {
  static let expectation = "best, worst, a position such as 2, a resolution such as 1280x720, or bits per second"
}
