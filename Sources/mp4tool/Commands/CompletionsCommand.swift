enum CompletionsCommand {
  /// The shells, each with the function that returns its script.
  private static let shells: [NamedValue<@Sendable ([Command]) -> String>] = [
    NamedValue({ BashCompletion(commands: $0).text }, "bash", "bash 3.2 and later"),
    NamedValue({ ZshCompletion(commands: $0).text }, "zsh", "zsh 5 and later"),
    NamedValue({ FishCompletion(commands: $0).text }, "fish", "fish 3 and later"),
  ]

  static let command = Command(
    name: "completions",
    summary: "print a completion script for bash, zsh or fish",
    operands: [Operand("SHELL", kind: .choice(shells.map(\.choice)), help: "The shell: `bash`, `zsh` or `fish`.")],
    description: [
      "Prints a script that lets the shell complete commands, options, values and file names. Source it to try it, or "
        + "save it in the folder from which the shell loads completions."
    ],
    options: [],
    examples: [
      Command.Example("source <(mp4tool completions bash)", "Enables completion in the current bash session."),
      Command.Example(
        "mp4tool completions bash > ~/.local/share/bash-completion/completions/mp4tool",
        "Enables completion in new bash sessions."),
      Command.Example(
        "mp4tool completions zsh > ~/.zfunc/_mp4tool",
        "Enables completion in new zsh sessions, if `~/.zfunc` is in `$fpath` before `compinit` runs."),
      Command.Example(
        "mp4tool completions fish > ~/.config/fish/completions/mp4tool.fish",
        "Enables completion in new fish "
          + "sessions."),
    ],
    run: run)

  static func run(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ExitCode {
    let name = arguments.operands.first?.text
    guard let shell = shells.first(where: { $0.choice.name == name }) else { throw UsageError("SHELL is missing") }
    try context.console.write(shell.value(context.commands))
    return .done
  }
}
