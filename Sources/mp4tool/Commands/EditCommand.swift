import ISOBMFF
import MP4
import MP4Bytes

enum EditCommand {
  static let inPlace = Option.flag(
    "in-place",
    help: "Change the FILEs themselves, without copying their media. If the command is interrupted, each file has "
      + "either all changes or none.")
  static let dryRun = Option.flag(
    "dry-run",
    help: "Write nothing; print the differences between each FILE and its edited copy, as `mp4tool diff` does, but "
      + "exit with 0. `-o` and `--in-place` are then optional.")

  static let set = Option<[FieldEdit]>.repeated(
    "set", placeholder: "PATH/FIELD=VALUE", as: FieldEdit.self,
    help: "Set a field of every box at PATH. PATH has the syntax of `mp4tool dump --path`. FIELD is the name in "
      + "`mp4tool explain` or the label in `mp4tool dump`. VALUE is a number, the name of a value, a language, a date, "
      + "text, or hexadecimal digits. Table rows are numbered from 1: `//stts/entries[1].sample_delta=1001`. Counts "
      + "and sizes are computed and cannot be set. Can be repeated.")
  static let remove = Option.texts(
    "remove", placeholder: "PATH", help: "Remove every box at PATH, including its contents. Can be repeated.")
  static let insert = Option<[BoxEdit]>.repeated(
    "insert", placeholder: "PATH=BOX", as: BoxEdit.self,
    help: "Append boxes to each box at PATH, or to the file if PATH is empty. BOX is `hex:DIGITS`, or a file that "
      + "contains boxes, or a box type with fields: `moov/udta=kind{schemeURI=urn:x,value=main}`. Can be repeated.")
  static let replace = Option<[BoxEdit]>.repeated(
    "replace", placeholder: "PATH=BOX", as: BoxEdit.self,
    help: "Replace every box at PATH with BOX, which has the same syntax as in `--insert`. Can be repeated.")

  static let tag = Option<[TagEdit]>.repeated(
    "tag", placeholder: "NAME=VALUE", as: TagEdit.self,
    help:
      "Set a tag; `NAME=` removes it. NAME is one of the names under TAGS in the man page, an iTunes code such as "
      + "`©nam`, a QuickTime key such as `com.apple.quicktime.make`, or DOMAIN:NAME for a freeform item. Can be "
      + "repeated; repeating a text tag, such as the artist, gives it several values.")
  /// The tags with their own options.
  static let commonTags = ["title", "artist", "album", "genre", "date", "comment", "description", "copyright"].map {
    Option.text($0, placeholder: "TEXT", help: "Set the \($0); empty text removes it. The same as `--tag \($0)=TEXT`.")
  }
  static let cover = Option.path(
    "cover", placeholder: "PICTURE",
    help: "Set the cover picture from a JPEG, PNG or BMP file. `--tag cover=` removes it.")
  static let chapters = Option.path(
    "chapters", placeholder: "FILE|none",
    help: "Set the chapters from FILE, or remove all chapters. FILE contains lines such as `00:01:30.000 Title`, or is "
      + "a chapter file in OGM format (`CHAPTER01=00:01:30.000`, `CHAPTER01NAME=Title`) or FFmpeg format "
      + "(`;FFMETADATA1`). Chapters are written as a Nero chapter list (`moov/udta/chpl`, at most 255 chapters) and as "
      + "a text track, which Apple players need. Fragmented files get only the list. Existing chapter tracks are "
      + "removed.")
  static let timecode = Option<StartTimecode?>.parsed(
    "timecode", placeholder: "TIMECODE", as: StartTimecode.self,
    help: "Set the timecode of the first picture, such as `01:00:00:00`, or `01:00:00;00` with dropped frames (29.97 "
      + "and 59.94 frames per second). It is written as a timecode track, to which the video refers; one that is there "
      + "is replaced. Not available for fragmented files.")
  static let timecodeFrom = Option.path(
    "timecode-from", placeholder: "OTHER",
    help: "Set the timecode of the first picture to that of the file OTHER, with its rate and its reel.")
  static let timecodeOfDay = Option.flag(
    "timecode-of-day",
    help: "Set the timecode of the first picture to the time of day (UTC) in the creation time of the movie; with "
      + "dropped frames at 29.97 and 59.94 frames per second.")
  static let timecodeRate = Option<FrameRate?>.parsed(
    "timecode-rate", placeholder: "RATE", as: FrameRate.self,
    help:
      "With `--timecode` or `--timecode-of-day`, its frame rate, such as `25` or `30000/1001`. The default is that of "
      + "the timecode that is there, or else of the video.")
  static let reel = Option.text(
    "reel", placeholder: "NAME",
    help: "With `--timecode` or `--timecode-of-day`, the name of its reel. The default is the one that is there.")
  static let strip = Option<[MovieEditor.Removal]>.repeated(
    "strip", placeholder: "KIND", as: MovieEditor.Removal.self,
    help:
      "Remove one kind of data: `metadata` (titles, covers, comments and other descriptions, including the location; "
      + "for HEIF and AVIF images also Exif and XMP), `location` (the recording location: tags, GPS data in Exif and "
      + "XMP, including in HEIF and CR3 images, and positions in the samples of telemetry tracks), `free` (unused "
      + "space), `all` (these three), or `encoder` (the encoder and its settings: tags, and SEI messages in H.264 and "
      + "H.265). Can be repeated. A warning lists "
      + "anything that may still contain a location; with `--strict`, nothing is written in this case.")

  static let language = Option<[TrackEdit]>.repeated(
    "language", placeholder: "TRACK=LANG", as: TrackEdit.self,
    help: "Set the language of tracks, such as `2=de` or `audio=pt-BR`. Can be repeated.")
  static let name = Option<[TrackEdit]>.repeated(
    "name", placeholder: "TRACK=NAME", as: TrackEdit.self,
    help: "Set the name of tracks; an empty NAME removes it. Can be repeated.")
  static let rotate = Option<[VideoEdit<Rotation>]>.repeated(
    "rotate", placeholder: "[TRACK=]DEGREES", as: VideoEdit<Rotation>.self,
    help: "Set the clockwise rotation of video to 0, 90, 180 or 270 degrees, regardless of its current rotation. "
      + "Without TRACK, this applies to all video tracks. Can be repeated.")
  static let enable = Option.parsed(
    "enable", placeholder: "TRACKS", as: TrackList.self, help: "Enable tracks, so that players present them.")
  static let disable = Option.parsed(
    "disable", placeholder: "TRACKS", as: TrackList.self,
    help: "Disable tracks. `--enable` is applied first.")
  static let defaultTrack = Option.parsed(
    "default", placeholder: "TRACK", as: TrackNumber.self,
    help: "Enable the track with this ID and disable the other tracks of its alternate group or, if it has none, of "
      + "its kind.")
  static let alternateGroup = Option<[GroupEdit]>.repeated(
    "alternate-group", placeholder: "TRACK=NUMBER", as: GroupEdit.self,
    help: "Set the alternate group of tracks; 0 means no group. Players present one track per group. Can be repeated.")
  static let sampleEntry = Option<[SampleEntryName]>.repeated(
    "sample-entry", placeholder: "NAME", as: SampleEntryName.self,
    help: "Rename sample entries to `avc1` or `avc3` (H.264), `hvc1` or `hev1` (H.265), or `dva1`, `dvav`, `dvh1` or "
      + "`dvhe` (Dolby Vision). For `avc1`, `hvc1`, `dva1` and `dvh1`, parameter sets that occur only in sync samples "
      + "are added to the sample entry; samples do not change. Can be repeated.")
  static let frameRate = Option<[VideoEdit<FrameRate>]>.repeated(
    "frame-rate", placeholder: "[TRACK=]RATE", as: VideoEdit<FrameRate>.self,
    help: "Set a constant frame rate in frames per second, such as `25` or `24000/1001`. Without TRACK, this applies "
      + "to all video tracks. This changes the duration of the video but not that of other tracks; a note reports the "
      + "change. Parameter sets of H.264 and H.265 that declare a frame rate get the new one. Not available for "
      + "fragmented files. Can be repeated.")
  static let color = Option<[VideoEdit<DeclaredColors>]>.repeated(
    "color", placeholder: "[TRACK=]COLORS", as: VideoEdit<DeclaredColors>.self,
    help: "Declare the colors of video: "
      + DeclaredColors.named.map { "`\($0.name)`" }.joined(separator: ", ")
      + ", or the codes of primaries, transfer and matrix (ISO/IEC 23091-2), such as `9/16/9`. They are written "
      + "everywhere: see VIDEO PROPERTIES in the man page. Without TRACK, this applies to all video tracks. Can be "
      + "repeated.")
  static let range = Option<[VideoEdit<ColorRange>]>.repeated(
    "range", placeholder: "[TRACK=]full|limited", as: VideoEdit<ColorRange>.self,
    help: "Declare whether the values of video use the full or the limited range. Can be repeated.")
  static let sampleAspect = Option<[VideoEdit<SampleAspect>]>.repeated(
    "sample-aspect", placeholder: "[TRACK=]W:H", as: VideoEdit<SampleAspect>.self,
    help: "Declare the shape of pixels, such as `16:11`, and set the size for presentation to it. Can be repeated.")
  static let mastering = Option<[VideoEdit<MasteringDisplay>]>.repeated(
    "mastering", placeholder: "[TRACK=]DISPLAY", as: VideoEdit<MasteringDisplay>.self,
    help: "Declare the mastering display of HDR video (SMPTE ST 2086): its primaries ("
      + MasteringDisplay.named.map { "`\($0.name)`" }.joined(separator: ", ")
      + ") and its maximum and minimum luminance in cd/m², such as `p3-d65,1000,0.0001`; or in the notation of x265, "
      + "`G(x,y)B(x,y)R(x,y)WP(x,y)L(max,min)`. Can be repeated.")
  static let maxCLL = Option<[VideoEdit<ContentLightLevel>]>.repeated(
    "max-cll", placeholder: "[TRACK=]MAXCLL,MAXFALL", as: VideoEdit<ContentLightLevel>.self,
    help:
      "Declare the light levels of HDR video (CTA-861.3) in cd/m²: the maximum of a pixel and the maximum average of "
      + "a picture, such as `1000,400`. Can be repeated.")
  static let level = Option<[VideoEdit<CodecLevel>]>.repeated(
    "level", placeholder: "[TRACK=]LEVEL", as: VideoEdit<CodecLevel>.self,
    help:
      "Declare the level of H.264, H.265, AV1 or VP9, such as `4.1`. Nothing checks that the pictures conform to it. "
      + "Can be repeated.")
  static let fieldOrder = Option<[VideoEdit<FieldOrder>]>.repeated(
    "field-order", placeholder: "[TRACK=]ORDER", as: VideoEdit<FieldOrder>.self,
    help:
      "Declare the order of fields: `tff` (top field first), `bff` (bottom field first) or `progressive`. Refused if "
      + "the pictures are coded in another order. Can be repeated.")
  static let delay = Option<[DelayEdit]>.repeated(
    "delay", placeholder: "TRACK=SECONDS", as: DelayEdit.self,
    help:
      "Present tracks later by a number of seconds, such as `2=0.12`; or earlier, such as `audio=-0.12`: then, what "
      + "would be before the start of the movie is hidden. Can be repeated.")
  static let timescale = Option<[TimescaleEdit]>.repeated(
    "timescale", placeholder: "[TRACK=]UNITS", as: TimescaleEdit.self,
    help:
      "Set the timescale of tracks, in units per second. Without TRACK, set the movie timescale, which applies to the "
      + "durations of the movie and of edits. Times do not change; a timescale that cannot express all of them exactly "
      + "is an error. Not available for tracks of fragmented files. Can be repeated.")
  static let fastStart = Option.flag(
    "fast-start",
    help:
      "Place `moov` before the media, so that players of downloads can start at once. With `--in-place`, this needs "
      + "free space there; without it, the exit status is 73 and the message says how many bytes are missing.")
  static let to = Option.parsed(
    "to", placeholder: "FORMAT", as: EditedFormat.self,
    help:
      "Convert a QuickTime movie to `mp4` without transcoding: brands, sample descriptions, handlers, languages and "
      + "metadata. Uncompressed audio becomes `ipcm` or `fpcm`, and QuickTime text becomes `tx3g`. Codecs that only "
      + "QuickTime defines are rejected. `--in-place` needs a `wide` or `free` box after `ftyp` to make room for the "
      + "brands; most files have one.")
  static let brand = Option.parsed(
    "brand", placeholder: "CODE", as: FourCC.self, help: "Set the major brand, and add it to the compatible brands.")
  static let creationTime = Option.parsed(
    "creation-time", placeholder: "DATE", as: CreationTime.self,
    help: "Set the creation time of the movie and all tracks, in UTC, such as `2024-02-29T12:00:00Z`.")

  /// The options that request a change.
  static let changes: [any DeclaredOption] =
    [strip, remove, replace, insert, to, brand, creationTime, tag] + commonTags + [
      cover, chapters, language, name, rotate, enable, disable, defaultTrack, alternateGroup, delay, sampleEntry,
      frameRate, color, range, sampleAspect, mastering, maxCLL, level, fieldOrder,
      timescale, timecode, timecodeFrom, timecodeOfDay, timecodeRate, reel, set,
      fastStart,
    ]

  static let command = Command(
    name: "edit",
    aliases: ["tag"],
    summary: "change tags, tracks, boxes and fields of MP4 files without changing their media",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "An MP4, CMAF, QuickTime, HEIC or AVIF file; with `-o`, only one file can be given; `-` is standard "
          + "input.")
    ],
    description: [
      "Changes tags, the cover, track properties such as language, name and rotation, or fields of any box, without "
        + "changing the media. Several changes can be combined; in each FILE, either all of them are made or none. "
        + "Everything else is copied byte for byte. All offsets are corrected: those of chunks, fragments, indexes, "
        + "items and encryption data.",
      "`-o` writes an edited copy. `--in-place` changes the FILEs themselves, in milliseconds regardless of their "
        + "size. The change is atomic: even after a power failure, a file has either all changes or none. See CHANGING "
        + "A FILE IN PLACE in the man page. If a file cannot be edited in place, it is not changed; use `-o` instead.",
      "Changes are applied in the order in which the options are listed below, not in the order of the command line. "
        + "Repetitions of one option are applied in command-line order. A PATH refers to the result of the preceding "
        + "changes.",
      "Tags are written as iTunes items (`moov/udta/meta/ilst`). In a QuickTime movie that has a `keys` box, or no "
        + "iTunes items, they are written with QuickTime keys (`moov/meta`). Equivalent tags in other places are "
        + "removed.",
    ],
    options: [
      OutputOptions.output(unless: [inPlace, dryRun]), inPlace, dryRun,
    ] + changes + [BoxFiles.option] + OutputOptions.besides,
    examples: [
      Command.Example(
        "mp4tool edit --in-place --title Holiday --artist Me clip.mp4", "Sets tags without copying the file."),
      Command.Example(
        "mp4tool edit --strip location clip.mov -o share.mov",
        "Removes the location from a recording before sharing it."),
      Command.Example(
        "mp4tool edit --in-place --rotate 90 *.mp4",
        "Sets the rotation of several videos to 90 degrees clockwise."),
      Command.Example(
        "mp4tool edit --in-place --language 2=de --name 2=Kommentar film.mp4",
        "Sets the language and name of an audio track."),
      Command.Example(
        "mp4tool edit --in-place --cover cover.jpg --chapters chapters.txt book.m4b", "Sets the cover and the chapters."
      ),
      Command.Example(
        "mp4tool edit --color bt2020-pq --mastering p3-d65,1000,0.0001 --max-cll 1000,400 in.mp4 -o hdr.mp4",
        "Declares HDR10, in boxes and in the stream."),
      Command.Example("mp4tool edit --to mp4 clip.mov -o clip.mp4", "Converts a QuickTime movie without transcoding."),
      Command.Example(
        "mp4tool edit --frame-rate 24000/1001 film.mp4 -o slow.mp4",
        "Slows down a 25 fps video to 23.976 fps."),
      Command.Example(
        "mp4tool edit --dry-run --set //tkhd/flags=7 film.mp4", "Shows the effect of setting a field."),
    ],
    exitNotes: [
      Command.ExitNote(
        .inputNotUsable,
        "A box, field or track does not exist, a value does not fit, the changes would make samples unreadable, or "
          + "`--in-place` is not possible. The FILE with the problem is not changed; any other FILEs are still "
          + "edited."),
      Command.ExitNote(.inputMissing, "A FILE cannot be opened; the others are still edited."),
    ],
    manSections: [
      Command.ManSection(
        title: "TAGS",
        paragraphs: [
          "The names for `--tag`, with their iTunes codes and QuickTime keys. Track and disc are numbers with an "
            + "optional count (`3/12`); compilation, gapless and podcast are `yes` or `no`."
        ],
        items: MetadataTag.names.map { Choice(name: $0.name, meaning: $0.codes) }),
      Command.ManSection(
        title: "VIDEO PROPERTIES",
        paragraphs: [
          "`--color`, `--range`, `--sample-aspect`, `--mastering`, `--max-cll`, `--level`, `--field-order` and "
            + "`--strip encoder` change what is declared about pictures, never the pictures. Values are written "
            + "everywhere, so that no reader finds two of them: into boxes of the sample entry (`colr`, `pasp`, "
            + "`mdcv`, `clli`, `fiel`, and the configuration), and into the stream, in the sample entry and in "
            + "samples: parameter sets "
            + "and SEI messages of H.264 and H.265, sequence headers and metadata of AV1, and frame headers of VP9 and "
            + "ProRes. The static metadata of HDR is added to each sync sample of H.264, H.265 and AV1 that has none.",
          "If headers in samples become longer or shorter, all media after them moves, and all offsets, sizes and "
            + "indexes are corrected. `--in-place` is then not possible.",
          "Not possible: H.266, encrypted tracks, and values that a header has no code for. For other codecs, only "
            + "boxes change, and a warning says so.",
        ]),
      Command.ManSection(
        title: "CHANGING A FILE IN PLACE",
        paragraphs: [
          "If all changed bytes are in one 512-byte disk sector and no box changes size, `--in-place` writes them in "
            + "one step. Otherwise only one box can change, usually `moov`. Its edited copy is first written to a "
            + "place that readers ignore: free space in the file (adjacent `free` and `skip` boxes), or the end of the "
            + "file, after 2048 bytes of new free space. The copy is flushed to disk. Then one write within a sector "
            + "hides the old box and exposes the new one. Finally, the old box is overwritten with zeros, so that "
            + "removed data is no longer in the file.",
          "A changed `ftyp` (`--brand`, `--to mp4`) can be part of that write if it is in the same sector as the "
            + "header that hides the old box: the header of `moov`, or of the box after `ftyp`. If `ftyp` becomes "
            + "shorter, a brand is repeated as padding; if it becomes longer, a `wide` or `free` box must follow it.",
          "Locations in samples (`--strip location`) are overwritten before all other changes, one sample after "
            + "another. Errors and signals undo that. After a power failure, some of them may be removed and others "
            + "not, and all samples can be read: run the command again.",
          "After SIGINT, SIGTERM, a full disk or any other error before the write that exposes the new box, the file "
            + "is byte for byte unchanged. If the new `moov` is after the media, a note reports this; `-o` keeps "
            + "`moov` first. A later edit moves `moov` back to the front if it fits there. Between the write that "
            + "exposes the new `moov` and the write that overwrites the old one, the boxes between the old and the new "
            + "`moov` are hidden too. A file is not edited in this way if these boxes include another `moov`, a "
            + "`moof`, a `sidx` or a `meta` box. Later edits reuse the space of the old box, so only the first edits "
            + "make a file grow. If a box changes size, a fragmented file needs free space next to `moov`, because its "
            + "`moov` must come first.",
          "Permissions, owner and extended attributes are kept. The modification time changes, so that backup programs "
            + "detect the change.",
        ]),
    ],
    run: { try EditJob(arguments: $0, context: $1).run() })
}

extension MovieEditor.Removal: TextOptionValue {
  static var expectation: String { allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") }

  init?(_ text: String) { self.init(rawValue: text) }

  static func suggestions(for word: String) -> [String] { Spelling.names(like: word, from: allCases.map(\.rawValue)) }
}

/// A format that a file can be converted to.
enum EditedFormat: String, CaseIterable, TextOptionValue {
  case mp4
  static var expectation: String { "'mp4'" }
  static var offered: [String] { allCases.map(\.rawValue) }

  init?(_ word: String) { self.init(rawValue: word) }
}

/// The ID of a track.
struct TrackNumber: TextOptionValue {
  static let expectation = "a track ID"
  let id: UInt32

  init?(_ word: String) {
    guard let id = UInt32(word), id > 0 else { return nil }
    self.id = id
  }
}

/// Tracks and an alternate group: `2=1`.
struct GroupEdit: OptionValue {
  static let expectation = "TRACK=NUMBER, such as 2=1"
  let tracks: TrackSelection
  let group: Int16

  init?(_ word: Argument) {
    guard let edit = TrackEdit(word), let group = Int16(edit.value) else { return nil }
    (tracks, self.group) = (edit.tracks, group)
  }
}
