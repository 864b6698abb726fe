import Support
import Testing

/// A folder in which lines of a shell run the built tool, as its users do.
///
/// In the lines `mp4tool` is the tool and `$V` the folder of the vectors; `in.mp4` is a fragmented file.
struct EndToEnd {
  /// Where the lines run.
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("in.mp4", readFile(vectorPath("files/fragmented.mp4")))
  }

  /// Runs lines of bash; what takes longer than `seconds` ends with 124.
  func callAsFunction(_ lines: String, seconds: Int = 60) throws -> RunResult {
    let tool = product()
    let settings = [
      "export LC_ALL=C TMPDIR=\(Self.quoted(folder.path)) PATH=\(Self.quoted(String(tool.dropLast("/mp4tool".count)))):$PATH",
      "V=\(Self.quoted(vectorPath("files")))",
    ]
    return try run(
      "bash", ["-c", (settings + [lines]).joined(separator: "\n")], folder: folder.path, seconds: seconds)
  }

  /// The bytes of a file in the folder.
  func bytes(_ name: String) throws -> [UInt8] { try readFile(folder(name)) }

  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

extension RunResult {
  /// The lines of standard output.
  var lines: [Substring] { text.split(separator: "\n") }
  /// The lines of standard error.
  var errorLines: [Substring] { errorText.split(separator: "\n") }
}
