enum HelpCommand {
  static let command = Command(
    name: "help",
    summary: "explain mp4tool or one of its commands",
    operands: [
      Operand(
        "COMMAND", .optional, kind: .command,
        help: "The command to explain. The default is mp4tool itself.")
    ],
    description: [
      "Prints the same text as `mp4tool --help` or `mp4tool COMMAND --help`. The man pages have more detail."
    ],
    options: [],
    examples: [
      Command.Example("mp4tool help", "Lists the commands."),
      Command.Example("mp4tool help defrag", "Explains `defrag` and its options, with examples."),
      Command.Example("mp4tool help join | less", "Shows the help for `join` page by page."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let asked = arguments.operands.first.flatMap { word in context.commands.first { $0.names.contains(word.text) } }
    try context.console.write(asked.map { HelpText($0).text } ?? ToolHelp(context.commands).text)
    return .done
  }
}
