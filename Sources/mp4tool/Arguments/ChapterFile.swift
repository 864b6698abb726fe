import MP4
import MP4Bytes
import MP4FileIO

extension ChapterList {
  /// The maximum size of a chapter file.
  private static let sizeLimit = 1 << 22

  /// Reads the chapter file of an option; `nil` for the word `none`.
  static func read(_ operand: Argument, _ context: CommandContext) throws -> ChapterList? {
    if operand.text == "none" { return nil }
    let source = try InputFiles(context).open(operand, spool: true)
    let bytes = try source.bytes(in: 0..<sizeLimit + 1)
    guard bytes.count <= sizeLimit else {
      throw UnusableInput(
        file: source.name,
        reason: "the file is larger than 4 MiB, the maximum size of a chapter file")
    }
    return try ChapterList(text: bytes, name: source.name)
  }
}
