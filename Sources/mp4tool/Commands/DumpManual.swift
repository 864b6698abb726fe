/// The chapters of the manual of `mp4tool dump`.
enum DumpManual {
  static let sections = [
    Command.ManSection(
      title: "VERBOSITY",
      items: [
        Choice(name: "0", meaning: "Header lines, single fields, and the number of entries of tables."),
        Choice(
          name: "1",
          meaning:
            "Also the entries of `stts`, `stsc`, `stco`, `co64`, `sidx` and `tfra`, the samples of `trun` with "
            + "short names, the matrix of `tkhd` and the data of `pssh`."),
        Choice(
          name: "2",
          meaning:
            "Also the entries of `ctts`, `stsz`, `stz2`, `saio`, `saiz`, `sbgp` and `senc`, and the samples of "
            + "`trun` with long names."),
        Choice(
          name: "3",
          meaning:
            "Everything: also each further field and table, such as the entries of `stss`, by the standard's names, "
            + "and the bytes after the fields of a box that the standard does not know. What numbers, flags, times and "
            + "languages stand for is in parentheses after them. A line that begins with `=>` is not a field of the box, "
            + "but follows from it and from others, as far as the file says it: of a sample entry its `codecs`, by which "
            + "playlists name it (RFC 6381), and its pictures or sound; the times of fragments in seconds; by how many "
            + "degrees a matrix turns the picture clockwise (`rotation`); of an item of metadata whose type is a number, "
            + "the `key` that it stands for."),
      ]),
    Command.ManSection(
      title: "JSON",
      paragraphs: [
        "With `--format json`, an array of the boxes of the file; for several files an array of objects with the members "
          + "`file` and `boxes`. With `--format jsonl`, a line for each box, which has no member `boxes`, and `file` "
          + "before the others when there are several. Where a FILE cannot be read, or not to its end, an object whose only "
          + "member is `error` with a `message` takes the place of a box. `--print-schema` prints a JSON Schema of it. "
          + "A box is an object with these members, in this order, as far as there is something to say:"
      ],
      items: [
        Choice(
          name: "type",
          meaning: "The four letters of the type, read as Latin-1; `null` for bytes that are not a box."),
        Choice(name: "user_type", meaning: "The 16 bytes of a `uuid` box in the usual groups of digits."),
        Choice(
          name: "path",
          meaning:
            "The way to it, such as `moof[3]/traf/trun`; the first of a type in its container has no number, and "
            + "bytes that are not a box have the path of what they are in."),
        Choice(name: "offset", meaning: "Where the box starts in the file."),
        Choice(name: "header_size", meaning: "The bytes of its header, without version and flags."),
        Choice(name: "size", meaning: "The bytes of it that are there, with its header."),
        Choice(
          name: "version",
          meaning:
            "The version of a full box; `flags` follow it, as a number, and `flag_names`, an array of what those that "
            + "are set stand for."),
        Choice(
          name: "fields",
          meaning:
            "An object of its fields by the standard's names. Numbers are numbers, fixed-point ones exact decimals; "
            + "types, languages and text are strings; bytes are strings of hexadecimal digits; what repeats is an "
            + "array, of values or of objects. Descriptors are in an array `descriptors`. Of more than 1024 bytes "
            + "there is an object with the first 64 as `start` and their number as `length`, unless `--full` is given. "
            + "What the number of a field stands for is in a member beside it: of `NAME`, `NAME_name` for one of several "
            + "things and for the numbers of QuickTime's languages, `NAME_names`, an array, for bits, and `NAME_date` for "
            + "a time since 1904, as ISO 8601 has it. Members of `derived` have them as well."),
        Choice(
          name: "derived",
          meaning:
            "An object of what the box does not hold itself, but follows from it and from others: of a `trun` the times "
            + "in seconds and what holds for each sample by default, of a `pssh` the name of the system, of an item of "
            + "metadata whose type is a number the `key` that `keys` has for it; of a sample entry "
            + "`codecs` as RFC 6381 has it, such as `avc1.64001F`, and `supplemental_codecs` for Dolby Vision that others see "
            + "too, `picture_width`, `picture_height` and `video_range` of pictures, `audio_object_type` of MPEG-4 audio, "
            + "`channels` and `sample_rate` of sound. These are as a decoder puts them out, which is not always what the "
            + "entry says; where the configuration of the decoder does not say, they are left out."),
        Choice(
          name: "bytes",
          meaning: "With `--hex`, its header and fields as they are; `omitted_bytes` is how many of them are missing."),
        Choice(name: "rest", meaning: "Bytes after the fields that the standard does not know."),
        Choice(
          name: "error", meaning: "Where the box is damaged: the `field`, the `offset` in the file, and a `message`."),
        Choice(
          name: "note",
          meaning:
            "The same where a version of the box is not known: how it is laid out is not guessed, and the bytes after "
            + "version and flags are in `rest`. That is no damage, and does not change the exit status."),
        Choice(
          name: "boxes", meaning: "The boxes in it. Those deeper than 64 others are in the array of the 64th."),
      ]),
    Command.ManSection(
      title: "PATHS",
      paragraphs: [
        "A PATH names boxes by the way to them: four letters for each box on it, with slashes between them. Spaces at "
          + "the end of a code may be left out."
      ],
      items: [
        Choice(name: "moov/trak", meaning: "Each `trak` in a `moov` of the file."),
        Choice(name: "moov/trak[2]", meaning: "The second one; numbers are counted within each container."),
        Choice(name: "moov//stsd", meaning: "Each `stsd` in a `moov`, however deep."),
        Choice(name: "//trun", meaning: "Each `trun` of the file."),
        Choice(name: "moov/*", meaning: "Each box that is in a `moov` itself."),
        Choice(
          name: "//ilst/#3",
          meaning: "The items of metadata whose type is the number 3; JSON writes such a type in a `path` the same way."
        ),
        Choice(
          name: "//ilst/[com.apple.quicktime.make]",
          meaning: "Those whose number stands for this key, by the `keys` before them."),
        Choice(name: "ftyp,moov/mvhd", meaning: "Both."),
      ]),
    Command.ManSection(
      title: "DIFFERENCES FROM MP4DUMP",
      paragraphs: [
        "Lines differ from those of Bento4's `mp4dump` 1.6.0 only where that is plainly wrong:"
      ],
      items: [
        Choice(
          name: "matrix_8",
          meaning:
            "The last number of the matrix in `tkhd` has 30 bits of fraction, not 16: 1.000000, where `mp4dump` prints "
            + "16384.000000."),
        Choice(
          name: "signed numbers",
          meaning:
            "Offsets in `ctts` of both versions, `layer` and `alternate_group` in `tkhd`, and values of one byte in "
            + "`data`, are signed; `mp4dump` prints -1 as 4294967295, 65535 or 255. Values of eight bytes are shown."),
        Choice(
          name: "op_color",
          meaning: "The numbers of `vmhd` are in the order of the file; `mp4dump` exchanges the two bytes of each."),
        Choice(
          name: "dec3",
          meaning:
            "Of a substream `bsmod` has three bits and `chan_loc` nine; `mp4dump` counts the bit `asvc` among those of "
            + "`bsmod`, and shows five of those of `chan_loc`."),
        Choice(name: "colr", meaning: "An ICC profile is not read as if it were numbers of colours."),
        Choice(
          name: "rows without bytes",
          meaning:
            "Samples of a `trun` without any field of their own, and samples of a `senc` without initialization vector "
            + "and subsamples, are counted but not listed: a wrong count could list four thousand million of them."),
        Choice(
          name: "damage",
          meaning:
            "A box that is cut off or does not decode is shown with a line `!!` that says what is wrong, and so are bytes "
            + "that are no box; then the next box is looked for that belongs where it is. A box that reaches over others ends "
            + "where the first of them starts. `mp4dump` leaves out the rest, or prints numbers that are not in the file."
        ),
        Choice(
          name: "pipes",
          meaning:
            "What comes through a pipe is shown as it comes. That a box of more than a megabyte, or media data of more "
            + "than 64 kilobytes, is cut off is therefore reported at the end and not where it starts. A wrong size "
            + "is noticed there only where it is at most a megabyte, and a box after damage is found although it is cut off "
            + "when the end is far away."),
        Choice(
          name: "versions",
          meaning:
            "Of a version of a box that is not known, a line `??` says so, and its fields are not shown; `--verbosity 3` "
            + "shows their bytes."),
        Choice(
          name: "control characters",
          meaning: "In text they are points, so that a file cannot control the terminal."),
        Choice(
          name: "--tracks",
          meaning:
            "The samples are the same for every kind of track, each after its size. They go to OUT, since `mp4dump` "
            + "writes a file that the command line does not name, `FILE.ID` beside the input, and dumps the boxes as well. Those of "
            + "fragments are written too, where `mp4dump` writes none. Nothing is decrypted: there is no `ID:KEY`, and "
            + "encrypted samples are as they are in the file, as those of `mp4dump` without a key."),
      ]),
  ]
}
