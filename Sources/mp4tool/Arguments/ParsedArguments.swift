import MP4Bytes

/// A parsed command line.
struct ParsedArguments: Sendable {
  /// The name with which the command was called.
  let commandName: String
  /// The operands in order; the parser has checked their number.
  let operands: [Argument]
  /// The given values, by the long name of the option; of a repeatable option, an array of values.
  private let values: [String: any Sendable]
  private let spelled: [(name: String, words: String)]
  private let declared: Set<String>

  init(
    commandName: String, operands: [Argument], values: [String: any Sendable], spelled: [(name: String, words: String)],
    options: [OptionDeclaration]
  ) {
    self.commandName = commandName
    (self.operands, self.values, self.spelled) = (operands, values, spelled)
    declared = Set(options.map(\.name))
  }

  /// The value of `option`, or its default. The command must have declared it.
  subscript<Value>(option: Option<Value>) -> Value {
    let name = option.declaration.name
    precondition(declared.contains(name), "the command does not declare --\(name)")
    guard let given = values[name] else { return option.absent }
    guard let value = given as? Value else { preconditionFailure("the command declares --\(name) with another type") }
    return value
  }

  /// Whether `option` was given.
  func has(_ option: any DeclaredOption) -> Bool { values[option.declaration.name] != nil }

  /// The given options besides these, in one line that is the same for the same options.
  func words(besides others: [any DeclaredOption]) -> String {
    let left = Set(others.map(\.declaration.name))
    let words = Set(spelled.filter { !left.contains($0.name) }.map(\.words))
    return words.sorted().joined(separator: " ")
  }

  /// Throws if one of `others` is given, which cannot be used with `option`.
  func refuse(
    _ others: [any DeclaredOption], with option: any DeclaredOption, because reason: String? = nil
  ) throws(UsageError) {
    for other in others where has(other) { throw UsageError(option, contradicts: other, reason) }
  }

  /// The folder that `option` writes.
  func folder(_ option: Option<Argument?>) throws(UsageError) -> Pathname? {
    guard let word = self[option] else { return nil }
    guard !word.isDash else {
      throw UsageError("option '--\(option.declaration.name)' writes a folder, which cannot go to standard output")
    }
    return word.path
  }

  /// The value of a flag, or `nil` if the command has not declared it; for code shared by commands.
  func ifDeclared<Value>(_ option: Option<Value>) -> Value? {
    declared.contains(option.declaration.name) ? self[option] : nil
  }
}
