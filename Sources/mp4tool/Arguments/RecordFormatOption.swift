import MP4Inspection
import MP4Records

/// The output format of commands that print lists.
enum RecordFormatOption {
  /// `nil` is text.
  static let formats: [NamedValue<RecordFormat?>] = [
    NamedValue(nil, "text", "plain text"),
    NamedValue(.json, "json", "JSON"),
    NamedValue(.jsonLines, "jsonl", "JSON, one object per line"),
    NamedValue(.csv, "csv", "comma-separated values, with the column names in the first line"),
  ]
  static let option = Option<RecordFormat?>.choice(
    "format", placeholder: "FORMAT", default: nil, help: "The format of the result.", formats)
  static let printSchema = Option.flag("print-schema", help: "Print the JSON Schema of the JSON output and exit.")
}

extension Record {
  /// Its members, for man pages.
  static var choices: [Choice] { documentation.map { Choice(name: $0.name, meaning: $0.meaning) } }
  /// Its members and those of the records in it, by their paths.
  static var allChoices: [Choice] { schema.paths.map { Choice(name: $0.path, meaning: $0.meaning) } }
}
