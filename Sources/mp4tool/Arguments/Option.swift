/// An option and the Swift type of its value. It is declared once as a constant, listed in a command, and used as the
/// key for its value, as in `arguments[Self.order]`.
struct Option<Value>: DeclaredOption {
  let declaration: OptionDeclaration
  /// The value of the option, from the given value if there is one.
  let value: @Sendable (GivenValue?) -> Value
}

extension Option {
  /// The option, required unless one of the `others` is given.
  func required(unless others: [any DeclaredOption] = []) -> Self {
    var declaration = declaration
    declaration.isRequired = true
    declaration.dispensers = others.map(\.declaration.name)
    return Self(declaration: declaration, value: value)
  }
}

/// An option of any type, for lists.
protocol DeclaredOption: Sendable {
  var declaration: OptionDeclaration { get }
}

/// The value on the command line, checked against the kind of the option.
enum GivenValue: Hashable, Sendable {
  case flag(Bool)
  case integer(Int)
  case word(Argument)
  /// The words of a repeatable option, in order.
  case words([Argument])
}

extension Option where Value == Bool {
  static func flag(_ name: String, short: Character? = nil, help: String) -> Self {
    Self(declaration: OptionDeclaration(name, short: short, kind: .flag, help: help)) { $0 == .flag(true) }
  }
}

extension Option where Value == Bool? {
  /// `--name` and `--no-name`; `nil` if neither is given.
  static func pairedFlag(_ name: String, help: String) -> Self {
    Self(declaration: OptionDeclaration(name, kind: .pairedFlag, help: help)) {
      if case .flag(let value) = $0 { value } else { nil }
    }
  }
}

extension Option where Value == Argument? {
  static func path(_ name: String, short: Character? = nil, placeholder: String, help: String) -> Self {
    Self(declaration: OptionDeclaration(name, short: short, kind: .path, placeholder: placeholder, help: help)) {
      if case .word(let word) = $0 { word } else { nil }
    }
  }

  static func folder(_ name: String, short: Character? = nil, placeholder: String, help: String) -> Self {
    Self(declaration: OptionDeclaration(name, short: short, kind: .folder, placeholder: placeholder, help: help)) {
      if case .word(let word) = $0 { word } else { nil }
    }
  }
}

extension Option where Value == [Argument] {
  /// A path that can be given several times.
  static func paths(_ name: String, placeholder: String, help: String) -> Self {
    Self(
      declaration: OptionDeclaration(name, kind: .path, placeholder: placeholder, help: help, canBeRepeated: true)
    ) { if case .words(let words) = $0 { words } else { [] } }
  }
}

extension Option where Value == [Argument] {
  /// A text that can be given several times.
  static func texts(_ name: String, placeholder: String, help: String) -> Self {
    Self(
      declaration: OptionDeclaration(name, kind: .text, placeholder: placeholder, help: help, canBeRepeated: true)
    ) { if case .words(let words) = $0 { words } else { [] } }
  }
}

extension Option where Value == String? {
  static func text(_ name: String, short: Character? = nil, placeholder: String, help: String) -> Self {
    Self(declaration: OptionDeclaration(name, short: short, kind: .text, placeholder: placeholder, help: help)) {
      if case .word(let word) = $0 { word.text } else { nil }
    }
  }
}

/// A value that can be parsed from a valid word.
protocol OptionValue: Sendable {
  /// A description of valid words, as in `option '--tracks' takes …`.
  static var expectation: String { get }
  init?(_ word: String)
  /// Valid words that the user may have meant.
  static func suggestions(for word: String) -> [String]
  /// Valid words for completion, if there are not too many; a list can contain several of them.
  static var offered: [String] { get }
}

extension OptionValue {
  static func suggestions(for word: String) -> [String] { [] }
  static var offered: [String] { [] }
}

extension Option {
  /// An option with a parsed value; `nil` if it is not given.
  static func parsed<Parsed: OptionValue>(
    _ name: String, short: Character? = nil, placeholder: String, as _: Parsed.Type = Parsed.self, help: String
  ) -> Self where Value == Parsed? {
    let check = OptionDeclaration.Check(
      expectation: Parsed.expectation, suggestions: Parsed.suggestions, offered: { Parsed.offered }
    ) {
      Parsed($0) != nil
    }
    return Self(
      declaration: OptionDeclaration(name, short: short, kind: .checked(check), placeholder: placeholder, help: help)
    ) {
      if case .word(let word) = $0 { Parsed(word.text) } else { nil }
    }
  }
}

/// A value that is parsed from the bytes of a word, because it contains a file name.
protocol RepeatedValue: Sendable {
  /// A description of valid words, as in `option '--subtitles' takes …`.
  static var expectation: String { get }
  init?(_ word: Argument)
  /// Valid words that the user may have meant.
  static func suggestions(for word: String) -> [String]
  /// Valid words for completion, if there are not too many; a list can contain several of them.
  static var offered: [String] { get }
}

extension RepeatedValue {
  static func suggestions(for word: String) -> [String] { [] }
  static var offered: [String] { [] }
}

extension Option {
  /// A repeatable option.
  static func repeated<Parsed: RepeatedValue>(
    _ name: String, placeholder: String, as _: Parsed.Type = Parsed.self, help: String
  ) -> Self where Value == [Parsed] {
    let check = OptionDeclaration.Check(
      expectation: Parsed.expectation, suggestions: Parsed.suggestions, offered: { Parsed.offered }
    ) {
      Parsed(Argument($0)) != nil
    }
    return Self(
      declaration: OptionDeclaration(
        name, kind: .checked(check), placeholder: placeholder, help: help, canBeRepeated: true)
    ) {
      if case .words(let words) = $0 { words.compactMap(Parsed.init) } else { [] }
    }
  }
}

extension Option where Value == Int {
  static func integer(
    _ name: String, short: Character? = nil, placeholder: String, in range: ClosedRange<Int>, default: Int,
    help: String
  ) -> Self {
    let declaration = OptionDeclaration(
      name, short: short, kind: .integer(range), placeholder: placeholder, help: help, defaultText: "\(`default`)")
    return Self(declaration: declaration) {
      if case .integer(let number) = $0 { number } else { `default` }
    }
  }
}

extension Option {
  /// A choice without a default.
  static func choice<Choice: OptionChoice>(_ name: String, placeholder: String, help: String) -> Self
  where Value == Choice? {
    Self(declaration: OptionDeclaration(name, kind: .choice(Choice.choices), placeholder: placeholder, help: help)) {
      if case .word(let word) = $0 { Choice(rawValue: word.text) } else { nil }
    }
  }
}

extension Option where Value: OptionChoice {
  static func choice(
    _ name: String, short: Character? = nil, placeholder: String, default: Value, help: String
  ) -> Self {
    let declaration = OptionDeclaration(
      name, short: short, kind: .choice(Value.choices), placeholder: placeholder, help: help,
      defaultText: `default`.rawValue)
    return Self(declaration: declaration) {
      guard case .word(let word) = $0 else { return `default` }
      return Value(rawValue: word.text) ?? `default`
    }
  }
}
