import Bytes
import ISOBMFF
import MP4
import Packaging

enum ExtractCommand {
  static let tracks = Option<TrackList?>.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help: "Extract the samples of the track that LIST selects: by its ID, by the kind \(TrackList.kindsHelp), or by a "
      + "handler type such as `meta`. Not needed if there is only one track. LIST can select several tracks, separated "
      + "by commas, if the name of OUT has `%d` in it.")
  static let frame = Option<CutTime?>.parsed(
    "frame", placeholder: "TIME", as: CutTime.self,
    help: "Extract only the sample of the track that is presented at TIME, such as `1:02.5`, `250f` or `01:00:10:00`.")
  static let raw = Option.flag(
    "raw",
    help: "Write the samples one after another as they are, whatever their codec, and even if they are encrypted.")
  static let sizes = Option.flag(
    "sizes", help: "With `--raw`: write the size of each sample before it, as a big-endian 32-bit number.")
  static let format = Option<ExtractFormat>.choice(
    "format", placeholder: "FORMAT", default: .auto, help: "The format, for codecs that can have several.")
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
  static let id3 = Option.flag(
    "id3", help: "Extract the ID3 tags of timed metadata, of event messages and of tracks, in the order of their times."
  )
  /// The options for extracting something other than a track.
  static let parts: [any DeclaredOption] = [box, initSegment, cover, chapters, id3]
  /// The options that only apply to tracks.
  static let ofTracks: [any DeclaredOption] = [tracks, frame, raw, sizes, format] + ContentKeyOptions.input.all

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
        + "hides, such as the priming of AAC. Times are lost, except in what the codec or the format stores.",
      "Samples whose data is missing are reported and omitted, as are those that the format cannot hold.",
      "The name of OUT does not select the format. With `%d` in its name, each selected track is written to a file of "
        + "its own, and `%d` is replaced by the ID of the track; a name without an extension gets the usual one of the "
        + "format.",
      "`--frame` extracts one sample. \(CutTime.description) Frames are those of the first video among the selected "
        + "tracks, otherwise among all tracks.",
      "Encrypted tracks need `--key` or `--key-file`, or `--raw`, which writes the encrypted samples.",
      "`--box`, `--init`, `--cover`, `--chapters` and `--id3` extract a part of the file that is no track. They cannot "
        + "be combined with each other or with the options for tracks.",
      RemoteFile.description,
    ],
    options: [tracks, frame, raw, sizes, format] + ContentKeyOptions.input.all
      + [box, whole, initSegment, cover, chapters, id3, BoxFiles.option] + OutputOptions.all,
    examples: [
      Command.Example("mp4tool extract --tracks video film.mp4 -o film.h264", "Extracts the video for an analyzer."),
      Command.Example("mp4tool extract song.m4a -o - | ffplay -", "Plays the only track of a file."),
      Command.Example(
        "mp4tool extract film.mp4 -o film-%d", "Extracts all tracks, as film-1.h264, film-2.aac and so on."),
      Command.Example(
        "mp4tool extract --tracks video --frame 83f film.mp4 -o picture.h264",
        "Extracts one coded picture; `--frame 1:02.5` gives its time instead."),
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
        "There is no such track, box, cover, chapter, frame or timecode, the track has no samples, or there is no "
          + "format for its codec; nothing was written."),
    ],
    manSections: [
      Command.ManSection(
        title: "FORMATS",
        paragraphs: [
          "The codec determines the format, and `--format` where there are several."
        ],
        items: [
          Choice(
            name: "H.264, H.265, H.266",
            meaning: "Annex B: start codes instead of lengths. The parameter sets of the sample entry are inserted at "
              + "every keyframe, before the first slice, unless the sample has its own."),
          Choice(
            name: "AAC",
            meaning:
              "ADTS. HE-AAC gets the header of its core, as usual. AAC-LD, AAC-ELD, xHE-AAC, and channel layouts "
              + "without a channel configuration from 1 to 7 are refused, because the header cannot express them."),
          Choice(name: "AC-3, E-AC-3, MP3", meaning: "The frames as they are."),
          Choice(name: "FLAC", meaning: "A FLAC file with the metadata blocks of the sample entry."),
          Choice(
            name: "AV1, VP8, VP9",
            meaning: "IVF, with the times of the samples in units of the media timescale, from 0. With `--format obu`, "
              + "AV1 is a stream of open bitstream units without times (section 5 of its specification). Temporal "
              + "delimiters are inserted."),
          Choice(
            name: "Opus",
            meaning: "Ogg. The end of the last packet is cut as its duration says; edit lists are not used."),
          Choice(
            name: "uncompressed audio, A-law, mu-law",
            meaning: "WAV, or RF64 above 4 GB; with `--format aiff` AIFF, or AIFF-C if needed. Bytes are reordered and "
              + "8-bit numbers made signed or unsigned as the format has them. More than two channels keep their order "
              + "and have no assigned speakers."),
          Choice(
            name: "tx3g, wvtt, QuickTime text",
            meaning:
              "WebVTT, or SubRip with `--format srt`. Times are those of the presentation: edit lists are applied."
          ),
          Choice(
            name: "stpp",
            meaning: "TTML. The documents of several samples become one if they differ only in their text; otherwise "
              + "they are refused."),
          Choice(name: "timecode", meaning: "Lines `HH:MM:SS.mmm TIMECODE`, each from when on it counts."),
          Choice(name: "ID3", meaning: "The tags one after another."),
          Choice(name: "other codecs", meaning: "Only with `--raw`."),
        ])
    ],
    run: { try ExtractJob(arguments: $0, context: $1).run() })
}

/// The format of an extracted track.
enum ExtractFormat: String, OptionChoice {
  case auto
  case ivf
  case obu
  case wav
  case aiff
  case vtt
  case srt

  var meaning: String {
    switch self {
    case .auto: "the usual one of the codec"
    case .ivf: "IVF (AV1, VP8, VP9)"
    case .obu: "open bitstream units (AV1)"
    case .wav: "WAV (uncompressed audio)"
    case .aiff: "AIFF (uncompressed audio)"
    case .vtt: "WebVTT (subtitles and text)"
    case .srt: "SubRip (subtitles and text)"
    }
  }

  /// The format of a stream; `nil` for the usual one.
  var stream: ElementaryStreamFormat? {
    switch self {
    case .auto, .vtt, .srt: nil
    case .ivf: .ivf
    case .obu: .obu
    case .wav: .wav
    case .aiff: .aiff
    }
  }

  /// The format of a text; `nil` for the usual one.
  var text: TextFileFormat? {
    switch self {
    case .vtt: .webVTT
    case .srt: .subRip
    case .auto, .ivf, .obu, .wav, .aiff: nil
    }
  }
}
