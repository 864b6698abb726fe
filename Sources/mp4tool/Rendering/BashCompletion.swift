/// The completion script for bash 3.2 and later.
struct BashCompletion {
  let commands: [Command]

  var text: String {
    let general = GeneralOptions.all.map(\.declaration)
    return """
      # bash completion for mp4tool; load it with: source <(mp4tool completions bash)
      _mp4tool() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev='' command='' ended='' before='' words='' i
        COMPREPLY=()
        ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}
        # readline breaks --name=value into three words, unless configured not to.
        if [[ $cur == '=' ]]; then
          cur=''
        elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
          prev=${COMP_WORDS[COMP_CWORD-2]}
        elif [[ $cur == --*=* ]]; then
          prev=${cur%%=*} before=${cur%%=*}= cur=${cur#*=}
        fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          case ${COMP_WORDS[i]} in
            --) ended=1 ;;
            -*) ;;
            *) [[ -z $command ]] && command=${COMP_WORDS[i]} ;;
          esac
        done
        case $command in
          '')
            case $cur in
              -*) words='\(optionWords(general))' ;;
              *) words='\(commands.flatMap(\.names).joined(separator: " "))' ;;
            esac
            ;;
      \(commands.map(branch).joined())  esac
        # Nothing to offer here: readline completes names of files.
        [[ -z $words ]] && return 0
        COMPREPLY=($(compgen -P "$before" -W "$words" -- "$cur"))
        return 0
      }
      complete -o bashdefault -o default -F _mp4tool mp4tool

      """
  }

  private func branch(_ command: Command) -> String {
    let options = command.allOptions
    var lines = ["    \(command.names.joined(separator: "|")))", "      case $prev in"]
    for option in options where option.takesNextWord {
      let values = option.offeredValues.map(\.name).joined(separator: " ")
      // Versions without this option complete file names.
      let folders = "compopt -o dirnames +o default +o bashdefault 2>/dev/null"
      let action = if case .folder = option.kind { folders } else { "words='\(values)'" }
      lines.append("        \(pattern(option))) \(action) ;;")
    }
    lines += [
      "        *)",
      "          if [[ -z $ended && $cur == -* ]]; then words='\(optionWords(options))'",
      "          else words='\(command.operands.first.map(operandWords) ?? "")'; fi ;;",
      "      esac",
      "      ;;",
    ]
    return lines.map { $0 + "\n" }.joined()
  }

  private func pattern(_ option: OptionDeclaration) -> String {
    (option.short.map { "-\($0)|" } ?? "") + "--\(option.name)"
  }

  private func optionWords(_ options: [OptionDeclaration]) -> String {
    options.flatMap { option in (option.short.map { ["-\($0)"] } ?? []) + option.longNames.map { "--" + $0 } }
      .joined(separator: " ")
  }

  private func operandWords(_ operand: Operand) -> String {
    operand.completions(commands).map(\.name).joined(separator: " ")
  }
}

extension Operand {
  /// The completions of this operand; empty for files, which the shell completes itself.
  func completions(_ commands: [Command]) -> [Choice] {
    switch kind {
    case .file: []
    case .choice(let choices): choices
    case .word(let offered): offered().map { Choice(name: $0, meaning: "") }
    case .command:
      commands.flatMap { command in command.names.map { Choice(name: $0, meaning: command.summary) } }
    }
  }
}
