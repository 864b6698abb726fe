import ISOBMFF
import MP4
import MP4Bytes

enum EncryptCommand {
  static let scheme = Option<Encryption.Scheme>.choice(
    "scheme", placeholder: "SCHEME", default: .cbcs, help: "The encryption scheme (ISO/IEC 23001-7).",
    [
      NamedValue(
        .cbcs, "cbcs", "AES-CBC, one in ten blocks of video; supported by all current players; required by FairPlay"),
      NamedValue(
        .cenc, "cenc",
        "AES-CTR; supported by all players with Widevine or PlayReady, including older ones, but not by FairPlay"),
      NamedValue(.cbc1, "cbc1", "AES-CBC; supported by few players"),
      NamedValue(.cens, "cens", "AES-CTR, one in ten blocks of video; supported by few players"),
    ])
  static let tracks = Option<TrackList?>.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help:
      "The tracks to which keys without LIST apply: IDs, the kinds \(TrackList.kindsHelp), or handler types, separated "
      + "by commas. The default is `video,audio`. Tracks to which no key applies stay clear; for video and audio, a "
      + "note reports this.")
  static let vector = Option.text(
    "iv", placeholder: "HEX",
    help: "The initialization vector of the first sample, which is incremented for every sample; for `cbcs`, the "
      + "vector of all samples. 16 hexadecimal digits for `cenc` and `cens`, otherwise 32. The default is random. "
      + "Except in tests, never use the same vector twice with the same key.")
  static let clearLead = Option.parsed(
    "clear-lead", placeholder: "SECONDS", as: Seconds.self,
    help:
      "Leave samples that are presented before this time clear, so that playback can start before the player has the "
      + "key. In video, the clear lead ends at the next sync sample; a note reports the time if it is later.")
  static let pssh = Option.texts(
    "pssh", placeholder: "SYSTEM",
    help:
      "Add a `pssh` box for SYSTEM: `common` (key IDs only), `widevine`, `playready`, or the path of a file that "
      + "contains `pssh` boxes. Can be repeated. FairPlay needs no `pssh`; see the option `--key-uri` of `mp4tool "
      + "hls`.")

  static let command = Command(
    name: "encrypt",
    summary: "encrypt an MP4 file with Common Encryption (CENC)",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help:
          "An MP4 file, progressive or fragmented, or an init segment and its media segments; `-` is standard "
          + "input; URLs are accepted.")
    ],
    description: [
      "Writes a fragmented MP4 with encrypted samples for players with Widevine, PlayReady, FairPlay or Clear Key. "
        + "`mp4tool hls` packages it, `mp4tool defrag` converts it to a progressive file, and `mp4tool decrypt` "
        + "restores the samples. Decode times, composition offsets and edit lists are kept, and so are the fragments "
        + "of a fragmented FILE, unless `--segment-duration` or `--fragment-duration` asks for new ones. A progressive "
        + "FILE becomes fragmented; a note reports this.",
      "Audio samples are encrypted whole; with `cbcs` and `cbc1`, a final partial block of less than 16 bytes stays "
        + "clear. In H.264 and H.265, the lengths and headers of NAL units, slice headers, parameter sets and SEI "
        + "messages stay clear; in H.265, the first 256 bytes of each slice stay clear too. Only audio, and H.264 and "
        + "H.265 video, can be encrypted. A key that applies to any other track is an error. Encrypted media is only "
        + "as safe as its keys. Protecting the keys is the task of a license server.",
      "ffmpeg 5.1 cannot read encrypted files with several fragments, except for single-track files written with "
        + "`--sidx`. Use `mp4tool defrag` to write a file that ffmpeg can read; with `--clear-lead`, ffmpeg cannot "
        + "read that either. shaka-packager decrypts `cbcs` audio and video of one file only if their key IDs differ.",
      RemoteFile.description,
    ],
    options: ContentKeyOptions.output.required + [
      scheme, tracks, vector, clearLead, pssh,
      FragmentCommand.segmentDuration, FragmentCommand.fragmentDuration, FragmentCommand.segmentIndex,
    ] + OutputOptions.all,
    examples: [
      Command.Example("mp4tool encrypt --key-file keys.txt film.mp4 -o encrypted.mp4", "Encrypts video and audio."),
      Command.Example(
        "mp4tool encrypt --scheme cenc --pssh widevine --pssh playready --key-file keys.txt film.mp4 -o encrypted.mp4",
        "Encrypts for Widevine and PlayReady."),
      Command.Example(
        "mp4tool encrypt --tracks video --clear-lead 6 --key-file keys.txt film.mp4 -o encrypted.mp4",
        "Encrypts only the video, after a clear lead of six seconds."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are missing or cut off; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "A track is already encrypted, its codec is not supported, or none of the keys applies to any track."),
    ],
    run: run)

  private static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    var encryption = try encryption(arguments, context).writing(to: arguments.outputName)
    if let duration = arguments[FragmentCommand.segmentDuration] {
      encryption.fragments.cutting = .interval(duration.time)
    }
    encryption.fragments.fragmentDuration = arguments[FragmentCommand.fragmentDuration]?.time
    encryption.fragments.hasIndex = arguments[FragmentCommand.segmentIndex]
    return try OutputJob(arguments, context).run { sources, onProgress in
      PlannedOutput(try encryption.plan(sources, onProgress: onProgress))
    }
  }

  private static func encryption(_ arguments: ParsedArguments, _ context: CommandContext) throws -> Encryption {
    let scheme = arguments[scheme]
    let selection = arguments[tracks]?.selection ?? TrackSelection([.handlers(["vide", "soun"])])
    let keys = try ContentKeyOptions.output.requiredLines(arguments, context).compactMap { $0.encryptionKey(selection) }
    var encryption = Encryption(scheme, keys: keys)
    if let text = arguments[vector] {
      guard let bytes = ContentKeyLine.digits(Array(text.utf8)[...], count: scheme.givenVectorSize) else {
        throw UsageError(
          "option '--\(vector.declaration.name)' takes \(2 * scheme.givenVectorSize) hexadecimal digits for \(scheme)")
      }
      encryption.vector = bytes
    }
    if let time = arguments[clearLead] { encryption.clearLead = time.time }
    for word in arguments[pssh] {
      switch word.text {
      case "common": encryption.systems.append(.common)
      case "widevine": encryption.systems.append(.widevine)
      case "playready": encryption.systems.append(.playReady)
      case "fairplay", "fairplay-uri":
        throw UsageError("FairPlay needs no pssh box; playlists contain the key URI: see 'mp4tool hls --key-uri'")
      default: encryption.headers += try headers(in: word, context)
      }
    }
    return encryption
  }

  static func headers(in file: Argument, _ context: CommandContext) throws
    -> [ProtectionSystemSpecificHeaderBox]
  {
    let source = try InputFiles(context).open(file, spool: true)
    let boxes = try [Box](reading: source).map { box in
      box.type == "pssh" ? try? box.payload(as: ProtectionSystemSpecificHeaderBox.self, from: source).get() : nil
    }
    guard !boxes.isEmpty, !boxes.contains(where: { $0 == nil }) else {
      throw UnusableInput(file: source.name, reason: "this file does not consist of pssh boxes")
    }
    return boxes.compactMap(\.self)
  }
}
