/// The chapter of the man page about what `defrag --report` writes.
enum DefragReport {
  static let manSection = Command.ManSection(
    title: "REPORT",
    paragraphs: [
      "`--report` writes one JSON object. All numbers are integers. A time or duration counts in the `timescale` that "
        + "is in the same object, in units of which so many make a second; those of spans count in that of their "
        + "notice. New keys may come; those that are there keep their meaning. When the report cannot be written, the output is "
        + "there all the same, if it was made. The members of the object are:"
    ],
    items: [
      Choice(name: "inputs", meaning: "An array: the `name`, the `size` in bytes and the `fragments` of each input."),
      Choice(
        name: "output",
        meaning:
          "The `name`, which is null when there is none; the `size` in bytes that it has or would have; and `is_written`, "
          + "which is false with `--dry-run` and when `--strict` refuses it."),
      Choice(
        name: "severity",
        meaning: "That of the worst notice: `note`, `warning`, `error`, or null when there is none."),
      Choice(name: "movie_timescale", meaning: "The timescale of the movie in the output."),
      Choice(
        name: "start",
        meaning:
          "The time of the inputs that was moved to 0 for all tracks alike, as `value` and `timescale`; 0 when nothing "
          + "was moved."),
      Choice(
        name: "totals",
        meaning:
          "The `samples` of the output, the `lost_samples` that are not in it as far as their number is known, the `fragments` of the inputs, and the "
          + "`media_bytes` that are copied."),
      Choice(
        name: "tracks",
        meaning:
          "An array with an object for each track of the output: its `id`; the `input` with its movie box, counted from "
          + "0, and its `input_id` there, which are null for the track that `--keep-events` makes; its `handler` (`vide`, `soun` and so on) and `timescale`; the "
          + "`input_movie_timescale` of the movie before; its `samples`, and how many `fragments` they come from; the "
          + "`start`, which is the decode time of its first sample in the input and 0 in the output; the sum of the "
          + "durations of its samples as `media_duration`; the `presentation_duration` in units of `movie_timescale`; and "
          + "its `edits`, each with `segment_duration` in units of `movie_timescale`, `media_time` (-1 for an empty one), "
          + "`media_rate_integer` and `media_rate_fraction`."),
      Choice(
        name: "diagnostics",
        meaning:
          "An array with an object for each message: its `kind`, its `severity`, the `file`, the `message` as it is "
          + "printed, and where it is about a track the `track` (its place in `tracks`, counted from 0), its `input_id` "
          + "and `timescale`. What else there is depends on the kind:"),
      Choice(
        name: "gap, step_back, repeated, replaced, kept, overrun, impossible_time",
        meaning:
          "Times that fragments declare were repaired. An array `spans` has all places, each with `time`, `duration`, "
          + "how many `samples` were left out, and the names of the inputs with the fragments `before` and `after`."),
      Choice(
        name: "missing_data",
        meaning: "Samples were left out whose bytes are not there: `spans` with `time`, `duration` and `samples`."),
      Choice(name: "reordered", meaning: "So many `fragments` got another place in the order of time."),
      Choice(
        name: "damaged_box, impossible_run, no_track_header, unknown_track, not_a_box",
        meaning:
          "Damage: the `path` of the box, the `offset` in the file, the `time` where the fragment starts, the byte "
          + "where the `next` fragment was found, the `id` of the unknown track, the `size` of bytes that are no box; "
          + "as far as these are known."),
      Choice(
        name: "no_place, not_carried, other_encryption, undecryptable, lost_items, undescribed",
        meaning: "What was left out or is missing: the `types` of boxes, how many `boxes`, `items` or `samples`."),
      Choice(
        name: "rebased, rounded_start, gap_too_long, empty_track, shifted",
        meaning:
          "What was decided of times: the presentation was moved from `time` to 0, the start of a track was rounded, "
          + "so many `gaps` are too long and the first is at `time`, a track has no samples, or a track without edit list is "
          + "presented at another time."),
      Choice(
        name: "combined, equal_movie, copy, other_movie_box",
        meaning:
          "Of inputs with several movies: tracks that are put together with those of the input `other`, or beside them, "
          + "since it has the same movie box and other samples at the same times; samples that are those of the input "
          + "`other`; and boxes of these `types` of which the output has those of the input `other`."),
      Choice(
        name: "misfit",
        meaning: "A segment was left out that is not of the init in the input `other`, for a `reason`."),
      Choice(
        name: "stale_bases",
        meaning:
          "The base data offsets of so many `fragments`, the first at the byte `offset`, are out of date; the data was "
          + "found by counting from the start of the fragment."),
      Choice(
        name: "converted, renamed_format, quick_time_only",
        meaning:
          "Of a QuickTime movie that is written as an MP4 file: that it is; the `types` of a sample description before "
          + "and after; one that only QuickTime defines, which is kept."),
      Choice(
        name: "progressive, rebuilt, lost_track",
        meaning:
          "Of samples in a movie box: the file is progressive; tables contradict each other and are re-created; so many "
          + "`samples` of a track are lost because tables that they need are missing or damaged."),
      Choice(name: "other", meaning: "Anything else, said by its `message`."),
    ])
}
