import Bytes
import MP4

enum DecryptCommand {
  static let tracks = Option<TrackList?>.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help:
      "Decrypt only these tracks: IDs, or the kinds \(TrackList.kindsHelp), or a handler type, separated by commas. "
      + "The others stay encrypted.")

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
      "Decrypts samples that are encrypted by common encryption (ISO/IEC 23001-7), with the keys that you have: the "
        + "schemes `cenc`, `cens`, `cbc1` and `cbcs`, with subsamples, patterns, constant initialization vectors, key "
        + "rotation, several keys and clear parts; and PIFF. Everything else in the file stays as it is and where it "
        + "is: sample entries get their original types, and the boxes about encryption become free space. An init "
        + "segment and its segments become one file.",
      "A missing key is an error that names the key ID; `mp4tool info FILE` lists the key IDs of a file. A wrong key "
        + "is an error too, as far as the syntax of the decrypted samples shows it: always for AAC, AC-3, E-AC-3, "
        + "FLAC, MP3 and subtitles, and for video with encrypted slice headers; other video is searched for bytes that "
        + "it cannot have, which may take some megabytes to find; a note says if nothing can be "
        + "told. In every case of an error there is no output.",
      RemoteFile.description,
    ],
    options: ContentKeyOptions.input.all + [tracks] + OutputOptions.all,
    examples: [
      Command.Example(
        "mp4tool decrypt --key-file keys.txt film.mp4 -o clear.mp4", "Decrypts a file with keys from a file."),
      Command.Example(
        "mp4tool decrypt --key 00112233445566778899aabbccddeeff:0123456789abcdef0123456789abcdef film.mp4 -o clear.mp4",
        "Decrypts a file with the key of a key ID."),
      Command.Example(
        "mp4tool decrypt --key-file keys.txt init.mp4 segment1.m4s segment2.m4s -o clear.mp4",
        "Decrypts an init segment and its segments."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples were lost before: the file is damaged. The others are decrypted."),
      Command.ExitNote(
        .inputNotUsable,
        "A key is missing or wrong, nothing is encrypted, or the scheme is not supported; nothing was written."),
    ],
    run: { arguments, context in
      let keys = ContentKeys(try ContentKeyOptions.input.requiredLines(arguments, context))
      return try OutputJob(arguments, context).run { sources, onProgress in
        try Decryption(
          of: sources, with: keys, tracks: arguments[tracks]?.selection ?? TrackSelection(), onProgress: onProgress
        ).plan()
      }
    })
}
