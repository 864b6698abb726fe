import Bytes
import ISOBMFF
import MP4

enum EditCommand {
  static let inPlace = Option.flag(
    "in-place",
    help: "Change the FILEs themselves, without copying their media. If the command is interrupted, a file has all "
      + "changes or none.")
  static let dryRun = Option.flag(
    "dry-run", help: "Write nothing; print what `mp4tool diff` would print for each FILE and its edited copy.")

  static let set = Option<[FieldEdit]>.repeated(
    "set", placeholder: "PATH/FIELD=VALUE", as: FieldEdit.self,
    help: "Set a field of every box at PATH, by its name in `mp4tool explain` or its label in `mp4tool dump`. PATH is "
      + "as in `mp4tool dump --path`. "
      + "VALUE is a number, the name of a value, a language, a date, text, or hexadecimal digits. "
      + "Rows of tables have numbers from 1: `//stts/entries[1].sample_delta=1001`. Counts and sizes follow from other "
      + "fields and cannot be set. Can be repeated.")
  static let remove = Option.texts(
    "remove", placeholder: "PATH", help: "Remove every box at PATH, with the boxes in it. Can be repeated.")
  static let insert = Option<[BoxEdit]>.repeated(
    "insert", placeholder: "PATH=BOX", as: BoxEdit.self,
    help: "Append boxes to each box at PATH, or to the file if PATH is empty. BOX is a file with boxes, `hex:DIGITS`, "
      + "or the type of a box with its fields: `moov/udta=kind{schemeURI=urn:x,value=main}`. Can be repeated.")
  static let replace = Option<[BoxEdit]>.repeated(
    "replace", placeholder: "PATH=BOX", as: BoxEdit.self,
    help: "Replace every box at PATH. BOX is as for `--insert`. Can be repeated.")

  static let tag = Option<[TagEdit]>.repeated(
    "tag", placeholder: "NAME=VALUE", as: TagEdit.self,
    help:
      "Set a tag; `NAME=` removes it. NAME is one of the names under TAGS in mp4tool-edit(1), a code of iTunes such as "
      + "`©nam`, a key of QuickTime such as `com.apple.quicktime.make`, or DOMAIN:NAME for a freeform item. Can be "
      + "repeated; a text that is given several times, such as several artists, has all these values.")
  /// The tags with their own options.
  static let commonTags = ["title", "artist", "album", "genre", "date", "comment", "description", "copyright"].map {
    Option.text($0, placeholder: "TEXT", help: "Set the \($0); empty text removes it. The same as `--tag \($0)=TEXT`.")
  }
  static let cover = Option.path(
    "cover", placeholder: "PICTURE", help: "Set the cover picture: a JPEG, PNG or BMP file. `--tag cover=` removes it.")
  static let chapters = Option.path(
    "chapters", placeholder: "FILE|none",
    help: "Set the chapters to those in FILE, or remove them. FILE has lines such as `00:01:30.000 Title`, or is a "
      + "chapter file of OGM (`CHAPTER01=00:01:30.000`, `CHAPTER01NAME=Title`) or FFmpeg (`;FFMETADATA1`). They are "
      + "written as Nero's list (`moov/udta/chpl`), at most 255, and as a text track, which Apple's players need. "
      + "Fragmented files get only the list. Other chapter tracks are removed.")
  static let strip = Option<[Stripped]>.repeated(
    "strip", placeholder: "KIND", as: Stripped.self,
    help:
      "Remove boxes of a kind: `metadata` (titles, covers, comments and other descriptions, with the location; of "
      + "HEIF and AVIF pictures, Exif and XMP), "
      + "`location` (where it was recorded: tags, and GPS in Exif and XMP, also of HEIF and CR3 pictures), "
      + "`free` (unused space), or `all`. Can be repeated.")

  static let language = Option<[TrackEdit]>.repeated(
    "language", placeholder: "TRACK=LANG", as: TrackEdit.self,
    help: "Set the language of tracks, such as `2=de` or `audio=pt-BR`. Can be repeated.")
  static let name = Option<[TrackEdit]>.repeated(
    "name", placeholder: "TRACK=NAME", as: TrackEdit.self,
    help: "Set the name of tracks; an empty one removes it. Can be repeated.")
  static let rotate = Option<[RotationEdit]>.repeated(
    "rotate", placeholder: "[TRACK=]DEGREES", as: RotationEdit.self,
    help: "Show pictures rotated clockwise by 0, 90, 180 or 270 degrees, whatever their rotation is now; of all video "
      + "tracks without TRACK. Can be repeated.")
  static let enable = Option.parsed(
    "enable", placeholder: "TRACKS", as: TrackList.self, help: "Enable tracks, so that players present them.")
  static let disable = Option.parsed(
    "disable", placeholder: "TRACKS", as: TrackList.self, help: "Disable tracks.")
  static let defaultTrack = Option.parsed(
    "default", placeholder: "TRACK", as: TrackNumber.self,
    help: "Enable the track with this ID and disable the others of its alternate group; without a group, the others of "
      + "its kind.")
  static let alternateGroup = Option<[GroupEdit]>.repeated(
    "alternate-group", placeholder: "TRACK=NUMBER", as: GroupEdit.self,
    help: "Put tracks in an alternate group, of which players present one; 0 is no group. Can be repeated.")
  static let sampleEntry = Option<[SampleEntryName]>.repeated(
    "sample-entry", placeholder: "NAME", as: SampleEntryName.self,
    help: "Rename the sample entries of a codec: `avc1` or `avc3` (H.264), `hvc1` or `hev1` (H.265), `dva1`, `dvav`, "
      + "`dvh1` or `dvhe` (Dolby Vision). For `avc1`, `hvc1`, `dva1` and `dvh1`, parameter sets that only sync samples "
      + "have are added to the sample entry; samples do not change. Can be repeated.")
  static let frameRate = Option<[FrameRateEdit]>.repeated(
    "frame-rate", placeholder: "[TRACK=]RATE", as: FrameRateEdit.self,
    help: "Give every frame the same duration, such as `25` or `24000/1001` frames per second; of all video tracks "
      + "without TRACK. Audio and other tracks stay, so a video whose rate was another one becomes longer or shorter: "
      + "a note says by how much. What the video stream itself declares stays. Not for fragmented files. Can be "
      + "repeated.")
  static let timescale = Option<[TimescaleEdit]>.repeated(
    "timescale", placeholder: "[TRACK=]UNITS", as: TimescaleEdit.self,
    help:
      "Count the times of tracks in other UNITS per second; without TRACK, the durations of the movie and of edits. "
      + "Times do not change; a timescale that cannot express all of them is refused. Tracks of fragmented files "
      + "cannot be changed. Can be repeated.")
  static let to = Option.parsed(
    "to", placeholder: "FORMAT", as: EditedFormat.self,
    help:
      "Convert a QuickTime movie to `mp4` without transcoding: brands, sample descriptions, handlers, languages and "
      + "metadata. Uncompressed audio becomes `ipcm` or `fpcm`. Codecs that only QuickTime has are refused. "
      + "`--in-place` needs room for the brands, which most files have: a `wide` or `free` box after `ftyp`.")
  static let brand = Option.parsed(
    "brand", placeholder: "CODE", as: FourCC.self, help: "Set the major brand, and add it to the compatible brands.")
  static let creationTime = Option.parsed(
    "creation-time", placeholder: "DATE", as: CreationTime.self,
    help: "Set the creation time of the movie and all tracks, in UTC: `2024-02-29T12:00:00Z`.")

  /// The options that request a change.
  static let changes: [any DeclaredOption] =
    [strip, remove, replace, insert, to, brand, creationTime, tag] + commonTags + [
      cover, chapters, language, name, rotate, enable, disable, defaultTrack, alternateGroup, sampleEntry, frameRate,
      timescale, set,
    ]

  static let command = Command(
    name: "edit",
    aliases: ["tag"],
    summary: "change tags, tracks, boxes and fields of MP4 files without touching their media",
    operands: [
      Operand(
        "FILE", .oneOrMore,
        help: "An MP4, CMAF, QuickTime or HEIF file; with `-o` only one; `-` is standard input.")
    ],
    description: [
      "Changes tags and cover, languages, names and rotation of tracks, or any field of any box, without touching the "
        + "media. Any number of changes is made at once, all or none. Everything else is copied byte for byte, and all "
        + "offsets are corrected: those of chunks, fragments, indices, items and encrypted samples.",
      "`-o` writes an edited copy. `--in-place` changes the FILEs themselves, in milliseconds whatever their size. It "
        + "changes a file in a single step: even after a power failure, the file has either all changes or none. See "
        + "CHANGING A FILE IN PLACE in mp4tool-edit(1). A file for which that is impossible is not changed; use `-o`.",
      "The order of the changes is that of the options below, not that on the command line; those of one option are "
        + "made in their order. A PATH refers to the boxes as earlier changes left them.",
      "A tag is written as an item of iTunes (`moov/udta/meta/ilst`). A QuickTime movie gets it by its key "
        + "(`moov/meta`) if it has keys or no items. Values that mean the same in other places are removed.",
    ],
    options: [
      OutputOptions.output(unless: [inPlace, dryRun].map(\.declaration.name)), inPlace, dryRun,
    ] + changes + [BoxFiles.option] + OutputOptions.besides,
    examples: [
      Command.Example(
        "mp4tool edit --in-place --title Holiday --artist Me clip.mp4", "Sets tags without copying the file."),
      Command.Example(
        "mp4tool edit --strip location clip.mov -o share.mov", "Removes the location before sharing a recording."),
      Command.Example("mp4tool edit --in-place --rotate 90 *.mp4", "Rotates the pictures of several files clockwise."),
      Command.Example("mp4tool edit --in-place --language 2=de --name 2=Kommentar film.mp4", "Names an audio track."),
      Command.Example(
        "mp4tool edit --in-place --cover cover.jpg --tag track=3/12 song.m4a", "Adds a cover and the track number."),
      Command.Example("mp4tool edit --in-place --chapters chapters.txt film.mp4", "Sets the chapters."),
      Command.Example("mp4tool edit --to mp4 clip.mov -o clip.mp4", "Converts a QuickTime movie without transcoding."),
      Command.Example(
        "mp4tool edit --frame-rate 24000/1001 film.mp4 -o slow.mp4",
        "Plays a video of 25 frames per second at 23.976."),
      Command.Example(
        "mp4tool edit --dry-run --set //tkhd/flags=7 film.mp4", "Shows what setting a field would change."),
    ],
    exitNotes: [
      Command.ExitNote(
        .inputNotUsable,
        "There is no such box, field or track, a value does not fit, the changes would make samples unreadable, or "
          + "`--in-place` is not possible. Nothing was changed.")
    ],
    manSections: [
      Command.ManSection(
        title: "TAGS",
        paragraphs: [
          "The names for `--tag`, with the code of the item of iTunes and the key of QuickTime. Track and disc are "
            + "numbers, perhaps with a count (`3/12`); compilation, gapless and podcast are `yes` or `no`."
        ],
        items: MetadataTag.names.map { Choice(name: $0.name, meaning: $0.codes) }),
      Command.ManSection(
        title: "CHANGING A FILE IN PLACE",
        paragraphs: [
          "If all changed bytes are in one 512-byte sector of the disk and no box changes its size, `--in-place` "
            + "writes them at once. Otherwise one box can change, usually `moov`. Its edited copy is written where no "
            + "reader looks: into free space of the file (`free` and `skip` boxes, adjacent ones together), or after "
            + "2048 bytes of new free space at the end of the file. "
            + "It is flushed to disk. Then one write within a sector hides the old box and exposes the new one. "
            + "Finally the old box is overwritten with zeros, so that what was removed is not in the file any more.",
          "A changed `ftyp` (`--brand`, `--to mp4`) can be part of that write, if the header that hides the old box "
            + "is in the same sector: that of `moov`, or of the box after `ftyp`. A shorter `ftyp` has a brand several "
            + "times; a longer one needs a `wide` or `free` box after it.",
          "After SIGINT, SIGTERM, a full disk or any other error before that write, the file is byte for byte what it "
            + "was. If the new `moov` is after the media, a note says so; `-o` keeps it first. A later edit moves it "
            + "back to the front if it fits there. Boxes between the old and the new `moov` are hidden for the moment "
            + "between that write and the next one; this is not done with other `moov`, `moof`, `sidx` and `meta` "
            + "boxes. The space of the old box is used by later edits, so that a file grows only by the first ones. "
            + "Fragmented files need free space next to `moov`, "
            + "unless no box changes its size, because their `moov` must come first.",
          "Permissions, owner and extended attributes of the file stay. Its time of modification changes, so that "
            + "backups notice.",
        ]),
    ],
    run: { try EditJob(arguments: $0, context: $1).run() })
}

/// A kind of boxes to remove.
struct Stripped: RepeatedValue {
  static let expectation = MovieEditor.Removal.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
  let removal: MovieEditor.Removal

  init?(_ word: Argument) {
    guard let removal = MovieEditor.Removal(rawValue: word.text) else { return nil }
    self.removal = removal
  }

  static func suggestions(for word: String) -> [String] {
    Suggestion.names(like: word, from: MovieEditor.Removal.allCases.map(\.rawValue))
  }
}

/// A format that a file can be converted to.
enum EditedFormat: String, CaseIterable, OptionValue {
  case mp4
  static var expectation: String { "'mp4'" }
  static var offered: [String] { allCases.map(\.rawValue) }

  init?(_ word: String) { self.init(rawValue: word) }
}

/// The ID of a track.
struct TrackNumber: OptionValue {
  static let expectation = "a track ID"
  let id: UInt32

  init?(_ word: String) {
    guard let id = UInt32(word), id > 0 else { return nil }
    self.id = id
  }
}

/// Tracks and an alternate group: `2=1`.
struct GroupEdit: RepeatedValue {
  static let expectation = "TRACK=NUMBER, such as 2=1"
  let tracks: TrackSelection
  let group: Int16

  init?(_ word: Argument) {
    guard let edit = TrackEdit(word), let group = Int16(edit.value) else { return nil }
    (tracks, self.group) = (edit.tracks, group)
  }
}
