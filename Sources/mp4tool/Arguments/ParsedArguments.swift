/// A command line that was understood.
struct ParsedArguments: Sendable {
  /// The words that are no options, in their order; as many as the command's declaration allows.
  let operands: [Argument]
  /// What was given, by the long name of the option.
  private let values: [String: GivenValue]
  private let declared: Set<String>

  init(operands: [Argument], values: [String: GivenValue], options: [OptionDeclaration]) {
    self.operands = operands
    self.values = values
    declared = Set(options.map(\.name))
  }

  /// The value of `option`, its default when it was not given. The command must have declared it.
  subscript<Value>(option: Option<Value>) -> Value {
    let name = option.declaration.name
    precondition(declared.contains(name), "the command does not declare --\(name)")
    return option.value(values[name])
  }

  /// Whether `option` was given.
  func has(_ option: any DeclaredOption) -> Bool { values[option.declaration.name] != nil }

  /// The value of a flag, `nil` in commands without it; for what all commands share.
  func ifDeclared<Value>(_ option: Option<Value>) -> Value? {
    declared.contains(option.declaration.name) ? self[option] : nil
  }
}
