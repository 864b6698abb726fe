import Bytes
import FileIO
import ISOBMFF

/// `mp4tool explain`.
enum ExplainCommand {
  static let list = Option.flag(
    "list",
    help: "One line for each box that is known: its code, its name, the boxes that may hold it, and its clause.")

  static let command = Command(
    name: "explain",
    summary: "explain what a box holds",
    operands: [
      Operand(
        "CODE", .oneOrMore, kind: .word(offered: { offeredCodes }), unless: [list.declaration.name],
        help: "The four letters of a box, or the user type of a `uuid` box; `--list` needs none.")
    ],
    description: [
      "Prints the layout of the box that each CODE names: a line with its code, its name and the clause of the standard, "
        + "the boxes that may hold it, and then its fields in their order, each with its type and its width in bits, and "
        + "with the versions and flags that it depends on. A field of a table has the name of the table and `[]` before "
        + "it. Codes that mean something else in other places have a layout for each.",
      "What is printed comes from the same declarations by which `dump` reads boxes.",
    ],
    options: [list, OutputFormat.option],
    examples: [
      Command.Example("mp4tool explain trun", "Shows the fields of track runs and the flags that bring them."),
      Command.Example("mp4tool explain alac stsd", "Shows both meanings of `alac`, and then `stsd`."),
      Command.Example("mp4tool explain --list | grep 14496-15", "Lists the boxes of one standard."),
      Command.Example("mp4tool explain --format json tfhd | jq .[0].fields", "Hands the layout to another program."),
    ],
    manSections: [
      Command.ManSection(
        title: "JSON",
        paragraphs: ["An array with an object for each layout, which has these members:"],
        items: [
          Choice(name: "type", meaning: "The four letters; `user_type` follows them for `uuid` boxes."),
          Choice(name: "name", meaning: "The name in the standard, and `clause` with the place where it is defined."),
          Choice(
            name: "containers",
            meaning:
              "The types of the boxes that may hold it; `file` is the file itself, and without any it is any box."),
          Choice(name: "holds_boxes", meaning: "Whether boxes follow its fields."),
          Choice(
            name: "fields",
            meaning:
              "Unless `--list` is given, its fields with `name`, `type` and `bits`; as `values` what numbers stand for, "
              + "each with its `name` and a `value`: the number, of bits those that are set, a mask and what is under it "
              + "(`0x3000000=0x2000000`), or a mask under which there is a number itself (`0xe0000=#`); and where they "
              + "depend on something, "
              + "the `versions` from 0 to 3 that have them, the `flags` of which any brings them, the `unless_flags` of "
              + "which any takes them away, as `other_bits` the versions that give them another width, as `with_flags` "
              + "the `flags` under a `mask` that do, as `width` how the bits follow from other fields, and as `condition` "
              + "what other fields have to be. A box that only holds boxes, or bytes that are not looked at, has none."),
        ])
    ],
    run: run)

  /// The codes that can be typed without thinking of the shell.
  private static var offeredCodes: [String] {
    let codes = Set(BoxRegistry.standard.all.map(\.info.type.description))
    return codes.filter { $0.utf8.allSatisfy(isLetterOrDigit) }.sorted()
  }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let isList = arguments[list]
    let definitions = try asked(arguments.operands.map(\.text))
    switch arguments[OutputFormat.option] {
    case .json: try writeJSON(definitions, isList: isList, context.console)
    case .text: try context.console.write(isList ? lines(definitions) : tables(definitions))
    }
    return .done
  }

  private static func asked(_ codes: [String]) throws(UsageError) -> [BoxDefinition] {
    let all = BoxRegistry.standard.all
    if codes.isEmpty { return all.sorted { $0.info.type.rawValue < $1.info.type.rawValue } }
    var found: [BoxDefinition] = []
    for code in codes {
      let meanings = all.filter { $0.info.isMeant(by: code) }
      guard !meanings.isEmpty else {
        let names = Set(all.map(\.info.typed)).sorted()
        throw UsageError("no box '\(code)' is known", suggestions: Suggestion.names(like: code, from: names))
      }
      found += meanings
    }
    return found
  }

  private static func tables(_ definitions: [BoxDefinition]) -> String {
    definitions.map { BoxLayout($0).text }.joined(separator: "\n")
  }

  /// The widest names and lists of places are left out of the width of their columns.
  private static let widestColumns = (name: 44, places: 24)

  private static func lines(_ definitions: [BoxDefinition]) -> String {
    let nameWidth = definitions.map(\.info.fullName.count).max() ?? 0
    let placesWidth = definitions.map(\.info.places.count).max() ?? 0
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
  /// The code as it is typed, without the spaces at its end.
  fileprivate var typed: String {
    var text = type.description
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
  fileprivate func isMeant(by word: String) -> Bool {
    word == typed || word == type.description || userType.map { word.lowercased() == $0.description } == true
  }
}
