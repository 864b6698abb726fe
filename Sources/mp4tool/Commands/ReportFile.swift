import FileIO
import ISOBMFF
import MP4

/// The file that `--report` asks for: complete or not there at all.
struct ReportFile {
  static let option = Option.path(
    "report", placeholder: "FILE",
    help:
      "Write everything that was decided to FILE as JSON, as the chapter REPORT says; `-` is standard output. It is "
      + "written after the output, also when something was lost, when `--strict` refuses the output, and with "
      + "`--dry-run`; not when an input cannot be used at all. It may be neither an input nor the output.")

  private let file: OutputFile
  private let outputName: String?

  /// Begins the report, if the command has one and it is asked for. What cannot be made is found out now.
  init?(_ arguments: ParsedArguments, _ options: OutputFile.Options, besides output: OutputFile?) throws {
    guard let word = arguments.ifDeclared(Self.option) ?? nil else { return nil }
    guard let path = Path(word.bytes) else { throw UsageError("the name of the report has a zero byte in it") }
    file = try OutputFile(path, options: options)
    outputName = output?.name
    if let output, file.isSame(as: output) {
      throw IOError(.create, file: file.name, reason: "it is also the output, which would be destroyed")
    }
  }

  /// Whether it goes to standard output.
  static func isOnConsole(_ arguments: ParsedArguments) -> Bool {
    (arguments.ifDeclared(option) ?? nil)?.isDash ?? false
  }

  /// Writes the report of a plan, whose output was made or not.
  func write(_ report: DefragmentReport?, isMade: Bool) throws {
    guard var report else { return file.discard() }
    report.output.name = outputName
    report.output.isMade = isMade
    try report.writeJSON(to: file)
    try file.commit()
  }
}
