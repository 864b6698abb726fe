import MP4
import MP4Bytes

enum DecryptCommand {
  static let tracks = Option<TrackList?>.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help:
      "Decrypt only these tracks: IDs, the kinds \(TrackList.kindsHelp), or handler types, separated by commas. The "
      + "others stay encrypted.")

  static let command = Command(
    name: "decrypt",
    summary: "decrypt an MP4 file with its keys",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "An encrypted MP4 file, progressive or fragmented, or an init segment and its media segments; `-` is "
          + "standard input; URLs are accepted.")
    ],
    description: [
      "Decrypts samples that use Common Encryption (ISO/IEC 23001-7): the schemes `cenc`, `cens`, `cbc1` and `cbcs`, "
        + "with subsamples, patterns, constant initialization vectors, key rotation, several keys and clear samples. "
        + "PIFF is supported too. You supply the keys. Sample entries get their original types back, and the boxes "
        + "that describe encryption become free boxes. Everything else in the file is unchanged and stays at the same "
        + "offset. An init segment and its media segments become one file.",
      "If a key is missing, the error message gives its key ID (KID); `mp4tool info FILE` lists the key IDs of a file. "
        + "A wrong key is an error too. It is found by the syntax of the decrypted samples: of NAL units, AV1 units, "
        + "AAC, AC-3, E-AC-3, FLAC, MP3, Opus and subtitles, and by parsing the data of H.264 and H.265 I slices. If "
        + "the evidence does not suffice, a warning says how many wrong keys would pass too. If a key is missing or "
        + "wrong, nothing is written.",
      RemoteFile.description,
    ],
    options: ContentKeyOptions.input.required + [tracks] + OutputOptions.all,
    examples: [
      Command.Example(
        "mp4tool decrypt --key-file keys.txt film.mp4 -o clear.mp4", "Decrypts a file with keys from a key file."),
      Command.Example(
        "mp4tool decrypt --key 00112233445566778899aabbccddeeff:0123456789abcdef0123456789abcdef film.mp4 -o clear.mp4",
        "Decrypts a file with one key, given by its key ID."),
      Command.Example(
        "mp4tool decrypt --key-file keys.txt init.mp4 segment1.m4s segment2.m4s -o clear.mp4",
        "Decrypts an init segment and its media segments."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "FILE is damaged and samples are missing; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "A key is missing or wrong, nothing is encrypted, or the scheme is not supported."),
    ],
    run: { arguments, context in
      var decrypter = Decrypter(ContentKeys(try ContentKeyOptions.input.requiredLines(arguments, context)))
      decrypter.tracks = arguments[tracks]?.selection ?? TrackSelection()
      return try OutputJob(arguments, context).run { [decrypter] sources, onProgress in
        PlannedOutput(try decrypter.plan(sources, onProgress: onProgress))
      }
    })
}
