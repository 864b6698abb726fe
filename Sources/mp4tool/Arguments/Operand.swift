/// An operand of a command: a word of the command line that is not an option.
struct Operand: Sendable {
  /// How often it can be given. Only the last operand of a command can be optional or repeated.
  enum Count: Sendable {
    case one
    case optional
    case oneOrMore
    case anyNumber
  }

  /// The kinds of operands.
  enum Kind: Sendable {
    case file
    case choice([Choice])
    /// A word that the command interprets itself, with words to offer for completion.
    case word(offered: @Sendable () -> [String])
    /// The name of a command of the tool.
    case command
  }

  /// Its name in a synopsis, in capitals.
  let name: String
  let count: Count
  let kind: Kind
  /// The options that make it optional.
  let dispensers: [String]
  /// A sentence that describes it.
  let help: String

  init(
    _ name: String, _ count: Count = .one, kind: Kind = .file, unless dispensers: [String] = [], help: String
  ) {
    self.name = name
    self.count = count
    self.kind = kind
    self.dispensers = dispensers
    self.help = help
  }

  var canBeRepeated: Bool {
    switch count {
    case .oneOrMore, .anyNumber: true
    case .one, .optional: false
    }
  }

  /// Those of `options` that make it optional and have a value, such as another input.
  func alternatives(in options: [OptionDeclaration]) -> [OptionDeclaration] {
    options.filter { $0.takesValue && dispensers.contains($0.name) }
  }

  /// Such as `FILE...` or `[COMMAND]`; three dots, because not every terminal has the one-character ellipsis.
  var synopsis: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)..."
    case .anyNumber: "[\(name)]..."
    }
  }

  /// Checks a word for this operand.
  func check(_ word: Argument, commandNames: [String]) throws(UsageError) {
    switch kind {
    case .file:
      if word.bytes.isEmpty { throw UsageError("\(name) is empty; it must be a file name") }
    case .choice(let choices):
      _ = try choices.index(of: word, what: name)
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
