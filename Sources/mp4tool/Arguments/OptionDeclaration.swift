/// The declaration of an option, for parsing, documentation and completion.
struct OptionDeclaration: Sendable {
  /// The kinds of values.
  enum Kind: Sendable {
    /// No value: the option is given or not.
    case flag
    /// No value; `--no-NAME` is the opposite, and the last one applies.
    case pairedFlag
    case text
    case path
    /// The path of a folder.
    case folder
    case integer(ClosedRange<Int>)
    case choice([Choice])
    case checked(Check)
  }

  /// A check for valid words.
  struct Check: Sendable {
    /// A phrase that continues `takes`, such as `a number`.
    let expectation: String
    /// Valid words that the user may have meant.
    let suggestions: @Sendable (String) -> [String]
    /// Valid words for completion, if there are not too many.
    let offered: @Sendable () -> [String]
    let isValid: @Sendable (String) -> Bool
  }

  /// The long name, without its dashes.
  let name: String
  let short: Character?
  let kind: Kind
  /// The placeholder of the value in help texts, in capitals; empty for flags.
  let placeholder: String
  /// Sentences that describe it.
  let help: String
  /// The default value, as the user would write it.
  let defaultText: String?
  var isRequired = false
  /// The options that make a required one optional.
  var dispensers: [String] = []
  /// Whether it can be repeated, each time with a value.
  let canBeRepeated: Bool

  init(
    _ name: String, short: Character? = nil, kind: Kind, placeholder: String = "", help: String,
    defaultText: String? = nil, canBeRepeated: Bool = false
  ) {
    self.name = name
    self.short = short
    self.kind = kind
    self.placeholder = placeholder
    self.help = help
    self.defaultText = defaultText
    self.canBeRepeated = canBeRepeated
  }

  var takesValue: Bool { !placeholder.isEmpty }

  /// Its shortest form, such as `-o OUT` or `--in-place`.
  var synopsis: String {
    (short.map { "-\($0)" } ?? "--\(name)") + (takesValue ? " \(placeholder)" : "")
  }

  /// The option, and those of `options` that make it optional, except `--dry-run` and `--print-schema`, which write no
  /// output.
  func alternatives(in options: [OptionDeclaration]) -> [OptionDeclaration] {
    let unusual = [OutputJob.dryRun, ReportFile.printSchema].map(\.declaration.name)
    return [self] + options.filter { dispensers.contains($0.name) && !unusual.contains($0.name) }
  }

  /// All its long names.
  var longNames: [String] {
    if case .pairedFlag = kind { [name, "no-" + name] } else { [name] }
  }

  /// The values for completion, with their meanings: choices, the numbers of a short range, or the words of a list.
  var offeredValues: [Choice] {
    switch kind {
    case .choice(let choices): choices
    case .integer(let range) where range.count <= 10: range.map { Choice(name: "\($0)", meaning: "") }
    case .checked(let check): check.offered().map { Choice(name: $0, meaning: "") }
    default: []
    }
  }
}

/// A valid value of an option or operand.
struct Choice: Sendable {
  let name: String
  /// Its meaning, as a phrase; empty if the name is self-explanatory.
  let meaning: String
}

/// A type whose cases are the values of an option.
protocol OptionChoice: RawRepresentable<String>, CaseIterable, Sendable {
  /// The meaning of the value, as a phrase.
  var meaning: String { get }
}

extension OptionChoice {
  static var choices: [Choice] { allCases.map { Choice(name: $0.rawValue, meaning: $0.meaning) } }
}
