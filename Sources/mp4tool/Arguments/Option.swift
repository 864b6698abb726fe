/// An option and the Swift type of its value. It is declared once as a constant, listed in a command, and used as the
/// key for its value, as in `arguments[Self.order]`.
struct Option<Value: Sendable>: DeclaredOption {
  private(set) var declaration: OptionDeclaration
  /// The value if the option is not given.
  let absent: Value

  private init(_ declaration: OptionDeclaration, absent: Value) {
    (self.declaration, self.absent) = (declaration, absent)
  }

  /// The option, required unless one of the `others` is given.
  func required(unless others: [any DeclaredOption] = []) -> Self {
    var option = self
    option.declaration.isRequired = true
    option.declaration.dispensers = others.map(\.declaration.name)
    return option
  }
}

/// An option of any type, for lists.
protocol DeclaredOption: Sendable {
  var declaration: OptionDeclaration { get }
}

extension Option where Value == Bool {
  static func flag(_ name: String, short: Character? = nil, help: String) -> Self {
    Self(OptionDeclaration(name, short: short, kind: .flag, help: help), absent: false)
  }
}

extension Option where Value == Bool? {
  /// `--name` and `--no-name`; `nil` if neither is given.
  static func pairedFlag(_ name: String, help: String) -> Self {
    Self(OptionDeclaration(name, kind: .pairedFlag, help: help), absent: nil)
  }
}

extension Option where Value == Argument? {
  static func path(_ name: String, short: Character? = nil, placeholder: String, help: String) -> Self {
    Self(OptionDeclaration(name, short: short, kind: .path, placeholder: placeholder, help: help), absent: nil)
  }

  static func folder(_ name: String, short: Character? = nil, placeholder: String, help: String) -> Self {
    Self(OptionDeclaration(name, short: short, kind: .folder, placeholder: placeholder, help: help), absent: nil)
  }
}

extension Option where Value == [Argument] {
  /// A path that can be given several times.
  static func paths(_ name: String, placeholder: String, help: String) -> Self {
    Self(
      OptionDeclaration(name, kind: .path, placeholder: placeholder, help: help, canBeRepeated: true), absent: [])
  }

  /// A text that can be given several times.
  static func texts(_ name: String, placeholder: String, help: String) -> Self {
    Self(
      OptionDeclaration(
        name, kind: .word { (word, _) throws(UsageError) in word }, placeholder: placeholder, help: help,
        canBeRepeated: true), absent: [])
  }
}

extension Option where Value == String? {
  static func text(_ name: String, short: Character? = nil, placeholder: String, help: String) -> Self {
    Self(
      OptionDeclaration(
        name, short: short, kind: .word { (word, _) throws(UsageError) in word.text }, placeholder: placeholder,
        help: help), absent: nil)
  }
}

/// A value that is parsed from a word.
protocol OptionValue: Sendable {
  /// A description of valid words, as in `option '--tracks' takes …`.
  static var expectation: String { get }
  init?(_ word: Argument)
  /// Valid words that the user may have meant.
  static func suggestions(for word: String) -> [String]
  /// Valid words for completion, if there are not too many; a list can contain several of them.
  static var offered: [String] { get }
}

extension OptionValue {
  static func suggestions(for word: String) -> [String] { [] }
  static var offered: [String] { [] }

  /// How the parser gets the value of an option.
  fileprivate static var kind: OptionDeclaration.Kind {
    .word(offered: { offered }) { (word, name) throws(UsageError) in
      if let value = Self(word) { return value }
      throw UsageError(
        "option '\(name)' takes \(expectation), not '\(word.text)'", suggestions: suggestions(for: word.text))
    }
  }
}

/// A value that contains no file name, and is parsed from text.
protocol TextOptionValue: OptionValue {
  init?(_ text: String)
}

extension TextOptionValue {
  init?(_ word: Argument) { self.init(word.text) }
}

extension Option {
  /// An option with a parsed value; `nil` if it is not given.
  static func parsed<Parsed: OptionValue>(
    _ name: String, short: Character? = nil, placeholder: String, as _: Parsed.Type = Parsed.self, help: String
  ) -> Self where Value == Parsed? {
    Self(OptionDeclaration(name, short: short, kind: Parsed.kind, placeholder: placeholder, help: help), absent: nil)
  }

  /// A repeatable option.
  static func repeated<Parsed: OptionValue>(
    _ name: String, placeholder: String, as _: Parsed.Type = Parsed.self, help: String
  ) -> Self where Value == [Parsed] {
    Self(
      OptionDeclaration(name, kind: Parsed.kind, placeholder: placeholder, help: help, canBeRepeated: true), absent: [])
  }
}

extension Option where Value == Int {
  static func integer(
    _ name: String, short: Character? = nil, placeholder: String, in range: ClosedRange<Int>, default: Int,
    help: String
  ) -> Self {
    let kind = OptionDeclaration.Kind.word(offered: { range.count <= 10 ? range.map(String.init) : [] }) {
      (word, name) throws(UsageError) in
      if let number = Int(word.text), range.contains(number) { return number }
      throw UsageError(
        "option '\(name)' takes a number from \(range.lowerBound) to \(range.upperBound), not '\(word.text)'")
    }
    return Self(
      OptionDeclaration(
        name, short: short, kind: kind, placeholder: placeholder, help: help, defaultText: "\(`default`)"),
      absent: `default`)
  }
}

/// A value that an option offers, such as a case of an enum of a library.
struct NamedValue<Value: Sendable>: Sendable {
  let value: Value
  /// How the user writes it.
  let choice: Choice

  /// The meaning is a phrase.
  init(_ value: Value, _ name: String, _ meaning: String) {
    (self.value, choice) = (value, Choice(name: name, meaning: meaning))
  }
}

extension Option {
  /// One of several values, or `nil` if it is not given.
  static func choice<Offered>(
    _ name: String, placeholder: String, help: String, _ values: [NamedValue<Offered>]
  ) -> Self where Value == Offered? {
    Self(OptionDeclaration(name, kind: .offering(values), placeholder: placeholder, help: help), absent: nil)
  }
}

extension Option where Value: Equatable {
  /// One of several values.
  static func choice(
    _ name: String, placeholder: String, default: Value, help: String, _ values: [NamedValue<Value>]
  ) -> Self {
    let declaration = OptionDeclaration(
      name, kind: .offering(values), placeholder: placeholder, help: help,
      defaultText: values.first { $0.value == `default` }?.choice.name)
    return Self(declaration, absent: `default`)
  }
}

extension Option where Value: Equatable {
  /// One of several values, or that of the first one if the option has no value.
  static func choice(
    _ name: String, placeholder: String, absent: Value, help: String, impliedBy values: [NamedValue<Value>]
  ) -> Self {
    var declaration = OptionDeclaration(name, kind: .offering(values), placeholder: placeholder, help: help)
    declaration.impliedValue = values.first?.choice.name
    return Self(declaration, absent: absent)
  }
}

extension OptionDeclaration.Kind {
  fileprivate static func offering<Value>(_ values: [NamedValue<Value>]) -> Self {
    .choice(values.map(\.choice)) { values[$0].value }
  }
}
