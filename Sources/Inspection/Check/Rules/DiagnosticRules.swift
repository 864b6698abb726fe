import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// The file or its segments are a movie.
  static let unusableMovie = movie(
    "iso-movie", .isobmff, .error, "A file has a moov with readable tracks."
  ) { _, _ in
    // The check itself reports the reason.
  }.explained(by: "iso-not-media")

  static let transportStream = movie(
    "ts-packets", .transportStream, .error, "A transport stream has all packets, and its streams can be read."
  ) { _, _ in
    // The check itself reports them.
  }

  /// Problems that the movie model finds while it locates the samples.
  static let samples: [Rule] = [
    unusableMovie,
    transportStream,
    .diagnostic(
      "iso-data-missing", .isobmff, .error, ["missing_data"], "The data of all samples is in the file."
    ).explained(
      by: "iso-box-size", "iso-mdat-missing", "iso-chunk-offset", "iso-chunk-media", "iso-samples-damaged",
      "iso-stsc-count"),
    .diagnostic(
      "iso-samples-damaged", .isobmff, .error, ["damaged_box", "cut_header", "impossible_run", "no_track_header"],
      "The boxes that locate samples can be read, and none is cut off."
    ).explained(by: "iso-box-size", "iso-box-fields"),
    .diagnostic(
      "iso-fragment-repeated", .isobmff, .error, ["repeated", "replaced", "kept"],
      "No two fragments of a track have samples for the same times.", mendedBy: .defragment),
    .diagnostic(
      "iso-fragment-overrun", .isobmff, .warning, ["overrun", "step_back"],
      "The samples of a fragment do not extend past the start of the next fragment.", mendedBy: .defragment
    ).explained(by: "iso-decode-time"),
    .diagnostic(
      "iso-fragment-time", .isobmff, .error, ["impossible_time"], "Decode times are less than 2^61.",
      mendedBy: .defragment),
    .diagnostic(
      "iso-fragment-order", .isobmff, .warning, ["reordered", "segments_sorted"], "Fragments are in time order.",
      mendedBy: .defragment
    ).explained(by: "iso-decode-time"),
    .diagnostic(
      "iso-base-offset", .isobmff, .error, ["stale_bases"], "Base data offsets are correct.",
      mendedBy: .defragment
    ).explained(by: "iso-trun-offset"),
    .diagnostic(
      "iso-tables", .isobmff, .error, ["rebuilt"], "The sample tables of a track agree with each other.",
      mendedBy: .defragment
    ).explained(
      by: "iso-stts-count", "iso-ctts-count", "iso-stsc-count", "iso-stsc-order", "iso-stss-range", "iso-stss-order"),
    .diagnostic("iso-track-lost", .isobmff, .error, ["lost_track"], "The samples of each track can be located.")
      .explained(by: "iso-table-offsets", "iso-table-sizes"),
    .diagnostic("iso-track-empty", .isobmff, .note, ["empty_track"], "Tracks have samples.").explained(
      by: "iso-track-lost", "iso-data-missing", "iso-table-offsets", "iso-table-sizes", "iso-mdat-missing",
      "iso-chunk-offset"),
    .diagnostic(
      "iso-description", .isobmff, .error, ["undescribed"], "Samples use existing sample descriptions."
    ).explained(by: "iso-stsc-description", "iso-traf-description"),
    .diagnostic(
      "cenc-information", .encryption, .error, ["undecryptable"],
      "Each encrypted sample has its own initialization vector, or its track has a constant one."),
  ]
}
