import Bytes
import FileIO
import ISOBMFF

/// The file that `--report` asks for: complete or not there at all.
struct ReportFile {
  static let option = Option.path(
    "report", placeholder: "FILE",
    help:
      "Write everything that was decided to FILE as JSON; `-` is standard output. The man page lists the members. It is "
      + "written after the output, also when something was lost, when `--strict` refuses the output, and with "
      + "`--dry-run`; not when an input cannot be used at all. It may be neither an input nor the output.")

  private let file: OutputFile
  private let outputName: String?

  /// Begins the report, if the command has one and it is asked for. What cannot be made is found out now.
  /// `name` is what the output is called where it is no file of its own.
  init?(
    _ arguments: ParsedArguments, _ options: OutputFile.Options, besides output: (any SafeOutput)?, name: String? = nil
  ) throws {
    guard let word = arguments.ifDeclared(Self.option) ?? nil else { return nil }
    guard let path = Pathname(word.bytes) else { throw UsageError("the name of the report has a zero byte in it") }
    file = try OutputFile(path, options: options)
    outputName = output?.name ?? name
    if let output, output.isSame(as: file) {
      throw IOError(.create, file: file.name, reason: "it is also the output, which would be destroyed")
    }
  }

  /// Whether it goes to standard output.
  static func isOnConsole(_ arguments: ParsedArguments) -> Bool {
    (arguments.ifDeclared(option) ?? nil)?.isDash ?? false
  }

  /// Lets `body` write the report of an output with this name; it returns whether there is a report at all.
  func write(_ body: (_ file: OutputFile, _ output: String?) throws -> Bool) throws {
    guard try body(file, outputName) else { return file.discard() }
    try file.commit()
  }
}
