/// The completion script for zsh: a file for `$fpath` that can also be sourced.
struct ZshCompletion {
  let commands: [Command]

  var text: String {
    let general = GeneralOptions.all.map(\.declaration)
    return """
      #compdef mp4tool
      # zsh completion for mp4tool; save it as _mp4tool in a folder of $fpath, or: source <(mp4tool completions zsh)
      _mp4tool_commands() {
        local -a commands=(
      \(commands.flatMap(Self.described).joined())  )
        _describe -t commands command commands
      }
      _mp4tool() {
        local curcontext=$curcontext state line
        local -A opt_args
        _arguments -C -s -S \\
      \(general.flatMap(Self.specifications).map { "    \($0) \\\n" }.joined())    '1: :_mp4tool_commands' '*:: :->rest' && return
        [[ $state == rest ]] || return 1
        case $words[1] in
      \(commands.map(branch).joined())  esac
      }
      if [[ $funcstack[1] == _mp4tool ]]; then _mp4tool "$@"; else compdef _mp4tool mp4tool; fi

      """
  }

  /// The names of a command, each on a line with its summary.
  private static func described(_ command: Command) -> [String] {
    command.names.map { "    \(quoted("\($0):\(escaped(command.summary))"))\n" }
  }

  private func branch(_ command: Command) -> String {
    var lines = command.allOptions.flatMap(Self.specifications)
    for (index, operand) in command.operands.enumerated() {
      let place = operand.canBeRepeated ? "*" : "\(index + 1)"
      lines.append(Self.quoted("\(place):\(operand.name):\(action(operand))"))
    }
    return "    \(command.names.joined(separator: "|")))\n      _arguments -s -S \\\n"
      + lines.map { "        \($0)" }.joined(separator: " \\\n") + "\n      ;;\n"
  }

  private func action(_ operand: Operand) -> String {
    switch operand.kind {
    case .file: "_files"
    case .command: "_mp4tool_commands"
    case .choice, .word: Self.values(operand.completions(commands))
    }
  }

  /// The specifications of an option for `_arguments`; a paired flag has two.
  private static func specifications(_ option: OptionDeclaration) -> [String] {
    let help = "[\(escaped(option.firstSentence))]"
    switch option.kind {
    case .flag:
      guard let short = option.short else { return [quoted("--\(option.name)\(help)")] }
      return ["'(-\(short) --\(option.name))'{-\(short),--\(option.name)}\(quoted(help))"]
    case .pairedFlag:
      let exclusion = "(\(option.longNames.map { "--" + $0 }.joined(separator: " ")))"
      return option.longNames.map { quoted("\(exclusion)--\($0)\(help)") }
    case .choice where option.impliedValue != nil:
      return [quoted("--\(option.name)=-\(help)::\(option.placeholder):\(action(option))")]
    case .path, .folder, .choice, .word:
      let tail = "\(help):\(option.placeholder):\(action(option))"
      let count = option.canBeRepeated ? "*" : ""
      guard let short = option.short else { return [quoted("\(count)--\(option.name)=\(tail)")] }
      return ["'(-\(short) --\(option.name))'{-\(short)+,--\(option.name)=}\(quoted(tail))"]
    }
  }

  private static func action(_ option: OptionDeclaration) -> String {
    if case .path = option.kind { return "_files" }
    if case .folder = option.kind { return "_files -/" }
    return option.offeredValues.isEmpty ? " " : values(option.offeredValues)
  }

  private static func values(_ choices: [Choice]) -> String {
    if choices.allSatisfy(\.meaning.isEmpty) { return "(\(choices.map(\.name).joined(separator: " ")))" }
    return "((" + choices.map { "\($0.name)\\:\"\(HelpText.plain($0.meaning))\"" }.joined(separator: " ") + "))"
  }

  private static func escaped(_ text: String) -> String {
    HelpText.plain(text).replacing(["[": "\\[", "]": "\\]", ":": "\\:"])
  }

  private static func quoted(_ text: String) -> String { "'" + text.replacing(["'": "'\\''"]) + "'" }
}
