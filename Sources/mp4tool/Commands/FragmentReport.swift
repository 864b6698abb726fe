/// The man page section about the output of `fragment --report`.
enum FragmentReport {
  static let manSection = Command.ManSection(
    title: "REPORT",
    paragraphs: [
      "`--report` writes one JSON object. All numbers are integers. Times and durations are in units of the "
        + "`timescale` in the same object. Later versions may add members, but do not change the meaning of existing "
        + "ones. The object has these members:"
    ],
    items: [
      Choice(
        name: "inputs", meaning: "An array with the `name`, `size` in bytes and number of `fragments` of each input."),
      Choice(
        name: "output",
        meaning:
          "The `name`, or null if there is none; the `size` in bytes that the output has or would have; and "
          + "`is_written`, which is false with `--dry-run` and when `--strict` rejects the output."),
      Choice(
        name: "severity",
        meaning: "The highest severity of all diagnostics: `note`, `warning`, `error`, or null if there are none."),
      Choice(name: "profile, cmaf_brands", meaning: "The profile, and the structural CMAF brands of the output."),
      Choice(
        name: "tracks",
        meaning:
          "An array with an object for each track: its `id` and its `input_id`; its `handler` and `timescale`; the "
          + "`movie_timescale`; the number of its `samples`; the decode time of the first sample as `start`; the sum "
          + "of the sample durations as `media_duration`; its `edits`, as in the report of `mp4tool defrag`; and "
          + "`is_reference`, which is true for the track whose sync samples determine where segments start."),
      Choice(
        name: "segments",
        meaning:
          "An array, starting with the init segment: the `type` (`initialization` or `separable`), the `offset` in the "
          + "output or the `name` of the file, and the `size`. Media segments have a `number`, starting at 1; their "
          + "presentation `start` and their `duration`, each with `value` and `timescale`; the number of `fragments`; "
          + "and `starts_with_sync`, which is true if decoding can start at the first sample of the reference track."),
      Choice(
        name: "tracks of a segment",
        meaning:
          "For each track with samples in the segment, the `id`, `handler` and `timescale`; the number of `samples`; "
          + "the `decode_time` of the first sample; the `earliest_presentation_time` (negative for samples that an "
          + "edit list hides); the sum of the durations as `duration` and of the sizes as `media_bytes`; and, for the "
          + "`first_sample`, its `presentation_time`, its `offset` from the start of the segment, its `size` and "
          + "`is_sync`."),
      Choice(
        name: "diagnostics",
        meaning:
          "An array with an object for each message, as in the report of `mp4tool defrag`. Only this command and "
          + "`mp4tool hls` have the kinds `omitted`, `presented` (with the `duration` that is presented although an "
          + "edit list hides it), `several_edits`, `negative_offsets` (with the `duration` by which some players are "
          + "late) and `long_segments` (with the number of `segments` longer than requested). `rebased` has a "
          + "`new_time` if the presentation does not start at 0."),
    ])
}
