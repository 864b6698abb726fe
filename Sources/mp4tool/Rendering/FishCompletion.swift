/// The completion script for fish.
struct FishCompletion {
  let commands: [Command]

  var text: String {
    var lines = [
      "# fish completion for mp4tool; load it with: mp4tool completions fish | source",
      "function __mp4tool_command",
      "  set -l words (commandline -opc)",
      "  for word in $words[2..-1]",
      "    switch $word",
      "      case '-*'",
      "      case '*'",
      "        echo $word",
      "        return 0",
      "    end",
      "  end",
      "  return 1",
      "end",
      "function __mp4tool_is",
      "  set -l command (__mp4tool_command); and contains -- $command $argv",
      "end",
    ]
    let bare = "complete -c mp4tool -n 'not __mp4tool_command >/dev/null'"
    lines += commands.flatMap { command in
      command.names.map { "\(bare) -f -a \($0) -d \(Self.quoted(command.summary))" }
    }
    lines += GeneralOptions.all.flatMap { Self.option($0.declaration).map { "\(bare) -f\($0)" } }
    for command in commands {
      let start = "complete -c mp4tool -n '__mp4tool_is \(command.names.joined(separator: " "))'"
      if let operand = command.operands.first {
        let words = operand.completions(commands)
        if !words.isEmpty { lines.append("\(start) -f -a \(Self.list(words))") }
      }
      lines += command.allOptions.flatMap { Self.option($0).map { start + $0 } }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The arguments of `complete` for an option; a paired flag has two.
  private static func option(_ option: OptionDeclaration) -> [String] {
    let short = option.short.map { " -s \($0)" } ?? ""
    let value =
      switch option.kind {
      case .flag, .pairedFlag: ""
      case .path: " -r -F"
      case .folder: " -x -a '(__fish_complete_directories)'"
      case .choice where option.impliedValue != nil: " -f"
      case .choice, .word: option.offeredValues.isEmpty ? " -x" : " -x -a \(list(option.offeredValues))"
      }
    return option.longNames.map { "\(short) -l \($0)\(value) -d \(quoted(option.firstSentence))" }
  }

  private static func list(_ choices: [Choice]) -> String {
    quoted(choices.map { $0.meaning.isEmpty ? $0.name : "\($0.name)\\t\"\($0.meaning)\"" }.joined(separator: " "))
  }

  private static func quoted(_ text: String) -> String {
    "'" + HelpText.plain(text).replacing(["'": "\\'"]) + "'"
  }
}

extension OptionDeclaration {
  /// The first sentence of the help, for short lists.
  var firstSentence: String {
    var sentence = ""
    for word in help.split(separator: " ") {
      sentence += sentence.isEmpty ? word : " " + word
      if word.hasSuffix(".") || word.hasSuffix(";") { return String(sentence.dropLast()) }
    }
    return sentence
  }
}
