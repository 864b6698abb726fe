import MP4Inspection

extension ManPage {
  /// `mp4tool-spec.5`: the format of specifications.
  static var specification: (file: String, text: String) {
    var page = head(
      title: "MP4TOOL-SPEC", section: 5, name: "mp4tool-spec",
      summary: "specifications of files, for mp4tool check")
    page += ".Sh DESCRIPTION\n"
    page += [
      "A specification is a text file in UTF-8 with one requirement in each line. Blank lines and comments, from `#` "
        + "to the end of a line, are ignored. A file passes if it meets all requirements. A requirement after `warn` "
        + "is advice: a file that does not meet it gets a warning, and passes.",
      "A requirement is a property and what is said about it:",
    ].map(ManText.paragraph).joined(separator: ".Pp\n")
    page += list(of: tests)
    page += ".Pp\n"
    page += [
      "A value is text in quotes, a number, or `true` or `false`. In text, `\\\"` is a quote and `\\\\` a backslash. "
        + "Text must be equal in every letter. A number can be a fraction: `30000/1001`. Properties that are "
        + "fractions, such as frame rates, are compared with numbers. A number with decimals equals a property that "
        + "rounds to it: `29.97` means 30000/1001 as well, while `30` means exactly 30.",
      "Properties are the members of the JSON of `mp4tool info --format json`, which shows their values. A path has "
        + "the names of members with points between them; names with other letters are in quotes. Elements of lists "
        + "have numbers, starting at 1: `tracks[2].language`. A requirement for `[*]` is for every element, of which "
        + "there must be at least one, except for `missing`: `audio[*].sample_rate = 48000`. `count` is the number of "
        + "elements: `audio.count = 2`.",
      "Some parts have shorter names:",
    ].map(ManText.paragraph).joined(separator: ".Pp\n")
    page += list(of: Specification.parts)
    page += ".Pp\n"
    page += ManText.paragraph(
      "`video`, `audio` and `text` also have the members of their tracks, and `video` and `audio` those of the members "
        + "`video` and `audio` of tracks: `video.width` is `tracks[1].video.width` if the first track is video.")
    page += ".Sh PROPERTIES\n"
    page += ManText.paragraph("The full paths are:")
    page += list(of: Specification.properties)
    page += examples([
      Command.Example("mp4tool check --spec delivery.txt *.mov", "Prints the requirements that files do not meet.")
    ])
    page += ".Pp\n"
    page += ManText.paragraph("A specification:")
    page += ".Bd -literal -offset indent\n" + Self.example.map { ManText.literal($0) + "\n" }.joined() + ".Ed\n"
    return ("mp4tool-spec.5", page + ".Sh SEE ALSO\n.Xr mp4tool-check 1 ,\n.Xr mp4tool-info 1\n")
  }

  private static func list(of items: [(name: String, meaning: String)]) -> String {
    list(items.map { ("Sy " + ManText.arguments($0.name), ManText.paragraph(sentence($0.meaning))) })
  }

  private static let tests = [
    ("PROPERTY = VALUE", "it has this value"),
    ("PROPERTY = NUMBER within NUMBER", "it differs from the first number by at most the second"),
    ("PROPERTY != VALUE", "it has another value"),
    ("PROPERTY in [VALUE, VALUE]", "it has one of these values"),
    ("PROPERTY in LEAST..MOST", "it is between these numbers, or equals one of them; one can be left out"),
    ("PROPERTY present", "it has a value"),
    ("PROPERTY missing", "it has no value, or is an empty list"),
  ]

  private static let example = [
    "video.codec = \"ProRes 422 HQ\"", "video.frame_rate = 25", "video.colors = \"BT.709\"",
    "audio[*].sample_rate = 48000", "audio[1].layout in [\"stereo\", \"5.1\"]", "timecode.start = \"10:00:00:00\"",
    "duration = 60 within 0.04", "container.moov = \"first\"", "video.bit_rate in 8000000..12000000",
    "warn metadata.title present",
  ]
}
