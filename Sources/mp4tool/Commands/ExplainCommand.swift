import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO

enum ExplainCommand {
  static let list = Option.flag(
    "list",
    help: "Print one line for each known box and sample group: its code, name, containers and clause in the standard.")

  static let check = Option.flag(
    "check",
    help: "Check the files of `--boxes` and `MP4TOOL_BOXES` and exit; up to ten errors per file are printed with line "
      + "and column.")

  static let command = Command(
    name: "explain",
    summary: "show the layout of a box or sample group",
    operands: [
      Operand(
        "CODE", .oneOrMore, kind: .word(offered: { offeredCodes }),
        unless: [list.declaration.name, check.declaration.name],
        help: "A four-character box type or grouping type, or the user type of a `uuid` box; optional with `--list` "
          + "and `--check`.")
    ],
    description: [
      "Prints the layout of each box type: a line with its code, its name and the clause in the standard; its "
        + "fields in order, each with its type, its width in bits, and the versions and flags on which it depends; and "
        + "the allowed containers, of which at most 12 are listed (JSON lists all). The fields of a table are preceded "
        + "by the name of the table and `[]`. If a code has several meanings, each has its own layout. For a grouping "
        + "type such as `roll`, prints the layout of its group descriptions in `sgpd`.",
      "The layouts come from the same declarations that `mp4tool dump` uses to decode boxes.",
    ],
    options: [list, BoxFiles.option, check, OutputFormat.option],
    examples: [
      Command.Example("mp4tool explain trun", "Shows the fields of track runs and the flags on which they depend."),
      Command.Example("mp4tool explain alac stsd", "Shows both meanings of `alac`, then `stsd`."),
      Command.Example("mp4tool explain --list | grep 14496-15", "Lists the boxes of one standard."),
      Command.Example(
        "mp4tool explain --format json tfhd | jq '.[0].fields'", "Prints the fields as JSON."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON",
        paragraphs: ["An array with an object for each layout, with these members:"],
        items: [
          Choice(name: "type", meaning: "The four-character code; `uuid` boxes also have a `user_type`."),
          Choice(name: "name", meaning: "The name in the standard; `clause` says where it is defined."),
          Choice(
            name: "containers",
            meaning:
              "The types of the boxes that may contain it; `file` is the top level, and an empty array means any box."),
          Choice(
            name: "replaces",
            meaning: "The names of the known boxes that a definition in FILE (`--boxes`) replaces, if any."),
          Choice(name: "holds_boxes", meaning: "Whether child boxes follow its fields."),
          Choice(
            name: "fields",
            meaning:
              "Unless `--list` is given, its fields with `name`, `type` and `bits`. `values` lists named values, each "
              + "with its `name` and `value`: a number, the bits that are set, a mask with its value "
              + "(`0x3000000=0x2000000`), or a mask of bits that contain a number (`0xe0000=#`). Conditional fields "
              + "have `versions` (those from 0 to 3 in which they exist); `flags` (any of them adds the field); "
              + "`unless_flags` (any of them removes it); `other_bits` (the widths in other versions); `with_flags` "
              + "(the widths if the bits under `mask` equal `flags`); `width` (if it depends on other fields); and "
              + "`condition` (the required values of other fields). Numbers have a `style` if they are shown as `hex`, "
              + "`date`, `language` or `fixed(N)`, and `must_be` if only some numbers are valid. A box that has only "
              + "child boxes or opaque bytes has no fields."
          ),
        ])
    ],
    run: run)

  /// The codes that need no shell quoting.
  private static var offeredCodes: [String] {
    let registry = BoxRegistry.standard
    let codes = Set((registry.all + registry.groups).map(\.info.type.description))
    return codes.filter { $0.utf8.allSatisfy(isLetterOrDigit) }.sorted()
  }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let boxFiles = BoxFiles(context: context)
    let registry = try boxFiles.registry(arguments)
    if arguments[check] {
      if boxFiles.files(arguments).isEmpty { throw UsageError("option '--check' needs '--boxes'") }
      return .done
    }
    let isList = arguments[list]
    let definitions = try asked(arguments.operands.map(\.text), registry.all + registry.groups)
    switch arguments[OutputFormat.option] {
    case .json: try writeJSON(definitions, isList: isList, context.console)
    case .text:
      // Some codes have control characters.
      let text = isList ? lines(definitions) : tables(definitions)
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        try context.console.write(Printable.escaped(String(line)) + "\n")
      }
    }
    return .done
  }

  private static func asked(_ codes: [String], _ all: [BoxDefinition]) throws(UsageError) -> [BoxDefinition] {
    if codes.isEmpty { return all.sorted { $0.info.type.rawValue < $1.info.type.rawValue } }
    var found: [BoxDefinition] = []
    for code in codes {
      let meanings = all.filter { $0.info.isMeant(by: code) }
      guard !meanings.isEmpty else {
        let names = Set(all.map(\.info.typed)).sorted()
        throw UsageError("unknown box '\(code)'", suggestions: Spelling.names(like: code, from: names))
      }
      found += meanings
    }
    return found
  }

  private static func tables(_ definitions: [BoxDefinition]) -> String {
    definitions.map { BoxLayout($0).text }.joined(separator: "\n")
  }

  /// The maximum widths of the columns for names and containers.
  private static let widestColumns = (name: 44, places: 24)

  private static func lines(_ definitions: [BoxDefinition]) -> String {
    let nameWidth = definitions.map(\.info.fullName.count).max() ?? 0
    let placesWidth = definitions.map(\.info.fewPlaces.count).max() ?? 0
    return definitions.map {
      BoxLayout($0).line(
        nameWidth: min(nameWidth, widestColumns.name), placesWidth: min(placesWidth, widestColumns.places))
    }.joined()
  }

  private static func writeJSON(_ definitions: [BoxDefinition], isList: Bool, _ console: Console) throws {
    var json = JSONWriter(console)
    json.beginArray()
    for definition in definitions { BoxLayout(definition).write(to: &json, withFields: !isList) }
    json.endArray()
    json.finish()
    if let failure = json.failure { throw failure }
  }
}

extension BoxInfo {
  /// The code without trailing spaces.
  fileprivate var typed: String {
    var text = type.description
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
  fileprivate func isMeant(by word: String) -> Bool {
    word == typed || word == type.description || userType.map { word.lowercased() == $0.description } == true
  }
}
