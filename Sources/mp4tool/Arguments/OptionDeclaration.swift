import MP4Bytes

/// The declaration of an option, for parsing, documentation and completion.
struct OptionDeclaration: Sendable {
  typealias Parse = @Sendable (_ word: Argument, _ name: String) throws(UsageError) -> any Sendable

  /// The kinds of values.
  enum Kind: Sendable {
    /// No value: the option is given or not.
    case flag
    /// No value; `--no-NAME` is the opposite, and the last one applies.
    case pairedFlag
    case path
    /// The path of a folder.
    case folder
    /// One of the choices; the function returns a value by its index.
    case choice([Choice], @Sendable (Int) -> any Sendable)
    /// A word, parsed by a function that also gets the name by which the user wrote the option. `offered` returns valid
    /// words for completion, if there are not too many.
    case word(offered: @Sendable () -> [String] = { [] }, Parse)
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
  /// The value of the option without one; other values are then attached with `=`. `nil` if it needs a value.
  var impliedValue: String?
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
  /// Whether the next word is its value.
  var takesNextWord: Bool { takesValue && impliedValue == nil }

  /// Its shortest form, such as `-o OUT` or `--in-place`.
  var synopsis: String {
    (short.map { "-\($0)" } ?? "--\(name)") + valueSynopsis
  }

  /// Its value in a synopsis, such as ` OUT` or `[=LEVEL]`; empty without one.
  var valueSynopsis: String { !takesValue ? "" : impliedValue == nil ? " \(placeholder)" : "[=\(placeholder)]" }

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
    case .choice(let choices, _): choices
    case .word(let offered, _): offered().map { Choice(name: $0, meaning: "") }
    default: []
    }
  }

  /// The value of `word` for this option, which the user wrote as `name`.
  func value(of word: Argument, givenAs name: String) throws(UsageError) -> any Sendable {
    switch kind {
    case .flag, .pairedFlag:
      throw UsageError("option '\(name)' takes no value")
    case .path, .folder:
      if word.bytes.isEmpty { throw UsageError("option '\(name)' needs a value") }
      return word
    case .choice(let choices, let value):
      return value(try choices.index(of: word, what: "option '\(name)'"))
    case .word(_, let parse):
      return try parse(word, name)
    }
  }
}

/// A valid value of an option or operand.
struct Choice: Sendable {
  let name: String
  /// Its meaning, as a phrase; empty if the name is self-explanatory.
  let meaning: String
}

extension [Choice] {
  /// The index of the choice that a word names; `what` is the option or operand in messages.
  func index(of word: Argument, what: String) throws(UsageError) -> Int {
    let names = map(\.name)
    if let index = names.firstIndex(of: word.text) { return index }
    throw UsageError(
      "\(what) can be \(UsageError.alternatives(names)), not '\(word.text)'",
      suggestions: Spelling.names(like: word.text, from: names))
  }
}
