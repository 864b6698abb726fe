import ISOBMFF
import MP4Bytes
import MP4FileIO

/// The file of `--report`, which appears only when it is complete.
struct ReportFile {
  static let option = Option.path(
    "report", placeholder: "FILE",
    help:
      "Write a JSON report to FILE; `-` is standard output. Its members are listed under REPORT in the man page. The "
      + "report is written after the output. It is also written if samples are lost, if `--strict` rejects the output, "
      + "and with `--dry-run`. It is not written if an input cannot be used at all. FILE cannot be an input or the "
      + "output.")

  static let printSchema = Option.flag("print-schema", help: "Print the JSON Schema of the report and exit.")

  private let file: OutputFile
  private let outputName: String?

  /// Begins the report if it is requested, so that it fails early if it cannot be created.
  init?(_ arguments: ParsedArguments, _ options: OutputFile.Options, besides output: (any SafeOutput)?) throws {
    guard let word = arguments.ifDeclared(Self.option) ?? nil else { return nil }
    file = try OutputFile(word.path, options: options)
    outputName = output?.name
    if let output, output.isSame(as: file) {
      throw IOError(.create, file: file.name, reason: "it is also the output, which would be overwritten")
    }
  }

  /// Whether it is written to standard output.
  static func isOnConsole(_ arguments: ParsedArguments) -> Bool {
    (arguments.ifDeclared(option) ?? nil)?.isDash ?? false
  }

  /// Calls `body` to write the report for an output with this name; `body` returns whether there is a report.
  func write(_ body: (_ file: OutputFile, _ output: String?) throws -> Bool) throws {
    guard try body(file, outputName) else { return file.discard() }
    try file.commit()
  }
}
