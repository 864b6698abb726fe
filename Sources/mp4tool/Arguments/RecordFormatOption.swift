import Inspection
import Records

/// The output format of commands that print lists.
enum RecordFormatOption: String, OptionChoice {
  case text
  case json
  case jsonl
  case csv

  var meaning: String {
    switch self {
    case .text: "plain text"
    case .json: "JSON"
    case .jsonl: "JSON, one object per line"
    case .csv: "comma-separated values, with the column names in the first line"
    }
  }

  /// The machine-readable format; `nil` for text.
  var records: RecordFormat? {
    switch self {
    case .text: nil
    case .json: .json
    case .jsonl: .jsonLines
    case .csv: .csv
    }
  }

  static let printSchema = Option.flag("print-schema", help: "Print the JSON Schema of the JSON output and exit.")
  static let option = Option<RecordFormatOption>.choice(
    "format", placeholder: "FORMAT", default: .text, help: "The format of the result.")
}
