/// A parsed command line.
struct ParsedArguments: Sendable {
  /// The operands in order; the parser has checked their number.
  let operands: [Argument]
  /// The given values, by the long name of the option.
  private let values: [String: GivenValue]
  private let declared: Set<String>

  init(operands: [Argument], values: [String: GivenValue], options: [OptionDeclaration]) {
    self.operands = operands
    self.values = values
    declared = Set(options.map(\.name))
  }

  /// The value of `option`, or its default. The command must have declared it.
  subscript<Value>(option: Option<Value>) -> Value {
    let name = option.declaration.name
    precondition(declared.contains(name), "the command does not declare --\(name)")
    return option.value(values[name])
  }

  /// Whether `option` was given.
  func has(_ option: any DeclaredOption) -> Bool { values[option.declaration.name] != nil }

  /// Throws if one of `others` is given, which cannot be used with `option`.
  func refuse(
    _ others: [any DeclaredOption], with option: any DeclaredOption, because reason: String? = nil
  ) throws(UsageError) {
    for other in others where has(other) { throw UsageError(option, contradicts: other, reason) }
  }

  /// The value of a flag, or `nil` if the command has not declared it; for code shared by commands.
  func ifDeclared<Value>(_ option: Option<Value>) -> Value? {
    declared.contains(option.declaration.name) ? self[option] : nil
  }
}
