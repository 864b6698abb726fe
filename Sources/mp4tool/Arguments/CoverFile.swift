import MP4
import MP4Bytes

/// A picture for a cover.
enum CoverFile {
  private static let sizeLimit = 1 << 26

  /// Reads the picture of an option.
  static func read(_ operand: Argument, _ context: CommandContext) throws -> [UInt8] {
    let source = try InputFiles(context).open(operand, spool: true)
    let bytes = try source.bytes(in: 0..<sizeLimit + 1)
    guard bytes.count <= sizeLimit else {
      throw UnusableInput(file: source.name, reason: "the file is larger than 64 MiB, the maximum size of a cover")
    }
    guard !bytes.isEmpty else { throw UnusableInput(file: source.name, reason: "the file is empty") }
    if let tag = MetadataTag("cover"), !tag.accepts(picture: bytes) {
      throw UnusableInput(file: source.name, reason: "cover must be \(tag.expectation)")
    }
    return bytes
  }
}
