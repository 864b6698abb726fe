/// The man page sections of `mp4tool dump`.
enum DumpManual {
  static let sections = [
    Command.ManSection(
      title: "VERBOSITY",
      items: [
        Choice(name: "0", meaning: "Header lines, single fields, and the number of entries of tables."),
        Choice(
          name: "1",
          meaning:
            "Also the entries of `stts`, `stsc`, `stco`, `co64`, `sidx` and `tfra`, the samples of `trun` (with "
            + "abbreviated field names), the matrix of `tkhd` and the data of `pssh`."),
        Choice(
          name: "2",
          meaning:
            "Also the entries of `ctts`, `stsz`, `stz2`, `saio`, `saiz`, `sbgp` and `senc`. The samples in `trun` have "
            + "full field names."),
        Choice(
          name: "3",
          meaning:
            "Everything, including all other fields and tables (such as the entries of `stss`) with the names in the "
            + "standard, and the bytes after the known fields of a box. The meaning of numbers, flags, times and "
            + "languages follows them in parentheses. Lines that begin with `=>` are not fields of the box but are "
            + "derived from it and others: the `codecs` of a sample entry (RFC 6381) and its picture or audio format; "
            + "the times of fragments in seconds; the clockwise `rotation` of a matrix in degrees; the `key` of a "
            + "metadata item whose type is a number. With `--init`, the lines with times in seconds are shown at every "
            + "level."),
      ]),
    Command.ManSection(
      title: "JSON",
      paragraphs: [
        "With `--format json`, the output is an array of the top-level boxes; for several files, an array of objects "
          + "with the members `file` and `boxes`. With `--format jsonl`, each box is printed on a line of its own, "
          + "without its member `boxes`; if there are several files, `file` is its first member. If a FILE cannot be "
          + "read completely, an object whose only member is `error`, with a `message`, takes the place of a box. "
          + "`--print-schema` prints a JSON Schema. A box is an object with these members, in this order; members that "
          + "do not apply are omitted:"
      ],
      items: [
        Choice(
          name: "type",
          meaning: "The four characters of the type, decoded as Latin-1; `null` for bytes that are not a box."),
        Choice(name: "user_type", meaning: "The 16 bytes of a `uuid` box, as a UUID string."),
        Choice(
          name: "path",
          meaning:
            "Its path, such as `moof[3]/traf/trun`; the first box of a type in its container has no number. Bytes that "
            + "are not a box have the path of their container."),
        Choice(name: "offset", meaning: "The file offset of the box."),
        Choice(name: "header_size", meaning: "The size of its header in bytes, without version and flags."),
        Choice(name: "size", meaning: "The number of bytes that are present, including the header."),
        Choice(
          name: "version",
          meaning:
            "The version of a full box, followed by `flags` (a number) and `flag_names` (an array with the names of "
            + "the flags that are set)."),
        Choice(
          name: "fields",
          meaning:
            "An object with its fields, named as in the standard. Numbers are JSON numbers; fixed-point values are "
            + "exact decimals; types, languages and text are strings; bytes are hexadecimal strings; tables are arrays "
            + "of values or objects. Descriptors are in the array `descriptors`. Unless `--full` is given, a field of "
            + "more than 1024 bytes is an object with `start` (the first 64 bytes) and `length` (the total number of "
            + "bytes). The meaning of a number in the member `NAME` is in a member beside it: `NAME_name` for "
            + "enumerations and QuickTime language codes, `NAME_names` (an array) for bits, `NAME_date` (ISO 8601) for "
            + "times since 1904. Members of `derived` also have these additional members."),
        Choice(
          name: "derived",
          meaning:
            "An object with values that are not in the box itself but follow from it and others: the times of a `trun` "
            + "in seconds and its sample defaults; the name of the system of a `pssh`; the `key` that `keys` has for a "
            + "metadata item whose type is a number; and, for a sample entry, `codecs` (RFC 6381) such as "
            + "`avc1.64001F`, `supplemental_codecs` for cross-compatible Dolby Vision, `picture_width`, "
            + "`picture_height` and `video_range`, `audio_object_type` of MPEG-4 audio, `channels` and `sample_rate`. "
            + "The values for a sample entry describe the output of the decoder, which can differ from what the entry "
            + "says; values that the decoder configuration does not specify are omitted."),
        Choice(
          name: "bytes",
          meaning: "With `--hex`, its header and fields as bytes; `omitted_bytes` is the number of bytes not shown."),
        Choice(name: "rest", meaning: "Bytes after the known fields."),
        Choice(
          name: "error", meaning: "If the box is damaged: the `field`, the file `offset` and a `message`."),
        Choice(
          name: "note",
          meaning:
            "If the version of the box is unknown: the same members. The layout is not guessed, and the bytes after "
            + "version and flags are in `rest`. This is not damage and does not change the exit status."),
        Choice(
          name: "boxes",
          meaning: "Its child boxes. Boxes nested more than 64 levels deep are in the array of the box at level 64."),
      ]),
    Command.ManSection(
      title: "PATHS",
      paragraphs: [
        "A PATH consists of four-character box types separated by slashes. Trailing spaces of a type can be omitted."
      ],
      items: [
        Choice(name: "moov/trak", meaning: "Each `trak` in a top-level `moov`."),
        Choice(name: "moov/trak[2]", meaning: "The second one; boxes are numbered within each container."),
        Choice(name: "moov//stsd", meaning: "Each `stsd` in a `moov`, at any depth."),
        Choice(name: "//trun", meaning: "Each `trun` of the file."),
        Choice(name: "moov/*", meaning: "Each child box of a `moov`."),
        Choice(
          name: "//ilst/#3",
          meaning: "Metadata items whose type is the number 3; JSON uses the same notation in `path`."
        ),
        Choice(
          name: "//ilst/[com.apple.quicktime.make]",
          meaning: "Metadata items whose number refers to this key in the `keys` box before them."),
        Choice(name: "ftyp,moov/mvhd", meaning: "Both."),
      ]),
    Command.ManSection(
      title: "DIFFERENCES FROM MP4DUMP",
      paragraphs: [
        "The text differs from that of Bento4's `mp4dump` 1.6.0 only in these respects:"
      ],
      items: [
        Choice(
          name: "matrix_8",
          meaning:
            "The last number of the matrix in `tkhd` has 30 fractional bits, not 16: 1.000000, where `mp4dump` prints "
            + "16384.000000."),
        Choice(
          name: "signed numbers",
          meaning:
            "Offsets in both versions of `ctts`, `layer` and `alternate_group` in `tkhd`, and one-byte values in "
            + "`data` are signed; `mp4dump` prints -1 as 4294967295, 65535 or 255. Eight-byte values are shown; "
            + "`mp4dump` omits them."),
        Choice(
          name: "op_color",
          meaning: "The numbers in `vmhd` are in the byte order of the file; `mp4dump` swaps the bytes of each."),
        Choice(
          name: "dec3",
          meaning:
            "In a substream, `bsmod` has three bits and `chan_loc` nine; `mp4dump` includes the bit `asvc` in `bsmod` "
            + "and shows only five bits of `chan_loc`."),
        Choice(name: "colr", meaning: "An ICC profile is not shown as color numbers."),
        Choice(
          name: "rows without bytes",
          meaning:
            "Samples that have no fields in `trun`, or neither an initialization vector nor subsamples in `senc`, are "
            + "counted but not listed; otherwise, a wrong count could produce four billion lines."),
        Choice(
          name: "damage",
          meaning:
            "A box that is cut off or cannot be decoded, and bytes that are not a box, are shown in a line with `!!` "
            + "that names the problem; the dump continues with the next valid box. A box that overlaps others ends "
            + "where the first of them starts. `mp4dump` omits the rest, or prints numbers that are not in the file."),
        Choice(
          name: "pipes",
          meaning:
            "Data from a pipe is shown as it arrives. Therefore, if a box of more than a megabyte or media data of "
            + "more than 64 kilobytes is cut off, this is reported at the end of the dump, not at the start of the "
            + "box. A wrong size is detected only if the box is at most a megabyte long. After damaged "
            + "bytes, a box is accepted even if it turns out to be cut off."),
        Choice(
          name: "versions",
          meaning:
            "If the version of a box is unknown, a line with `??` reports this, and its fields are not shown; "
            + "`--verbosity 3` shows their bytes."),
        Choice(
          name: "control characters",
          meaning: "They are shown as dots in text, so that a file cannot control the terminal."),
        Choice(
          name: "--track",
          meaning:
            "`mp4tool extract --raw --sizes --tracks LIST FILE -o OUT` writes the samples of a track in the same "
            + "format, each after its size; `mp4dump --track` writes `FILE.ID` beside the input, and also dumps the "
            + "boxes. Samples of fragments are written too; `mp4dump` omits them. As with `mp4dump` without a key, "
            + "encrypted samples are not decrypted."),
      ]),
  ]
}
