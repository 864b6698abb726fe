enum CompletionsCommand {
  /// A shell for which there is a completion script.
  enum Shell: String, OptionChoice {
    case bash
    case zsh
    case fish

    var meaning: String {
      switch self {
      case .bash: "bash 3.2 and later"
      case .zsh: "zsh 5 and later"
      case .fish: "fish 3 and later"
      }
    }
  }

  static let command = Command(
    name: "completions",
    summary: "print a completion script for bash, zsh or fish",
    operands: [Operand("SHELL", kind: .choice(Shell.choices), help: "The shell: `bash`, `zsh` or `fish`.")],
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
    let script =
      switch arguments.operands.first.flatMap({ Shell(rawValue: $0.text) }) {
      case .bash: BashCompletion(commands: context.commands).text
      case .zsh: ZshCompletion(commands: context.commands).text
      case .fish: FishCompletion(commands: context.commands).text
      case nil: throw UsageError("SHELL is missing")
      }
    try context.console.write(script)
    return .done
  }
}
