import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform

/// The user's files with box definitions.
struct BoxFiles {
  static let option = Option.paths(
    "boxes", placeholder: "FILE",
    help:
      "Also use the box definitions in FILE, whose format is described in mp4tool-boxes(5). Can be repeated. The files "
      + "listed in the variable MP4TOOL_BOXES are read first.")
  static let variable = "MP4TOOL_BOXES"
  /// The definitions of all known boxes take less than a tenth of this.
  private static let sizeLimit = 1 << 24
  /// Further mistakes are usually repetitions.
  private static let mistakeLimit = 10

  let context: CommandContext

  /// The files given by the environment and the option.
  func files(_ arguments: ParsedArguments) -> [Argument] {
    let always = Environment[Self.variable]?.split(separator: ":").map { Argument(String($0)) } ?? []
    return always + arguments[Self.option]
  }

  /// A registry with all known boxes, and those in the files.
  func registry(_ arguments: ParsedArguments) throws -> BoxRegistry {
    // A file that is named twice is read once.
    var known: Set<FileIdentity> = []
    return try files(arguments).reduce(.standard) { registry, file in
      let identity = FileIdentity(of: file.path)
      if let identity, !known.insert(identity).inserted { return registry }
      return try adding(file, to: registry)
    }
  }

  private func adding(_ file: Argument, to registry: BoxRegistry) throws -> BoxRegistry {
    let text = try read(file)
    do throws(DefinitionError) { return try registry.adding(definitions: text) } catch {
      let mistakes = registry.mistakes(inDefinitions: text).prefix(Self.mistakeLimit)
      for mistake in mistakes.dropLast() { context.diagnostics.error("\(file.text): \(mistake)") }
      throw UnusableInput(file: file.text, reason: "\(mistakes.last ?? error)")
    }
  }

  private func read(_ file: Argument) throws -> String {
    let source = try InputFiles(context).open(file, spool: false)
    let bytes = try source.bytes(in: 0..<Self.sizeLimit + 1)
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.count <= Self.sizeLimit else {
      throw UnusableInput(file: source.name, reason: "this is not a text file with box definitions")
    }
    // Invalid UTF-8 was replaced.
    if let wrong = zip(text.utf8, bytes).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
      let lines = bytes[..<wrong].split(separator: 10, omittingEmptySubsequences: false)
      let place = "line \(lines.count), column \((lines.last?.count ?? 0) + 1)"
      throw UnusableInput(file: source.name, reason: "\(place): this is not UTF-8; save the file as UTF-8")
    }
    return text
  }
}
