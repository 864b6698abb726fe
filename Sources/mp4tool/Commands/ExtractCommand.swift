import ISOBMFF
import MP4
import MP4Bytes
import MP4Inspection
import MP4Packaging
import TimedText

enum ExtractCommand {
  static let tracks = Option<TrackList?>.parsed(
    "tracks", placeholder: "LIST", as: TrackList.self,
    help: "The track to extract: an ID, the kind \(TrackList.kindsHelp), or a handler type such as `meta`. Not needed "
      + "if there is only one track. If the name OUT contains `%d`, several tracks can be given, separated by commas, "
      + "and without this option all tracks are extracted.")
  static let frame = Option<CutTime?>.parsed(
    "frame", placeholder: "TIME", as: CutTime.self,
    help: "Extract only the sample that is presented at TIME, such as `1:02.5`, `250f` or `01:00:10:00`. Without "
      + "`--tracks`, it is one of the first video track.")
  static let raw = Option.flag(
    "raw",
    help: "Write the samples unchanged, one after another, for any codec and even if they are encrypted.")
  static let sizes = Option.flag(
    "sizes", help: "With `--raw`, write the size of each sample before it, as a big-endian 32-bit number.")
  static let format = Option<ExtractFormat>.choice(
    "format", placeholder: "FORMAT", default: .auto, help: "The format, for codecs that have more than one.",
    [
      NamedValue(.auto, "auto", "the usual format of the codec"),
      NamedValue(.stream(.ivf), "ivf", "IVF (AV1, VP8, VP9)"),
      NamedValue(.stream(.obu), "obu", "open bitstream units (AV1)"),
      NamedValue(.stream(.wav), "wav", "WAV (uncompressed audio)"),
      NamedValue(.stream(.aiff), "aiff", "AIFF (uncompressed audio)"),
      NamedValue(.text(.webVTT), "vtt", "WebVTT (subtitles, text and closed captions)"),
      NamedValue(.text(.subRip), "srt", "SubRip (subtitles, text and closed captions)"),
      NamedValue(.text(.scenarist), "scc", "Scenarist (the bytes of a field of CEA-608)"),
      NamedValue(.text(.macCaption), "mcc", "MacCaption (the bytes of all closed captions)"),
    ])
  static let captions = Option.flag(
    "captions",
    help:
      "Extract the closed captions (CEA-608 and CEA-708) in the pictures of a video track or in a caption track, as "
      + "WebVTT or in the format of `--format`.")
  static let channel = Option<CaptionChannel?>.parsed(
    "channel", placeholder: "NAME", as: CaptionChannel.self,
    help: "The channel of closed captions: CC1 to CC4, or SERVICE1 to SERVICE63. Default: the first one that has text.")
  static let box = Option<[BoxPattern]>.repeated(
    "box", placeholder: "PATH", as: BoxPattern.self,
    help:
      "Extract the payload of a box, such as `moov/udta/meta`, instead of a track. PATH has the syntax of `dump "
      + "--path` and must match exactly one box.")
  static let whole = Option.flag(
    "whole",
    help: "With `--box`, write boxes with their headers. PATH can then match several boxes, and `--box` can be "
      + "repeated.")
  static let initSegment = Option.flag(
    "init",
    help: "Extract the init segment of a fragmented file: the boxes before its fragments, without free space.")
  static let cover = Option.flag("cover", help: "Extract the cover picture in its original format.")
  static let chapters = Option.flag(
    "chapters", help: "Extract the chapters as lines `HH:MM:SS.mmm Title`, the format that `edit --chapters` reads.")
  static let id3 = Option.flag(
    "id3", help: "Extract timed ID3 tags from event messages and metadata tracks, sorted by time."
  )
  static let telemetry = Option<TelemetryFileFormat?>.choice(
    "telemetry", placeholder: "FORMAT",
    help: "Extract the telemetry of cameras and drones: the positions as GPX or KML, or all values as CSV or JSON. "
      + "`mp4tool events --telemetry` lists the same values and says which formats are read.",
    [
      NamedValue(.gpx, "gpx", "GPS Exchange Format 1.1"),
      NamedValue(.csv, "csv", "comma-separated values, with the column names in the first line"),
      NamedValue(.json, "json", "JSON"),
      NamedValue(.kml, "kml", "KML 2.2: a track, or a line if positions have no times"),
    ])
  /// The options for extracting something other than a track.
  static let parts: [any DeclaredOption] = [box, initSegment, cover, chapters, id3, telemetry]
  /// The options that only apply to tracks.
  static let ofTracks: [any DeclaredOption] =
    [tracks, frame, raw, sizes, format, captions, channel] + ContentKeyOptions.input.all

  static let command = Command(
    name: "extract",
    summary: "extract a track or another part of an MP4 file",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "An MP4, CMAF or QuickTime file, or an init segment and its media segments; `-` is standard input; URLs "
          + "are accepted.")
    ],
    description: [
      "Writes the samples of one track as an elementary stream, in a format that decoders and other tools read. The "
        + "formats are listed under FORMATS in the man page. Nothing is transcoded. Samples are written in decoding "
        + "order, including those that an edit list hides, such as AAC priming. Times are lost, unless the codec or "
        + "the format stores them.",
      "Samples whose data is missing, and samples that the format cannot express, are omitted and reported.",
      "The format does not depend on the name OUT. If the name contains `%d`, each selected track is written to a "
        + "separate file, `%d` is replaced by the track ID, and the usual extension of the format, if there is one, is "
        + "added to a name without an extension. If a selected track cannot be written, no file is written.",
      "`--frame` extracts one sample. \(CutTime.description) Frames are counted in the first selected video track, or, "
        + "if none is selected, in the first video track of the file.",
      "Encrypted tracks need `--key` or `--key-file`, or `--raw`, which writes the encrypted samples.",
      "`--captions` reads closed captions in messages (SEI) of H.264 and H.265, in user data of MPEG-2 video, and in "
        + "`c608` and `c708` tracks, with their presentation times. The text of CEA-708 is that of its windows, "
        + "without fonts and effects. SCC files have drop-frame timecodes that start at 0.",
      "`--box`, `--init`, `--cover`, `--chapters`, `--id3` and `--telemetry` extract other parts of the file. They "
        + "cannot be combined with each other or with the options for tracks.",
      RemoteFile.description,
    ],
    options: [tracks, frame, raw, sizes, format, captions, channel] + ContentKeyOptions.input.all
      + [box, whole, initSegment, cover, chapters, id3, telemetry, BoxFiles.option] + OutputOptions.all,
    examples: [
      Command.Example("mp4tool extract --tracks video film.mp4 -o film.h264", "Extracts the video for an analyzer."),
      Command.Example("mp4tool extract song.m4a -o - | ffplay -", "Plays the only track of a file."),
      Command.Example(
        "mp4tool extract film.mp4 -o film-%d", "Extracts all tracks, as film-1.h264, film-2.aac and so on."),
      Command.Example(
        "mp4tool extract --frame 83f film.mp4 -o picture.h264",
        "Extracts one coded picture by its number; `--frame 1:02.5` selects one by its time."),
      Command.Example("mp4tool extract --telemetry gpx drone.mp4 -o flight.gpx", "Extracts the positions for a map."),
      Command.Example(
        "mp4tool extract --captions --format scc film.mp4 -o film.scc",
        "Extracts the closed captions in the pictures; `--channel CC3` selects a channel."),
      Command.Example("mp4tool extract --chapters book.m4b -o -", "Prints the chapters."),
      Command.Example("mp4tool extract --init stream.mp4 -o init.mp4", "Extracts the init segment."),
      Command.Example(
        "mp4tool extract --box moov//avcC film.mp4 -o avcC.bin", "Extracts the decoder configuration."),
    ],
    exitNotes: [
      Command.ExitNote(.findings, "Samples are missing or cannot be written in this format; the output has the rest."),
      Command.ExitNote(
        .inputNotUsable,
        "The requested track or part does not exist or is not unique; the track has no samples, or is encrypted and "
          + "its key is missing; or there is no format for its codec."),
    ],
    manSections: [
      Command.ManSection(
        title: "FORMATS",
        paragraphs: [
          "The codec determines the format. `--format` selects one where there are several."
        ],
        items: [
          Choice(
            name: "H.264, H.265, H.266",
            meaning: "Annex B: start codes instead of lengths. The parameter sets of the sample entry are inserted at "
              + "every keyframe, before the first slice, unless the sample has its own."),
          Choice(
            name: "AAC",
            meaning:
              "ADTS. For HE-AAC, the header describes the AAC-LC core, as usual. AAC-LD, AAC-ELD, xHE-AAC, and channel "
              + "layouts without a channel configuration from 1 to 7 cannot be extracted, because the header cannot "
              + "express them."),
          Choice(name: "AC-3, E-AC-3, MP3", meaning: "The frames, unchanged."),
          Choice(name: "FLAC", meaning: "A FLAC file with the metadata blocks of the sample entry."),
          Choice(
            name: "AV1, VP8, VP9",
            meaning: "IVF, with sample times in units of the media timescale, starting at 0. With `--format obu`, AV1 "
              + "is written in the low-overhead bitstream format (section 5 of the AV1 specification), without times. "
              + "Temporal delimiters are inserted."),
          Choice(
            name: "MPEG-1, MPEG-2, MPEG-4 Visual",
            meaning:
              "The elementary stream. The headers of the sample entry are inserted at every keyframe, unless the "
              + "sample has its own."),
          Choice(
            name: "JPEG, PNG",
            meaning: "The pictures one after another, as in Motion JPEG. With `--frame`, one picture."),
          Choice(
            name: "Apple Lossless", meaning: "CAF. The last packet is trimmed to its duration; edit lists are not used."
          ),
          Choice(
            name: "Opus",
            meaning: "Ogg. The last packet is trimmed to its duration; edit lists are not used."),
          Choice(
            name: "uncompressed audio, A-law, mu-law",
            meaning: "WAV, or RF64 above 4 GB; with `--format aiff`, AIFF, or AIFF-C if needed. Byte order and the "
              + "signedness of 8-bit samples are converted as the format requires. If there are more than two "
              + "channels, they keep their order and get no speaker assignments."),
          Choice(
            name: "tx3g, wvtt, QuickTime text",
            meaning:
              "WebVTT, or SubRip with `--format srt`. Times are those of the presentation: edit lists are applied."
          ),
          Choice(
            name: "stpp",
            meaning: "TTML. The documents of several samples are merged if they differ only in their text; otherwise "
              + "the track cannot be extracted as TTML. With `--format vtt` or `--format srt`, the text with its "
              + "presentation times; bold, italic and underlined text is kept, positions and colors are not."),
          Choice(
            name: "c608, c708",
            meaning:
              "Closed captions: WebVTT, or with `--format` SubRip, SCC or MCC, of their first channel. Positions, "
              + "italics, underlines and the colors of CEA-608 are kept in WebVTT. Text that is drawn letter by letter "
              + "is one cue."),
          Choice(
            name: "timecode",
            meaning: "Lines of the form `HH:MM:SS.mmm TIMECODE`: the time at which each timecode starts, and the "
              + "timecode."),
          Choice(name: "ID3", meaning: "The tags one after another."),
          Choice(name: "other codecs", meaning: "Only with `--raw`."),
        ])
    ],
    run: { try ExtractJob(arguments: $0, context: $1).run() })
}

extension CaptionChannel: TextOptionValue {
  static let expectation = "a channel such as CC1 or SERVICE1"
  static let offered = ["CC1", "CC2", "CC3", "CC4", "SERVICE1"]
}

/// The format of an extracted track.
enum ExtractFormat: Equatable {
  case auto
  case stream(ElementaryStreamFormat)
  case text(TextFileFormat)

  /// The format of a stream; `nil` for the usual one.
  var stream: ElementaryStreamFormat? { if case .stream(let format) = self { format } else { nil } }
  /// The format of a text; `nil` for the usual one.
  var text: TextFileFormat? { if case .text(let format) = self { format } else { nil } }
}
