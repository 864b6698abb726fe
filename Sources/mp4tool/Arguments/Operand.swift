/// What a command works on: the words of a command line that are no options.
struct Operand: Sendable {
  /// How often it is given. Only the last operand of a command may be left out or repeated.
  enum Count: Sendable {
    case one
    case optional
    case oneOrMore
    case anyNumber
  }

  /// What it may be.
  enum Kind: Sendable {
    case file
    case choice([Choice])
    /// A word that the command looks at itself, with those that are worth offering.
    case word(offered: @Sendable () -> [String])
    /// The name of a command of the tool.
    case command
  }

  /// What stands for it in a synopsis, in capitals.
  let name: String
  let count: Count
  let kind: Kind
  /// The options with which it may be missing.
  let dispensers: [String]
  /// What it is, as a sentence.
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

  /// Such as `FILE...` or `[COMMAND]`; three dots, since not every terminal has the one-character ellipsis.
  var synopsis: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)..."
    case .anyNumber: "[\(name)]..."
    }
  }
}
