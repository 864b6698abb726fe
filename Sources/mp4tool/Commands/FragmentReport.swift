/// The chapter of the man page about what `fragment --report` writes.
enum FragmentReport {
  static let manSection = Command.ManSection(
    title: "REPORT",
    paragraphs: [
      "`--report` writes one JSON object. All numbers are integers. A time or duration counts in the `timescale` that "
        + "is in the same object, in units of which so many make a second. New keys may come; those that are there "
        + "keep their meaning. The members of the object are:"
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
      Choice(name: "profile, cmaf_brands", meaning: "The profile, and which structural brands of CMAF the output has."),
      Choice(
        name: "tracks",
        meaning:
          "An array with an object for each track: its `id` and its `input_id`, its `handler` and `timescale`, the "
          + "`movie_timescale`, its `samples`, the decode time of the first as `start`, the sum of their durations as "
          + "`media_duration`, its `edits` as `mp4tool defrag` reports them, and whether it `is_reference`, the track whose "
          + "sync samples decide where segments start."),
      Choice(
        name: "segments",
        meaning:
          "An array, the initialization first: its `type` (`initialization` or `separable`), where it is as `offset` in "
          + "the output or as `name` of its file, and its `size`. Segments have their `number` from 1 on, when they "
          + "`start` in the presentation and their `duration`, each with `value` and `timescale`; how many movie `fragments` are "
          + "in it, and whether it `starts_with_sync`, a sample of the reference track at which decoding can start."),
      Choice(
        name: "tracks of a segment",
        meaning:
          "Of each track with samples in it the `id`, `handler` and `timescale`, the number of `samples`, the `decode_time` of "
          + "the first, the `earliest_presentation_time` of all (negative for what an edit list takes away), the sum of their "
          + "durations as `duration` and of their sizes as `media_bytes`; and of the `first_sample` its "
          + "`presentation_time`, its `offset` from the start of the segment, its `size`, and whether it `is_sync`."),
      Choice(
        name: "diagnostics",
        meaning:
          "An array with an object for each message, as `mp4tool defrag` reports them; the kinds `omitted`, `presented` "
          + "(with the `duration` that is presented although an edit list hid it), `several_edits` and `long_segments` (how "
          + "many `segments` are longer than asked for) are of this command. `rebased` has a `new_time` where the "
          + "presentation does not start at 0."),
    ])
}
