import BoxCatalog
import Bytes
import FileIO
import ISOBMFF
import Platform

/// The files with definitions of boxes that users bring.
struct BoxFiles {
  static let option = Option.paths(
    "boxes", placeholder: "FILE",
    help:
      "Also use the box definitions in FILE, whose format is described in mp4tool-boxes(5). Can be repeated. The files "
      + "in the variable MP4TOOL_BOXES are read first.")
  static let variable = "MP4TOOL_BOXES"
  /// Definitions of everything there is take less than a tenth of it.
  private static let sizeLimit = 1 << 24

  let context: CommandContext

  /// Every box that is known, with those of the files that the environment and the option name.
  func registry(_ arguments: ParsedArguments) throws -> BoxRegistry {
    let always = Environment[Self.variable]?.split(separator: ":").map { Argument(String($0)) } ?? []
    return try (always + arguments[Self.option]).reduce(.standard) { try $0.adding(definitions: read($1), of: $1) }
  }

  private func read(_ file: Argument) throws -> String {
    let source = try InputFiles(context).open(file, spool: false)
    let bytes = try source.bytes(in: 0..<Self.sizeLimit + 1)
    let text = String(decoding: bytes, as: UTF8.self)
    // What is not UTF-8 was replaced.
    guard bytes.count <= Self.sizeLimit, text.utf8.elementsEqual(bytes) else {
      throw UnusableInput(file: source.name, reason: "this is not a text file with box definitions")
    }
    return text
  }
}

extension BoxRegistry {
  fileprivate func adding(definitions text: String, of file: Argument) throws(UnusableInput) -> BoxRegistry {
    do throws(DefinitionError) { return try adding(definitions: text) } catch {
      throw UnusableInput(file: file.text, reason: error.description)
    }
  }
}
