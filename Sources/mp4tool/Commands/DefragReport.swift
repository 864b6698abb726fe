/// The man page section about the output of `defrag --report`.
enum DefragReport {
  static let manSection = Command.ManSection(
    title: "REPORT",
    paragraphs: [
      "`--report` writes one JSON object. All numbers are integers. Times and durations are in units of the "
        + "`timescale` in the same object; those of spans use the timescale of their diagnostic. Later versions may "
        + "add members, but do not change the meaning of existing ones. If the report cannot be written, the output "
        + "remains. The object has these members:"
    ],
    items: [
      Choice(
        name: "inputs", meaning: "An array with the `name`, `size` in bytes and number of `fragments` of each input."),
      Choice(
        name: "output",
        meaning:
          "The `name`, or null if there is none; the `size` in bytes that the output has or would have (with "
          + "`--in-place`, the number of appended bytes); and `is_written`, which is false with `--dry-run` and when "
          + "`--strict` rejects the output."),
      Choice(
        name: "severity",
        meaning: "The highest severity of all diagnostics: `note`, `warning`, `error`, or null if there are none."),
      Choice(name: "movie_timescale", meaning: "The movie timescale of the output."),
      Choice(
        name: "start",
        meaning:
          "The input time that was moved to 0 for all tracks, as `value` and `timescale`; 0 if nothing was moved."),
      Choice(
        name: "totals",
        meaning:
          "The number of `samples` in the output, the number of `lost_samples`, if known, the number of `fragments` in "
          + "the inputs, and the `media_bytes` that are copied."),
      Choice(
        name: "tracks",
        meaning:
          "An array with an object for each track of the output: its `id`; the index of the `input` that has its "
          + "`moov`, and its `input_id` there, both null for the track that `--keep-events` adds; its `handler` (such "
          + "as `vide` or `soun`) and `timescale`; the `input_movie_timescale`; the number of its `samples`, and of "
          + "the `fragments` they come from; its `start`, which is the decode time of its first sample in the input "
          + "and becomes 0 in the output; the sum of the sample durations as `media_duration`; the "
          + "`presentation_duration` in units of `movie_timescale`; and its `edits`, each with `segment_duration` in "
          + "units of `movie_timescale`, `media_time` (-1 for an empty edit), `media_rate_integer` and "
          + "`media_rate_fraction`."),
      Choice(
        name: "diagnostics",
        meaning:
          "An array with an object for each message: its `kind`, its `severity`, the `file`, and the `message` as it "
          + "is printed. If it is about a track, also the `track` (its index in `tracks`), its `input_id` and "
          + "`timescale`. Further members depend on the kind:"),
      Choice(
        name: "gap, step_back, repeated, replaced, kept, overrun, impossible_time",
        meaning:
          "Declared times were repaired. The array `spans` has an object for each place: `time`, `duration`, the "
          + "number of omitted `samples`, and the names of the inputs with the fragments `before` and `after`."),
      Choice(
        name: "missing_data",
        meaning: "Samples without data were omitted: `spans` with `time`, `duration` and `samples`."),
      Choice(name: "reordered", meaning: "Fragments were moved to sort them by time: the number of `fragments`."),
      Choice(
        name: "damaged_box, cut_header, impossible_run, no_track_header, unknown_track, not_a_box",
        meaning:
          "Damage. If known: the `path` of the box, the `offset` in the file, the start `time` of the fragment, the "
          + "offset where the `next` fragment was found, the `id` of the unknown track, and the `size` of the data "
          + "that is not a box, or of the remaining part of a box header."),
      Choice(
        name: "no_place, not_carried, other_encryption, undecryptable, lost_items, undescribed",
        meaning: "Omitted or missing: the `types` of boxes, or the number of `boxes`, `items` or `samples`."),
      Choice(
        name: "rebased, hidden_priming, rounded_start, gap_too_long, empty_track, shifted",
        meaning:
          "Decisions about time: the presentation was moved from `time` to 0; it starts with the first picture at "
          + "`time`, and the audio before it is hidden; the start of a track was rounded; the number of `gaps` that "
          + "are too long, and the `time` of the first; a track has no samples; a track without an edit list is "
          + "presented at another time."),
      Choice(
        name: "joint_broken_link, joint_end_of_sequence, joint_hidden_sync, joint_continued, joint_disordered, "
          + "joint_unknown",
        meaning:
          "Decoding continues with an open GOP after a gap or in another period, for this number of `samples`: a CRA "
          + "picture became a BLA picture; it follows an end of sequence; a hidden picture before it is no longer a "
          + "sync sample; H.264 pictures continue in their order; or in another order; or the picture cannot be read."),
      Choice(
        name: "combined, equal_movie, copy, other_movie_box",
        meaning:
          "Several movies: tracks were merged with those of the input `other`; tracks were added, because `other` has "
          + "the same `moov` but different samples at the same times; samples are copies of those in `other`; boxes of "
          + "these `types` were taken from `other`."),
      Choice(
        name: "misfit",
        meaning: "A segment was omitted because it does not match the init segment in `other`, for this `reason`."),
      Choice(
        name: "stale_bases",
        meaning:
          "The number of `fragments` whose base data offsets are out of date, and the `offset` of the first. The data "
          + "was found relative to the start of each fragment."),
      Choice(
        name: "converted, renamed_format, quick_time_only",
        meaning:
          "A QuickTime movie was converted to MP4; the format of a sample description was changed (`types` has the old "
          + "and the new one); a sample description that only QuickTime defines was kept."),
      Choice(
        name: "progressive, rebuilt, lost_track",
        meaning:
          "Samples in `moov`: the file is progressive; contradictory tables were re-created; the number of `samples` "
          + "of a track that are lost because the tables they need are missing or damaged."),
      Choice(name: "other", meaning: "Anything else; see its `message`."),
    ])
}
