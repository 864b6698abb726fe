import Bytes
import ISOBMFF
import MP4

/// `mp4tool extract`.
enum ExtractCommand {
  static let tracks = Option<TrackList?>.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help: "Extract the samples of one track. LIST must select exactly one: by its ID, by the kind "
      + "\(TrackList.kindsHelp), or by a handler type such as `meta`. Not needed if there is only one track.")
  static let frame = Option<ClockTime?>.parsed(
    "frame", placeholder: "TIME", as: ClockTime.self,
    help: "Extract only the sample of the track that is presented at TIME, such as `1:02.5`.")
  static let raw = Option.flag(
    "raw",
    help: "Write the samples one after another as they are, whatever their codec, and even if they are encrypted.")
  static let box = Option<[BoxPattern]>.repeated(
    "box", placeholder: "PATH", as: BoxPattern.self,
    help:
      "Extract the payload of a box, such as `moov/udta/meta`, instead of a track. PATH is as for `dump --path` and "
      + "must match exactly one box.")
  static let whole = Option.flag(
    "whole",
    help: "With `--box`: write boxes with their headers. PATH can then match several, and `--box` can be repeated.")
  static let initSegment = Option.flag(
    "init",
    help: "Extract the init segment of a fragmented file: the boxes before its fragments, without free space.")
  static let cover = Option.flag("cover", help: "Extract the cover picture, in the format that the file has.")
  static let chapters = Option.flag(
    "chapters", help: "Extract the chapters as lines `HH:MM:SS.mmm Title`, which `edit --chapters` reads.")
  /// What can be extracted instead of a track.
  static let parts: [any DeclaredOption] = [box, initSegment, cover, chapters]

  static let command = Command(
    name: "extract",
    summary: "write a track or another part of an MP4 file to a file of its own",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "An MP4, CMAF or QuickTime file, or an init segment and its media segments; `-` is standard input; URLs "
          + "are accepted.")
    ],
    description: [
      "Writes the samples of one track without MP4 around them, in the format that decoders and other tools read: see "
        + "FORMATS. Nothing is transcoded. Samples are written in decoding order, including those that an edit list "
        + "hides, such as the priming of AAC. Times are lost, except in what the codec itself stores.",
      "Samples whose data is missing are reported and omitted, as are those that the format cannot hold.",
      "`--box`, `--init`, `--cover` and `--chapters` extract a part of the file that is no track. They cannot be "
        + "combined with each other or with the options for tracks.",
      RemoteFile.description,
    ],
    options: [tracks, frame, raw, box, whole, initSegment, cover, chapters, BoxFiles.option] + OutputOptions.all,
    examples: [
      Command.Example("mp4tool extract --tracks video film.mp4 -o film.h264", "Extracts the video for an analyzer."),
      Command.Example("mp4tool extract --tracks 2 film.mp4 -o sound.aac", "Extracts an audio track."),
      Command.Example("mp4tool extract song.m4a -o - | ffplay -", "Plays the only track of a file."),
      Command.Example(
        "mp4tool extract --tracks video --frame 1:02.5 film.mp4 -o picture.h264", "Extracts one coded picture."),
      Command.Example(
        "mp4tool extract --tracks meta --raw drone.mp4 -o telemetry.bin", "Extracts samples of an unknown codec."),
      Command.Example("mp4tool extract --cover song.m4a -o cover.jpg", "Extracts the cover picture."),
      Command.Example("mp4tool extract --chapters book.m4b -o -", "Prints the chapters."),
      Command.Example("mp4tool extract --init stream.mp4 -o init.mp4", "Extracts the init segment."),
      Command.Example(
        "mp4tool extract --box moov//avcC film.mp4 -o avcC.bin", "Extracts the decoder configuration."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are missing or cannot be a part of the output; the others are in it."),
      Command.ExitNote(
        .inputNotUsable,
        "There is no such track, box, cover or chapter, the track has no samples, or there is no format for its codec; "
          + "nothing was written."),
    ],
    manSections: [
      Command.ManSection(
        title: "FORMATS",
        paragraphs: ["The codec determines the format; the name of OUT does not change it."],
        items: [
          Choice(
            name: "H.264, H.265",
            meaning: "Annex B: start codes instead of lengths. The parameter sets of the sample entry are inserted at "
              + "every keyframe, before the first slice, unless the sample has its own."),
          Choice(
            name: "AAC",
            meaning:
              "ADTS. HE-AAC gets the header of its core, as usual. AAC-LD, AAC-ELD, xHE-AAC, and channel layouts "
              + "without a channel configuration from 1 to 7 are refused, because the header cannot express them."),
          Choice(name: "AC-3, E-AC-3, MP3", meaning: "The frames as they are."),
          Choice(name: "FLAC", meaning: "A FLAC file with the metadata blocks of the sample entry."),
          Choice(name: "other codecs", meaning: "Only with `--raw`."),
        ])
    ],
    run: { try ExtractJob($0, $1).run() })
}
