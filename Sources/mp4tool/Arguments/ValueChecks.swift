extension OptionDeclaration {
  /// The value of `word` for this option, which the user wrote as `name`.
  func check(_ word: Argument, givenAs name: String) throws(UsageError) -> GivenValue {
    switch kind {
    case .flag, .pairedFlag:
      throw UsageError("option '\(name)' takes no value")
    case .text:
      return .word(word)
    case .path, .folder:
      if word.bytes.isEmpty { throw UsageError("option '\(name)' needs a value") }
      return .word(word)
    case .integer(let range):
      guard let number = Int(word.text), range.contains(number) else {
        throw UsageError(
          "option '\(name)' takes a number from \(range.lowerBound) to \(range.upperBound), not '\(word.text)'")
      }
      return .integer(number)
    case .choice(let choices):
      try choices.check(word, what: "option '\(name)'")
      return .word(word)
    case .checked(let check):
      guard check.isValid(word.text) else {
        throw UsageError(
          "option '\(name)' takes \(check.expectation), not '\(word.text)'", suggestions: check.suggestions(word.text))
      }
      return .word(word)
    }
  }
}

extension Operand {
  /// Checks a word for this operand.
  func check(_ word: Argument, commandNames: [String]) throws(UsageError) {
    switch kind {
    case .file:
      if word.bytes.isEmpty { throw UsageError("\(name) is empty; it must be a file name") }
    case .choice(let choices):
      try choices.check(word, what: name)
    case .word:
      break
    case .command:
      guard !commandNames.contains(word.text) else { return }
      if let subject = OtherTools.subject(word.text) {
        throw UsageError(unknown: "unknown command '\(word.text)'", subject, like: [])
      }
      throw UsageError.unknownCommand(word.text, known: commandNames)
    }
  }
}

extension [Choice] {
  fileprivate func check(_ word: Argument, what: String) throws(UsageError) {
    let names = map(\.name)
    if names.contains(word.text) { return }
    throw UsageError(
      "\(what) can be \(UsageError.alternatives(names)), not '\(word.text)'",
      suggestions: Suggestion.names(like: word.text, from: names))
  }
}

extension UsageError {
  static func unknownCommand(_ name: String, known: [String]) -> UsageError {
    UsageError(
      unknown: "unknown command '\(name)'", OtherTools.command(name), like: Suggestion.names(like: name, from: known))
  }
}
