import MP4Bytes

/// Parses the words after a command's name.
///
/// Options can come before, between and after operands; `--` ends them. Long names cannot be abbreviated, because an
/// abbreviation in a script would break when another option with the same prefix is added. An option with a value can
/// be repeated only with the same value, unless it accepts several; flags can be repeated, and of `--name` and
/// `--no-name` the last one applies.
struct ArgumentParser {
  /// The result of parsing.
  enum Outcome: Sendable {
    case run(ParsedArguments)
    case help
    case version
  }

  private let command: Command
  private let name: String
  private let options: [OptionDeclaration]
  private let commandNames: [String]
  private var words: ArraySlice<Argument> = []
  private var operands: [Argument] = []
  private var values: [String: any Sendable] = [:]
  /// The words of values.
  private var given: [String: Argument] = [:]
  /// The words of all values, as `--name=value`.
  private var spelled: [(name: String, words: String)] = []

  /// A parser for a command that was called by this name, or by its first one.
  init(_ command: Command, as name: String? = nil, commandNames: [String]) {
    self.command = command
    self.name = name ?? command.name
    self.commandNames = commandNames
    options = command.allOptions
  }

  mutating func parse(_ arguments: [Argument]) throws(UsageError) -> Outcome {
    words = arguments[...]
    while let word = words.popFirst() {
      if word.bytes == Array("--".utf8) {
        operands += words
        break
      } else if word.bytes.starts(with: "--".utf8) {
        try takeLong(word)
      } else if word.bytes.first == UInt8(ascii: "-"), !word.isDash, !word.bytes.starts(with: "-,".utf8) {
        try takeShort(word)
      } else {
        operands.append(word)
      }
      // Help has priority: a user who asks for it should not get an error about missing arguments.
      if values[GeneralOptions.help.declaration.name] != nil { return .help }
      if values[GeneralOptions.version.declaration.name] != nil { return .version }
    }
    try checkOperands()
    try checkTogether()
    return .run(
      ParsedArguments(
        commandName: name, operands: operands, values: values, spelled: spelled, options: options))
  }

  // MARK: - Options

  private mutating func takeLong(_ word: Argument) throws(UsageError) {
    let equals = UInt8(ascii: "=")
    let parts = word.bytes.dropFirst(2).split(separator: equals, maxSplits: 1, omittingEmptySubsequences: false)
    let name = Argument(bytes: Array(parts.first ?? [])).text
    guard let option = options.first(where: { $0.longNames.contains(name) }) else { throw unknown("--" + name) }
    let attached = parts.count > 1 ? Argument(bytes: Array(parts[1])) : nil
    guard option.takesValue else {
      if attached != nil { throw UsageError("option '--\(name)' takes no value") }
      values[option.name] = name == option.name
      spelled.append((option.name, "--" + name))
      return
    }
    let value =
      if let attached {
        attached
      } else if let implied = option.impliedValue {
        Argument(bytes: Array(implied.utf8))
      } else {
        try separateValue(of: option, givenAs: "--" + name)
      }
    try take(value, for: option, givenAs: "--" + name)
  }

  /// `-q`, `-qv`, `-o OUT`, `-oOUT` or `-qoOUT`.
  private mutating func takeShort(_ word: Argument) throws(UsageError) {
    let long = Argument(bytes: Array(word.bytes.dropFirst())).text
    if long.count > 1, options.contains(where: { $0.longNames.contains(long) }) {
      // `-output x` would otherwise write a file called `utput`.
      throw UsageError("option '-\(long)' has only one dash", suggestions: ["--" + long])
    }
    var letters = word.bytes.dropFirst()
    while let letter = letters.popFirst() {
      let option = options.first { $0.short?.asciiValue == letter }
      guard let option else {
        throw unknown(letter < 0x80 ? "-" + String(Unicode.Scalar(letter)) : word.text, in: word)
      }
      let name = "-" + String(Unicode.Scalar(letter))
      guard option.takesValue else {
        values[option.name] = true
        spelled.append((option.name, "--" + option.name))
        continue
      }
      let value =
        if letters.isEmpty { try separateValue(of: option, givenAs: name) } else { Argument(bytes: Array(letters)) }
      return try take(value, for: option, givenAs: name)
    }
  }

  /// The next word, unless it looks like an option: `-o --strict` is a forgotten value, not a file called `--strict`.
  private mutating func separateValue(
    of option: OptionDeclaration, givenAs name: String
  ) throws(UsageError) -> Argument {
    guard let word = words.first else {
      throw UsageError("option '\(name)' needs a value: '\(name) \(option.placeholder)'")
    }
    let looksLikeOption = word.bytes.first == UInt8(ascii: "-") && !word.isDash
    if looksLikeOption, Int(word.text) == nil {
      throw UsageError(
        "option '\(name)' needs a value, and '\(word.text)' looks like an option; "
          + "use '--\(option.name)=\(word.text)' if that is intended")
    }
    words.removeFirst()
    return word
  }

  private mutating func take(
    _ word: Argument, for option: OptionDeclaration, givenAs name: String
  ) throws(UsageError) {
    let value = try option.value(of: word, givenAs: name)
    spelled.append((option.name, "--\(option.name)=\(word.text)"))
    if option.canBeRepeated {
      values[option.name] = (values[option.name] as? [any Sendable] ?? []) + [value]
      return
    }
    // A number can be written in several ways.
    let number = value as? Int
    if let earlier = given[option.name], earlier != word, number == nil || number != values[option.name] as? Int {
      throw UsageError("option '--\(option.name)' is given twice with different values; the second is '\(word.text)'")
    }
    (values[option.name], given[option.name]) = (value, word)
  }

  private func unknown(_ name: String, in word: Argument? = nil) -> UsageError {
    func other(_ word: String) -> OtherTools? { OtherTools.option(word, in: command.name, options) }
    if name.hasPrefix("--") {
      let names = options.flatMap(\.longNames)
      let like = Spelling.names(like: String(name.dropFirst(2)), from: names)
      return UsageError(
        unknown: "unknown option '\(name)'", other(String(name.dropFirst(2))), like: like.map { "--" + $0 })
    }
    guard let word, word.text != name else {
      return UsageError(unknown: "unknown option '\(name)'", other(String(name.dropFirst())))
    }
    // Long words after a single dash, as in ffmpeg and other tools.
    if let known = other(String(word.text.dropFirst())) {
      return UsageError(unknown: "unknown option '\(word.text)'", known)
    }
    // A word with a period or a slash is probably a file name.
    let isFile = word.bytes.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }
    return UsageError("unknown option '\(name)' in '\(word.text)'", suggestions: isFile ? ["./" + word.text] : [])
  }

  // MARK: - Checks

  private func checkOperands() throws(UsageError) {
    for (index, operand) in command.operands.enumerated() {
      guard index < operands.count else {
        if case .optional = operand.count { break }
        if case .anyNumber = operand.count { break }
        if isGiven(anyOf: operand.dispensers) { break }
        throw UsageError("\(operand.name) is missing: 'mp4tool \(name) \(command.synopsis)'")
      }
      try operand.check(operands[index], commandNames: commandNames)
    }
    // After the end of standard input, there is nothing left for another operand.
    if operands.count(where: \.isDash) > 1 { throw UsageError("only one operand can be standard input") }
    if command.operands.last?.canBeRepeated == true { return }
    if operands.count > command.operands.count {
      throw UsageError("unexpected operand '\(operands[command.operands.count].text)'")
    }
  }

  private func isGiven(anyOf names: [String]) -> Bool {
    names.contains { values[$0] != nil && values[$0] as? Bool != false }
  }

  private func checkTogether() throws(UsageError) {
    for option in options where option.isRequired && values[option.name] == nil {
      if isGiven(anyOf: option.dispensers) { continue }
      let ways = option.alternatives(in: options).map(\.synopsis)
      throw UsageError("option '--\(option.name)' is missing: add \(UsageError.alternatives(ways))")
    }
    let (quiet, verbose) = (GeneralOptions.quiet, GeneralOptions.verbose)
    if values[quiet.declaration.name] != nil, values[verbose.declaration.name] != nil {
      throw UsageError(quiet, contradicts: verbose)
    }
  }
}
