import MP4
import MP4Packaging
import MP4Records

/// The man page sections about the reports of conversions.
enum ReportManual {
  static let defrag = [
    report(DefragmentReport.self, "If the report cannot be written, the output remains."), diagnostics,
  ]
  static let fragment = [report(FragmentReport.self, diagnosticsOfFragments)]
  static let hls = [
    report(
      PackageReport.self,
      diagnosticsOfFragments
        + " 3GPP timed text, which becomes WebVTT files, has no tracks, and its segments have only "
        + "a name and a size.")
  ]

  private static let diagnosticsOfFragments =
    "Diagnostics are those of `mp4tool defrag`. Only `fragment` and `hls` have the kinds `omitted`, `presented` (with "
    + "the `duration` that is presented although an edit list hides it), `several_edits`, `negative_offsets` (with the "
    + "`duration` by which some players are late) and `long_segments` (with the number of `segments` longer than "
    + "requested). `rebased` has a `new_time` if the presentation does not start at 0."

  private static func report(_ type: any Record.Type, _ notes: String) -> Command.ManSection {
    Command.ManSection(
      title: "REPORT",
      paragraphs: [
        "`--report` writes one JSON object. All numbers are integers. Times and durations are in units of the "
          + "`timescale` in the same object; those of spans use the timescale of their diagnostic. Later versions may "
          + "add members, but do not change the meaning of existing ones. `--print-schema` prints the JSON Schema. "
          + notes, "The object has these members:",
      ],
      items: type.allChoices)
  }

  private static let diagnostics = Command.ManSection(
    title: "KINDS OF DIAGNOSTICS",
    items: [
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
