/// The output of `mp4tool COMMAND --help`: plain text in 80 columns.
struct HelpText {
  private let command: Command

  init(_ command: Command) {
    self.command = command
  }

  var text: String {
    let own = command.options.map(\.declaration)
    let alias = command.aliases.isEmpty ? "" : " (also: \(command.aliases.joined(separator: ", ")))"
    var parts = [TextWrapping.paragraph("\(Version.name) \(command.name)\(alias): \(command.summary)")]
    let usage = TextWrapping.paragraph("\(Version.name) \(command.name) \(command.synopsis)", indent: 7)
    parts.append("Usage:" + usage.dropFirst(6))
    parts += command.description.map { TextWrapping.paragraph(Self.plain($0)) }
    let operands = command.operands.map { TextWrapping.item("  \($0.name)", Self.plain($0.help), column: 26) }
    parts.append(Self.section("Operands", operands))
    parts.append(Self.section("Options", own.map(Self.item)))
    parts.append(Self.section("General options", GeneralOptions.all.map { Self.item($0.declaration) }))
    parts.append(Self.section("Examples", command.examples.map(Self.example)))
    parts.append(Self.exitStatus)
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The meanings of exit codes, in two lines.
  static var exitStatus: String {
    let codes = ExitCode.allCases.filter { $0 != .pipeClosed }.map { "\($0.rawValue) \($0.summary)" }
    return TextWrapping.paragraph("Exit status: " + codes.joined(separator: ", ") + ".")
  }

  /// A section with its title, or nothing if it is empty.
  static func section(_ title: String, _ items: [String]) -> String {
    items.isEmpty ? "" : "\(title):\n" + items.joined()
  }

  static func example(_ example: Command.Example) -> String {
    "  \(example.line)\n" + TextWrapping.paragraph(plain(example.meaning), indent: 6)
  }

  static func item(_ option: OptionDeclaration) -> String {
    var help = plain(option.help)
    if let text = option.defaultText { help += " The default is \(text)." }
    var item = TextWrapping.item(term(option), help, column: 26)
    if case .choice(let choices, _) = option.kind {
      let column = 28 + (choices.map(\.name.count).max() ?? 0)
      for choice in choices {
        let name = String(repeating: " ", count: 26) + choice.name
        item += TextWrapping.item(name, plain(choice.meaning), column: column)
      }
    }
    return item
  }

  private static func term(_ option: OptionDeclaration) -> String {
    var name = "--\(option.name)"
    if case .pairedFlag = option.kind { name = "--[no-]\(option.name)" }
    name += option.valueSynopsis
    return "  " + (option.short.map { "-\($0), " } ?? "    ") + name
  }

  /// The text with quotes instead of backticks.
  static func plain(_ text: String) -> String { text.replacing(["`": "'"]) }
}
