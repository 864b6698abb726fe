/// What one option looks like: enough to parse it, to document it and to complete it.
struct OptionDeclaration: Sendable {
  /// What follows the option's name.
  enum Kind: Sendable {
    /// Nothing: the option is given or not.
    case flag
    /// Nothing, and `--no-NAME` says the opposite; of several the last one counts.
    case pairedFlag
    case text
    case path
    /// A path as well, which only a folder can bear.
    case folder
    case integer(ClosedRange<Int>)
    case choice([Choice])
    case checked(Check)
  }

  /// What a word has to be.
  struct Check: Sendable {
    /// As in `takes a number`.
    let expectation: String
    let isValid: @Sendable (String) -> Bool
  }

  /// The long name, without its dashes.
  let name: String
  let short: Character?
  let kind: Kind
  /// What stands for the value in help texts, in capitals; empty for flags.
  let placeholder: String
  /// What it does, as sentences.
  let help: String
  /// What holds when it is not given, as the user would write it.
  let defaultText: String?
  let isRequired: Bool
  /// The options with which it may be missing all the same.
  let dispensers: [String]
  /// Whether it can be given several times, with a value each.
  let canBeRepeated: Bool

  init(
    _ name: String, short: Character? = nil, kind: Kind, placeholder: String = "", help: String,
    defaultText: String? = nil, isRequired: Bool = false, unless dispensers: [String] = [],
    canBeRepeated: Bool = false
  ) {
    self.name = name
    self.short = short
    self.kind = kind
    self.placeholder = placeholder
    self.help = help
    self.defaultText = defaultText
    self.isRequired = isRequired
    self.dispensers = dispensers
    self.canBeRepeated = canBeRepeated
  }

  var takesValue: Bool { !placeholder.isEmpty }

  /// Every long name it can be given by.
  var longNames: [String] {
    if case .pairedFlag = kind { [name, "no-" + name] } else { [name] }
  }

  /// The values worth offering, each with its meaning: the choices, or the numbers of a short range.
  var offeredValues: [Choice] {
    switch kind {
    case .choice(let choices): choices
    case .integer(let range) where range.count <= 10: range.map { Choice(name: "\($0)", meaning: "") }
    default: []
    }
  }
}

/// One of the values that an option or operand can have.
struct Choice: Sendable {
  let name: String
  /// What it does, as a phrase; empty when the name says it.
  let meaning: String
}

/// A type whose cases are the values of an option.
protocol OptionChoice: RawRepresentable<String>, CaseIterable, Sendable {
  /// What the value does, as a phrase.
  var meaning: String { get }
}

extension OptionChoice {
  static var choices: [Choice] { allCases.map { Choice(name: $0.rawValue, meaning: $0.meaning) } }
}
